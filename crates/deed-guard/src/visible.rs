//! Text as it is, and not as it would like to look.

use std::borrow::Cow;

use unicode_normalization::is_nfc;

/// Ranges of characters that are not seen, or that move or hide others.
///
/// Source: Unicode 17, general categories Cf, Zl and Zp, spaces beyond ASCII, and the fillers that
/// have no ink.
const UNSEEN: &[(u32, u32)] = &[
    (0x00, 0x1f),
    (0x7f, 0xa0),
    (0xad, 0xad),
    (0x34f, 0x34f),
    (0x600, 0x605),
    (0x61c, 0x61c),
    (0x6dd, 0x6dd),
    (0x70f, 0x70f),
    (0x890, 0x891),
    (0x8e2, 0x8e2),
    (0x115f, 0x1160),
    (0x1680, 0x1680),
    (0x17b4, 0x17b5),
    (0x180b, 0x180f),
    (0x2000, 0x200f),
    (0x2028, 0x202f),
    (0x205f, 0x206f),
    (0x2800, 0x2800),
    (0x3000, 0x3000),
    (0x3164, 0x3164),
    (0xfe00, 0xfe0f),
    (0xfeff, 0xfeff),
    (0xffa0, 0xffa0),
    (0xfff9, 0xfffb),
    (0x110bd, 0x110bd),
    (0x110cd, 0x110cd),
    (0x13430, 0x1343f),
    (0x1bca0, 0x1bca3),
    (0x1d173, 0x1d17a),
    (0xe0000, 0xe0fff),
];

/// Writes out every character that cannot be seen, as `\n`, `\t` or `\u{..}`.
///
/// Shape: one line.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unseen) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match is_unseen(c) {
            true => shown.extend(c.escape_default()),
            false => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// Says what about a text may deceive the eye.
pub(crate) fn doubts(text: &str) -> Vec<String> {
    let mut doubts = Vec::new();
    let is_shown_as_it_is = |c: char| c == '\n' || c == '\t' || !is_unseen(c);
    if !text.chars().all(is_shown_as_it_is) {
        doubts.push("it has characters that cannot be seen; they are written out".to_owned());
    }
    if !is_nfc(text) {
        doubts.push("it has letters in an unusual composition that look like others".to_owned());
    }
    doubts
}

/// Tells whether a character shows as nothing or changes how others are shown.
pub(crate) fn is_unseen(c: char) -> bool {
    let code = u32::from(c);
    if (0x20..0x7f).contains(&code) {
        return false;
    }
    UNSEEN
        .iter()
        .any(|(first, last)| (*first..=*last).contains(&code))
}
