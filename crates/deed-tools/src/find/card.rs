use deed_protocol::{Block, NoticeLevel, Tone, ToolCard, ToolResult};
use deed_tooling::{ResultView, truncate_line};
use serde_json::Value;

use crate::drawing;

const MAX_SUBJECT_CHARS: usize = 200;
const BRIEF_LINES: usize = 10;

/// Draws a call: the pattern, and the folder if it is not the working folder.
pub(super) fn call(args: &Value) -> ToolCard {
    let text = |name: &str| {
        args.get(name)
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
    };
    let mut subject = text("pattern").unwrap_or_default().to_owned();
    if let Some(path) = text("path") {
        subject.push_str(&format!(" in {path}"));
    }
    ToolCard::new(super::NAME, truncate_line(&subject, MAX_SUBJECT_CHARS).text)
}

/// Draws what was found as a list.
pub(super) fn result(args: &Value, result: &ToolResult, view: ResultView) -> ToolCard {
    let card = call(args);
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
    let lines: Vec<&str> = found.lines().collect();
    let kept = if view.expanded {
        lines.len()
    } else {
        lines.len().min(BRIEF_LINES)
    };
    let shown = lines.get(..kept).unwrap_or_default().join("\n");
    let mut card = card.block(Block::Text { text: shown });
    if found != super::NOTHING_FOUND {
        let noun = if lines.len() == 1 {
            "result"
        } else {
            "results"
        };
        card = card.badge(format!("{} {noun}", lines.len()), Tone::Muted);
    }
    if kept < lines.len() {
        let text = format!("{} more", lines.len() - kept);
        card = card.block(Block::Notice {
            level: NoticeLevel::Info,
            text,
        });
    }
    match notice {
        Some(notice) => card.block(Block::Notice {
            level: NoticeLevel::Warning,
            text: notice.to_owned(),
        }),
        None => card,
    }
}
