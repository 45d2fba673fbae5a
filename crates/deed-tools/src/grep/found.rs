use std::sync::{Arc, Mutex, PoisonError};

use deed_env::search::{SearchLine, SearchSink};
use deed_tooling::{MATCH_LINE_MAX_CHARS, truncate_line};

use crate::bounded::{BoundedLines, one_line};

/// Hands lines of a search to what keeps them.
pub(super) struct Collector(pub(super) Arc<Mutex<Found>>);

impl SearchSink for Collector {
    fn line(&mut self, line: SearchLine) -> bool {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take(&line)
    }
}

/// What a search has found, up to a limit of matches.
pub(super) struct Found {
    pub(super) limit: u64,
    pub(super) lines: BoundedLines,
    /// Whether there is a match beyond the limit.
    pub(super) has_more: bool,
    /// Whether a line was too long.
    pub(super) has_cut_lines: bool,
    context: u64,
    matches: u64,
    last_match: Option<(String, u64)>,
}

impl Found {
    pub(super) fn new(limit: u64, context: u64) -> Self {
        Self {
            limit,
            context,
            lines: BoundedLines::default(),
            has_more: false,
            has_cut_lines: false,
            matches: 0,
            last_match: None,
        }
    }

    /// Takes the next line; `false` if nothing that follows is of interest.
    ///
    /// What follows the last match within the context is still shown, another match there as
    /// context. Anything beyond is a further match or announces one.
    fn take(&mut self, line: &SearchLine) -> bool {
        let is_full = self.matches == self.limit;
        let follows = self.lines_after_last(line);
        if is_full && follows.is_none_or(|after| after > self.context) {
            self.has_more = true;
            return false;
        }
        if line.is_match && is_full {
            self.has_more = true;
        } else if line.is_match {
            self.matches += 1;
            self.last_match = Some((line.path.clone(), line.line_1based));
        }
        self.record(line, line.is_match && !is_full);
        !(self.has_more && follows == Some(self.context))
    }

    fn lines_after_last(&self, line: &SearchLine) -> Option<u64> {
        let (path, number) = self.last_match.as_ref()?;
        (*path == line.path).then(|| line.line_1based.saturating_sub(*number))
    }

    fn record(&mut self, line: &SearchLine, is_match: bool) {
        let (path, line_1based) = (one_line(&line.path), line.line_1based);
        let text = truncate_line(&line.text, MATCH_LINE_MAX_CHARS);
        self.has_cut_lines |= text.was_truncated;
        let text = &text.text;
        self.lines.push(&if is_match {
            format!("{path}:{line_1based}: {text}")
        } else {
            format!("{path}-{line_1based}- {text}")
        });
    }
}
