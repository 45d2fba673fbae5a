//! The words of a text, found without a grammar.

/// Splits a text into everything that may be a word once quotes and backslashes are gone.
pub(super) fn words_of(text: &str) -> Vec<String> {
    let joined = text.replace("\\\n", "");
    let bare: String = joined
        .chars()
        .filter(|c| !matches!(c, '\'' | '"' | '\\'))
        .collect();
    bare.split(is_border)
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

fn is_border(c: char) -> bool {
    c.is_whitespace() || c.is_control() || ";&|()<>{}$`=,!#".contains(c)
}

/// The last part of a path, which is what a command is known by.
pub(super) fn base_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// Whether a word of unclear text could stand for `name` once bash has looked for files.
pub(super) fn may_expand_to(word: &str, name: &str) -> bool {
    if !word.contains(['*', '?', '[']) || word.bytes().all(|byte| b"*?".contains(&byte)) {
        return false;
    }
    let mut pieces = Vec::new();
    let mut in_brackets = false;
    for c in word.chars() {
        match c {
            ']' if in_brackets => in_brackets = false,
            _ if in_brackets => {}
            '[' => {
                in_brackets = true;
                pieces.push(Piece::One);
            }
            '?' => pieces.push(Piece::One),
            '*' => pieces.push(Piece::Many),
            c => pieces.push(Piece::Char(c)),
        }
    }
    matches(&pieces, name)
}

/// A part of a word with wildcards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// This character.
    Char(char),
    /// Any one character.
    One,
    /// Any characters, also none.
    Many,
}

/// Matches the whole of `text`, going back to the last [`Piece::Many`] only.
pub(super) fn matches(pieces: &[Piece], text: &str) -> bool {
    let mut rest = (pieces, text);
    let mut retry: Option<(&[Piece], &str)> = None;
    loop {
        match (rest.0, first_char(rest.1)) {
            ([], None) => return true,
            ([Piece::Many, after @ ..], _) => {
                retry = Some((after, rest.1));
                rest.0 = after;
            }
            ([Piece::One, after @ ..], Some((_, tail))) => rest = (after, tail),
            ([Piece::Char(want), after @ ..], Some((c, tail))) if *want == c => {
                rest = (after, tail);
            }
            _ => {
                let Some((pieces, tail)) = retry
                    .and_then(|(pieces, text)| first_char(text).map(|(_, tail)| (pieces, tail)))
                else {
                    return false;
                };
                retry = Some((pieces, tail));
                rest = (pieces, tail);
            }
        }
    }
}

fn first_char(text: &str) -> Option<(char, &str)> {
    let mut chars = text.chars();
    chars.next().map(|c| (c, chars.as_str()))
}
