use std::ops::Range;

use memchr::{memchr, memchr_iter, memrchr};

/// Returns a part of some bytes; nothing where the range is no part of them.
pub(crate) fn part(bytes: &[u8], range: Range<usize>) -> &[u8] {
    bytes.get(range).unwrap_or_default()
}

/// Returns where the line that holds `at` begins.
pub(super) fn line_start(bytes: &[u8], at: usize) -> usize {
    memrchr(b'\n', part(bytes, 0..at)).map_or(0, |end| end + 1)
}

/// Returns where the line that holds `at` ends, behind its LF.
pub(super) fn line_end(bytes: &[u8], at: usize) -> usize {
    memchr(b'\n', part(bytes, at..bytes.len())).map_or(bytes.len(), |end| at + end + 1)
}

/// Goes back by a number of lines from the beginning of a line.
pub(super) fn lines_before(bytes: &[u8], mut start: usize, lines: usize) -> usize {
    for _ in 0..lines {
        if start == 0 {
            break;
        }
        start = line_start(bytes, start - 1);
    }
    start
}

/// Goes on by a number of lines from the beginning of a line.
pub(super) fn lines_after(bytes: &[u8], mut end: usize, lines: usize) -> usize {
    for _ in 0..lines {
        if end >= bytes.len() {
            break;
        }
        end = line_end(bytes, end);
    }
    end
}

/// Counts line ends.
pub(super) fn count_ends(bytes: &[u8]) -> u64 {
    memchr_iter(b'\n', bytes).count() as u64
}

/// Counts lines; a final LF begins no further one.
pub(super) fn count_lines(bytes: &[u8]) -> u64 {
    count_ends(bytes) + u64::from(bytes.last().is_some_and(|last| *last != b'\n'))
}

/// Splits into lines that keep their ends.
pub(super) fn split(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}
