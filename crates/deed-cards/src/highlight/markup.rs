use super::{Class, Language, LexState, Mode, Span, add};

const COMMENT: (&str, &str) = ("<!--", "-->");

/// Reads tags, attributes, entities and comments; with `embeds`, scripts and styles too.
pub(super) fn scan(embeds: bool, line: &str, mode: &mut Mode) -> Vec<Span> {
    let mut reader = Reader {
        embeds,
        line,
        at: 0,
        spans: Vec::new(),
    };
    while reader.at < line.len() || !matches!(mode, Mode::Open) {
        *mode = match std::mem::take(mode) {
            Mode::Comment { .. } => reader.comment(),
            Mode::Tag { raw } => reader.tag(raw),
            Mode::Quoted { row, hashes } => reader.value(row, hashes),
            Mode::Raw { language, inner } => reader.raw(language, inner),
            _ => reader.text(),
        };
        if reader.at >= line.len() {
            break;
        }
    }
    reader.spans
}

struct Reader<'a> {
    embeds: bool,
    line: &'a str,
    at: usize,
    spans: Vec<Span>,
}

/// A quoted value is remembered by its quote and by what the tag round it leads to.
const RAW_LANGUAGES: [Option<&str>; 3] = [None, Some("javascript"), Some("css")];

fn raw_row(raw: Option<&'static Language>) -> usize {
    let name = raw.map(Language::name);
    RAW_LANGUAGES
        .iter()
        .position(|row| *row == name)
        .unwrap_or_default()
}

fn raw_of(row: usize) -> Option<&'static Language> {
    RAW_LANGUAGES
        .get(row)
        .copied()
        .flatten()
        .and_then(Language::named)
}

fn is_name(character: char) -> bool {
    character.is_alphanumeric() || "-_:.@".contains(character)
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.line.get(self.at..).unwrap_or_default()
    }

    fn take(&mut self, length: usize, class: Class) {
        add(&mut self.spans, class, self.at..self.at + length);
        self.at += length;
    }

    fn name_length(&self, skip: usize) -> usize {
        let name = self.rest().get(skip..).unwrap_or_default();
        name.find(|character| !is_name(character))
            .unwrap_or(name.len())
    }

    fn text(&mut self) -> Mode {
        let rest = self.rest();
        let skip = rest.find(['<', '&']).unwrap_or(rest.len());
        self.at += skip;
        let rest = self.rest();
        if rest.starts_with(COMMENT.0) {
            self.take(COMMENT.0.len(), Class::Comment);
            return self.comment();
        }
        if rest.starts_with('<') {
            return self.tag_start();
        }
        if rest.starts_with('&') {
            let hash = usize::from(rest.as_bytes().get(1) == Some(&b'#'));
            let end = 1 + hash + self.name_length(1 + hash);
            if rest.as_bytes().get(end) == Some(&b';') {
                self.take(end + 1, Class::Number);
            } else {
                self.at += end;
            }
        }
        Mode::Open
    }

    fn comment(&mut self) -> Mode {
        match self.rest().find(COMMENT.1) {
            Some(end) => {
                self.take(end + COMMENT.1.len(), Class::Comment);
                Mode::Open
            }
            None => {
                self.take(self.rest().len(), Class::Comment);
                Mode::Comment { depth: 1 }
            }
        }
    }

    fn tag_start(&mut self) -> Mode {
        let mark = self.rest().as_bytes().get(1).copied().unwrap_or_default();
        let sign = 1 + usize::from(matches!(mark, b'/' | b'!' | b'?'));
        let length = self.name_length(sign);
        if length == 0 {
            self.take(1, Class::Punctuation);
            return Mode::Open;
        }
        self.take(sign, Class::Punctuation);
        let name = self.rest().get(..length).unwrap_or_default();
        let raw = match name {
            "script" if self.embeds && sign == 1 => raw_of(1),
            "style" if self.embeds && sign == 1 => raw_of(2),
            _ => None,
        };
        self.take(length, Class::Keyword);
        Mode::Tag { raw }
    }

    /// Takes one part of a tag: an attribute, a sign, a quote or the end.
    fn tag(&mut self, raw: Option<&'static Language>) -> Mode {
        self.at += self.rest().len() - self.rest().trim_start().len();
        let Some(first) = self.rest().chars().next() else {
            return Mode::Tag { raw };
        };
        if matches!(first, '"' | '\'') {
            self.take(1, Class::String);
            return self.value(raw_row(raw), usize::from(first == '"'));
        }
        let length = self.name_length(0);
        if length > 0 {
            self.take(length, Class::Name);
            return Mode::Tag { raw };
        }
        self.take(first.len_utf8(), Class::Punctuation);
        match (first, raw) {
            ('>', Some(language)) => Mode::Raw {
                language,
                inner: Box::default(),
            },
            ('>', None) => Mode::Open,
            _ => Mode::Tag { raw },
        }
    }

    /// Takes a quoted value up to its quote; `double` is one for `"` and zero for `'`.
    fn value(&mut self, row: usize, double: usize) -> Mode {
        let quote = if double == 1 { '"' } else { '\'' };
        match self.rest().find(quote) {
            Some(end) => {
                self.take(end + 1, Class::String);
                Mode::Tag { raw: raw_of(row) }
            }
            None => {
                self.take(self.rest().len(), Class::String);
                Mode::Quoted {
                    row,
                    hashes: double,
                }
            }
        }
    }

    fn raw(&mut self, language: &'static Language, mut inner: Box<LexState>) -> Mode {
        let close = if language.name() == "css" {
            "</style"
        } else {
            "</script"
        };
        let end = self.rest().find(close);
        let code = self
            .rest()
            .get(..end.unwrap_or(self.rest().len()))
            .unwrap_or_default();
        let length = code.len();
        for span in language.highlight(code, &mut inner) {
            let range = self.at + span.range.start..self.at + span.range.end;
            add(&mut self.spans, span.class, range);
        }
        self.at += length;
        if end.is_some() {
            Mode::Open
        } else {
            Mode::Raw { language, inner }
        }
    }
}
