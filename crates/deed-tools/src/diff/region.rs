use std::ops::Range;

use deed_protocol::DiffLineKind;
use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices};

use super::lines::{
    count_ends, count_lines, line_end, line_start, lines_after, lines_before, part, split,
};
use super::{CONTEXT_LINES, FileDiff, Hunk, Row, Splice};

/// Regions of more lines are not compared line by line.
const MAX_COMPARED_LINES: usize = 20_000;

/// Of such a region that many lines are shown as gone and as new.
const MAX_UNCOMPARED_LINES: usize = 2000;

/// Whole lines of the old content, changed by some splices.
struct Region<'a> {
    range: Range<usize>,
    splices: &'a [Splice],
}

pub(super) fn diff(old: &[u8], splices: &[Splice]) -> FileDiff {
    let mut diff = FileDiff {
        old_lines: count_lines(old),
        ..FileDiff::default()
    };
    let mut new_lines = diff.old_lines;
    let mut counted_to = 0;
    let mut old_line = 1;
    for region in regions(old, splices) {
        old_line += count_ends(part(old, counted_to..region.range.start));
        counted_to = region.range.start;
        let new_line = old_line + new_lines - diff.old_lines;
        let new = region.new_content(old);
        let (old_part, new_part) = (split(part(old, region.range)), split(&new));
        new_lines = new_lines + new_part.len() as u64 - old_part.len() as u64;
        let rows = compare(&old_part, &new_part, &mut diff.is_cut);
        diff.hunks.extend(hunks(rows, old_line, new_line));
    }
    diff.max_lines = diff.old_lines.max(new_lines);
    diff
}

/// Widens splices to whole lines with context and joins those that come close.
fn regions<'a>(old: &[u8], splices: &'a [Splice]) -> Vec<Region<'a>> {
    let mut regions: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    for (index, splice) in splices.iter().enumerate() {
        let touched = touched_lines(old, splice);
        let start = lines_before(old, touched.start, CONTEXT_LINES);
        let end = lines_after(old, touched.end, CONTEXT_LINES);
        match regions.last_mut() {
            Some((range, members)) if start <= range.end => {
                range.end = end.max(range.end);
                members.end = index + 1;
            }
            _ => regions.push((start..end, index..index + 1)),
        }
    }
    let region = |(range, members)| Region {
        range,
        splices: splices.get::<Range<usize>>(members).unwrap_or_default(),
    };
    regions.into_iter().map(region).collect()
}

/// Returns the whole lines that a splice changes.
fn touched_lines(old: &[u8], splice: &Splice) -> Range<usize> {
    let Range { start, end } = splice.range;
    let line_start = line_start(old, start);
    let at_line_start = |at: usize| at == 0 || part(old, at - 1..at) == b"\n";
    let ends_line = match splice.new.last() {
        Some(last) => *last == b'\n',
        None => at_line_start(start),
    };
    if ends_line && at_line_start(end) {
        return line_start..end;
    }
    line_start..line_end(old, end)
}

impl Region<'_> {
    fn new_content(&self, old: &[u8]) -> Vec<u8> {
        let mut new = Vec::new();
        let mut at = self.range.start;
        for splice in self.splices {
            new.extend_from_slice(part(old, at..splice.range.start));
            new.extend_from_slice(&splice.new);
            at = splice.range.end;
        }
        new.extend_from_slice(part(old, at..self.range.end));
        new
    }
}

fn compare(old: &[&[u8]], new: &[&[u8]], is_cut: &mut bool) -> Vec<Row> {
    let mut rows = Vec::new();
    if old.len() + new.len() > MAX_COMPARED_LINES {
        *is_cut = true;
        push(
            &mut rows,
            DiffLineKind::Removed,
            old,
            0..old.len().min(MAX_UNCOMPARED_LINES),
        );
        push(
            &mut rows,
            DiffLineKind::Added,
            new,
            0..new.len().min(MAX_UNCOMPARED_LINES),
        );
        return rows;
    }
    for op in capture_diff_slices(Algorithm::Myers, old, new) {
        push_op(&mut rows, &op, old, new);
    }
    rows
}

fn push_op(rows: &mut Vec<Row>, op: &DiffOp, old: &[&[u8]], new: &[&[u8]]) {
    if op.tag() == DiffTag::Equal {
        push(rows, DiffLineKind::Context, old, op.old_range());
        return;
    }
    push(rows, DiffLineKind::Removed, old, op.old_range());
    push(rows, DiffLineKind::Added, new, op.new_range());
}

fn push(rows: &mut Vec<Row>, kind: DiffLineKind, lines: &[&[u8]], range: Range<usize>) {
    let lines = lines.get(range).unwrap_or_default();
    rows.extend(lines.iter().map(|line| {
        let body = line.strip_suffix(b"\n").unwrap_or(line);
        let has_end = body.len() < line.len();
        let body = body.strip_suffix(b"\r").filter(|_| has_end).unwrap_or(body);
        Row {
            kind,
            text: String::from_utf8_lossy(body).into_owned(),
            has_end,
        }
    }));
}

/// Cuts rows into hunks, leaving out lines that are far from any change.
fn hunks(rows: Vec<Row>, old_first: u64, new_first: u64) -> Vec<Hunk> {
    let changed: Vec<usize> = rows
        .iter()
        .enumerate()
        .filter(|(_, row)| row.kind != DiffLineKind::Context)
        .map(|(index, _)| index)
        .collect();
    let mut near: Vec<Range<usize>> = Vec::new();
    for index in changed {
        let range =
            index.saturating_sub(CONTEXT_LINES)..(index + CONTEXT_LINES + 1).min(rows.len());
        match near.last_mut() {
            Some(last) if range.start <= last.end => last.end = range.end,
            _ => near.push(range),
        }
    }
    let mut hunks: Vec<Hunk> = Vec::with_capacity(near.len());
    let (mut old_line, mut new_line) = (old_first, new_first);
    let mut near = near.into_iter().peekable();
    for (index, row) in rows.into_iter().enumerate() {
        if near.peek().is_some_and(|range| range.end <= index) {
            near.next();
        }
        let kind = row.kind;
        if let Some(range) = near.peek().filter(|range| range.contains(&index)) {
            if range.start == index {
                hunks.push(Hunk {
                    old_first_1based: old_line,
                    new_first_1based: new_line,
                    rows: Vec::new(),
                });
            }
            if let Some(hunk) = hunks.last_mut() {
                hunk.rows.push(row);
            }
        }
        old_line += u64::from(kind != DiffLineKind::Added);
        new_line += u64::from(kind != DiffLineKind::Removed);
    }
    hunks
}
