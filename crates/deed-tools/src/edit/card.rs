use deed_protocol::{DiffLine, DiffLineKind, Tone, ToolCard, ToolResult};
use deed_tooling::ResultView;
use serde_json::Value;

use super::{EditParams, NAME};
use crate::diff::parse_display;
use crate::drawing;

/// Draws a call: the texts that go and come, without their places.
pub(super) fn call(args: &Value) -> ToolCard {
    let card = ToolCard::new(NAME, drawing::path_subject(args));
    let edits = args
        .get("edits")
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    let text = |edit: &Value, name: &str| {
        edit.get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let pairs = edits
        .iter()
        .map(|edit| (text(edit, "oldText"), text(edit, "newText")));
    let lines = lines_of(pairs);
    drawing::diff(card, &path(args), lines, ResultView::default())
}

/// Draws a call for whoever is to allow it: the diff, or the texts where there is none.
pub(super) fn preview(params: &EditParams, diff: Option<Vec<DiffLine>>) -> ToolCard {
    let all = ResultView {
        expanded: true,
        partial: false,
    };
    let card = ToolCard::new(NAME, params.path.as_str());
    let pairs = || {
        params
            .edits
            .iter()
            .map(|edit| (edit.old_text.clone(), edit.new_text.clone()))
    };
    drawing::diff(
        card,
        &params.path,
        diff.unwrap_or_else(|| lines_of(pairs())),
        all,
    )
}

/// Draws what was changed.
pub(super) fn result(args: &Value, result: &ToolResult, view: ResultView) -> ToolCard {
    let card = ToolCard::new(NAME, drawing::path_subject(args));
    if result.is_error {
        return drawing::failed(card, result);
    }
    let fact = |name: &str| result.details.as_ref()?.get(name);
    let Some(diff) = fact("diff").and_then(Value::as_str) else {
        return call(args);
    };
    let mut card = drawing::diff(card, &path(args), parse_display(diff), view);
    if fact("tolerantEdits").is_some() {
        card = card.badge("tolerant match", Tone::Warning);
    }
    if fact("atomic").and_then(Value::as_bool) == Some(false) {
        card = card.badge("in place", Tone::Muted);
    }
    card
}

fn path(args: &Value) -> String {
    args.get("path")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

fn lines_of(pairs: impl Iterator<Item = (String, String)>) -> Vec<DiffLine> {
    let mut lines = Vec::new();
    let line = |kind, text: &str| DiffLine {
        kind,
        line_1based: None,
        text: text.to_owned(),
    };
    for (index, (old, new)) in pairs.enumerate() {
        if index > 0 {
            lines.push(line(DiffLineKind::Gap, ""));
        }
        lines.extend(old.lines().map(|text| line(DiffLineKind::Removed, text)));
        lines.extend(new.lines().map(|text| line(DiffLineKind::Added, text)));
    }
    lines
}
