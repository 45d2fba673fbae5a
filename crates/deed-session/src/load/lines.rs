use std::io::{self, Read};

const BUFFER_BYTES: usize = 256 * 1024;

/// The lines of a file, in a buffer that is as large as the longest of them.
pub(crate) struct Lines<R> {
    from: R,
    buffer: Vec<u8>,
    /// Where the next line begins in the buffer.
    start: usize,
    /// Up to where no line end was found.
    searched: usize,
    filled: usize,
    /// Where the next line begins in the file.
    at: u64,
    line_1based: u64,
}

/// One line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawLine<'a> {
    /// Without its end.
    pub(crate) bytes: &'a [u8],
    /// Where it begins in the file.
    pub(crate) at: u64,
    pub(crate) line_1based: u64,
    /// Whether it has an end; only the last may have none.
    pub(crate) is_ended: bool,
}

impl RawLine<'_> {
    pub(crate) fn is_blank(&self) -> bool {
        self.bytes.iter().all(u8::is_ascii_whitespace)
    }
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(from: R) -> Self {
        Self::with_buffer(from, BUFFER_BYTES)
    }

    pub(crate) fn with_buffer(from: R, bytes: usize) -> Self {
        Self {
            from,
            buffer: vec![0; bytes],
            start: 0,
            searched: 0,
            filled: 0,
            at: 0,
            line_1based: 0,
        }
    }

    pub(crate) fn next(&mut self) -> io::Result<Option<RawLine<'_>>> {
        loop {
            let unsearched = self
                .buffer
                .get(self.searched..self.filled)
                .unwrap_or_default();
            if let Some(found) = memchr::memchr(b'\n', unsearched) {
                return Ok(Some(self.give(self.searched + found, true)));
            }
            self.searched = self.filled;
            if !self.read_more()? {
                let is_more = self.start < self.filled;
                return Ok(is_more.then(|| self.give(self.filled, false)));
            }
        }
    }

    fn give(&mut self, end: usize, is_ended: bool) -> RawLine<'_> {
        let (start, at) = (self.start, self.at);
        let next = if is_ended { end + 1 } else { end };
        (self.start, self.searched) = (next, next);
        self.at += (next - start) as u64;
        self.line_1based += 1;
        RawLine {
            bytes: self.buffer.get(start..end).unwrap_or_default(),
            at,
            line_1based: self.line_1based,
            is_ended,
        }
    }

    /// Returns whether there was more.
    fn read_more(&mut self) -> io::Result<bool> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.filled, 0);
            self.filled -= self.start;
            self.searched -= self.start;
            self.start = 0;
        }
        if self.filled == self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        loop {
            let free = self.buffer.get_mut(self.filled..).unwrap_or_default();
            match self.from.read(free) {
                Ok(read) => {
                    self.filled += read;
                    return Ok(read > 0);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}
