//! An export as one Markdown document.

mod card;
mod contained;
mod inline;
mod sheet;

use deed_protocol::{NoticeLevel, ToolCard, UserContent};

use super::Face;
use super::item::{ExportEntry, ExportHead, ExportItem};
use super::outline::{Heading, Outline};
use super::words::{self, Part};
use crate::picture;
use crate::visible::shown;
use contained::{contained, contained_in_quote};
use inline::{code_span, escaped, escaped_start, fence};
use sheet::Sheet;

/// A document being drawn.
///
/// Shape: prompts and answers stand under their headings as they are, cards, thoughts and summaries
/// in quotes. What a text would do to the rest of the document (leave a fence open, set markup, load
/// a picture) is escaped, or the text is fenced.
#[derive(Debug, Default)]
pub(super) struct Document {
    sheet: Sheet,
    outline: Outline,
}

impl Face for Document {
    fn begin(&mut self, head: &ExportHead<'_>) {
        self.sheet
            .block(&format!("# {}", escaped(&words::title(head))));
        let facts = words::facts(head).into_iter();
        let facts = facts.map(|(name, value)| match name {
            "session" | "folder" => format!("- {name}: {}", code_span(&value)),
            _ => format!("- {name}: {}", escaped(&value)),
        });
        self.sheet.block(&facts.collect::<Vec<_>>().join("\n"));
    }

    fn item(&mut self, entry: ExportEntry<'_>, item: &ExportItem<'_>) {
        match self.outline.next(entry, item).heading {
            Some(Heading::Prompt(number)) => {
                self.sheet.block(&format!("## Prompt {number}"));
                let moment = entry.at_ms.map(words::moment).unwrap_or_default();
                if !moment.is_empty() {
                    self.sheet.block(&format!("*{moment}*"));
                }
            }
            Some(Heading::Other(text)) => self.sheet.block(&format!("### {}", escaped(&text))),
            None => {}
        }
        self.draw(item);
    }

    fn end(&mut self) {}

    fn pending(&mut self) -> &mut String {
        self.sheet.written()
    }
}

impl Document {
    fn draw(&mut self, item: &ExportItem<'_>) {
        match item {
            ExportItem::Prompt(content) => self.parts(content, asked),
            ExportItem::Answer(text) => self.sheet.block(&said(text)),
            ExportItem::Thinking(text) => self.thinking(text),
            ExportItem::Call { card, .. } => self.card(card),
            ExportItem::Command(message) => self.card(&words::command_card(message)),
            ExportItem::Custom { content, .. } => self.parts(content, said),
            ExportItem::Summary { text, .. } => self.sheet.quote(&quoted(text)),
            ExportItem::Change { what, value } => {
                let line = format!("*{}: {}*", escaped(what), code_span(value));
                self.sheet.block(&line);
            }
            ExportItem::Notice { level, text } => self.sheet.quote(&notice(*level, text)),
        }
    }

    fn parts(&mut self, content: &UserContent, said: fn(&str) -> String) {
        for part in words::parts(content) {
            let text = match part {
                Part::Text(text) => said(text),
                Part::Picture(image) => {
                    let label = picture::label(&image.data, &image.mime_type, "");
                    escaped(&format!("[{label}]"))
                }
                Part::Other => escaped(words::OTHER),
            };
            self.sheet.block(&text);
        }
    }

    fn thinking(&mut self, text: &str) {
        let text = if text.trim().is_empty() {
            words::WITHHELD.to_owned()
        } else {
            quoted(text)
        };
        self.sheet.quote(&format!("*Thinking*\n\n{text}"));
    }

    fn card(&mut self, card: &ToolCard) {
        let mut inner = Sheet::default();
        card::draw(card, &mut inner);
        self.sheet.quote(inner.written());
    }
}

/// Markdown of somebody so that it changes nothing round it.
fn said(text: &str) -> String {
    let shown = tidied(text);
    contained(&shown).unwrap_or_else(|| fence("", &shown))
}

/// The same for text that is to stand in a quote.
fn quoted(text: &str) -> String {
    let shown = tidied(text);
    contained_in_quote(&shown).unwrap_or_else(|| fence("", &shown))
}

/// The same for plain text, the lines of which stay lines.
fn asked(text: &str) -> String {
    let shown = tidied(text);
    contained(&with_line_ends(&shown)).unwrap_or_else(|| fence("", &shown))
}

fn tidied(text: &str) -> String {
    let shown = shown(text);
    let lines = shown.trim_end().trim_start_matches('\n');
    lines.to_owned()
}

/// Marks line ends that Markdown would take for blanks.
fn with_line_ends(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut lines = text.trim_end().lines().peekable();
    while let Some(line) = lines.next() {
        kept.push_str(line);
        let goes_on = lines.peek().is_some_and(|next| !next.trim().is_empty());
        if goes_on && !line.trim().is_empty() {
            kept.push_str("  ");
        }
        kept.push('\n');
    }
    kept
}

/// A remark with its word before it, on as many lines as it has.
fn notice(level: NoticeLevel, text: &str) -> String {
    let word = match level {
        NoticeLevel::Info => "note",
        NoticeLevel::Warning => "warning",
        NoticeLevel::Error => "error",
    };
    let lines: Vec<_> = text.lines().map(escaped_start).collect();
    format!("**{word}:** {}", lines.join("  \n"))
}
