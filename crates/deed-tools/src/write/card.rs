use deed_protocol::{Tone, ToolCard, ToolResult};
use deed_tooling::{ResultView, format_size};
use serde_json::Value;

use super::NAME;
use crate::diff::{FileDiff, parse_display};
use crate::drawing;
use crate::path::Located;

/// Draws a call: the path and the content.
pub(super) fn call(args: &Value) -> ToolCard {
    with_content(
        ToolCard::new(NAME, drawing::path_subject(args)),
        args,
        ResultView::default(),
    )
}

fn with_content(card: ToolCard, args: &Value, view: ResultView) -> ToolCard {
    let text = |name| args.get(name).and_then(Value::as_str).unwrap_or_default();
    drawing::code(card, text("content"), drawing::language(text("path")), view)
}

/// Draws a call for whoever is to allow it: what would change.
pub(super) fn preview(
    path: &str,
    content: &str,
    located: &Located,
    diff: Option<FileDiff>,
) -> ToolCard {
    let all = ResultView {
        expanded: true,
        partial: false,
    };
    let card = ToolCard::new(NAME, path);
    let card = match located.is_missing() {
        true => card.badge("new file", Tone::Good),
        false => card.badge("overwrites", Tone::Warning),
    };
    let card = card.badge(format_size(content.len() as u64), Tone::Muted);
    match diff {
        Some(diff) => drawing::diff(card, path, diff.lines(), all),
        None => drawing::code(card, content, drawing::language(path), all),
    }
}

/// Draws what was written: the diff of an existing file, the content of a new one.
pub(super) fn result(args: &Value, result: &ToolResult, view: ResultView) -> ToolCard {
    let card = ToolCard::new(NAME, drawing::path_subject(args));
    if result.is_error {
        return drawing::failed(card, result);
    }
    let fact = |name: &str| result.details.as_ref()?.get(name);
    let is_true = |name| fact(name).and_then(Value::as_bool) == Some(true);
    let mut card = card;
    if is_true("created") {
        card = card.badge("created", Tone::Good);
    }
    if let Some(bytes) = fact("bytes").and_then(Value::as_u64) {
        card = card.badge(format_size(bytes), Tone::Muted);
    }
    if fact("placeholderLine").is_some() {
        card = card.badge("placeholder?", Tone::Warning);
    }
    match fact("diff").and_then(Value::as_str) {
        Some(diff) => {
            let path = args.get("path").and_then(Value::as_str).unwrap_or_default();
            drawing::diff(card, path, parse_display(diff), view)
        }
        None => with_content(card, args, view),
    }
}
