//! Untrusted text cut into what can be shown: nothing in it moves the cursor, hides or turns
//! text round without being seen.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns between tab stops.
pub(crate) const TAB_COLUMNS: usize = 4;
const KEYCAP: char = '\u{20e3}';
/// Marks that may stand on one character; no script needs more, and heaps of them paint over the
/// lines above and below.
const MAX_MARKS: usize = 4;

/// Something that takes whole columns: a character with what belongs to it, a tab as blanks, or
/// the visible form of something invisible.
#[derive(Debug)]
pub(crate) struct Glyph<'a> {
    pub(crate) text: Cow<'a, str>,
    /// Display columns.
    pub(crate) width: usize,
    /// Whether it stands for something that would not be seen.
    pub(crate) odd: bool,
    /// Byte of the source text at which it starts.
    pub(crate) at: usize,
}

/// The glyphs of a text.
pub(crate) struct Glyphs<'a> {
    text: &'a str,
    at: usize,
    column: usize,
    unicode: bool,
}

impl<'a> Glyphs<'a> {
    /// Starts at a column, by which tab stops are counted. Without `unicode` all that comes out is
    /// ASCII.
    pub(crate) fn new(text: &'a str, column: usize, unicode: bool) -> Self {
        Self {
            text,
            at: 0,
            column,
            unicode,
        }
    }

    /// Takes all that comes before anything but plain ASCII, which the glyphs of it would show too.
    pub(crate) fn plain_run(&mut self) -> &'a str {
        let rest = self.rest();
        let is_plain = |byte: &u8| matches!(byte, b' '..=b'~');
        let mut length = rest.bytes().take_while(is_plain).count();
        // What follows may be a mark on the last character.
        if rest
            .as_bytes()
            .get(length)
            .is_some_and(|next| !next.is_ascii())
        {
            length = length.saturating_sub(1);
        }
        self.at += length;
        self.column += length;
        rest.get(..length).unwrap_or_default()
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn give(&mut self, text: Cow<'a, str>, width: usize, length: usize, odd: bool) -> Glyph<'a> {
        let glyph = Glyph {
            text,
            width,
            odd,
            at: self.at,
        };
        self.at += length;
        self.column += width;
        glyph
    }

    fn escape(&mut self, character: char, odd: bool) -> Glyph<'a> {
        let code = u32::from(character);
        let picture = match code {
            _ if !self.unicode => None,
            0..0x20 => char::from_u32(0x2400 + code),
            0x7f => Some('\u{2421}'),
            _ => None,
        };
        let text = match (picture, code) {
            (Some(picture), _) => picture.to_string(),
            (None, 0..=0xff) if odd => format!("\\x{code:02x}"),
            _ => format!("\\u{{{code:x}}}"),
        };
        let width = picture.map_or(text.len(), |_| 1);
        self.give(Cow::Owned(text), width, character.len_utf8(), odd)
    }

    fn cluster(&mut self, first: char) -> Glyph<'a> {
        let cluster = self.rest().graphemes(true).next().unwrap_or_default();
        let kept = shown_part(cluster);
        let width = kept.width();
        if width == 0 {
            self.escape(first, true)
        } else {
            self.give(kept.into(), width, kept.len(), false)
        }
    }
}

impl<'a> Iterator for Glyphs<'a> {
    type Item = Glyph<'a>;

    fn next(&mut self) -> Option<Glyph<'a>> {
        let rest = self.rest();
        let first = rest.chars().next()?;
        let alone = rest.as_bytes().get(1).is_none_or(u8::is_ascii);
        Some(match first {
            ' '..='~' if alone || !self.unicode => {
                self.give(rest.get(..1).unwrap_or_default().into(), 1, 1, false)
            }
            '\t' => {
                let blanks = TAB_COLUMNS - self.column % TAB_COLUMNS;
                self.give(
                    "    ".get(..blanks).unwrap_or_default().into(),
                    blanks,
                    1,
                    false,
                )
            }
            _ if is_hidden(first) => self.escape(first, true),
            _ if !self.unicode => self.escape(first, false),
            _ => self.cluster(first),
        })
    }
}

/// The start of a cluster that may be shown as it is: one base, a few marks, joined emoji.
fn shown_part(cluster: &str) -> &str {
    let mut marks = 0;
    let mut end = 0;
    let mut characters = cluster.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let next_is_wide = characters
            .peek()
            .is_some_and(|(_, next)| next.width() == Some(2));
        let allowed = match character {
            _ if at == 0 => true,
            '\u{200d}' => next_is_wide || cluster.get(at + 3..).is_some_and(starts_symbol),
            '\u{fe0e}' | '\u{fe0f}' => cluster
                .get(..at)
                .is_some_and(|base| takes_variation(base) || cluster.ends_with(KEYCAP)),
            _ if is_hidden(character) => false,
            _ if character.width() == Some(0) => {
                marks += 1;
                marks <= MAX_MARKS
            }
            _ => true,
        };
        if !allowed {
            break;
        }
        end = at + character.len_utf8();
    }
    cluster.get(..end).unwrap_or_default()
}

/// Whether the text starts with a sign that emoji are joined with, such as a heart or a plane.
fn starts_symbol(text: &str) -> bool {
    text.starts_with(|next| matches!(next, '\u{2600}'..='\u{27bf}' | '\u{2190}'..='\u{21ff}'))
}

/// Whether a symbol ends here, which has a form as text and one as emoji; a selector after anything
/// else shows nothing and can carry a message.
fn takes_variation(base: &str) -> bool {
    let last = base.chars().next_back();
    last.is_some_and(|last| !last.is_ascii() && !last.is_alphanumeric() && last.width() > Some(0))
}

/// Whether a character shows nothing by itself or changes the order of others.
///
/// Source: Unicode's `Default_Ignorable_Code_Point`, the bidirectional controls of UAX #9, the
/// control characters, and the line separators.
pub(crate) fn is_hidden(character: char) -> bool {
    matches!(
        character,
        '\0'..='\x1f'
            | '\x7f'..='\u{9f}'
            | '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// The text with what would not be seen written out; tabs and line ends stay.
pub(crate) fn shown(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for (at, line) in text.split('\n').enumerate() {
        if at > 0 {
            shown.push('\n');
        }
        let line = line.strip_suffix('\r').unwrap_or(line);
        for glyph in Glyphs::new(line, 0, true) {
            let is_tab = line.as_bytes().get(glyph.at) == Some(&b'\t');
            shown.push_str(if is_tab { "\t" } else { &glyph.text });
        }
    }
    shown
}

/// The display columns of a text as it would be shown.
pub(crate) fn width(text: &str, unicode: bool) -> usize {
    Glyphs::new(text, 0, unicode).map(|glyph| glyph.width).sum()
}

/// The lines of a text; a line end at the very end starts no other line, and the carriage return
/// of a DOS line end belongs to the line end.
pub(crate) fn lines(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.lines()
}
