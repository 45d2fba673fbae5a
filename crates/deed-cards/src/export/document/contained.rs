//! Markdown of somebody as a part of a document: what it would do to the rest is taken from it.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Parser, Tag};

use super::sheet::Sheet;
use crate::export::link::is_risky;
use crate::export::markdown::{OPTIONS, is_too_much};

/// A paragraph that is set behind a text to see whether the text leaves something open.
const END: &str = "end";
/// How often a text is read again after an escape, which can bring to light what it had hidden.
const MAX_ROUNDS: usize = 5;
/// How far headings of a text are below those of the document.
const HEADING_SHIFT: usize = 3;

/// Gives the text with backslashes before markup, pictures and links that do more than lead
/// somewhere, and with smaller headings; nothing if that does not help.
///
/// Whatever is given was read once more and does no harm.
pub(super) fn contained(text: &str) -> Option<String> {
    // An indented start could go on with a list of the text before.
    if is_too_much(text) || text.starts_with([' ', '\t']) {
        return None;
    }
    let mut text = text.to_owned();
    for round in 0..MAX_ROUNDS {
        let reading = read(&text, round == 0);
        if !reading.escapes.is_empty() {
            text = with_insertions(&text, reading.escapes);
        } else if reading.is_closed {
            return Some(text);
        } else {
            text.extend(["\n", &reading.open_fence?]);
        }
    }
    None
}

/// The same for a text that is to stand in a quote, where tabs reach less far.
pub(super) fn contained_in_quote(text: &str) -> Option<String> {
    let text = contained(text)?;
    let mut quote = Sheet::default();
    quote.quote(&text);
    let reading = read(quote.written(), false);
    (reading.escapes.is_empty() && reading.is_closed).then_some(text)
}

/// What one reading of a text found.
#[derive(Debug, Default)]
struct Reading {
    /// What to insert, and before which byte.
    escapes: Vec<(usize, &'static str)>,
    /// Whether what follows the text is read on its own.
    is_closed: bool,
    /// What would close the fence at the end of the text.
    open_fence: Option<String>,
}

fn read(text: &str, with_headings: bool) -> Reading {
    let whole = format!("{text}\n\n{END}\n");
    let end = text.len() + 2;
    let mut reading = Reading::default();
    let mut depth = 0usize;
    let mut events = Parser::new_ext(&whole, OPTIONS).into_offset_iter();
    for (event, range) in events.by_ref() {
        match event {
            Event::Start(tag) => {
                match &tag {
                    Tag::Paragraph if depth == 0 && range.start == end => reading.is_closed = true,
                    Tag::CodeBlock(CodeBlockKind::Fenced(_)) if depth == 0 && range.end > end => {
                        reading.open_fence = closing_fence(text, range.start);
                    }
                    Tag::Heading { level, .. } if with_headings => {
                        reading.escapes.extend(deeper(text, range.start, *level));
                    }
                    Tag::Image { .. } => reading.escape(range.start),
                    Tag::Link { dest_url, .. } if is_risky(dest_url) => reading.escape(range.start),
                    _ => {}
                }
                depth += 1;
            }
            Event::End(_) => depth = depth.saturating_sub(1),
            Event::Html(_) | Event::InlineHtml(_) => reading.escape_all(text, range, "<"),
            Event::Text(_) => reading.escape_all(text, range, "!["),
            _ => {}
        }
    }
    // A definition acts in the whole document, so that even one that nothing here uses counts.
    for (_, definition) in events.reference_definitions().iter() {
        if is_risky(&definition.dest) {
            reading.escape(definition.span.start);
        }
    }
    reading
}

impl Reading {
    fn escape(&mut self, at: usize) {
        self.escapes.push((at, "\\"));
    }

    /// Escapes every such mark in the range that is not escaped yet.
    fn escape_all(&mut self, text: &str, range: Range<usize>, mark: &str) {
        // A mark may end behind the range, as one of two characters does.
        let end = (range.end + mark.len() - 1).min(text.len());
        let part = text.get(range.start..end).unwrap_or_default();
        for (at, _) in part.match_indices(mark) {
            let at = range.start + at;
            let before = text.get(..at).unwrap_or_default();
            let backslashes = before.len() - before.trim_end_matches('\\').len();
            if backslashes.is_multiple_of(2) {
                self.escape(at);
            }
        }
    }
}

/// What to insert before a heading with number signs; one that is underlined stays as it is.
fn deeper(text: &str, at: usize, level: HeadingLevel) -> Option<(usize, &'static str)> {
    let more = HEADING_SHIFT.min(6 - level as usize);
    let signs = "###".get(..more).filter(|signs| !signs.is_empty())?;
    text.get(at..)?.starts_with('#').then_some((at, signs))
}

fn closing_fence(text: &str, at: usize) -> Option<String> {
    let fence = text.get(at..)?;
    let sign = fence
        .chars()
        .next()
        .filter(|sign| matches!(sign, '`' | '~'))?;
    Some(fence.chars().take_while(|next| *next == sign).collect())
}

fn with_insertions(text: &str, mut insertions: Vec<(usize, &'static str)>) -> String {
    insertions.sort_unstable();
    insertions.dedup();
    let mut result = String::with_capacity(text.len() + insertions.len() * 3);
    let mut from = 0;
    for (at, insertion) in insertions {
        if let Some(part) = text.get(from..at) {
            result.extend([part, insertion]);
            from = at;
        }
    }
    result.push_str(text.get(from..).unwrap_or_default());
    result
}
