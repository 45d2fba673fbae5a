use deed_agent::ToolSpec;
use deed_protocol::{Block, ContentBlock, NoticeLevel, Tone, ToolCard, ToolResult};
use serde_json::Value;

use crate::{ResultView, TextLimits, truncate_head, truncate_line};

const MAX_SUBJECT_CHARS: usize = 200;
const MAX_LINE_CHARS: usize = 1000;
const BRIEF: TextLimits = TextLimits {
    max_lines: 10,
    max_bytes: 4 * 1024,
};

/// Draws a call of a tool that has no drawing of its own.
///
/// Shape: the label as title, the first argument that is a string as subject, cut to one line.
pub fn generic_call_card(spec: &ToolSpec, args: &Value) -> ToolCard {
    let first = args
        .as_object()
        .and_then(|members| members.values().find_map(Value::as_str))
        .unwrap_or_default();
    let line = first
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or_default();
    let subject = truncate_line(line, MAX_SUBJECT_CHARS).text;
    ToolCard::new(spec.label.as_ref(), subject)
}

/// Draws a result of a tool that has no drawing of its own.
///
/// Shape: the card of the call with a badge if it failed, then texts and pictures in order. Texts
/// are cut to ten lines, or to the limits of a tool result where `view` is expanded.
pub fn generic_result_card(
    spec: &ToolSpec,
    args: &Value,
    result: &ToolResult,
    view: ResultView,
) -> ToolCard {
    let mut card = generic_call_card(spec, args);
    if result.is_error {
        card = card.badge("error", Tone::Bad);
    } else if view.partial {
        card = card.badge("running", Tone::Muted);
    }
    let limits = if view.expanded {
        TextLimits::default()
    } else {
        BRIEF
    };
    for block in &result.content {
        match block {
            ContentBlock::Text(text) => add_text(&mut card, &text.text, limits, result.is_error),
            ContentBlock::Image(image) => card.blocks.push(Block::Image {
                data: image.data.clone(),
                mime_type: image.mime_type.clone(),
                alt: format!("a picture ({})", image.mime_type),
            }),
            _ => {}
        }
    }
    card
}

/// What went wrong is told in whole lines; any other text is what it is.
fn text_block(text: String, is_error: bool) -> Block {
    let level = NoticeLevel::Error;
    match is_error {
        true => Block::Notice { level, text },
        false => Block::Text { text },
    }
}

fn add_text(card: &mut ToolCard, text: &str, limits: TextLimits, is_error: bool) {
    let cut = truncate_head(text, limits);
    if cut.truncation.first_line_exceeds_limit {
        let first = text.lines().next().unwrap_or_default();
        let text = truncate_line(first, MAX_LINE_CHARS).into();
        card.blocks.push(text_block(text, is_error));
        return;
    }
    if !cut.text.is_empty() {
        let text = cut.text.trim_end_matches('\n').to_owned();
        card.blocks.push(text_block(text, is_error));
    }
    let hidden = cut
        .truncation
        .total_lines
        .saturating_sub(cut.truncation.output_lines);
    if hidden > 0 {
        let noun = if hidden == 1 { "line" } else { "lines" };
        let text = format!("{hidden} more {noun}");
        card.blocks.push(Block::Notice {
            level: NoticeLevel::Info,
            text,
        });
    }
}
