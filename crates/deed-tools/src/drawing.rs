//! Parts of cards that several tools share.

use std::path::Path;

use deed_protocol::{Block, DiffLine, NoticeLevel, Tone, ToolCard, ToolResult};
use deed_tooling::{ResultView, TextLimits, truncate_head, truncate_line};
use serde_json::Value;

use crate::diff;

const MAX_SUBJECT_CHARS: usize = 200;
const BRIEF_DIFF_LINES: usize = 40;
const BRIEF: TextLimits = TextLimits {
    max_lines: 10,
    max_bytes: 4 * 1024,
};

/// Returns the path of a call on one line, for raw arguments too.
pub(crate) fn path_subject(args: &Value) -> String {
    let path = args.get("path").and_then(Value::as_str).unwrap_or_default();
    let line = path.lines().next().unwrap_or_default();
    truncate_line(line, MAX_SUBJECT_CHARS).into()
}

/// Names the language of a file by the end of its name.
pub(crate) fn language(path: &str) -> String {
    let extension = Path::new(path)
        .extension()
        .and_then(|extension| extension.to_str());
    extension.unwrap_or_default().to_lowercase()
}

/// Adds what went wrong to the card of a failed call.
pub(crate) fn failed(card: ToolCard, result: &ToolResult) -> ToolCard {
    card.badge("error", Tone::Bad).block(Block::Notice {
        level: NoticeLevel::Error,
        text: result.joined_text(),
    })
}

/// Adds a remark.
pub(crate) fn remark(card: ToolCard, text: impl Into<String>) -> ToolCard {
    card.block(Block::Notice {
        level: NoticeLevel::Info,
        text: text.into(),
    })
}

/// Says that lines are not shown.
pub(crate) fn hidden_lines(card: ToolCard, hidden: u64) -> ToolCard {
    match hidden {
        0 => card,
        1 => remark(card, "1 more line"),
        hidden => remark(card, format!("{hidden} more lines")),
    }
}

/// Adds the beginning of a text, or as much of it as a result holds.
pub(crate) fn code(card: ToolCard, text: &str, language: String, view: ResultView) -> ToolCard {
    let limits = if view.expanded {
        TextLimits::default()
    } else {
        BRIEF
    };
    let cut = truncate_head(text, limits);
    let hidden = cut
        .truncation
        .total_lines
        .saturating_sub(cut.truncation.output_lines);
    let shown = cut.text.strip_suffix('\n').unwrap_or(cut.text);
    let card = if shown.is_empty() {
        card
    } else {
        card.block(Block::Code {
            text: shown.to_owned(),
            language,
            first_line_1based: Some(1),
        })
    };
    hidden_lines(card, hidden)
}

/// Adds a diff with the number of changed lines.
pub(crate) fn diff(
    card: ToolCard,
    path: &str,
    mut lines: Vec<DiffLine>,
    view: ResultView,
) -> ToolCard {
    let (added, removed) = diff::counts(&lines);
    let card = match (added, removed) {
        (0, 0) => card,
        (added, 0) => card.badge(format!("+{added}"), Tone::Good),
        (0, removed) => card.badge(format!("-{removed}"), Tone::Bad),
        (added, removed) => card
            .badge(format!("+{added}"), Tone::Good)
            .badge(format!("-{removed}"), Tone::Bad),
    };
    if lines.is_empty() {
        return card;
    }
    let all = lines.len();
    if !view.expanded {
        lines.truncate(BRIEF_DIFF_LINES);
    }
    let hidden = (all - lines.len()) as u64;
    hidden_lines(
        card.block(Block::Diff {
            path: path.to_owned(),
            lines,
        }),
        hidden,
    )
}
