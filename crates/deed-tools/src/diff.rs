//! What changed in a file, line by line.

use std::ops::Range;

use deed_protocol::{DiffLine, DiffLineKind};

mod lines;
mod region;
mod render;

pub(crate) use lines::part;
pub(crate) use render::parse_display;

/// Lines that stay shown before and after a change.
const CONTEXT_LINES: usize = 4;

/// What a diff may take in the details of a result.
pub(crate) const MAX_DIFF_BYTES: usize = 64 * 1024;

/// Bytes of a file and what takes their place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Splice {
    pub(crate) range: Range<usize>,
    pub(crate) new: Vec<u8>,
}

/// The changed lines of a file with those round them.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileDiff {
    hunks: Vec<Hunk>,
    /// Lines of the larger of both contents.
    max_lines: u64,
    /// Lines of the old content.
    old_lines: u64,
    /// Whether changed lines are missing because there are too many.
    is_cut: bool,
}

#[derive(Clone, Debug)]
struct Hunk {
    old_first_1based: u64,
    new_first_1based: u64,
    rows: Vec<Row>,
}

#[derive(Clone, Debug)]
struct Row {
    kind: DiffLineKind,
    /// The line without its end, undecodable bytes replaced.
    text: String,
    has_end: bool,
}

impl FileDiff {
    /// Compares a content with what splices make of it, looking only at the lines they touch.
    ///
    /// Shape: splices are sorted and do not overlap.
    pub(crate) fn of_splices(old: &[u8], splices: &[Splice]) -> Self {
        region::diff(old, splices)
    }

    /// Compares two contents.
    pub(crate) fn of_contents(old: &[u8], new: &[u8]) -> Self {
        let same = |(a, b): &(&u8, &u8)| a == b;
        let before = old.iter().zip(new).take_while(same).count();
        let longest = old.len().min(new.len()) - before;
        let after = old.iter().rev().zip(new.iter().rev()).take(longest);
        let after = after.take_while(same).count();
        let splice = Splice {
            range: before..old.len() - after,
            new: part(new, before..new.len() - after).to_vec(),
        };
        Self::of_splices(old, &[splice])
    }

    /// Returns the first line of the new content that is not as before.
    pub(crate) fn first_changed_line_1based(&self) -> Option<u64> {
        let hunk = self.hunks.first()?;
        let unchanged = hunk
            .rows
            .iter()
            .take_while(|row| row.kind == DiffLineKind::Context);
        Some(hunk.new_first_1based + unchanged.count() as u64)
    }
}

/// Counts the changed lines of a diff that is ready to draw.
pub(crate) fn counts(lines: &[DiffLine]) -> (usize, usize) {
    let count = |kind| lines.iter().filter(|line| line.kind == kind).count();
    (count(DiffLineKind::Added), count(DiffLineKind::Removed))
}
