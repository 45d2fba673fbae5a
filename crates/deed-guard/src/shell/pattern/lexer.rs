//! The words of a rule's text.

use crate::shell::tokens::Piece;

/// Why the text of a command rule cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// Nothing between the parentheses.
    #[error("the rule names no command; write `*` for all of them")]
    Empty,
    /// A quote that is not closed.
    #[error("the quote {quote} in {text:?} is not closed")]
    OpenQuote {
        /// The quote character.
        quote: char,
        /// The text of the rule.
        text: String,
    },
    /// A character that means something to the shell.
    #[error(
        "{character:?} in {text:?} cannot match a word as it stands; a rule is one command, so put a word that holds it in single quotes"
    )]
    Special {
        /// The character.
        character: char,
        /// The text of the rule.
        text: String,
    },
    /// A form of other programs for "any further words".
    #[error("{text:?} ends in `:*`, which would match a colon; write ` *` for any further words")]
    ColonStar {
        /// The text of the rule.
        text: String,
    },
}

/// Splits the text of a rule into words.
pub(super) fn words_of(text: &str) -> Result<Vec<Vec<Piece>>, PatternError> {
    if text.trim_end().ends_with(":*") {
        let text = text.to_owned();
        return Err(PatternError::ColonStar { text });
    }
    let mut words = Vec::new();
    let mut word: Option<Vec<Piece>> = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' => words.extend(word.take()),
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some(inside) if inside == c => break,
                        Some(inside) => word.push(Piece::Char(inside)),
                        None => {
                            let text = text.to_owned();
                            return Err(PatternError::OpenQuote { quote: c, text });
                        }
                    }
                }
            }
            '*' => word.get_or_insert_default().push(Piece::Many),
            c if is_special(c) => {
                let text = text.to_owned();
                return Err(PatternError::Special { character: c, text });
            }
            c => word.get_or_insert_default().push(Piece::Char(c)),
        }
    }
    words.extend(word);
    if words.is_empty() {
        Err(PatternError::Empty)
    } else {
        Ok(words)
    }
}

fn is_special(c: char) -> bool {
    c.is_control() || c.is_whitespace() || ";&|<>$`\\".contains(c)
}

/// Writes a word so that [`words_of`] reads exactly this word.
pub(super) fn quote(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./^-~".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    let quoted = word.replace('\'', r#"'"'"'"#);
    format!("'{quoted}'")
}
