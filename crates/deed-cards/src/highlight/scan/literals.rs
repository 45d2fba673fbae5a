//! Comments, strings, numbers and other values.

use super::super::rules::{Habit, HereDocuments, Keys, Quote};
use super::super::{Class, Mode};
use super::{Scanner, is_blank, starts_word};

/// Longest tag of a here-document that is remembered.
const MAX_TAG_BYTES: usize = 64;
/// How far a character literal may reach: `'\u{10ffff}'`.
const MAX_CHARACTER_BYTES: usize = 12;

impl Scanner<'_> {
    /// Takes a block comment whose opening ends at `skip` bytes from here.
    pub(super) fn comment(&mut self, skip: usize, mut depth: usize) {
        let Some((open, close)) = self.rules.block_comment else {
            return;
        };
        let nests = self.rules.has(Habit::NestedComments);
        let mut end = self.at + skip;
        while depth > 0 {
            let rest = self.bytes.get(end..).unwrap_or_default();
            if rest.is_empty() {
                *self.mode = Mode::Comment { depth };
                break;
            }
            if rest.starts_with(close.as_bytes()) {
                depth -= 1;
                end += close.len();
            } else if nests && rest.starts_with(open.as_bytes()) {
                depth += 1;
                end += open.len();
            } else {
                end += 1;
            }
        }
        self.take_to(end, Class::Comment);
    }

    /// Takes a string whose opening ends at `skip` bytes from here.
    pub(super) fn string(&mut self, skip: usize, (row, quote): (usize, &Quote), hashes: usize) {
        let mut end = self.at + skip;
        let closed = loop {
            let rest = self.bytes.get(end..).unwrap_or_default();
            let Some(&byte) = rest.first() else {
                break false;
            };
            if quote.escapes && hashes == 0 && byte == b'\\' {
                end += 2;
            } else if rest.starts_with(quote.close.as_bytes()) {
                end += quote.close.len();
                let after = self.bytes.get(end..).unwrap_or_default();
                if after
                    .iter()
                    .take(hashes)
                    .take_while(|&&byte| byte == b'#')
                    .count()
                    == hashes
                {
                    end += hashes;
                    break true;
                }
            } else {
                end += 1;
            }
        };
        if !closed && quote.multi_line {
            *self.mode = Mode::Quoted { row, hashes };
        }
        let class = if closed && self.is_key(end) {
            Class::Name
        } else {
            Class::String
        };
        self.take_to(end, class);
        self.after_value = true;
    }

    fn is_key(&self, end: usize) -> bool {
        self.rules.keys == Keys::QuotedColon
            && self.bytes.get(self.while_at(end, is_blank)) == Some(&b':')
    }

    pub(super) fn character_or_lifetime(&mut self) {
        let close = if self.byte(1) == Some(b'\\') {
            let window = self.rest().iter().take(MAX_CHARACTER_BYTES);
            window
                .enumerate()
                .skip(3)
                .find(|&(_, &byte)| byte == b'\'')
                .map(|(at, _)| at)
        } else {
            // One character of up to four bytes, then the quote.
            let first = self.byte(1).unwrap_or(b'\'');
            let length = match first {
                0..0x80 => 1,
                0x80..0xe0 => 2,
                0xe0..0xf0 => 3,
                _ => 4,
            };
            (self.byte(1 + length) == Some(b'\'')).then_some(1 + length)
        };
        match close {
            Some(close) => self.take_to(self.at + close + 1, Class::String),
            None => {
                let end = self.while_at(self.at + 1, |byte| self.is_word_byte(byte));
                let class = if end > self.at + 1 {
                    Class::Type
                } else {
                    Class::Punctuation
                };
                self.take_to(end, class);
            }
        }
        self.after_value = true;
    }

    pub(super) fn regex(&mut self) -> bool {
        if !self.regex_possible || self.after_value {
            return false;
        }
        let mut end = self.at + 1;
        let mut in_set = false;
        while let Some(&byte) = self.bytes.get(end) {
            match byte {
                b'\\' => end += 1,
                b'[' => in_set = true,
                b']' => in_set = false,
                b'/' if !in_set => {
                    let end = self.while_at(end + 1, |byte| byte.is_ascii_lowercase());
                    self.take_to(end, Class::String);
                    self.after_value = true;
                    return true;
                }
                _ => {}
            }
            end += 1;
        }
        self.regex_possible = false;
        false
    }

    pub(super) fn here_document(&mut self) {
        let style = self.rules.here_documents;
        let open = if style == HereDocuments::Php {
            "<<<"
        } else {
            "<<"
        };
        if style == HereDocuments::None || self.pending.is_some() || !self.sees(open) {
            return;
        }
        let mut start = self.at + open.len();
        let indented = self
            .bytes
            .get(start)
            .is_some_and(|byte| b"-~".contains(byte));
        if style == HereDocuments::Ruby && !indented {
            return;
        }
        start = self.while_at(start + usize::from(indented), |byte| byte == b' ');
        start += usize::from(
            self.bytes
                .get(start)
                .is_some_and(|byte| b"'\"\\".contains(byte)),
        );
        let end = self.while_at(start, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let tag = self.bytes.get(start..end).unwrap_or_default();
        let begins = tag.first().is_some_and(|&byte| starts_word(byte));
        if !begins || tag.len() > MAX_TAG_BYTES {
            return;
        }
        if let Ok(tag) = std::str::from_utf8(tag) {
            let indented = indented || style == HereDocuments::Php;
            self.pending = Some(Mode::HereDocument {
                tag: tag.into(),
                indented,
            });
        }
    }

    pub(super) fn number(&mut self) {
        let mut end = self.at;
        loop {
            end = self.while_at(end, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
            let before = self
                .bytes
                .get(end.wrapping_sub(1))
                .copied()
                .unwrap_or_default();
            let next = self.bytes.get(end + 1).copied().unwrap_or_default();
            match self.bytes.get(end) {
                Some(b'.') if next.is_ascii_digit() => end += 1,
                Some(b'+' | b'-') if matches!(before, b'e' | b'E') && next.is_ascii_digit() => {
                    end += 1;
                }
                _ => break,
            }
        }
        self.take_to(end, Class::Number);
        self.after_value = true;
    }

    pub(super) fn prefixed_string(&mut self, word: &[u8], end: usize) -> bool {
        if word.len() > 3
            || !self
                .rules
                .string_prefixes
                .iter()
                .any(|p| p.as_bytes() == word)
        {
            return false;
        }
        let raw = self.rules.has(Habit::Rust) && word.contains(&b'r');
        let hashes = if raw {
            self.while_at(end, |byte| byte == b'#') - end
        } else {
            0
        };
        let rest = self.bytes.get(end + hashes..).unwrap_or_default();
        let rules = self.rules;
        let found = rules
            .quotes
            .iter()
            .enumerate()
            .filter(|(_, quote)| !rules.has(Habit::Rust) || quote.escapes != raw)
            .find(|(_, quote)| rest.starts_with(quote.open.as_bytes()));
        if let Some((row, quote)) = found {
            self.string(
                end + hashes + quote.open.len() - self.at,
                (row, quote),
                hashes,
            );
            return true;
        }
        false
    }
}
