use memchr::{memchr, memchr_iter};
use tokio_util::sync::CancellationToken;

use super::Edit;
use super::exact::{Found, Searched};
use super::fault::{EditFault, Which};
use super::{nearest, tolerant};
use crate::diff::{FileDiff, Splice, part};

/// Replacements of which each moves the rest of the file.
const MAX_SPLICES_IN_PLACE: usize = 4;

/// What some edits make of a file.
#[derive(Debug)]
pub(super) struct Change {
    /// What is replaced by what, in order and without overlap.
    pub(super) splices: Vec<Splice>,
    /// What is different.
    pub(super) diff: FileDiff,
    /// The edits whose old text was not there exactly, with the line of what was taken for it.
    pub(super) tolerant: Vec<(usize, u64)>,
    /// The edits that change nothing.
    pub(super) idle: Vec<usize>,
    /// Whether characters of two or more bytes went into a file that is not in UTF-8.
    pub(super) mixes_encodings: bool,
}

/// One edit and the bytes it replaces.
struct Placed {
    index: usize,
    splice: Splice,
    is_tolerant: bool,
}

impl Change {
    /// Works out what edits make of a file, each looked up in the file as it is.
    pub(super) fn compute(
        file: &[u8],
        edits: &[Edit],
        cancel: &CancellationToken,
    ) -> Result<Self, EditFault> {
        if is_utf16(file) {
            return Err(EditFault::Utf16);
        }
        let mut searched = Searched::new(file);
        let mut placed = Vec::with_capacity(edits.len());
        for (index, edit) in edits.iter().enumerate() {
            if cancel.is_cancelled() {
                return Err(EditFault::Cancelled);
            }
            let which = Which {
                index,
                of: edits.len(),
            };
            placed.push(place(&mut searched, edit, which, cancel)?);
        }
        placed.sort_by_key(|placed| placed.splice.range.start);
        check_overlap(file, &placed)?;
        let is_idle =
            |placed: &Placed| placed.splice.new == part(file, placed.splice.range.clone());
        let tolerant = placed.iter().filter(|placed| placed.is_tolerant);
        let tolerant =
            tolerant.map(|placed| (placed.index, line_of(file, placed.splice.range.start)));
        let mut tolerant: Vec<(usize, u64)> = tolerant.collect();
        tolerant.sort_unstable();
        let (idle, active): (Vec<_>, Vec<_>) = placed.into_iter().partition(is_idle);
        if active.is_empty() {
            return Err(EditFault::NothingChanges);
        }
        let mut idle: Vec<usize> = idle.into_iter().map(|placed| placed.index).collect();
        idle.sort_unstable();
        let splices: Vec<Splice> = active.into_iter().map(|placed| placed.splice).collect();
        let is_wide = |splice: &Splice| !splice.new.is_ascii();
        let mixes_encodings = splices.iter().any(is_wide) && std::str::from_utf8(file).is_err();
        let diff = FileDiff::of_splices(file, &splices);
        Ok(Self {
            splices,
            diff,
            tolerant,
            idle,
            mixes_encodings,
        })
    }
}

/// Tells whether a file says that its characters have two bytes (or four) and some show it: a
/// letter found in one of them would tear the rest apart.
fn is_utf16(file: &[u8]) -> bool {
    let has_mark = file.starts_with(b"\xff\xfe") || file.starts_with(b"\xfe\xff");
    has_mark && memchr(0, file).is_some()
}

fn place(
    searched: &mut Searched<'_>,
    edit: &Edit,
    which: Which,
    cancel: &CancellationToken,
) -> Result<Placed, EditFault> {
    let (file, index) = (searched.file, which.index);
    if edit.old_text.is_empty() {
        return Err(EditFault::EmptyOldText { which });
    }
    match searched.find(&edit.old_text, &edit.new_text) {
        Found::Once { range, new } => Ok(Placed {
            index,
            splice: Splice { range, new },
            is_tolerant: false,
        }),
        Found::Often { starts, count } => Err(EditFault::Ambiguous {
            which,
            count,
            lines: lines_of(file, &starts),
        }),
        Found::Nowhere => match tolerant::find(file, edit, which, cancel)? {
            Some(splice) => Ok(Placed {
                index,
                splice,
                is_tolerant: true,
            }),
            None => {
                let nearest = nearest::find(file, &edit.old_text);
                Err(EditFault::NotFound { which, nearest })
            }
        },
    }
}

fn check_overlap(file: &[u8], placed: &[Placed]) -> Result<(), EditFault> {
    for (one, other) in placed.iter().zip(placed.iter().skip(1)) {
        if other.splice.range.start < one.splice.range.end {
            return Err(EditFault::Overlap {
                first: one.index.min(other.index),
                second: one.index.max(other.index),
                line: line_of(file, other.splice.range.start),
            });
        }
    }
    Ok(())
}

/// Makes the new content of the old: in its own memory if little is replaced, since a second copy of
/// a large file takes longer than the rest of an edit.
pub(super) fn apply(mut file: Vec<u8>, splices: &[Splice]) -> Vec<u8> {
    if splices.len() > MAX_SPLICES_IN_PLACE {
        return spliced(&file, splices);
    }
    for splice in splices.iter().rev() {
        drop(file.splice(splice.range.clone(), splice.new.iter().copied()));
    }
    file
}

fn spliced(file: &[u8], splices: &[Splice]) -> Vec<u8> {
    let added: usize = splices.iter().map(|splice| splice.new.len()).sum();
    let mut content = Vec::with_capacity(file.len() + added);
    let mut at = 0;
    for splice in splices {
        content.extend_from_slice(part(file, at..splice.range.start));
        content.extend_from_slice(&splice.new);
        at = splice.range.end;
    }
    content.extend_from_slice(part(file, at..file.len()));
    content
}

/// Returns the number of the line that holds a place.
pub(super) fn line_of(file: &[u8], at: usize) -> u64 {
    1 + memchr_iter(b'\n', part(file, 0..at)).count() as u64
}

/// Returns the lines of ascending places, each once.
pub(super) fn lines_of(file: &[u8], places: &[usize]) -> Vec<u64> {
    let mut lines = Vec::with_capacity(places.len());
    let (mut line, mut counted) = (1, 0);
    for place in places {
        line += memchr_iter(b'\n', part(file, counted..*place)).count() as u64;
        counted = *place;
        lines.push(line);
    }
    lines.dedup();
    lines
}
