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
/// Blanks at the very end of the old text, which folding drops, are paired with the same blanks in
/// the file. `None` if the file goes on otherwise before its line ends: then it is no match.
pub(super) fn pair(
    file: &[u8],
    file_atoms: &[Atom],
    old: &str,
    old_atoms: &[Atom],
) -> Option<Vec<Pair>> {
    let mut pairs = aligned(file_atoms, old_atoms);
    let mut at = file_atoms.last()?.source.end;
    let tail_start = old_atoms.last()?.source.end;
    for (offset, blank) in old.get(tail_start..)?.char_indices() {
        let start = tail_start + offset;
        let end = match next_char(part(file, at..file.len())) {
            Some(c) if is_same_blank(c, blank) => at + c.len_utf8(),
            Some(c) if !matches!(c, '\n' | '\r') => return None,
            _ => at,
        };
        pairs.push(Pair {
            old: start..start + blank.len_utf8(),
            file: at..end,
        });
        at = end;
    }
    Some(pairs)
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

/// Returns the character that some bytes begin with; for one that is not UTF-8, U+FFFD.
fn next_char(bytes: &[u8]) -> Option<char> {
    let chunk = bytes.utf8_chunks().next()?;
    Some(chunk.valid().chars().next().unwrap_or('\u{fffd}'))
}

/// Tells whether two blanks are of one sort: tabs are no spaces.
fn is_same_blank(one: char, other: char) -> bool {
    let is_space = |c: char| c.is_whitespace() && !c.is_control();
    one == other || (is_space(one) && is_space(other))
}
