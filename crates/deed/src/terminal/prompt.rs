//! What a question at the terminal looks like, and what an answer means.

use std::fmt::Write as _;

use deed_guard::approval::{ApprovalRequest, Choice, Reply, ReplyAnswer};

use crate::text::{Look, one_line};

/// Lines of the call that are shown at once where a picture of its effect stands beside them; all of
/// them are a letter away. Where there is none, nothing may hide below.
const MAX_LINES_BESIDE_PREVIEW: usize = 30;

/// What a line means.
pub(super) enum Said {
    Reply(Reply),
    Details,
    /// Nothing that was asked for.
    Nothing,
}

/// How far a preview stands in from the edge.
const INDENT: &str = "  ";
/// A narrower preview shows nothing.
const MIN_COLUMNS: usize = 20;

/// Words it, in lines for a terminal of so many columns, which may not be that of the output.
pub(super) fn question(request: &ApprovalRequest, look: &Look, columns: Option<usize>) -> String {
    let (bold, plain) = match look.colour {
        true => ("\x1b[1m", "\x1b[0m"),
        false => ("", ""),
    };
    let shown = &request.shown;
    let mut text = format!("\n{bold}deed asks: {}{plain}\n", shown.title);
    // Writing to a string cannot fail.
    writeln!(text, "  why: {}", one_line(&request.reason)).ok();
    let max_lines = match request.preview {
        Some(_) => MAX_LINES_BESIDE_PREVIEW,
        None => usize::MAX,
    };
    for line in shown.lines.iter().take(max_lines) {
        writeln!(text, "  | {line}").ok();
    }
    let hidden = shown.lines.len().saturating_sub(max_lines);
    if hidden > 0 {
        let dots = if look.unicode { "…" } else { "..." };
        writeln!(text, "  {dots} {hidden} more lines; d shows all").ok();
    }
    for warning in &shown.warnings {
        writeln!(text, "  {bold}! {}{plain}", one_line(warning)).ok();
    }
    if let Some(preview) = &request.preview {
        let mut options = look.card_text();
        let columns = columns.unwrap_or(options.width);
        options.width = columns.saturating_sub(INDENT.len()).max(MIN_COLUMNS);
        text.push_str(&indented(&deed_cards::draw_text(preview, &options)));
    }
    text
}

/// Names the answers.
pub(super) fn choices(request: &ApprovalRequest) -> String {
    let mut text = String::new();
    for choice in &request.choices {
        let line = match choice {
            Choice::Once => "y  yes, this once".to_owned(),
            Choice::Session => {
                "s  yes, and to the same call for the rest of the session".to_owned()
            }
            Choice::Always { rule } => {
                format!("a  always: store the rule  {}", one_line(rule))
            }
            Choice::Deny => {
                "n  no (what follows is told to the model: n use the other file)".into()
            }
        };
        writeln!(text, "  {line}").ok();
    }
    text.push_str("  d  details\n");
    text
}

/// Names the letters, to whoever typed something else.
pub(super) fn hint(request: &ApprovalRequest) -> String {
    let letter = |choice: &Choice| match choice {
        Choice::Once => "y",
        Choice::Session => "s",
        Choice::Always { .. } => "a",
        Choice::Deny => "n",
    };
    let letters: Vec<&str> = request.choices.iter().map(letter).collect();
    format!("please answer with {} or d\n", letters.join(", "))
}

/// Shows all there is.
pub(super) fn details(request: &ApprovalRequest) -> String {
    let mut text = format!("\n{}\n", request.shown.text());
    for part in &request.parts {
        let said = one_line(&part.reason);
        writeln!(
            text,
            "part `{}`: {} ({said})",
            one_line(&part.text),
            part.verdict
        )
        .ok();
    }
    writeln!(text, "call {}, question {}", request.call_id, request.id).ok();
    writeln!(text, "arguments {}", request.args_sha256).ok();
    writeln!(text, "context {}", request.context_sha256).ok();
    text
}

/// Reads an answer; anything but the letters and words offered is none.
pub(super) fn understand(line: &str, request: &ApprovalRequest) -> Said {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let reply = |answer| Said::Reply(Reply::new(answer));
    match word.to_ascii_lowercase().as_str() {
        "y" | "yes" if rest.is_empty() => reply(ReplyAnswer::Once),
        "s" | "session" if rest.is_empty() && request.offers_session() => {
            reply(ReplyAnswer::Session)
        }
        "a" | "always" if rest.is_empty() && request.rule_for_always().is_some() => {
            reply(ReplyAnswer::Always)
        }
        "n" | "no" => {
            let comment = Some(rest.trim().to_owned()).filter(|comment| !comment.is_empty());
            Said::Reply(Reply {
                comment,
                ..Reply::new(ReplyAnswer::Deny)
            })
        }
        "d" | "details" => Said::Details,
        _ => Said::Nothing,
    }
}

fn indented(text: &str) -> String {
    text.lines()
        .map(|line| format!("{INDENT}{line}\n"))
        .collect()
}
