//! What only the start of a line has, and what the line before left open.

use super::super::rules::{Habit, Keys};
use super::super::{Class, Mode};
use super::{Scanner, is_blank, starts_word};

impl Scanner<'_> {
    /// Goes on with what the line before left open, then with what only the start of a line has.
    pub(super) fn resume(&mut self, line: &str) {
        match std::mem::take(self.mode) {
            Mode::Comment { depth } => self.comment(0, depth),
            Mode::Quoted { row, hashes } => {
                if let Some(quote) = self.rules.quotes.get(row) {
                    self.string(0, (row, quote), hashes);
                }
            }
            Mode::HereDocument { tag, indented } => {
                let text = if indented { line.trim_start() } else { line };
                // PHP and Ruby let punctuation follow the tag.
                let ends = text.trim_end().trim_end_matches([';', ',', ')']) == &*tag;
                let class = if ends { Class::Keyword } else { Class::String };
                self.take_to(self.bytes.len(), class);
                if !ends {
                    *self.mode = Mode::HereDocument { tag, indented };
                }
            }
            _ => self.line_start(),
        }
    }

    fn line_start(&mut self) {
        let start = self.while_at(0, is_blank);
        if self.rules.has(Habit::Sections) && self.bytes.get(start) == Some(&b'[') {
            self.at = start;
            let end = self.while_at(start, |byte| byte != b'#' && byte != b';');
            let text = self
                .bytes
                .get(start..end)
                .unwrap_or_default()
                .trim_ascii_end();
            if text.ends_with(b"]") && !text.contains(&b'=') && !text.contains(&b',') {
                self.take_to(start + text.len(), Class::Heading);
            }
            return;
        }
        match self.rules.keys {
            Keys::LineColon => self.yaml_key(start),
            Keys::LineEquals => self.key_before(start, b'=', Class::Name),
            Keys::Target if start == 0 => self.key_before(0, b':', Class::Function),
            _ => {}
        }
    }

    fn yaml_key(&mut self, mut start: usize) {
        while self.bytes.get(start) == Some(&b'-')
            && self.bytes.get(start + 1).is_none_or(|&byte| is_blank(byte))
        {
            self.at = start;
            self.take_to(start + 1, Class::Punctuation);
            start = self.while_at(start + 1, is_blank);
        }
        self.at = start;
        let mut end = start;
        loop {
            end = self.while_at(end, |byte| byte != b':' && byte != b'#');
            match (self.bytes.get(end), self.bytes.get(end + 1)) {
                (Some(b':'), None) => break,
                (Some(b':'), Some(&next)) if is_blank(next) => break,
                (Some(_), _) if self.bytes.get(end.wrapping_sub(1)) != Some(&b' ') => end += 1,
                _ => return,
            }
        }
        if self
            .bytes
            .get(start)
            .is_some_and(|byte| !b"{[&*!|>".contains(byte))
        {
            self.take_to(end, Class::Name);
        }
    }

    /// Names what stands before the first `mark`, if only words, blanks, quotes and dots do.
    fn key_before(&mut self, start: usize, mark: u8, class: Class) {
        let plain =
            |byte: u8| starts_word(byte) || byte.is_ascii_digit() || b" -.\"'/%$()".contains(&byte);
        let end = self.while_at(start, plain);
        let next = self.bytes.get(end + 1);
        if self.bytes.get(end) == Some(&mark) && !(mark == b':' && next == Some(&b'=')) {
            let key = self
                .bytes
                .get(start..end)
                .unwrap_or_default()
                .trim_ascii_end()
                .len();
            self.at = start;
            self.take_to(start + key, class);
        }
    }
}
