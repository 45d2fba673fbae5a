//! A quick look for parts of which every secret of a form has one.

use aho_corasick::{AhoCorasick, MatchKind, Span, packed};

use super::TABLE;

/// Finds the rows of the table that may have something to say of a text.
pub(super) struct Hints {
    finder: Finder,
    /// Each hint once: several rows may have the same.
    hints: Vec<&'static str>,
}

/// Looks for several texts at once: by vector instructions where the processor has them.
enum Finder {
    Vector(packed::Searcher),
    Plain(Option<AhoCorasick>),
}

impl Hints {
    pub(super) fn new() -> Self {
        let mut hints: Vec<&str> = TABLE
            .iter()
            .flat_map(|shape| shape.hints)
            .copied()
            .collect();
        hints.sort_unstable();
        hints.dedup();
        let finder = match packed::Searcher::new(&hints) {
            Some(searcher) => Finder::Vector(searcher),
            None => Finder::Plain(
                AhoCorasick::builder()
                    .match_kind(MatchKind::LeftmostFirst)
                    .build(&hints)
                    .ok(),
            ),
        };
        Self { finder, hints }
    }

    /// Returns the rows that have a hint in a text, each once, in order.
    pub(super) fn rows_in(&self, text: &str) -> Vec<usize> {
        // All hints are lower case, and making a text so is quicker than looking for both.
        let text = text.to_ascii_lowercase();
        let mut found = [false; TABLE.len()];
        let mut from = 0;
        while let Some((hint, start)) = self.finder.first(text.as_bytes(), from) {
            if let Some(hint) = self.hints.get(hint) {
                for (shape, found) in TABLE.iter().zip(&mut found) {
                    *found |= shape.hints.contains(hint);
                }
            }
            // Not behind the hint: another may begin inside of it.
            from = start + 1;
        }
        let hinted = found.iter().enumerate().filter(|(_, found)| **found);
        hinted.map(|(row, _)| row).collect()
    }
}

impl Finder {
    /// Returns which text comes first behind a place, and where.
    fn first(&self, text: &[u8], from: usize) -> Option<(usize, usize)> {
        let span = Span {
            start: from,
            end: text.len(),
        };
        let found = match self {
            Self::Vector(searcher) => searcher.find_in(text, span),
            Self::Plain(searcher) => {
                let input = aho_corasick::Input::new(text).span(span);
                searcher.as_ref()?.find(input)
            }
        };
        found.map(|found| (found.pattern().as_usize(), found.start()))
    }
}
