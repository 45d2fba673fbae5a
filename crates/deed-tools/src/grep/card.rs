use deed_protocol::{Block, Cell, NoticeLevel, Tone, ToolCard, ToolResult};
use deed_tooling::{ResultView, truncate_line};
use serde_json::Value;

use crate::drawing;

const MAX_SUBJECT_CHARS: usize = 200;
const BRIEF_ROWS: usize = 10;

/// Draws a call: the pattern, and where it is searched for if not everywhere.
pub(super) fn call(args: &Value) -> ToolCard {
    let text = |name: &str| {
        args.get(name)
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
    };
    let is_set = |name: &str| args.get(name).and_then(Value::as_bool).unwrap_or(false);
    let mut subject = text("pattern").unwrap_or_default().to_owned();
    for (word, name) in [("in", "path"), ("files", "glob")] {
        if let Some(value) = text(name) {
            subject.push_str(&format!(" {word} {value}"));
        }
    }
    let mut card = ToolCard::new(super::NAME, truncate_line(&subject, MAX_SUBJECT_CHARS).text);
    for (name, badge) in [("literal", "plain text"), ("ignoreCase", "any case")] {
        if is_set(name) {
            card = card.badge(badge, Tone::Muted);
        }
    }
    card
}

/// Draws what was found as a table of file, line and text.
pub(super) fn result(args: &Value, result: &ToolResult, view: ResultView) -> ToolCard {
    let mut card = call(args);
    if result.is_error {
        return drawing::failed(card, result);
    }
    let text = result.joined_text();
    if view.partial {
        return card.badge("running", Tone::Muted);
    }
    let (found, notice) = match text.split_once("\n\n[") {
        Some((found, notice)) => (found, Some(notice.trim_end_matches(']'))),
        None => (text.as_str(), None),
    };
    let rows: Vec<Vec<Cell>> = found.lines().filter_map(row).collect();
    if rows.is_empty() {
        card = card.block(Block::Text {
            text: found.to_owned(),
        });
    } else {
        card = card
            .badge(lines_badge(rows.len()), Tone::Muted)
            .block(table(rows, view));
    }
    match notice {
        Some(notice) => card.block(Block::Notice {
            level: NoticeLevel::Warning,
            text: notice.to_owned(),
        }),
        None => card,
    }
}

fn lines_badge(count: usize) -> String {
    if count == 1 {
        "1 line".to_owned()
    } else {
        format!("{count} lines")
    }
}

fn table(mut rows: Vec<Vec<Cell>>, view: ResultView) -> Block {
    let kept = if view.expanded {
        rows.len()
    } else {
        rows.len().min(BRIEF_ROWS)
    };
    let omitted_rows = (rows.len() - kept) as u64;
    rows.truncate(kept);
    let columns = ["File", "Line", "Text"].map(str::to_owned).to_vec();
    Block::Table {
        columns,
        rows,
        omitted_rows,
    }
}

/// Takes a line of the result apart: at the first number between two colons (of a match) or two
/// dashes (of context) with a space behind.
fn row(line: &str) -> Option<Vec<Cell>> {
    let (path, number, text) = apart(line, ':').or_else(|| apart(line, '-'))?;
    let plain = |text: &str| Cell {
        text: text.to_owned(),
        is_number: false,
    };
    Some(vec![
        plain(path),
        Cell {
            text: number.to_owned(),
            is_number: true,
        },
        plain(text),
    ])
}

fn apart(line: &str, mark: char) -> Option<(&str, &str, &str)> {
    line.match_indices(mark).find_map(|(at, _)| {
        let (path, rest) = line.split_at_checked(at)?;
        let (number, text) = rest.strip_prefix(mark)?.split_once(mark)?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then_some((path, number, text.strip_prefix(' ')?))
    })
}
