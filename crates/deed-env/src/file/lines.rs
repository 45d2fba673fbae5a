use memchr::{memchr, memchr_iter};

use crate::file::{LineRange, TextSlice};

const LINE_END: u8 = b'\n';

/// Picks the lines of a range out of a file that is handed over chunk by chunk.
///
/// Keeps no more than the range allows, whatever the size of the file or of a line. Chunks that
/// hold no wanted line are only counted, at the speed of `memchr`.
#[derive(Debug)]
pub struct LineScan {
    range: LineRange,
    /// The line after the last wanted one.
    end: u64,
    phase: Phase,
    /// Line ends seen so far, which is the number of the current line.
    line: u64,
    /// Where the line that is being kept starts in `slice.bytes`.
    line_start: usize,
    first_line_bytes: u64,
    ended_with_line_end: bool,
    slice: TextSlice,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Before the range.
    Before,
    /// In the range, keeping lines.
    Keep,
    /// In the first line of the range, which is too large to keep: measuring it.
    Measure,
    /// In the range, counting lines that are not kept.
    Count,
    /// After the range.
    After,
}

impl LineScan {
    /// Begins at the start of the file, behind a byte order mark.
    pub fn new(range: LineRange) -> Self {
        let end = range
            .max_wanted
            .map_or(u64::MAX, |max| range.first_0based.saturating_add(max));
        let mut scan = Self {
            range,
            end,
            phase: Phase::Before,
            line: 0,
            line_start: 0,
            first_line_bytes: 0,
            ended_with_line_end: true,
            slice: TextSlice::default(),
        };
        if range.first_0based == 0 {
            scan.enter_range();
        }
        scan
    }

    /// Takes the next chunk; `false` if no more is needed.
    pub fn chunk(&mut self, mut rest: &[u8]) -> bool {
        if let Some(last) = rest.last() {
            self.ended_with_line_end = *last == LINE_END;
        }
        while !rest.is_empty() {
            rest = match self.phase {
                Phase::Before => self.skip(rest),
                Phase::Keep => self.keep(rest),
                Phase::Measure => self.measure(rest),
                Phase::Count => self.count(rest),
                Phase::After if self.range.count_total => {
                    self.line += memchr_iter(LINE_END, rest).count() as u64;
                    &[]
                }
                Phase::After => return false,
            };
        }
        self.phase != Phase::After || self.range.count_total
    }

    /// Ends the scan. `at_end` says whether the whole file was handed over; `total_bytes` is its
    /// size.
    pub fn finish(mut self, at_end: bool, total_bytes: u64) -> TextSlice {
        let has_open_line = !self.ended_with_line_end;
        if at_end {
            if has_open_line {
                match self.phase {
                    Phase::Keep => self.end_kept_line(),
                    Phase::Measure => self.end_measured_line(),
                    Phase::Count => self.slice.wanted_lines += 1,
                    Phase::Before | Phase::After => {}
                }
            }
            self.slice.total_lines = Some(self.line + u64::from(has_open_line));
        }
        self.slice.total_bytes = total_bytes;
        self.slice
    }

    fn enter_range(&mut self) {
        self.phase = if self.end <= self.range.first_0based {
            Phase::After
        } else if self.range.max_lines == 0 {
            Phase::Count
        } else {
            Phase::Keep
        };
    }

    fn skip<'a>(&mut self, chunk: &'a [u8]) -> &'a [u8] {
        let rest = self.pass_lines(chunk, self.range.first_0based);
        if self.line == self.range.first_0based {
            self.enter_range();
        }
        rest
    }

    fn count<'a>(&mut self, chunk: &'a [u8]) -> &'a [u8] {
        let before = self.line;
        let rest = self.pass_lines(chunk, self.end);
        self.slice.wanted_lines += self.line - before;
        self.slice.wanted_bytes += (chunk.len() - rest.len()) as u64;
        if self.line == self.end {
            self.phase = Phase::After;
        }
        rest
    }

    /// Passes line ends until the current line is `until`; returns what comes after.
    fn pass_lines<'a>(&mut self, chunk: &'a [u8], until: u64) -> &'a [u8] {
        let missing = until - self.line;
        let ends = memchr_iter(LINE_END, chunk).count() as u64;
        if ends < missing {
            self.line += ends;
            return &[];
        }
        self.line = until;
        let nth = usize::try_from(missing.saturating_sub(1)).unwrap_or(usize::MAX);
        let after = memchr_iter(LINE_END, chunk)
            .nth(nth)
            .map_or(chunk.len(), |at| at + 1);
        chunk.get(after..).unwrap_or_default()
    }

    fn keep<'a>(&mut self, chunk: &'a [u8]) -> &'a [u8] {
        let end = memchr(LINE_END, chunk);
        let (text, rest) = chunk.split_at(end.unwrap_or(chunk.len()));
        if self.slice.bytes.len() + text.len() > self.range.max_bytes {
            return self.give_up_line(chunk);
        }
        if self.slice.bytes.is_empty() {
            let room = chunk.len().min(self.range.max_bytes + 1);
            self.slice.bytes.reserve(room);
        }
        self.slice.bytes.extend_from_slice(text);
        self.slice.wanted_bytes += text.len() as u64;
        let Some(rest) = rest.get(1..) else {
            return &[];
        };
        self.slice.bytes.push(LINE_END);
        self.slice.wanted_bytes += 1;
        self.line += 1;
        self.end_kept_line();
        rest
    }

    /// The current line does not fit: drops what was kept of it. What of it came before `chunk`
    /// has been counted in `wanted_bytes` already.
    fn give_up_line<'a>(&mut self, chunk: &'a [u8]) -> &'a [u8] {
        let kept_part = self.slice.bytes.len() - self.line_start;
        self.slice.bytes.truncate(self.line_start);
        self.phase = Phase::Count;
        if self.slice.kept_lines == 0 {
            self.first_line_bytes = kept_part as u64;
            self.phase = Phase::Measure;
        }
        chunk
    }

    fn measure<'a>(&mut self, chunk: &'a [u8]) -> &'a [u8] {
        let end = memchr(LINE_END, chunk);
        let text_len = end.unwrap_or(chunk.len());
        self.first_line_bytes += text_len as u64;
        self.slice.wanted_bytes += text_len as u64;
        let Some(rest) = chunk.get(text_len + 1..) else {
            return &[];
        };
        self.slice.wanted_bytes += 1;
        self.line += 1;
        self.end_measured_line();
        rest
    }

    fn end_kept_line(&mut self) {
        self.slice.kept_lines += 1;
        self.slice.wanted_lines += 1;
        self.line_start = self.slice.bytes.len();
        if self.slice.wanted_lines >= self.end - self.range.first_0based {
            self.phase = Phase::After;
        } else if self.slice.kept_lines == self.range.max_lines {
            self.phase = Phase::Count;
        }
    }

    fn end_measured_line(&mut self) {
        self.slice.oversized_first_line_bytes = Some(self.first_line_bytes);
        self.slice.wanted_lines += 1;
        self.phase = Phase::Count;
        if self.slice.wanted_lines >= self.end - self.range.first_0based {
            self.phase = Phase::After;
        }
    }
}
