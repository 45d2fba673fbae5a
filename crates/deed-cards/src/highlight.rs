//! A small lexer whose languages are rows of a table.
//!
//! It colours, it does not parse: a line is read once from left to right, what spans lines is
//! carried in a [`LexState`], and whatever it does not know stays plain.

mod language;
mod markup;
mod prose;
mod rows;
mod rules;
mod scan;

use std::ops::Range;

pub use language::Language;

/// What a stretch of code is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// A word that the language reserves.
    Keyword,
    /// A type, built in or by its capital letter.
    Type,
    /// A string or character.
    String,
    /// A number.
    Number,
    /// A comment.
    Comment,
    /// A name that is called or defined as a function.
    Function,
    /// A key, a variable with a sign before it, or an attribute.
    Name,
    /// A heading or the name of a section.
    Heading,
    /// A line that a diff adds.
    Added,
    /// A line that a diff removes.
    Removed,
    /// Operators, brackets and separators.
    Punctuation,
}

impl Class {
    /// The class in one lower-case word, such as `keyword`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Keyword => "keyword",
            Self::Type => "type",
            Self::String => "string",
            Self::Number => "number",
            Self::Comment => "comment",
            Self::Function => "function",
            Self::Name => "name",
            Self::Heading => "heading",
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Punctuation => "punctuation",
        }
    }
}

/// A stretch of one line and what it is.
///
/// Shape: spans of a line are in order, not empty, and do not overlap; what lies between them is
/// plain.
///
/// Units: bytes of the line, always on borders of characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// What it is.
    pub class: Class,
    /// Where it stands.
    pub range: Range<usize>,
}

/// What one line leaves open for the next, such as a comment; the default is the top of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LexState {
    mode: Mode,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    Open,
    Comment {
        depth: usize,
    },
    Quoted {
        row: usize,
        hashes: usize,
    },
    HereDocument {
        tag: Box<str>,
        indented: bool,
    },
    Tag {
        raw: Option<&'static Language>,
    },
    Raw {
        language: &'static Language,
        inner: Box<LexState>,
    },
    Fence {
        mark: u8,
        length: usize,
        inner: Option<(&'static Language, Box<LexState>)>,
    },
}

/// Finds what is what in one line of a text.
///
/// The language is a name or a file extension in any case; an unknown one gives no spans. Lines
/// are handed over in order with the same state. Time is linear in the line, whatever it holds.
pub fn highlight(language: &str, line: &str, state: &mut LexState) -> Vec<Span> {
    Language::named(language).map_or_else(Vec::new, |language| language.highlight(line, state))
}

/// Adds a span, or makes the one before it longer where both touch and are of one class.
fn add(spans: &mut Vec<Span>, class: Class, range: Range<usize>) {
    if range.is_empty() {
        return;
    }
    match spans.last_mut() {
        Some(last) if last.class == class && last.range.end == range.start => {
            last.range.end = range.end;
        }
        _ => spans.push(Span { class, range }),
    }
}
