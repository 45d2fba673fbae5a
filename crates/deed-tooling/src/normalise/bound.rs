use std::path::PathBuf;

use deed_protocol::{ContentBlock, ToolResult};
use serde_json::{Value, json};

use super::{MAX_CONTENT_BYTES, MAX_DETAILS_BYTES};
use crate::format_size;

/// What was cut from the text of a result.
pub(super) struct Surplus {
    pub(super) bytes: u64,
    pub(super) whole: String,
}

/// Cuts the texts together to the bound; returns what was cut, if anything was.
pub(super) fn bound_text(content: &mut Vec<ContentBlock>) -> Option<Surplus> {
    let total: usize = content
        .iter()
        .filter_map(ContentBlock::as_text)
        .map(str::len)
        .sum();
    if total <= MAX_CONTENT_BYTES {
        return None;
    }
    let texts: Vec<&str> = content.iter().filter_map(ContentBlock::as_text).collect();
    let whole = texts.join("\n");
    let mut room = MAX_CONTENT_BYTES;
    let mut kept = 0;
    for block in content.iter_mut() {
        if let ContentBlock::Text(block) = block {
            let end = block.text.floor_char_boundary(room);
            // Behind the first cut nothing more is kept, not even a piece that would fit.
            room = if end < block.text.len() {
                0
            } else {
                room - end
            };
            block.text.truncate(end);
            kept += end;
        }
    }
    content.retain(|block| block.as_text() != Some(""));
    Some(Surplus {
        bytes: (total - kept) as u64,
        whole,
    })
}

/// Says what was cut and where it is.
pub(super) fn notice(bytes: u64, place: Option<PathBuf>) -> String {
    let cut = format_size(bytes);
    let most = format_size(MAX_CONTENT_BYTES as u64);
    let hint = match place {
        Some(path) => format!("the whole text is in {}", path.display()),
        None => "ask for less at a time".to_owned(),
    };
    format!("[{cut} of text left out: a result holds at most {most}; {hint}]")
}

/// Puts a note in the place of details that are too long.
pub(super) fn bound_details(result: &mut ToolResult) {
    let Some(details) = &result.details else {
        return;
    };
    let size = json_size(details);
    if size > MAX_DETAILS_BYTES {
        let most = format_size(MAX_DETAILS_BYTES as u64);
        let said = format!(
            "details of {} left out: at most {most}",
            format_size(size as u64)
        );
        result.details = Some(json!({ "omitted": said }));
    }
}

/// Returns about how long a value is as JSON, without writing it.
fn json_size(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 5,
        Value::Number(_) => 8,
        Value::String(text) => text.len() + 2,
        Value::Array(items) => 2 + items.iter().map(|item| json_size(item) + 1).sum::<usize>(),
        Value::Object(members) => {
            let sizes = members
                .iter()
                .map(|(name, member)| name.len() + 4 + json_size(member));
            2 + sizes.sum::<usize>()
        }
    }
}
