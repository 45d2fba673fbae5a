use std::io::{self, Read};

use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};

use crate::search::{SearchLine, SearchRequest};

/// Beyond this a line is not searched: it would have to be held in memory whole.
const LINE_MAX_BYTES: usize = 32 * 1024 * 1024;

/// Searches one content after the other.
#[derive(Debug)]
pub(crate) struct ContentScan {
    searcher: Searcher,
    matcher: RegexMatcher,
    max_line_bytes: usize,
}

impl ContentScan {
    pub(crate) fn new(request: &SearchRequest, matcher: RegexMatcher) -> Self {
        let searcher = SearcherBuilder::new()
            .line_number(true)
            .before_context(request.context_lines)
            .after_context(request.context_lines)
            .binary_detection(BinaryDetection::quit(0))
            .heap_limit(Some(LINE_MAX_BYTES))
            .build();
        Self {
            searcher,
            matcher,
            max_line_bytes: request.max_line_bytes,
        }
    }

    /// Searches a content and hands over what is found until `found` returns `false`.
    ///
    /// A content with a NUL byte counts as binary and is given up there.
    pub(crate) fn run(
        &mut self,
        path: &str,
        content: impl Read,
        found: impl FnMut(SearchLine) -> bool,
    ) -> io::Result<()> {
        let lines = Lines {
            path,
            max_line_bytes: self.max_line_bytes,
            found,
        };
        self.searcher.search_reader(&self.matcher, content, lines)
    }
}

struct Lines<'a, F> {
    path: &'a str,
    max_line_bytes: usize,
    found: F,
}

impl<F: FnMut(SearchLine) -> bool> Lines<'_, F> {
    fn hand_over(&mut self, bytes: &[u8], number: Option<u64>, is_match: bool) -> bool {
        let (text, is_cut) = shown(bytes, self.max_line_bytes);
        (self.found)(SearchLine {
            path: self.path.into(),
            line_1based: number.unwrap_or_default(),
            text,
            is_cut,
            is_match,
        })
    }
}

impl<F: FnMut(SearchLine) -> bool> Sink for Lines<'_, F> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        Ok(self.hand_over(found.bytes(), found.line_number(), true))
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        Ok(self.hand_over(context.bytes(), context.line_number(), false))
    }
}

/// Returns what is shown of a line: no line end, valid text, at most `max_bytes` of it, cut
/// between characters; and whether it was cut.
fn shown(line: &[u8], max_bytes: usize) -> (String, bool) {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    // Enough for the character that the cut may fall into to be seen whole.
    let start = line.get(..max_bytes.saturating_add(4)).unwrap_or(line);
    let mut text = String::from_utf8_lossy(start).into_owned();
    let is_cut = text.len() > max_bytes;
    text.truncate(text.floor_char_boundary(max_bytes));
    (text, is_cut)
}
