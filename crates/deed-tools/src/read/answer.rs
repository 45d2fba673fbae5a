use std::borrow::Cow;
use std::fmt::Write as _;

use deed_agent::ToolError;
use deed_env::file::TextSlice;
use deed_protocol::ToolResult;
use deed_tooling::{
    DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES, TextLimits, TruncatedBy, Truncation, format_size,
    truncate_head,
};
use serde_json::{Map, Value, json};

/// What a call asks for.
pub(super) struct Asked<'a> {
    pub(super) path: &'a str,
    pub(super) first_1based: u64,
    pub(super) limit: Option<u64>,
}

/// Lines as they will be shown.
struct Shown {
    text: String,
    lines: u64,
    notes: Vec<String>,
}

/// Words the lines of a file for a model.
///
/// What tells text from data is `head`, the beginning of a line too long to be kept, or the lines.
///
/// Shape: the lines to the letter; below them, in brackets, what was left out and how to get it.
///
/// Errors: the file ends before the first line asked for.
pub(super) fn text(
    mut slice: TextSlice,
    asked: &Asked<'_>,
    head: Option<&[u8]>,
) -> Result<ToolResult, ToolError> {
    let total = slice.total_lines.unwrap_or(slice.wanted_lines);
    if total == 0 && asked.first_1based == 1 {
        let details = json!({ "firstLine": 1, "lines": 0, "totalLines": 0 });
        return Ok(ToolResult::text(format!("[{} is empty]", asked.path)).with_details(details));
    }
    if asked.first_1based > total {
        return Err(beyond_end(asked, total));
    }
    let head = head.unwrap_or(&slice.bytes);
    if is_binary(head) {
        return Ok(binary(&slice, asked, head));
    }
    if let Some(bytes) = slice.oversized_first_line_bytes {
        return Ok(oversized(&slice, asked, total, bytes));
    }
    let kept = std::mem::take(&mut slice.bytes);
    let kept_bytes = kept.len() as u64;
    let shown = show(kept, slice.kept_lines);
    if shown.lines == 0 {
        return Ok(oversized(&slice, asked, total, kept_bytes));
    }
    Ok(lines(&slice, asked, total, shown))
}

fn beyond_end(asked: &Asked<'_>, total: u64) -> ToolError {
    let noun = if total == 1 { "line" } else { "lines" };
    ToolError::Failed(format!(
        "offset {} is beyond the end of {}, which has {total} {noun}",
        asked.first_1based, asked.path
    ))
}

/// Makes the kept bytes readable, within the limits even where that makes them longer.
fn show(kept: Vec<u8>, kept_lines: u64) -> Shown {
    let mut notes = Vec::new();
    let mut text = String::from_utf8(kept).unwrap_or_else(|error| {
        notes.push("bytes that are not UTF-8 are shown as \u{fffd}".to_owned());
        String::from_utf8_lossy(error.as_bytes()).into_owned()
    });
    if text.contains('\0') {
        text = text.replace('\0', "\\x00");
        notes.push("NUL bytes are shown as \\x00".to_owned());
    }
    if text.len() <= DEFAULT_MAX_BYTES || notes.is_empty() {
        return Shown {
            text,
            lines: kept_lines,
            notes,
        };
    }
    let cut = truncate_head(&text, TextLimits::default());
    Shown {
        text: cut.text.to_owned(),
        lines: cut.truncation.output_lines,
        notes,
    }
}

fn lines(slice: &TextSlice, asked: &Asked<'_>, total: u64, shown: Shown) -> ToolResult {
    let first = asked.first_1based;
    let last = first + shown.lines - 1;
    let mut details = facts(first, shown.lines, total);
    let mut notes = Vec::new();
    if shown.lines < slice.wanted_lines {
        let truncation = truncation(slice, shown.lines, shown.text.len() as u64);
        let limit = match truncation.truncated_by {
            Some(TruncatedBy::Bytes) => format!(" ({} limit)", format_size(truncation.max_bytes)),
            _ => String::new(),
        };
        notes.push(format!(
            "Lines {first}-{last} of {total} shown{limit}. Use offset={} to go on.",
            last + 1
        ));
        details.insert("truncation".to_owned(), json!(truncation));
    } else if last < total {
        let (more, next) = (total - last, last + 1);
        let noun = if more == 1 { "line" } else { "lines" };
        notes.push(format!(
            "{more} more {noun} in the file. Use offset={next} to go on."
        ));
    }
    notes.extend(shown.notes.into_iter().map(|note| format!("Note: {note}.")));
    let mut text = shown.text;
    if !notes.is_empty() {
        if text.ends_with('\n') {
            text.pop();
        }
        let written = write!(text, "\n\n[{}]", notes.join(" "));
        debug_assert!(written.is_ok(), "writing to a string does not fail");
    }
    ToolResult::text(text).with_details(Value::Object(details))
}

fn facts(first: u64, lines: u64, total: u64) -> Map<String, Value> {
    let mut facts = Map::new();
    facts.insert("firstLine".to_owned(), first.into());
    facts.insert("lines".to_owned(), lines.into());
    facts.insert("totalLines".to_owned(), total.into());
    facts
}

fn truncation(slice: &TextSlice, lines: u64, bytes: u64) -> Truncation {
    let is_full = lines == DEFAULT_MAX_LINES as u64;
    Truncation {
        truncated: true,
        truncated_by: Some(if is_full {
            TruncatedBy::Lines
        } else {
            TruncatedBy::Bytes
        }),
        total_lines: slice.wanted_lines,
        total_bytes: slice.wanted_bytes,
        output_lines: lines,
        output_bytes: bytes,
        last_line_partial: false,
        first_line_exceeds_limit: lines == 0,
        max_lines: DEFAULT_MAX_LINES as u64,
        max_bytes: DEFAULT_MAX_BYTES as u64,
    }
}

/// Says how to get at a line that no result holds.
fn oversized(slice: &TextSlice, asked: &Asked<'_>, total: u64, bytes: u64) -> ToolResult {
    let (line, path) = (asked.first_1based, quoted(asked.path));
    let text = format!(
        "[Line {line} of {total} is {} long, more than the {} that one result holds. In a shell, \
         `sed -n '{line}p' {path} | head -c {DEFAULT_MAX_BYTES}` shows its beginning; with \
         `tail -c +{} |` before `head` it goes on from there.]",
        format_size(bytes),
        format_size(DEFAULT_MAX_BYTES as u64),
        DEFAULT_MAX_BYTES + 1,
    );
    let mut details = facts(line, 0, total);
    details.insert("truncation".to_owned(), json!(truncation(slice, 0, 0)));
    ToolResult::text(text).with_details(Value::Object(details))
}

/// Tells data from text: one character in ten, or more, is none that a text has.
fn is_binary(bytes: &[u8]) -> bool {
    let is_odd = |byte: u8| byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b);
    if !bytes.contains(&0) {
        return false;
    }
    let odd = bytes.iter().filter(|byte| is_odd(**byte)).count();
    let broken: usize = bytes.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
    (odd + broken) * 10 >= bytes.len()
}

fn binary(slice: &TextSlice, asked: &Asked<'_>, head: &[u8]) -> ToolResult {
    let total = slice.total_lines.unwrap_or(slice.wanted_lines);
    let size = format_size(slice.total_bytes);
    let path = quoted(asked.path);
    let hint = match head.get(..2) {
        Some([0xff, 0xfe] | [0xfe, 0xff]) if asked.first_1based == 1 => {
            format!("It looks like UTF-16: `iconv -f UTF-16 -t UTF-8 {path}` shows it as text.")
        }
        _ => format!("`xxd {path} | head -n 40` shows its first bytes."),
    };
    let text = format!(
        "[{} looks like a binary file ({size}); nothing of it is shown. {hint}]",
        asked.path
    );
    let mut details = facts(asked.first_1based, 0, total);
    details.insert("binary".to_owned(), true.into());
    ToolResult::text(text).with_details(Value::Object(details))
}

/// Quotes a path for a POSIX shell.
fn quoted(path: &str) -> String {
    let path = if path.starts_with('-') {
        Cow::Owned(format!("./{path}"))
    } else {
        path.into()
    };
    format!("'{}'", path.replace('\'', r"'\''"))
}
