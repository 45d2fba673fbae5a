//! A Rust source text with its comments and literals set apart.
//!
//! This is a lexer of just enough: strings (raw, byte and C strings too), characters, lifetimes, nested comments.
//! What it sets apart becomes blanks of the same length, so that offsets and line numbers stay those of the file.

use std::ops::Range;

/// One source file, split into code and comments.
#[derive(Debug)]
pub(crate) struct Source {
    /// Path below the workspace root, with `/`.
    pub(crate) path: String,
    /// The crate that the file belongs to.
    pub(crate) package: String,
    /// The file as it is.
    pub(crate) text: String,
    /// The file with comments and the insides of literals blanked.
    pub(crate) code: String,
    /// Comments, one entry a line of them, block comments included.
    pub(crate) comments: Vec<Comment>,
    tests: Vec<Range<usize>>,
    line_starts: Vec<usize>,
}

/// One line of a comment.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Comment {
    pub(crate) line: usize,
    pub(crate) is_doc: bool,
    /// Without the marks that open it.
    pub(crate) text: String,
}

impl Source {
    /// Reads `text` of the file at `path` below the root.
    pub(crate) fn new(path: &str, package: &str, text: String) -> Self {
        let mut lexer = Lexer {
            bytes: text.as_bytes(),
            at: 0,
            code: Vec::with_capacity(text.len()),
            spans: Vec::new(),
        };
        lexer.run();
        let code = String::from_utf8_lossy(&lexer.code).into_owned();
        let spans = lexer.spans;
        let line_starts = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
        let mut source = Self {
            path: path.to_owned(),
            package: package.to_owned(),
            tests: test_regions(&code),
            text,
            code,
            comments: Vec::new(),
            line_starts,
        };
        source.comments = spans
            .into_iter()
            .flat_map(|span| source.comment_lines(span))
            .collect();
        source
    }

    /// The line, counted from one, of a byte offset.
    pub(crate) fn line_1based(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|start| *start <= offset)
    }

    /// Whether the offset lies in a test: a test file or the code under `#[cfg(test)]` or `#[test]`.
    pub(crate) fn is_test(&self, offset: usize) -> bool {
        self.is_test_file() || self.tests.iter().any(|region| region.contains(&offset))
    }

    /// Whether the whole file is tests, by its place: below `tests/`, `benches/` or `examples/`, or named `tests.rs`.
    pub(crate) fn is_test_file(&self) -> bool {
        self.path
            .split('/')
            .any(|part| matches!(part, "tests" | "benches" | "examples" | "tests.rs"))
    }

    /// Lines outside tests.
    pub(crate) fn line_count(&self) -> usize {
        if self.is_test_file() {
            return 0;
        }
        let all = self.text.lines().count();
        let tests: usize = self
            .tests
            .iter()
            .map(|region| {
                self.line_1based(region.end.saturating_sub(1)) + 1 - self.line_1based(region.start)
            })
            .sum();
        all.saturating_sub(tests)
    }

    fn comment_lines(&self, span: Range<usize>) -> Vec<Comment> {
        let first = self.line_1based(span.start);
        let text = self.text.get(span).unwrap_or_default();
        let is_doc = ["///", "//!", "/**", "/*!"]
            .iter()
            .any(|mark| text.starts_with(mark));
        let lines = text.lines().enumerate();
        lines
            .map(|(index, line)| Comment {
                line: first + index,
                is_doc,
                text: line.trim_start().trim_start_matches(['/', '!']).to_owned(),
            })
            .collect()
    }
}

struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    code: Vec<u8>,
    spans: Vec<Range<usize>>,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn run(&mut self) {
        while self.at < self.bytes.len() {
            match self.peek(0) {
                b'/' if self.peek(1) == b'/' => self.line_comment(),
                b'/' if self.peek(1) == b'*' => self.block_comment(),
                b'"' => self.string(),
                b'\'' => self.quote(),
                b'r' if !self.continues_word() && self.raw_hashes().is_some() => self.raw_string(),
                _ => self.keep(),
            }
        }
    }

    fn keep(&mut self) {
        self.code.push(self.peek(0));
        self.at += 1;
    }

    fn blank(&mut self) {
        self.code
            .push(if self.peek(0) == b'\n' { b'\n' } else { b' ' });
        self.at += 1;
    }

    fn blank_until(&mut self, end: usize) {
        while self.at < end.min(self.bytes.len()) {
            self.blank();
        }
    }

    fn line_comment(&mut self) {
        let start = self.at;
        while self.at < self.bytes.len() && self.peek(0) != b'\n' {
            self.blank();
        }
        self.spans.push(start..self.at);
    }

    fn block_comment(&mut self) {
        let start = self.at;
        let mut depth = 0_usize;
        while self.at < self.bytes.len() {
            let step = match (self.peek(0), self.peek(1)) {
                (b'/', b'*') => {
                    depth += 1;
                    2
                }
                (b'*', b'/') => {
                    depth -= 1;
                    2
                }
                _ => 1,
            };
            self.blank_until(self.at + step);
            if depth == 0 {
                break;
            }
        }
        self.spans.push(start..self.at);
    }

    fn string(&mut self) {
        self.keep();
        while self.at < self.bytes.len() && self.peek(0) != b'"' {
            let step = if self.peek(0) == b'\\' { 2 } else { 1 };
            self.blank_until(self.at + step);
        }
        if self.at < self.bytes.len() {
            self.keep();
        }
    }

    /// A character literal is blanked; a lifetime is code.
    fn quote(&mut self) {
        let rest = self.bytes.get(self.at + 1..).unwrap_or_default();
        let end = if rest.first() == Some(&b'\\') {
            // `'\''`: the escaped byte cannot end the literal.
            rest.iter()
                .skip(2)
                .position(|byte| *byte == b'\'')
                .map(|at| at + 2)
        } else {
            let width = rest.first().map_or(1, |byte| match byte {
                0xf0.. => 4,
                0xe0.. => 3,
                0xc0.. => 2,
                _ => 1,
            });
            (rest.get(width) == Some(&b'\'')).then_some(width)
        };
        self.keep();
        if let Some(width) = end {
            self.blank_until(self.at + width);
            self.keep();
        }
    }

    /// Whether the byte before belongs to the same word; `br"` and `cr"` open raw strings all the same.
    fn continues_word(&self) -> bool {
        let before = |back: usize| {
            self.at
                .checked_sub(back)
                .and_then(|at| self.bytes.get(at))
                .copied()
                .unwrap_or(b' ')
        };
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        is_word(before(1)) && (is_word(before(2)) || !matches!(before(1), b'b' | b'c'))
    }

    fn raw_hashes(&self) -> Option<usize> {
        let hashes = self
            .bytes
            .iter()
            .skip(self.at + 1)
            .take_while(|byte| **byte == b'#')
            .count();
        (self.peek(1 + hashes) == b'"').then_some(hashes)
    }

    fn raw_string(&mut self) {
        let hashes = self.raw_hashes().unwrap_or(0);
        let close: Vec<u8> = std::iter::once(b'"')
            .chain(std::iter::repeat_n(b'#', hashes))
            .collect();
        for _ in 0..hashes + 2 {
            self.keep();
        }
        while self.at < self.bytes.len() {
            if self
                .bytes
                .get(self.at..)
                .is_some_and(|rest| rest.starts_with(&close))
            {
                for _ in 0..close.len() {
                    self.keep();
                }
                return;
            }
            self.blank();
        }
    }
}

/// The offset behind the brace that closes the one at `open`.
pub(crate) fn closing_brace(code: &str, open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in code.bytes().enumerate().skip(open) {
        match byte {
            b'{' => depth += 1,
            b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    code.len()
}

/// Offsets at which `word` stands in the code with no letter, digit or underscore joined to it.
///
/// A mark at the end of `word` (`todo!`, `tokio::fs::`) needs no boundary behind it.
pub(crate) fn find_words<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_word =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let bytes = code.as_bytes();
    let open_end = !is_word(word.as_bytes().last());
    code.match_indices(word)
        .map(|(at, _)| at)
        .filter(move |at| {
            let before = at.checked_sub(1).and_then(|at| bytes.get(at));
            !is_word(before) && (open_end || !is_word(bytes.get(at + word.len())))
        })
}

fn test_regions(code: &str) -> Vec<Range<usize>> {
    let mut regions: Vec<Range<usize>> = Vec::new();
    let mut starts: Vec<usize> = Vec::new();
    for mark in ["#[cfg(test)]", "#[test]", "#[tokio::test"] {
        starts.extend(code.match_indices(mark).map(|(at, _)| at));
    }
    starts.sort_unstable();
    for start in starts {
        if regions.last().is_some_and(|region| region.contains(&start)) {
            continue;
        }
        let rest = code.get(start..).unwrap_or_default();
        let end = match rest.find(['{', ';']) {
            Some(at) if rest.as_bytes().get(at) == Some(&b'{') => closing_brace(code, start + at),
            Some(at) => start + at + 1,
            None => code.len(),
        };
        regions.push(start..end);
    }
    regions
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source::new("crates/deed-env/src/a.rs", "deed-env", text.to_owned())
    }

    #[test]
    fn literals_become_blanks_of_the_same_length() {
        for (text, code) in [
            (r#"a("x{y\"}", b"}")"#, r#"a("      ", b" ")"#),
            ("r#\"a \" } \"# ; x", "r#\"      \"# ; x"),
            ("br\"\\\" }", "br\" \" }"),
            (
                "'{' '\\'' '\\u{7d}' 'é' b'}'",
                "' ' '  ' '      ' '  ' b' '",
            ),
            ("fn f<'a>(x: &'a str) {}", "fn f<'a>(x: &'a str) {}"),
            ("r#type { bar\"}\" }", "r#type { bar\" \" }"),
        ] {
            assert_eq!(source(text).code, code, "{text}");
        }
    }

    #[test]
    fn comments_are_set_apart_with_their_lines() {
        let source =
            source("a // one }\n/* two /* { */\n three */ b\n/// doc \"\nc \"// not one\"");
        assert_eq!(
            source.code.split_whitespace().collect::<Vec<_>>(),
            ["a", "b", "c", "\"", "\""]
        );
        let lines: Vec<_> = source
            .comments
            .iter()
            .map(|comment| (comment.line, comment.is_doc))
            .collect();
        assert_eq!(lines, [(1, false), (2, false), (3, false), (4, true)]);
        assert_eq!(source.comments[0].text, " one }");
    }

    #[test]
    fn code_under_cfg_test_is_a_test() {
        let source =
            source("fn a() {}\n#[cfg(test)]\nmod tests {\n  #[test]\n  fn b() {}\n}\nfn c() {}\n");
        let at = |word: &str| source.code.find(word).unwrap();
        assert!(!source.is_test(at("fn a")));
        assert!(source.is_test(at("fn b")));
        assert!(!source.is_test(at("fn c")));
        assert_eq!(source.line_count(), 2);
    }

    #[test]
    fn words_are_found_whole() {
        let found: Vec<_> = find_words("unsafe_code; unsafe { }; my_unsafe", "unsafe").collect();
        assert_eq!(found, [13]);
        assert_eq!(find_words("todo!(); my_todo!()", "todo!").count(), 1);
    }
}
