//! The second choice: a text that looks the same as the one that was to be replaced.

use std::ops::Range;

use tokio_util::sync::CancellationToken;

use super::Edit;
use super::change::lines_of;
use super::endings::to_lf;
use super::exact::Occurrences;
use super::fault::{Count, EditFault, Which};
use crate::diff::Splice;

mod fold;
mod merge;
mod pairs;

use fold::Folded;

/// Larger files are looked up exactly or not at all.
pub(super) const MAX_FILE_BYTES: usize = 16 * 1024 * 1024;

/// Looks an edit's old text up with quotes, dashes, spaces and blanks at line ends taken for the
/// same. What of the old text stays in the new one keeps the file's own characters.
///
/// Errors: it occurs more than once.
pub(super) fn find(
    file: &[u8],
    edit: &Edit,
    which: Which,
    cancel: &CancellationToken,
) -> Result<Option<Splice>, EditFault> {
    if file.len() > MAX_FILE_BYTES {
        return Ok(None);
    }
    let old = to_lf(&edit.old_text);
    let folded_old = Folded::of(old.as_bytes(), cancel)?;
    if folded_old.text.iter().all(u8::is_ascii_whitespace) {
        return Ok(None);
    }
    let folded_file = Folded::of(file, cancel)?;
    let found = Occurrences::of(&folded_old.text, &folded_file.text);
    let length = folded_old.text.len();
    let Some(old_atoms) = folded_old.atoms(old.as_bytes(), 0..length) else {
        return Ok(None);
    };
    // A match must not begin or end within one character of the file, such as a ligature.
    let matches = found.starts.iter().filter_map(|start| {
        let atoms = folded_file.atoms(file, *start..start + length)?;
        pairs::pair(file, &atoms, &old, &old_atoms)
    });
    let matches: Vec<_> = matches.collect();
    let pairs = match matches.as_slice() {
        [] => return Ok(None),
        [pairs] if !found.has_more => pairs,
        _ => {
            let starts = matches
                .iter()
                .filter_map(|pairs| Some(pairs.first()?.file.start));
            let lines = lines_of(file, &starts.collect::<Vec<_>>());
            let count = Count {
                at_least: matches.len(),
                is_all: !found.has_more,
            };
            return Err(EditFault::AmbiguousTolerant {
                which,
                count,
                lines,
            });
        }
    };
    let Some(range) = covered(pairs) else {
        return Ok(None);
    };
    let new = merge::merge(file, &old, pairs, &to_lf(&edit.new_text));
    Ok(Some(Splice { range, new }))
}

fn covered(pairs: &[pairs::Pair]) -> Option<Range<usize>> {
    Some(pairs.first()?.file.start..pairs.last()?.file.end)
}
