//! Tool cards drawn as terminal text and HTML.
//!
//! A [`ToolCard`](deed_protocol::ToolCard) is plain data; [`draw_text`] and [`draw_html`] are how
//! terminal, browser and export show it; [`Export`] writes a whole session as one page or document.
//! All text is untrusted: control characters, escape sequences, marks that reorder text and
//! characters of no width are made visible.
//!
//! Code is coloured by a small lexer of our own, [`highlight`], whose languages are rows of a
//! table. Nothing here reads the environment or does IO.

mod emphasis;
mod export;
mod highlight;
mod html;
mod picture;
mod text;
mod visible;

pub use export::{
    Export, ExportEntry, ExportFormat, ExportHead, ExportItem, ExportTotals, SummaryOf,
};
pub use highlight::{Class, Language, LexState, Span, highlight};
pub use html::{CARD_CSS, draw_html};
pub use text::{CardText, draw_speech, draw_text, one_line};
