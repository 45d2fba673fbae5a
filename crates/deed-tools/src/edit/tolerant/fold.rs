use std::ops::Range;

use memchr::{memchr, memchr_iter};
use tokio_util::sync::CancellationToken;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::canonical_combining_class;

use crate::diff::part;
use crate::edit::fault::EditFault;

const LINES_BETWEEN_CHECKS: usize = 4096;

/// A text in the form in which look-alikes are equal, and where each line of it came from.
pub(super) struct Folded {
    pub(super) text: Vec<u8>,
    lines: Vec<Line>,
}

/// A line of the folded text and of its source.
#[derive(Clone, Debug)]
struct Line {
    folded_start: usize,
    /// Without the line end.
    source: Range<usize>,
    /// With the line end.
    source_end: usize,
}

/// The smallest piece of a source that has its own place in the folded text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Atom {
    pub(super) folded: Range<usize>,
    pub(super) source: Range<usize>,
}

impl Folded {
    /// Folds a text that may hold bytes that are not UTF-8; they stay as they are.
    pub(super) fn of(source: &[u8], cancel: &CancellationToken) -> Result<Self, EditFault> {
        let mut folded = Self {
            text: Vec::with_capacity(source.len()),
            lines: Vec::new(),
        };
        for line in lines(source) {
            if folded.lines.len().is_multiple_of(LINES_BETWEEN_CHECKS) && cancel.is_cancelled() {
                return Err(EditFault::Cancelled);
            }
            let folded_start = folded.text.len();
            fold_line(part(source, line.source.clone()), &mut folded.text);
            if line.source_end > line.source.end {
                folded.text.push(b'\n');
            }
            folded.lines.push(Line {
                folded_start,
                ..line
            });
        }
        Ok(folded)
    }

    /// Returns the atoms of a part of the folded text; `None` if it begins or ends inside one.
    pub(super) fn atoms(&self, source: &[u8], range: Range<usize>) -> Option<Vec<Atom>> {
        let first = self
            .lines
            .partition_point(|line| line.folded_start <= range.start);
        let mut atoms = Vec::new();
        for line in self.lines.get(first.saturating_sub(1)..)? {
            if line.folded_start >= range.end {
                break;
            }
            push_atoms(source, line, &mut atoms);
        }
        atoms.retain(|atom| atom.folded.start >= range.start && atom.folded.end <= range.end);
        let is_whole =
            atoms.first()?.folded.start == range.start && atoms.last()?.folded.end == range.end;
        is_whole.then_some(atoms)
    }
}

/// Splits at LF, or at CR where there is no LF at all.
fn lines(source: &[u8]) -> impl Iterator<Item = Line> + '_ {
    let end = if memchr(b'\n', source).is_some() {
        b'\n'
    } else {
        b'\r'
    };
    let mut start = 0;
    let ends = memchr_iter(end, source)
        .map(|at| at + 1)
        .chain([source.len()]);
    ends.filter_map(move |source_end| {
        let from = std::mem::replace(&mut start, source_end);
        if from == source_end {
            return None;
        }
        let line = part(source, from..source_end);
        let body = line.strip_suffix(&[end]).unwrap_or(line);
        let has_end = body.len() < line.len();
        let body = body.strip_suffix(b"\r").filter(|_| has_end).unwrap_or(body);
        Some(Line {
            folded_start: 0,
            source: from..from + body.len(),
            source_end,
        })
    })
}

fn fold_line(line: &[u8], folded: &mut Vec<u8>) {
    let start = folded.len();
    if line.is_ascii() {
        folded.extend_from_slice(line);
    } else {
        for chunk in line.utf8_chunks() {
            for cluster in clusters(chunk.valid()) {
                fold_cluster(cluster, folded);
            }
            folded.extend_from_slice(chunk.invalid());
        }
    }
    let kept = part(folded, start..folded.len()).trim_ascii_end().len();
    folded.truncate(start + kept);
}

fn push_atoms(source: &[u8], line: &Line, atoms: &mut Vec<Atom>) {
    let first = atoms.len();
    let (mut at, mut folded_at) = (line.source.start, line.folded_start);
    let mut scratch = Vec::new();
    for chunk in part(source, line.source.clone()).utf8_chunks() {
        for cluster in clusters(chunk.valid()) {
            scratch.clear();
            fold_cluster(cluster, &mut scratch);
            push_atom(
                atoms,
                (&mut at, cluster.len()),
                (&mut folded_at, scratch.len()),
            );
        }
        let invalid = chunk.invalid().len();
        if invalid > 0 {
            push_atom(atoms, (&mut at, invalid), (&mut folded_at, invalid));
        }
    }
    // What stands at the end of the line without being seen belongs to the line end.
    let kept = {
        let mut folded = Vec::new();
        fold_line(part(source, line.source.clone()), &mut folded);
        line.folded_start + folded.len()
    };
    while atoms.len() > first && atoms.last().is_some_and(|atom| atom.folded.start >= kept) {
        atoms.pop();
    }
    let shown_end = match atoms.last() {
        Some(atom) if atoms.len() > first => atom.source.end,
        _ => line.source.start,
    };
    if line.source_end > line.source.end {
        atoms.push(Atom {
            folded: kept..kept + 1,
            source: shown_end..line.source_end,
        });
    }
}

fn push_atom(
    atoms: &mut Vec<Atom>,
    (source_at, source_length): (&mut usize, usize),
    (folded_at, folded_length): (&mut usize, usize),
) {
    let source = *source_at..*source_at + source_length;
    let folded = *folded_at..*folded_at + folded_length;
    (*source_at, *folded_at) = (source.end, folded.end);
    atoms.push(Atom { folded, source });
}

/// Splits into characters with the marks that belong to them.
fn clusters(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut chars = rest.char_indices();
        chars.next()?;
        let end = chars
            .find(|(_, c)| !continues(*c))
            .map_or(rest.len(), |(at, _)| at);
        let (cluster, after) = rest.split_at_checked(end)?;
        rest = after;
        Some(cluster)
    })
}

/// Tells whether a character may melt into the one before it: marks, and Hangul vowels and finals.
fn continues(c: char) -> bool {
    !c.is_ascii() && (canonical_combining_class(c) != 0 || matches!(c, '\u{1160}'..='\u{11ff}'))
}

fn fold_cluster(cluster: &str, folded: &mut Vec<u8>) {
    if cluster.is_ascii() {
        folded.extend_from_slice(cluster.as_bytes());
        return;
    }
    for c in cluster.nfkc() {
        let plain = match c {
            '\u{2018}'..='\u{201b}' => '\'',
            '\u{201c}'..='\u{201f}' => '"',
            '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
            '\u{a0}' | '\u{2002}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
            other => other,
        };
        let mut bytes = [0; 4];
        folded.extend_from_slice(plain.encode_utf8(&mut bytes).as_bytes());
    }
}
