use deed_protocol::{Block, ContentBlock, Tone, ToolCard, ToolResult};
use deed_tooling::ResultView;
use serde_json::Value;

use super::NAME;
use crate::drawing;

const BRIEF_LINES: usize = 10;

/// Draws a call: the path and the lines asked for.
pub(super) fn call(args: &Value) -> ToolCard {
    let first = number(args, "offset");
    let range = match (first, number(args, "limit")) {
        (None, None) => String::new(),
        (first, None) => format!(":{}-", first.unwrap_or(1)),
        (first, Some(limit)) => {
            let first = first.unwrap_or(1);
            format!(":{first}-{}", first.saturating_add(limit).saturating_sub(1))
        }
    };
    let path = drawing::path_subject(args);
    ToolCard::new(NAME, format!("{path}{range}"))
}

/// Reads a number that may be written as text.
fn number(args: &Value, name: &str) -> Option<u64> {
    let value = args.get(name)?;
    value
        .as_u64()
        .or_else(|| value.as_str()?.trim().parse().ok())
}

/// Draws what was read: numbered code or the picture, and remarks below.
pub(super) fn result(args: &Value, result: &ToolResult, view: ResultView) -> ToolCard {
    let mut card = call(args);
    if result.is_error {
        return drawing::failed(card, result);
    }
    let fact = |name: &str| result.details.as_ref()?.get(name)?.as_u64();
    if let (Some(lines), Some(total)) = (fact("lines"), fact("totalLines")) {
        let text = match (lines, total) {
            (0, 0) => "empty".to_owned(),
            (1, 1) => "1 line".to_owned(),
            (lines, total) if lines == total => format!("{lines} lines"),
            (lines, total) => format!("{lines} of {total} lines"),
        };
        card = card.badge(text, Tone::Muted);
    }
    for block in &result.content {
        match block {
            ContentBlock::Text(text) => {
                let lines = usize::try_from(fact("lines").unwrap_or(0)).unwrap_or(0);
                let first = fact("firstLine");
                card = text_blocks(card, args, &text.text, (first, lines), view);
            }
            ContentBlock::Image(image) => {
                card = card.block(Block::Image {
                    data: image.data.clone(),
                    mime_type: image.mime_type.clone(),
                    alt: format!("a picture ({})", image.mime_type),
                });
            }
            _ => {}
        }
    }
    card
}

/// Adds the first `lines` lines of a text as code and the rest as a remark.
fn text_blocks(
    mut card: ToolCard,
    args: &Value,
    text: &str,
    (first_line_1based, lines): (Option<u64>, usize),
    view: ResultView,
) -> ToolCard {
    let mut all = text.split('\n');
    let wanted = if view.expanded {
        lines
    } else {
        lines.min(BRIEF_LINES)
    };
    let code: Vec<&str> = all.by_ref().take(wanted).collect();
    let hidden = all.by_ref().take(lines.saturating_sub(wanted)).count();
    if !code.is_empty() {
        let path = args.get("path").and_then(Value::as_str).unwrap_or_default();
        card = card.block(Block::Code {
            text: code.join("\n"),
            language: drawing::language(path),
            first_line_1based,
        });
    }
    card = drawing::hidden_lines(card, hidden as u64);
    let rest: Vec<&str> = all.filter(|line| !line.is_empty()).collect();
    if rest.is_empty() {
        return card;
    }
    drawing::remark(card, rest.join("\n"))
}
