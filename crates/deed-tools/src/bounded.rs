use std::borrow::Cow;

use deed_tooling::{DEFAULT_MAX_BYTES, TextLimits, Truncation, truncate_head};

/// As many as every reader of JSON can count.
const MAX_LINES: usize = usize::MAX >> 11;
const LIMITS: TextLimits = TextLimits {
    max_lines: MAX_LINES,
    max_bytes: DEFAULT_MAX_BYTES,
};

/// Lines of which the first are kept and all are counted.
#[derive(Debug, Default)]
pub(crate) struct BoundedLines {
    text: String,
    total_lines: u64,
    total_bytes: u64,
}

impl BoundedLines {
    /// Adds a line, given without its end.
    pub(crate) fn push(&mut self, line: &str) {
        let separator = usize::from(self.total_lines > 0);
        if self.text.len() <= LIMITS.max_bytes {
            if separator > 0 {
                self.text.push('\n');
            }
            self.text.push_str(line);
        }
        self.total_lines += 1;
        self.total_bytes += (separator + line.len()) as u64;
    }

    /// Tells whether there is no line.
    pub(crate) fn is_empty(&self) -> bool {
        self.total_lines == 0
    }

    /// Returns the lines that fit into a result, and what was cut if they are not all.
    pub(crate) fn finish(&self) -> (&str, Option<Truncation>) {
        let cut = truncate_head(&self.text, LIMITS);
        let truncation = Truncation {
            total_lines: self.total_lines,
            total_bytes: self.total_bytes,
            ..cut.truncation
        };
        (cut.text, truncation.truncated.then_some(truncation))
    }
}

/// Writes the control characters of a name out, so that a line break in it makes no further entry and
/// nothing in it reaches a terminal.
pub(crate) fn one_line(name: &str) -> Cow<'_, str> {
    if !name.contains(char::is_control) {
        return Cow::Borrowed(name);
    }
    let mut line = String::with_capacity(name.len() + 8);
    for c in name.chars() {
        if c.is_control() {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
    Cow::Owned(line)
}

/// Puts remarks into one bracket behind a text.
pub(crate) fn with_notices(text: &str, notices: &[String]) -> String {
    if notices.is_empty() {
        return text.to_owned();
    }
    format!("{text}\n\n[{}]", notices.join(". "))
}

/// Says that a list was cut.
pub(crate) fn size_notice(truncation: &Truncation) -> String {
    format!(
        "Showing the first {} of {} lines (limit {})",
        truncation.output_lines,
        truncation.total_lines,
        deed_tooling::format_size(truncation.max_bytes)
    )
}

/// Says what could not be looked at.
pub(crate) fn unreadable_notice(unreadable: &[String]) -> Option<String> {
    if unreadable.is_empty() {
        return None;
    }
    Some(format!("Could not be read: {}", unreadable.join("; ")))
}
