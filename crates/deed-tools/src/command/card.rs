use std::path::Path;

use deed_protocol::{Block, KeyValue, NoticeLevel, Tone, ToolCard, ToolResult};
use deed_tooling::{ResultView, TextLimits, truncate_line, truncate_tail};
use serde_json::Value;

use crate::drawing;

const MAX_SUBJECT_CHARS: usize = 200;
const BRIEF: TextLimits = TextLimits {
    max_lines: 10,
    max_bytes: 4 * 1024,
};

/// Draws a call: `$` and the command, as code below if one line does not hold it.
pub(crate) fn call_card(label: &str, args: &Value) -> ToolCard {
    let command = args
        .get("command")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let mut card = ToolCard::new(label, subject(command));
    if let Some(seconds) = args.get("timeout").and_then(Value::as_f64) {
        card = card.badge(format!("at most {seconds} s"), Tone::Muted);
    }
    if command.contains('\n') || command.chars().count() > MAX_SUBJECT_CHARS {
        card = card.block(code(label, command));
    }
    card
}

/// Draws a call for whoever is to allow it: all of the command, and where it would run.
pub(crate) fn preview_card(label: &str, command: &str, cwd: &Path) -> ToolCard {
    let folder = KeyValue {
        key: "in".to_owned(),
        value: cwd.display().to_string(),
    };
    ToolCard::new(label, subject(command))
        .block(code(label, command))
        .block(Block::KeyValues {
            pairs: vec![folder],
        })
}

/// Draws what a command printed so far and how it ended.
pub(crate) fn result_card(
    label: &str,
    args: &Value,
    result: &ToolResult,
    view: ResultView,
) -> ToolCard {
    let mut card = call_card(label, args);
    if result.is_error && !view.partial && !has_ended(result) {
        return drawing::failed(card, result);
    }
    let (badge, tone) = ending(result, view);
    card = card.badge(badge, tone);
    let text = result.joined_text();
    let limits = if view.expanded {
        TextLimits::default()
    } else {
        BRIEF
    };
    let tail = truncate_tail(&text, limits);
    let hidden = tail
        .truncation
        .total_lines
        .saturating_sub(tail.truncation.output_lines);
    if hidden > 0 {
        let noun = if hidden == 1 { "line" } else { "lines" };
        let text = format!("{hidden} earlier {noun}");
        card = card.block(Block::Notice {
            level: NoticeLevel::Info,
            text,
        });
    }
    let text = tail.text.trim_end_matches('\n');
    if !text.is_empty() {
        card = card.block(Block::Text {
            text: text.to_owned(),
        });
    }
    card
}

/// Tells whether there was a command that came to an end; one that was refused never began.
fn has_ended(result: &ToolResult) -> bool {
    let details = result.details.as_ref();
    let ends = ["exitCode", "signal", "timedOut", "aborted"];
    ends.iter()
        .any(|end| details.is_some_and(|details| details.get(end).is_some()))
}

fn ending(result: &ToolResult, view: ResultView) -> (String, Tone) {
    if view.partial {
        return ("running".to_owned(), Tone::Muted);
    }
    let details = result.details.as_ref();
    let detail = |name: &str| details.and_then(|details| details.get(name));
    if detail("timedOut").is_some() {
        return ("timed out".to_owned(), Tone::Bad);
    }
    if detail("aborted").is_some() {
        return ("aborted".to_owned(), Tone::Warning);
    }
    if let Some(signal) = detail("signal").and_then(Value::as_str) {
        return (signal.to_owned(), Tone::Bad);
    }
    match detail("exitCode").and_then(Value::as_i64) {
        Some(0) => ("exit 0".to_owned(), Tone::Good),
        Some(code) => (format!("exit {code}"), Tone::Bad),
        None if result.is_error => ("error".to_owned(), Tone::Bad),
        None => ("done".to_owned(), Tone::Muted),
    }
}

fn subject(command: &str) -> String {
    let first = command
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default();
    format!(
        "$ {}",
        String::from(truncate_line(first.trim(), MAX_SUBJECT_CHARS))
    )
}

fn code(label: &str, command: &str) -> Block {
    Block::Code {
        text: command.to_owned(),
        language: label.to_owned(),
        first_line_1based: None,
    }
}
