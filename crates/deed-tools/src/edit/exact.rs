use std::ops::Range;

use memchr::memchr;
use memchr::memmem::Finder;

use super::endings::{LfView, ending_at, to_lf, with_ending};
use super::fault::Count;
use crate::diff::part;

/// Beyond that many occurrences the exact number helps nobody.
const MAX_COUNTED: usize = 100;

/// Where something occurs, overlapping occurrences too, counted up to a bound.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Occurrences {
    pub(super) starts: Vec<usize>,
    pub(super) has_more: bool,
}

impl Occurrences {
    pub(super) fn of(needle: &[u8], text: &[u8]) -> Self {
        let finder = Finder::new(needle);
        let mut found = Self::default();
        let mut from = 0;
        while let Some(at) = finder.find(part(text, from..text.len())) {
            if found.starts.len() == MAX_COUNTED {
                found.has_more = true;
                break;
            }
            found.starts.push(from + at);
            from += at + 1;
        }
        found
    }

    pub(super) fn count(&self) -> Count {
        Count {
            at_least: self.starts.len(),
            is_all: !self.has_more,
        }
    }
}

/// A file to look texts up in; the view of its lines is made when it is first needed.
pub(super) struct Searched<'a> {
    pub(super) file: &'a [u8],
    view: Option<LfView>,
}

/// What an exact look-up found.
pub(super) enum Found {
    Once { range: Range<usize>, new: Vec<u8> },
    Often { starts: Vec<usize>, count: Count },
    Nowhere,
}

impl<'a> Searched<'a> {
    pub(super) fn new(file: &'a [u8]) -> Self {
        Self { file, view: None }
    }

    /// Looks a text up byte by byte; if it is nowhere, with CRLF and LF taken for the same.
    pub(super) fn find(&mut self, old: &str, new: &str) -> Found {
        let raw = Occurrences::of(old.as_bytes(), self.file);
        match raw.starts.as_slice() {
            [] => self.find_by_lines(old, new),
            [start] => self.once(*start, old, new),
            _ => Found::Often {
                count: raw.count(),
                starts: raw.starts,
            },
        }
    }

    fn once(&self, start: usize, old: &str, new: &str) -> Found {
        let range = start..start + old.len();
        if old != new && to_lf(old) == to_lf(new) {
            // The line ends are all that the edit is about.
            return Found::Once {
                range,
                new: new.as_bytes().to_vec(),
            };
        }
        // A line end counts whole, even if the old text begins with only the second half of it.
        let begins_inside = old.starts_with('\n') && part(self.file, 0..start).ends_with(b"\r");
        let range = start - usize::from(begins_inside)..range.end;
        let new = with_ending(new, ending_at(self.file, range.start));
        Found::Once { range, new }
    }

    fn find_by_lines(&mut self, old: &str, new: &str) -> Found {
        let has_cr = old.contains('\r') || memchr(b'\r', self.file).is_some();
        if !has_cr || !old.contains(['\n', '\r']) {
            return Found::Nowhere;
        }
        let old = to_lf(old);
        let view = self.view.get_or_insert_with(|| LfView::of(self.file));
        let found = Occurrences::of(old.as_bytes(), &view.text);
        match found.starts.as_slice() {
            [] => Found::Nowhere,
            [start] => {
                let range = view.in_file(*start)..view.in_file(start + old.len());
                let new = with_ending(new, ending_at(self.file, range.start));
                Found::Once { range, new }
            }
            _ => {
                let count = found.count();
                let starts = found
                    .starts
                    .into_iter()
                    .map(|start| view.in_file(start))
                    .collect();
                Found::Often { starts, count }
            }
        }
    }
}
