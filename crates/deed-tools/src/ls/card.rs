use deed_protocol::{Block, Tone, ToolCard, ToolResult};
use deed_tooling::{ResultView, TextLimits, truncate_head, truncate_line};
use serde_json::Value;

use super::NAME;
use crate::drawing;

const MAX_SUBJECT_CHARS: usize = 200;
const BRIEF: TextLimits = TextLimits {
    max_lines: 10,
    max_bytes: 4 * 1024,
};

/// Draws a call: the folder.
pub(super) fn call(args: &Value) -> ToolCard {
    let path = args.get("path").and_then(Value::as_str).unwrap_or(".");
    let line = path.lines().next().unwrap_or_default();
    ToolCard::new(NAME, truncate_line(line, MAX_SUBJECT_CHARS).text)
}

/// Draws the entries.
pub(super) fn result(args: &Value, result: &ToolResult, view: ResultView) -> ToolCard {
    let mut card = call(args);
    if result.is_error {
        return drawing::failed(card, result);
    }
    let text = result.joined_text();
    let entries = result
        .details
        .as_ref()
        .and_then(|details| details.get("entries")?.as_u64());
    match entries {
        Some(1) => card = card.badge("1 entry", Tone::Muted),
        Some(entries) => card = card.badge(format!("{entries} entries"), Tone::Muted),
        None => {}
    }
    let limits = if view.expanded {
        TextLimits::default()
    } else {
        BRIEF
    };
    let cut = truncate_head(&text, limits);
    let hidden = cut
        .truncation
        .total_lines
        .saturating_sub(cut.truncation.output_lines);
    card = card.block(Block::Text {
        text: cut.text.to_owned(),
    });
    drawing::hidden_lines(card, hidden)
}
