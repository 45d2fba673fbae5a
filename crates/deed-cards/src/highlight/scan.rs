mod literals;
mod starts;

use super::rules::{Habit, Keys, Rules};
use super::{Class, Mode, Span, add};

/// About how many bytes of code there are to one span.
const BYTES_PER_SPAN: usize = 6;
/// Longest word that is looked up; no keyword of any row is longer.
const MAX_WORD_BYTES: usize = 24;

pub(super) fn scan(rules: &Rules, line: &str, mode: &mut Mode) -> Vec<Span> {
    let mut scanner = Scanner {
        rules,
        bytes: line.as_bytes(),
        at: 0,
        openers: rules.openers(),
        spans: Vec::with_capacity(line.len() / BYTES_PER_SPAN),
        mode,
        words_seen: 0,
        regex_possible: rules.has(Habit::Regexes),
        after_value: false,
        pending: None,
    };
    scanner.resume(line);
    while let Some(byte) = scanner.byte(0) {
        scanner.step(byte);
    }
    if let Some(pending) = scanner.pending.take()
        && *scanner.mode == Mode::Open
    {
        *scanner.mode = pending;
    }
    scanner.spans
}

struct Scanner<'a> {
    rules: &'a Rules,
    bytes: &'a [u8],
    at: usize,
    openers: u128,
    spans: Vec<Span>,
    mode: &'a mut Mode,
    words_seen: usize,
    /// False once a search for the end of a regular expression failed in this line: asking again
    /// at each slash would make the time quadratic.
    regex_possible: bool,
    /// Whether the last token can be divided, so that a slash divides.
    after_value: bool,
    pending: Option<Mode>,
}

fn starts_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}

impl Scanner<'_> {
    fn byte(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn rest(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    fn sees(&self, text: &str) -> bool {
        self.rest().starts_with(text.as_bytes())
    }

    /// Moves to `end` and gives what was passed a class.
    fn take_to(&mut self, end: usize, class: Class) {
        let end = end.min(self.bytes.len());
        add(&mut self.spans, class, self.at..end);
        self.at = end;
    }

    fn while_at(&self, from: usize, accept: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        from + rest
            .iter()
            .position(|&byte| !accept(byte))
            .unwrap_or(rest.len())
    }

    fn is_word_byte(&self, byte: u8) -> bool {
        starts_word(byte) || byte.is_ascii_digit() || self.rules.word_bytes.contains(&byte)
    }

    fn step(&mut self, byte: u8) {
        if is_blank(byte) {
            self.at = self.while_at(self.at, is_blank);
        } else if starts_word(byte) {
            self.word();
        } else if byte.is_ascii_digit() {
            self.number();
        } else if self.openers >> byte & 1 == 0
            || !(self.comment_start() || self.quote_start() || self.sign(byte))
        {
            if byte == b'<' {
                self.here_document();
            }
            self.after_value = matches!(byte, b')' | b']' | b'}');
            self.take_to(self.at + 1, Class::Punctuation);
        }
    }

    fn after_blank(&self) -> bool {
        self.at == 0
            || self
                .bytes
                .get(self.at - 1)
                .is_none_or(|&byte| is_blank(byte) || b"[{(,:=".contains(&byte))
    }

    fn comment_start(&mut self) -> bool {
        if let Some((open, _)) = self.rules.block_comment
            && self.sees(open)
        {
            self.comment(open.len(), 1);
            return true;
        }
        let starts = self.rules.line_comments.iter().any(|mark| self.sees(mark));
        let wants_blank =
            self.rules.has(Habit::AfterBlank) || self.rules.has(Habit::CommentAfterBlank);
        if starts && (!wants_blank || self.after_blank()) {
            self.take_to(self.bytes.len(), Class::Comment);
            return true;
        }
        false
    }

    fn quote_start(&mut self) -> bool {
        if self.rules.has(Habit::Rust) && self.byte(0) == Some(b'\'') {
            self.character_or_lifetime();
            return true;
        }
        if self.rules.has(Habit::AfterBlank) && !self.after_blank() {
            return false;
        }
        let rules = self.rules;
        let found = rules
            .quotes
            .iter()
            .enumerate()
            .find(|(_, quote)| self.sees(quote.open));
        if let Some((row, quote)) = found {
            self.string(quote.open.len(), (row, quote), 0);
            return true;
        }
        self.byte(0) == Some(b'/') && self.regex()
    }

    /// Takes a variable, a directive or a colour with the sign before it.
    fn sign(&mut self, byte: u8) -> bool {
        let directive = self.rules.has(Habit::Directives) && matches!(byte, b'@' | b'#');
        if !directive && !self.rules.sigils.contains(&byte) {
            return false;
        }
        let braced = self.byte(1) == Some(b'{') && byte == b'$';
        let start = self.at + 1 + usize::from(braced);
        let mut end = self.while_at(start, |byte| self.is_word_byte(byte));
        if end == start && byte == b'$' {
            // `$?`, `$#`, `$@`: variables with a sign for a name.
            let special = self
                .bytes
                .get(start)
                .is_some_and(|byte| b"?#@*!<^%$-".contains(byte));
            end += usize::from(special);
        }
        if end == start {
            return false;
        }
        if braced && self.bytes.get(end) == Some(&b'}') {
            end += 1;
        }
        self.take_to(
            end,
            if directive {
                Class::Keyword
            } else {
                Class::Name
            },
        );
        self.after_value = true;
        true
    }

    fn word(&mut self) {
        let end = self.while_at(self.at, |byte| self.is_word_byte(byte));
        let word = self.bytes.get(self.at..end).unwrap_or_default();
        if self.prefixed_string(word, end) {
            return;
        }
        let class = self.word_class(word, end);
        self.words_seen += 1;
        self.after_value = class != Some(Class::Keyword);
        match class {
            Some(class) => self.take_to(end, class),
            None => self.at = end,
        }
    }

    fn word_class(&self, word: &[u8], end: usize) -> Option<Class> {
        let next = self.bytes.get(end).copied().unwrap_or_default();
        if self.rules.keys == Keys::WordColon
            && next == b':'
            && self.bytes.get(end + 1).is_none_or(|&byte| is_blank(byte))
        {
            return Some(Class::Name);
        }
        if word.len() <= MAX_WORD_BYTES {
            let mut folded = [0; MAX_WORD_BYTES];
            let mut key = word;
            if self.rules.has(Habit::FoldCase)
                && let Some(folded) = folded.get_mut(..word.len())
            {
                folded.copy_from_slice(word);
                folded.make_ascii_lowercase();
                key = folded;
            }
            let keywords_count = self.words_seen == 0 || !self.rules.has(Habit::KeywordsFirst);
            if keywords_count && contains(self.rules.keywords, key) {
                return Some(Class::Keyword);
            }
            if contains(self.rules.types, key) {
                return Some(Class::Type);
            }
        }
        let is_macro = next == b'!' && self.rules.has(Habit::Rust);
        if (next == b'(' && self.rules.has(Habit::Calls)) || is_macro {
            return Some(Class::Function);
        }
        let capital = word.first().is_some_and(u8::is_ascii_uppercase);
        let is_type = capital
            && self.rules.has(Habit::CapitalTypes)
            && (word.len() == 1 || word.iter().any(u8::is_ascii_lowercase));
        is_type.then_some(Class::Type)
    }
}

fn contains(sorted: &[&str], word: &[u8]) -> bool {
    sorted
        .binary_search_by(|entry| entry.as_bytes().cmp(word))
        .is_ok()
}
