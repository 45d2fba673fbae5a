//! Which words of a changed line changed.

use std::ops::Range;

use deed_protocol::{DiffLine, DiffLineKind};

/// Words between the common start and end of two lines above which they are not compared further.
const MAX_WORDS: usize = 64;
/// Longest line that is compared.
const MAX_LINE_BYTES: usize = 2_000;

/// For each line of a diff, the bytes that differ from the line it replaces or is replaced by.
///
/// Lines of a removed run and the added run right after it are paired in order; a line without
/// partner, or with one that has little in common with it, has no emphasis.
pub(crate) fn changed_words(lines: &[DiffLine]) -> Vec<Vec<Range<usize>>> {
    let mut all = vec![Vec::new(); lines.len()];
    let mut at = 0;
    while at < lines.len() {
        let removed = run_length(lines, at, DiffLineKind::Removed);
        let added = run_length(lines, at + removed, DiffLineKind::Added);
        for pair in 0..removed.min(added) {
            let (old, new) = (at + pair, at + removed + pair);
            if let (Some(before), Some(after)) = (lines.get(old), lines.get(new)) {
                let (gone, come) = compare(&before.text, &after.text);
                if let Some(slot) = all.get_mut(old) {
                    *slot = gone;
                }
                if let Some(slot) = all.get_mut(new) {
                    *slot = come;
                }
            }
        }
        at += (removed + added).max(1);
    }
    all
}

fn run_length(lines: &[DiffLine], from: usize, kind: DiffLineKind) -> usize {
    lines
        .get(from..)
        .unwrap_or_default()
        .iter()
        .take_while(|line| line.kind == kind)
        .count()
}

type Ranges = Vec<Range<usize>>;

fn compare(old: &str, new: &str) -> (Ranges, Ranges) {
    if old.len().max(new.len()) > MAX_LINE_BYTES || old == new {
        return Default::default();
    }
    let (old_words, new_words) = (words(old), words(new));
    let pairs = || old_words.iter().zip(&new_words);
    let start = pairs().take_while(|(a, b)| a.1 == b.1).count();
    let shorter = old_words.len().min(new_words.len());
    let end = old_words.iter().rev().zip(new_words.iter().rev());
    let end = end
        .take(shorter - start)
        .take_while(|(a, b)| a.1 == b.1)
        .count();
    let old_middle = old_words
        .get(start..old_words.len() - end)
        .unwrap_or_default();
    let new_middle = new_words
        .get(start..new_words.len() - end)
        .unwrap_or_default();
    let kept = common(old_middle, new_middle);
    let gone = ranges(old_middle, |at| kept.iter().any(|pair| pair.0 == at));
    let come = ranges(new_middle, |at| kept.iter().any(|pair| pair.1 == at));
    let changed = |ranges: &Ranges, line: &str| {
        let bytes: usize = ranges.iter().map(Range::len).sum();
        bytes * 3 > line.trim().len() * 2
    };
    if changed(&gone, old) || changed(&come, new) {
        return Default::default();
    }
    (gone, come)
}

type Word<'a> = (usize, &'a str);

/// Splits at the borders of words; signs and blanks are words of one character.
fn words(line: &str) -> Vec<Word<'_>> {
    let is_word =
        |character: char| character.is_alphanumeric() || character == '_' || !character.is_ascii();
    let mut words: Vec<Word<'_>> = Vec::new();
    let mut start = 0;
    let mut in_word = false;
    for (at, character) in line.char_indices() {
        if at > start && !(in_word && is_word(character)) {
            words.push((start, line.get(start..at).unwrap_or_default()));
            start = at;
        }
        in_word = is_word(character);
    }
    if start < line.len() {
        words.push((start, line.get(start..).unwrap_or_default()));
    }
    words
}

/// Pairs of equal words in a longest common subsequence; none if there are too many words.
fn common(old: &[Word<'_>], new: &[Word<'_>]) -> Vec<(usize, usize)> {
    if old.len() > MAX_WORDS || new.len() > MAX_WORDS {
        return Vec::new();
    }
    let columns = new.len() + 1;
    let mut lengths = vec![0u8; (old.len() + 1) * columns];
    let cell =
        |lengths: &[u8], i: usize, j: usize| lengths.get(i * columns + j).copied().unwrap_or(0);
    for (i, (_, a)) in old.iter().enumerate().rev() {
        for (j, (_, b)) in new.iter().enumerate().rev() {
            let best = if a == b {
                cell(&lengths, i + 1, j + 1) + 1
            } else {
                cell(&lengths, i + 1, j).max(cell(&lengths, i, j + 1))
            };
            if let Some(slot) = lengths.get_mut(i * columns + j) {
                *slot = best;
            }
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut pairs = Vec::new();
    while let (Some((_, a)), Some((_, b))) = (old.get(i), new.get(j)) {
        if a == b {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if cell(&lengths, i + 1, j) >= cell(&lengths, i, j + 1) {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

/// The bytes of the words that were not kept, neighbours joined.
fn ranges(words: &[Word<'_>], kept: impl Fn(usize) -> bool) -> Ranges {
    let mut ranges: Ranges = Vec::new();
    for (at, (start, word)) in words.iter().enumerate() {
        if kept(at) {
            continue;
        }
        let range = *start..start + word.len();
        match ranges.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => ranges.push(range),
        }
    }
    ranges
}
