//! Server-sent events: bytes in, events out, however the bytes are cut.
//!
//! Tolerant where servers are sloppy: a line that is no field is skipped, text that is not UTF-8
//! is read with replacement characters, and the last event may lack its blank line.
//!
//! Source: WHATWG HTML, "Server-sent events".

use std::borrow::Cow;

/// How large one event may be.
///
/// Units: bytes.
pub(crate) const MAX_EVENT_BYTES: usize = 64 * 1024 * 1024;

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// An event is larger than [`MAX_EVENT_BYTES`].
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooLarge;

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SseEvent<'a> {
    /// The field `event`; empty if there was none.
    pub(crate) name: Cow<'a, str>,
    /// The field `data`, its lines joined by line feeds.
    pub(crate) data: Cow<'a, str>,
}

/// Cuts a stream into events.
///
/// Every byte is looked at once and moved at most twice, so that the cost of a large event grows
/// with its size, not with its size times the number of chunks.
#[derive(Debug, Default)]
pub(crate) struct SseParser {
    waiting: Vec<u8>,
    /// Where the next line begins in `waiting`.
    line_start: usize,
    /// Up to where `waiting` holds no end of a line.
    searched: usize,
    /// A carriage return ended the last line: a line feed right after it belongs to it.
    after_return: bool,
    past_first_line: bool,
    name: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    was_given: bool,
}

impl SseParser {
    /// Takes what came.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        if self.line_start > 0 {
            self.waiting.drain(..self.line_start);
            self.searched -= self.line_start;
            self.line_start = 0;
        }
        self.waiting.extend_from_slice(bytes);
    }

    /// Returns the next whole event.
    pub(crate) fn next_event(&mut self) -> Result<Option<SseEvent<'_>>, TooLarge> {
        self.forget_given();
        while let Some(end) = self.end_of_line() {
            let is_event = self.take_line(end);
            self.line_start = end + 1;
            self.searched = self.line_start;
            if is_event {
                self.was_given = true;
                return Ok(Some(self.event()));
            }
        }
        let unfinished = self.waiting.len() - self.line_start + self.data.len();
        if unfinished > MAX_EVENT_BYTES {
            return Err(TooLarge);
        }
        Ok(None)
    }

    /// Returns what stands at the end of the stream without a blank line after it.
    pub(crate) fn last_event(&mut self) -> Option<SseEvent<'_>> {
        self.forget_given();
        let end = self.waiting.len();
        if self.line_start < end {
            self.take_line(end);
            self.line_start = end;
            self.searched = end;
        }
        if !self.has_data {
            return None;
        }
        self.was_given = true;
        Some(self.event())
    }

    fn event(&self) -> SseEvent<'_> {
        SseEvent {
            name: String::from_utf8_lossy(&self.name),
            data: String::from_utf8_lossy(&self.data),
        }
    }

    fn forget_given(&mut self) {
        if self.was_given {
            self.was_given = false;
            self.forget_fields();
        }
    }

    fn forget_fields(&mut self) {
        self.name.clear();
        self.data.clear();
        self.has_data = false;
    }

    /// Returns where the line at `line_start` ends, and steps over a line feed that belongs to the
    /// carriage return before it.
    fn end_of_line(&mut self) -> Option<usize> {
        if self.after_return {
            let first = *self.waiting.get(self.line_start)?;
            self.after_return = false;
            if first == b'\n' {
                self.line_start += 1;
                self.searched = self.line_start;
            }
        }
        let rest = self.waiting.get(self.searched..)?;
        match memchr::memchr2(b'\n', b'\r', rest) {
            Some(at) => {
                let end = self.searched + at;
                self.after_return = self.waiting.get(end) == Some(&b'\r');
                Some(end)
            }
            None => {
                self.searched = self.waiting.len();
                None
            }
        }
    }

    /// Takes the line that ends before `end` and tells whether it completes an event.
    fn take_line(&mut self, end: usize) -> bool {
        let mut line = self.waiting.get(self.line_start..end).unwrap_or_default();
        if !self.past_first_line {
            self.past_first_line = true;
            line = line.strip_prefix(BOM).unwrap_or(line);
        }
        if line.is_empty() {
            if !self.has_data {
                self.forget_fields();
            }
            return self.has_data;
        }
        let (field, value) =
            match memchr::memchr(b':', line).and_then(|at| line.split_at_checked(at)) {
                Some((field, rest)) => {
                    let value = rest.strip_prefix(b":").unwrap_or(rest);
                    (field, value.strip_prefix(b" ").unwrap_or(value))
                }
                None => (line, &[][..]),
            };
        match field {
            b"data" => {
                if self.has_data {
                    self.data.push(b'\n');
                }
                self.has_data = true;
                self.data.extend_from_slice(value);
            }
            b"event" => {
                self.name.clear();
                self.name.extend_from_slice(value);
            }
            _ => {}
        }
        false
    }
}

#[cfg(test)]
mod tests;
