use std::ops::Range;

use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::pairs::Pair;
use crate::diff::part;
use crate::edit::endings::{Ending, ending_at, with_ending};

/// Makes the new text, keeping the file's own characters for what stays of the old one.
///
/// A piece of the file that only half stays is written as the new text has it.
pub(super) fn merge(file: &[u8], old: &str, pairs: &[Pair], new: &str) -> Vec<u8> {
    let at = pairs.first().map_or(0, |pair| pair.file.start);
    let mut merged = Merged {
        file,
        old,
        pairs,
        ending: ending_at(file, at),
        next_pair: 0,
        text: Vec::with_capacity(new.len()),
    };
    let (old_tokens, new_tokens) = (tokens(old), tokens(new));
    let mut old_at = 0;
    for op in capture_diff_slices(Algorithm::Myers, &old_tokens, &new_tokens) {
        let gone = old_tokens.get(op.old_range()).unwrap_or_default().concat();
        let old_end = old_at + gone.len();
        if op.tag() == DiffTag::Equal {
            merged.keep(old_at..old_end);
        } else {
            let inserted = new_tokens.get(op.new_range()).unwrap_or_default().concat();
            let (before, after) = shared_ends(&gone, &inserted);
            merged.keep(old_at..old_at + before);
            merged.insert(
                inserted
                    .get(before..inserted.len() - after)
                    .unwrap_or_default(),
            );
            merged.keep(old_end - after..old_end);
        }
        old_at = old_end;
    }
    merged.text
}

/// Returns how many bytes two texts share at their beginnings, and of the rest at their ends.
fn shared_ends(one: &str, other: &str) -> (usize, usize) {
    fn shared(pairs: impl Iterator<Item = (char, char)>) -> usize {
        pairs
            .take_while(|(a, b)| a == b)
            .map(|(a, _)| a.len_utf8())
            .sum()
    }
    let before = shared(one.chars().zip(other.chars()));
    let rest = |text: &str| text.get(before..).unwrap_or_default().to_owned();
    let (one, other) = (rest(one), rest(other));
    (before, shared(one.chars().rev().zip(other.chars().rev())))
}

struct Merged<'a> {
    file: &'a [u8],
    old: &'a str,
    pairs: &'a [Pair],
    ending: Ending,
    /// The first pair that may still be needed.
    next_pair: usize,
    text: Vec<u8>,
}

impl Merged<'_> {
    fn insert(&mut self, text: &str) {
        self.text.extend_from_slice(&with_ending(text, self.ending));
    }

    /// Adds what the file has for a part of the old text.
    fn keep(&mut self, kept: Range<usize>) {
        while let Some(pair) = self.pairs.get(self.next_pair) {
            if pair.old.start >= kept.end {
                break;
            }
            let shared = pair.old.start.max(kept.start)..pair.old.end.min(kept.end);
            if shared == pair.old {
                self.text
                    .extend_from_slice(part(self.file, pair.file.clone()));
            } else if let Some(text) = self.old.get(shared).filter(|text| !text.is_empty()) {
                self.insert(text);
            }
            if pair.old.end > kept.end {
                break;
            }
            self.next_pair += 1;
        }
    }
}

/// Splits into words and single other characters.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let end = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let Some((token, after)) = rest.split_at_checked(end) else {
            break;
        };
        tokens.push(token);
        rest = after;
    }
    tokens
}
