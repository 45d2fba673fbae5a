use std::ops::Range;

use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::pairs::Pair;
use crate::diff::part;
use crate::edit::endings::{Ending, ending_at, with_ending};

/// Makes the new text, keeping the file's own characters for what stays of the old one.
///
/// `None` if a piece of the file that is written otherwise than the old text would be kept by half.
pub(super) fn merge(file: &[u8], old: &str, pairs: &[Pair], new: &str) -> Option<Vec<u8>> {
    let ending = ending_at(file, pairs.first()?.file.start);
    let (old_tokens, new_tokens) = (tokens(old), tokens(new));
    let mut merged = Vec::with_capacity(new.len());
    let (mut old_at, mut next_pair) = (0, 0);
    for op in capture_diff_slices(Algorithm::Myers, &old_tokens, &new_tokens) {
        let old_end = old_at + length(&old_tokens, op.old_range());
        if op.tag() == DiffTag::Equal {
            let kept = old_at..old_end;
            next_pair = push_kept(&mut merged, (file, ending), (old, pairs), kept, next_pair)?;
        } else {
            let inserted: String = new_tokens.get(op.new_range())?.concat();
            merged.extend_from_slice(&with_ending(&inserted, ending));
        }
        old_at = old_end;
    }
    Some(merged)
}

fn length(tokens: &[&str], range: Range<usize>) -> usize {
    tokens
        .get(range)
        .unwrap_or_default()
        .iter()
        .map(|token| token.len())
        .sum()
}

/// Adds what the file has for a part of the old text; returns the pair to go on from.
fn push_kept(
    merged: &mut Vec<u8>,
    (file, ending): (&[u8], Ending),
    (old, pairs): (&str, &[Pair]),
    kept: Range<usize>,
    mut next: usize,
) -> Option<usize> {
    while let Some(pair) = pairs.get(next) {
        if pair.old.end <= kept.start {
            next += 1;
            continue;
        }
        if pair.old.start >= kept.end {
            break;
        }
        let source = part(file, pair.file.clone());
        if pair.old.start >= kept.start && pair.old.end <= kept.end {
            merged.extend_from_slice(source);
        } else if source.is_ascii() {
            let shared = pair.old.start.max(kept.start)..pair.old.end.min(kept.end);
            merged.extend_from_slice(&with_ending(old.get(shared)?, ending));
        } else {
            return None;
        }
        if pair.old.end > kept.end {
            break;
        }
        next += 1;
    }
    Some(next)
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
