//! Text that is to be read to the letter, in Markdown.

use crate::visible::{lines, shown};

/// Shortest fence.
const MIN_FENCE: usize = 3;

/// One line of text that stands for itself within a line; line ends in it are made visible.
pub(super) fn escaped(text: &str) -> String {
    let text = one_line(text);
    let mut escaped = String::with_capacity(text.len() + 8);
    let mut before = ' ';
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let next = characters.peek();
        let has_meaning = match character {
            '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '&' | '|' | '~' => true,
            // Only at the border of a word does it set something off.
            '_' => !before.is_alphanumeric() || next.is_none_or(|next| !next.is_alphanumeric()),
            // At its end a heading may have number signs that are no part of it.
            '#' => next.is_none(),
            _ => false,
        };
        if has_meaning {
            escaped.push('\\');
        }
        escaped.push(character);
        before = character;
    }
    escaped
}

/// The same for text at the start of a line, where more signs have a meaning.
pub(super) fn escaped_start(text: &str) -> String {
    let mut escaped = escaped(text.trim());
    let digits = escaped.bytes().take_while(u8::is_ascii_digit).count();
    let rest = escaped.get(digits..).unwrap_or_default();
    let is_number = digits > 0 && rest.starts_with(['.', ')']);
    if is_number || digits == 0 && rest.starts_with(['#', '+', '-', '=']) {
        escaped.insert(digits, '\\');
    }
    escaped
}

/// One line of text as code; empty if the text is.
pub(super) fn code_span(text: &str) -> String {
    let text = one_line(text);
    if text.is_empty() {
        return text;
    }
    let ticks = "`".repeat(longest_run(&text) + 1);
    let is_bare = !text.starts_with([' ', '`']) && !text.ends_with([' ', '`']);
    let space = if is_bare { "" } else { " " };
    format!("{ticks}{space}{text}{space}{ticks}")
}

/// Text in a fence that is longer than any run of backticks in it.
pub(super) fn fence(language: &str, text: &str) -> String {
    let ticks = "`".repeat(MIN_FENCE.max(longest_run(text) + 1));
    let mut fenced = format!("{ticks}{language}\n");
    for line in lines(text) {
        fenced.push_str(&shown(line));
        fenced.push('\n');
    }
    fenced.push_str(&ticks);
    fenced
}

fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for glyph in crate::visible::Glyphs::new(text, 0, true) {
        line.push_str(&glyph.text);
    }
    line
}

fn longest_run(text: &str) -> usize {
    let runs = text.split(|character| character != '`');
    runs.map(str::len).max().unwrap_or(0)
}
