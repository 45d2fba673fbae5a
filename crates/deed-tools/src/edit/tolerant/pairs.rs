use std::ops::Range;

use super::fold::Atom;
use crate::diff::part;

/// A piece of the old text and the piece of the file that was taken for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) old: Range<usize>,
    pub(super) file: Range<usize>,
}

/// Pairs the pieces of both sides, which fold to the same text.
///
/// Blanks at the very end of the old text, which folding drops, are paired with the blanks that
/// follow in the file, as far as there are any.
pub(super) fn pair(file: &[u8], file_atoms: &[Atom], old: &str, old_atoms: &[Atom]) -> Vec<Pair> {
    let mut pairs = aligned(file_atoms, old_atoms);
    let (Some(last), Some(last_old)) = (file_atoms.last(), old_atoms.last()) else {
        return pairs;
    };
    let mut at = last.source.end;
    let tail = old.get(last_old.source.end..).unwrap_or_default();
    for (offset, blank) in tail.char_indices() {
        let start = last_old.source.end + offset;
        let end = at + next_blank(part(file, at..file.len()));
        pairs.push(Pair {
            old: start..start + blank.len_utf8(),
            file: at..end,
        });
        at = end;
    }
    pairs
}

/// Joins atoms until both sides end at the same place of the folded text.
fn aligned(file_atoms: &[Atom], old_atoms: &[Atom]) -> Vec<Pair> {
    let base = file_atoms.first().map_or(0, |atom| atom.folded.start);
    let mut pairs: Vec<Pair> = Vec::with_capacity(old_atoms.len());
    let mut open: Option<Pair> = None;
    let mut file_atoms = file_atoms.iter();
    let mut file_end = 0;
    for old in old_atoms {
        let mut pair = match open.take() {
            Some(pair) => Pair {
                old: pair.old.start..old.source.end,
                ..pair
            },
            None => {
                let at = pairs.last().map(|pair| pair.file.end);
                let at = at.or_else(|| Some(file_atoms.as_slice().first()?.source.start));
                let at = at.unwrap_or_default();
                Pair {
                    old: old.source.clone(),
                    file: at..at,
                }
            }
        };
        while file_end < old.folded.end
            && let Some(atom) = file_atoms.next()
        {
            pair.file.end = atom.source.end;
            file_end = atom.folded.end - base;
        }
        if file_end == old.folded.end {
            pairs.push(pair);
        } else {
            open = Some(pair);
        }
    }
    pairs.extend(open);
    pairs
}

/// Returns the length of the blank that some bytes begin with, 0 if it is none.
fn next_blank(bytes: &[u8]) -> usize {
    let text = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    match text.chars().next() {
        Some(c) if c.is_whitespace() && c != '\n' && c != '\r' => c.len_utf8(),
        _ => 0,
    }
}
