//! Lines that come in.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read};

use tokio::sync::mpsc;

/// The longest line that is taken; a prompt may bring pictures along.
pub const MAX_LINE_BYTES: usize = 64 * 1024 * 1024;

/// Lines that are read before they are wanted.
const READ_AHEAD: usize = 4;
const BUFFER_BYTES: usize = 64 * 1024;

/// One line of input, without its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// The bytes of it.
    Whole(Vec<u8>),
    /// It had so many bytes, which is too many; they are gone.
    TooLong(u64),
}

/// Lines of a source that is read on a thread of its own, since reading cannot be cancelled.
///
/// Shape: only LF ends a line; what separates lines elsewhere is text. A CR before the LF belongs to
/// the end.
pub struct Lines(mpsc::Receiver<Line>);

impl Lines {
    /// Begins to read.
    ///
    /// Errors: the thread cannot be started. A source that fails later is one that has ended.
    pub fn read(source: impl Read + Send + 'static) -> io::Result<Self> {
        let (to, lines) = mpsc::channel(READ_AHEAD);
        std::thread::Builder::new()
            .name("deed-input".to_owned())
            .spawn(move || {
                let mut reader = BufReader::with_capacity(BUFFER_BYTES, source);
                while let Ok(Some(line)) = next(&mut reader) {
                    if to.blocking_send(line).is_err() {
                        return;
                    }
                }
            })?;
        Ok(Self(lines))
    }

    /// Returns the next line; `None` at the end of the input.
    pub async fn next(&mut self) -> Option<Line> {
        self.0.recv().await
    }
}

impl fmt::Debug for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lines")
    }
}

/// Reads a line; the last one may lack its end.
fn next(reader: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    let mut dropped = 0;
    loop {
        let buffer = match reader.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            filled => filled?,
        };
        if buffer.is_empty() {
            let is_line = dropped > 0 || !line.is_empty();
            return Ok(is_line.then(|| ended(line, dropped)));
        }
        let end = memchr::memchr(b'\n', buffer);
        let piece = buffer.get(..end.unwrap_or(buffer.len())).unwrap_or(buffer);
        if dropped == 0 && line.len() + piece.len() <= MAX_LINE_BYTES {
            line.extend_from_slice(piece);
        } else {
            dropped += std::mem::take(&mut line).len() as u64 + piece.len() as u64;
        }
        let used = end.map_or(buffer.len(), |end| end + 1);
        reader.consume(used);
        if end.is_some() {
            return Ok(Some(ended(line, dropped)));
        }
    }
}

fn ended(mut line: Vec<u8>, dropped: u64) -> Line {
    if dropped > 0 {
        return Line::TooLong(dropped);
    }
    if line.ends_with(b"\r") {
        line.pop();
    }
    Line::Whole(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> Vec<Line> {
        let mut reader = BufReader::with_capacity(3, bytes);
        std::iter::from_fn(|| next(&mut reader).unwrap_or_default()).collect()
    }

    #[test]
    fn only_a_line_feed_ends_a_line() {
        let text = "a\u{2028}b\u{85}c\r\nd\re\n\nlast";
        let lines = ["a\u{2028}b\u{85}c", "d\re", "", "last"];
        let lines = lines.map(|line| Line::Whole(line.as_bytes().to_vec()));
        assert_eq!(all(text.as_bytes()), lines);
        assert_eq!(all(b""), []);
    }

    #[test]
    fn a_line_that_is_too_long_is_counted_and_the_next_is_read() {
        let mut bytes = vec![b'x'; MAX_LINE_BYTES + 1];
        bytes.extend_from_slice(b"\nnext\n");
        let reader = &mut BufReader::new(bytes.as_slice());
        let too_long = Line::TooLong(MAX_LINE_BYTES as u64 + 1);
        assert_eq!(next(reader).unwrap_or_default(), Some(too_long));
        let following = Line::Whole(b"next".to_vec());
        assert_eq!(next(reader).unwrap_or_default(), Some(following));
    }
}
