use std::borrow::Cow;
use std::fmt::{self, Write};

/// A text with what a terminal would obey or hide written out.
pub(super) struct Visible<'a>(pub(super) &'a str);

impl fmt::Display for Visible<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|character| match character {
            '\n' => f.write_str("\\n"),
            '\r' => f.write_str("\\r"),
            '\t' => f.write_str("\\t"),
            _ if is_hidden(character) => write!(f, "{}", character.escape_unicode()),
            _ => f.write_char(character),
        })
    }
}

/// Cuts a text to so many characters.
pub(super) fn short(text: &str, max_chars: usize) -> Cow<'_, str> {
    match text.char_indices().nth(max_chars) {
        None => text.into(),
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()).into(),
    }
}

/// Whether a character shows nothing by itself or changes the order of others.
///
/// Source: the control characters, the bidirectional controls of UAX #9, the line separators, and
/// the common part of Unicode's `Default_Ignorable_Code_Point`.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}
