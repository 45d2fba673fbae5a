//! Cutting text to what a result may hold, and saying what was cut.

mod decode;
mod line;
mod tail_window;

use serde::{Deserialize, Serialize};

pub use decode::decode_for_model;
pub use line::{TruncatedLine, format_size, truncate_line};
pub use tail_window::{ShownTail, TailWindow};

/// How many lines a result holds at most.
pub const DEFAULT_MAX_LINES: usize = 2000;

/// How many bytes of text a result holds at most.
pub const DEFAULT_MAX_BYTES: usize = 50 * 1024;

/// How many characters of a line a list of matches shows.
pub const MATCH_LINE_MAX_CHARS: usize = 500;

/// How much text may be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextLimits {
    /// The number of lines.
    pub max_lines: usize,
    /// The number of bytes in UTF-8.
    pub max_bytes: usize,
}

impl Default for TextLimits {
    fn default() -> Self {
        Self {
            max_lines: DEFAULT_MAX_LINES,
            max_bytes: DEFAULT_MAX_BYTES,
        }
    }
}

/// Which limit cut a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TruncatedBy {
    /// The number of lines.
    Lines,
    /// The number of bytes.
    Bytes,
}

/// What was cut from a text.
///
/// Shape: the fields and their order are Pi's, each always present, but without the kept text, which
/// already stands in the result's content. A line ends at LF; a final LF begins no further line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Truncation {
    /// Whether any line, or a part of one, is missing.
    pub truncated: bool,
    /// The limit that was met first; the number of lines if both were.
    pub truncated_by: Option<TruncatedBy>,
    /// Lines of the whole text.
    pub total_lines: u64,
    /// Bytes of the whole text.
    pub total_bytes: u64,
    /// Lines kept.
    pub output_lines: u64,
    /// Bytes kept.
    pub output_bytes: u64,
    /// Whether the one line kept is only the end of it.
    pub last_line_partial: bool,
    /// Whether nothing was kept because the first line alone is too long.
    pub first_line_exceeds_limit: bool,
    /// The limit of lines.
    pub max_lines: u64,
    /// The limit of bytes.
    pub max_bytes: u64,
}

/// A text that was cut, and what was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truncated<'a> {
    /// What was kept: a part of the text given.
    pub text: &'a str,
    /// What was cut.
    pub truncation: Truncation,
}

/// Keeps whole lines from the beginning.
///
/// A text that fits is kept as it is; where only the final LF is too much, it is dropped and nothing
/// counts as cut. If the first line alone is too long, nothing is kept.
pub fn truncate_head(text: &str, limits: TextLimits) -> Truncated<'_> {
    let whole = whole(text, limits);
    if fits(&whole) {
        return Truncated {
            text,
            truncation: whole,
        };
    }
    let body = text.strip_suffix('\n').unwrap_or(text);
    let mut end = 0;
    let mut lines = 0;
    for line in body.split('\n') {
        let line_end = end + usize::from(lines > 0) + line.len();
        if lines == limits.max_lines || line_end > limits.max_bytes {
            break;
        }
        end = line_end;
        lines += 1;
    }
    let text = body.get(..end).unwrap_or_default();
    let mut truncation = cut(whole, text, lines);
    truncation.first_line_exceeds_limit = lines == 0 && limits.max_lines > 0;
    Truncated { text, truncation }
}

/// Keeps whole lines from the end, without the final LF if anything is cut.
///
/// If the last line alone is too long, its end is kept, from a character boundary on.
pub fn truncate_tail(text: &str, limits: TextLimits) -> Truncated<'_> {
    let whole = whole(text, limits);
    if fits(&whole) {
        return Truncated {
            text,
            truncation: whole,
        };
    }
    let body = text.strip_suffix('\n').unwrap_or(text);
    let mut start = body.len();
    let mut lines = 0;
    for line in body.rsplit('\n') {
        let separator = usize::from(lines > 0);
        let kept = body.len() - start + separator + line.len();
        if lines == limits.max_lines || kept > limits.max_bytes {
            break;
        }
        start -= separator + line.len();
        lines += 1;
    }
    if lines == 0 && limits.max_lines > 0 {
        let start = body.ceil_char_boundary(body.len().saturating_sub(limits.max_bytes));
        let text = body.get(start..).unwrap_or_default();
        let truncation = Truncation {
            truncated: true,
            truncated_by: Some(TruncatedBy::Bytes),
            last_line_partial: true,
            ..cut(whole, text, 1)
        };
        return Truncated { text, truncation };
    }
    let text = body.get(start..).unwrap_or_default();
    Truncated {
        text,
        truncation: cut(whole, text, lines),
    }
}

/// Describes a text of which nothing is cut.
fn whole(text: &str, limits: TextLimits) -> Truncation {
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64;
    let lines = ends + u64::from(!text.is_empty() && !text.ends_with('\n'));
    Truncation::of_whole(lines, text.len() as u64, limits)
}

impl Truncation {
    /// Describes a text of which nothing is cut.
    pub(crate) fn of_whole(lines: u64, bytes: u64, limits: TextLimits) -> Self {
        Self {
            truncated: false,
            truncated_by: None,
            total_lines: lines,
            total_bytes: bytes,
            output_lines: lines,
            output_bytes: bytes,
            last_line_partial: false,
            first_line_exceeds_limit: false,
            max_lines: limits.max_lines as u64,
            max_bytes: limits.max_bytes as u64,
        }
    }
}

fn fits(whole: &Truncation) -> bool {
    whole.total_lines <= whole.max_lines && whole.total_bytes <= whole.max_bytes
}

/// Describes a text of which `kept` is left.
fn cut(whole: Truncation, kept: &str, lines: usize) -> Truncation {
    let output_lines = lines as u64;
    let truncated = output_lines < whole.total_lines;
    let by = if output_lines == whole.max_lines {
        TruncatedBy::Lines
    } else {
        TruncatedBy::Bytes
    };
    Truncation {
        truncated,
        truncated_by: truncated.then_some(by),
        output_lines,
        output_bytes: kept.len() as u64,
        ..whole
    }
}
