use std::borrow::Cow;

const MARKER: &str = "… [line cut]";

/// A line that was cut if it was too long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TruncatedLine<'a> {
    /// The line, with a marker where it was cut.
    pub text: Cow<'a, str>,
    /// Whether it was cut.
    pub was_truncated: bool,
}

impl From<TruncatedLine<'_>> for String {
    fn from(line: TruncatedLine<'_>) -> Self {
        line.text.into_owned()
    }
}

/// Keeps the first `max_chars` characters of a line and marks the cut.
pub fn truncate_line(line: &str, max_chars: usize) -> TruncatedLine<'_> {
    match line
        .char_indices()
        .nth(max_chars)
        .and_then(|(at, _)| line.get(..at))
    {
        None => TruncatedLine {
            text: Cow::Borrowed(line),
            was_truncated: false,
        },
        Some(kept) => TruncatedLine {
            text: Cow::Owned(format!("{kept}{MARKER}")),
            was_truncated: true,
        },
    }
}

/// Writes a number of bytes for people: `812B`, `1.5KB`, `3.0MB`.
///
/// Units: a KB is 1024 bytes.
pub fn format_size(bytes: u64) -> String {
    const KB: u64 = 1024;
    const MB: u64 = 1024 * KB;
    match bytes {
        0..KB => format!("{bytes}B"),
        KB..MB => format!("{:.1}KB", bytes as f64 / KB as f64),
        _ => format!("{:.1}MB", bytes as f64 / MB as f64),
    }
}
