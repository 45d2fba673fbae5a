//! A session as one file to keep or to hand on: an HTML page or a Markdown document.
//!
//! The caller pushes items in order into an [`Export`], which writes as it goes: memory holds one
//! item, never the session. Cards of tool calls come from the caller, so that nothing here knows a
//! tool. Everything said in a session is untrusted: it reaches neither the page nor the document as
//! markup, and neither loads anything from elsewhere.

mod document;
mod item;
mod link;
mod markdown;
mod outline;
mod page;
mod words;

use std::fmt;
use std::io::{self, Write};

use document::Document;
pub use item::{ExportEntry, ExportHead, ExportItem, ExportTotals, SummaryOf};
use page::Page;

/// Bytes that are gathered before they are written.
const GATHERED_BYTES: usize = 32 * 1024;

/// What an export is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// One HTML page without script, which loads nothing.
    Html,
    /// A Markdown document.
    Markdown,
}

/// One way of drawing; what is drawn gathers in the text that [`Face::pending`] gives.
trait Face: fmt::Debug + Send {
    fn begin(&mut self, head: &ExportHead<'_>);
    fn item(&mut self, entry: ExportEntry<'_>, item: &ExportItem<'_>);
    fn end(&mut self);
    fn pending(&mut self) -> &mut String;
}

/// A session being exported.
///
/// Shape: UTF-8 with LF; the same items give the same bytes. Times are in UTC.
///
/// Errors: what the writer says; after one, what was written is of no use. A file is whole only
/// after [`Export::finish`].
///
/// ```
/// use deed_cards::{Export, ExportEntry, ExportFormat, ExportHead, ExportItem};
/// use deed_protocol::{ContentBlock, Message, ToolCard};
///
/// # fn card_of(call: &deed_protocol::ToolCall) -> ToolCard { ToolCard::new(&*call.name, "") }
/// # fn main() -> std::io::Result<()> {
/// # let messages = vec![("a1", Message::user("Hello", 0))];
/// let head = ExportHead { title: "Hello", ..ExportHead::default() };
/// let mut export = Export::begin(Vec::new(), ExportFormat::Html, &head)?;
/// for (id, message) in &messages {
///     let entry = ExportEntry { id, at_ms: None };
///     match message {
///         Message::User(user) => export.item(entry, &ExportItem::Prompt(&user.content))?,
///         Message::Assistant(answer) => {
///             for block in &answer.content {
///                 match block {
///                     ContentBlock::Text(text) => {
///                         export.item(entry, &ExportItem::Answer(&text.text))?;
///                     }
///                     ContentBlock::ToolCall(call) => {
///                         let card = &card_of(call);
///                         export.item(entry, &ExportItem::Call { card, result_id: "" })?;
///                     }
///                     _ => {}
///                 }
///             }
///         }
///         _ => {}
///     }
/// }
/// let page = export.finish()?;
/// # assert!(page.starts_with(b"<!DOCTYPE html>"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Export<W> {
    out: W,
    face: Box<dyn Face>,
}

impl<W: Write> Export<W> {
    /// Begins an export with what is known of the whole session.
    ///
    /// Writes come in pieces of some size, so that the writer needs no buffer of its own.
    pub fn begin(out: W, format: ExportFormat, head: &ExportHead<'_>) -> io::Result<Self> {
        let mut face: Box<dyn Face> = match format {
            ExportFormat::Html => Box::new(Page::default()),
            ExportFormat::Markdown => Box::new(Document::default()),
        };
        face.begin(head);
        let mut export = Self { out, face };
        export.write(GATHERED_BYTES)?;
        Ok(export)
    }

    /// Adds the next item, as a part of an entry.
    pub fn item(&mut self, entry: ExportEntry<'_>, item: &ExportItem<'_>) -> io::Result<()> {
        self.face.item(entry, item);
        self.write(GATHERED_BYTES)
    }

    /// Writes the rest and gives the writer back, flushed.
    pub fn finish(mut self) -> io::Result<W> {
        self.face.end();
        self.write(0)?;
        self.out.flush()?;
        Ok(self.out)
    }

    /// Writes what was gathered, if it is more than so many bytes.
    fn write(&mut self, above: usize) -> io::Result<()> {
        let pending = self.face.pending();
        if pending.len() > above {
            self.out.write_all(pending.as_bytes())?;
            pending.clear();
            // One large picture shall not be paid for until the end.
            pending.shrink_to(2 * GATHERED_BYTES);
        }
        Ok(())
    }
}
