//! Where a line is, and reading it from there.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

/// Where the line of an entry is.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// In memory: not written yet, or changed by a migration.
    Held(Arc<str>),
    /// In the file.
    OnDisk {
        /// Where it begins.
        at: u64,
        /// Its length without the line end.
        bytes: u64,
    },
}

/// How large a buffer is kept for the next line.
pub(crate) const MAX_KEPT_BYTES: usize = 256 * 1024;

const FIRST_READ_BYTES: u64 = 8 * 1024;
const MAX_READ_BYTES: u64 = 256 * 1024;

/// Reads lines, several at a time: those of a branch mostly stand one behind the other.
pub(crate) struct LineReader<'a> {
    file: Option<&'a File>,
    window: Vec<u8>,
    window_at: u64,
    /// How much to read next: the more lines are wanted, the more at once.
    ahead_bytes: u64,
}

impl<'a> LineReader<'a> {
    pub(crate) fn new(file: Option<&'a File>) -> Self {
        Self {
            file,
            window: Vec::new(),
            window_at: 0,
            ahead_bytes: FIRST_READ_BYTES,
        }
    }

    /// Returns the text of a line; bytes that are no text stand as U+FFFD.
    pub(crate) fn read<'s>(&'s mut self, place: &'s Place) -> io::Result<Cow<'s, str>> {
        match place {
            Place::Held(line) => Ok(Cow::Borrowed(line)),
            Place::OnDisk { at, bytes } => Ok(text_of(self.read_bytes(*at, *bytes)?)),
        }
    }

    fn read_bytes(&mut self, at: u64, bytes: u64) -> io::Result<&[u8]> {
        let window_end = self.window_at + self.window.len() as u64;
        if at < self.window_at || at + bytes > window_end {
            self.fill(at, bytes)?;
        }
        let start = usize::try_from(at - self.window_at).unwrap_or(usize::MAX);
        let length = usize::try_from(bytes).unwrap_or(usize::MAX);
        self.window
            .get(start..)
            .and_then(|rest| rest.get(..length))
            .ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }

    fn fill(&mut self, at: u64, bytes: u64) -> io::Result<()> {
        let Some(file) = self.file else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let wanted = bytes.max(self.ahead_bytes);
        let is_backwards = !self.window.is_empty() && at < self.window_at;
        self.ahead_bytes = (self.ahead_bytes * 2).min(MAX_READ_BYTES);
        self.window_at = match is_backwards {
            true => (at + bytes).saturating_sub(wanted),
            false => at,
        };
        self.window
            .resize(usize::try_from(wanted).unwrap_or(usize::MAX), 0);
        let mut filled = 0;
        while let Some(rest) = self.window.get_mut(filled..)
            && !rest.is_empty()
        {
            match file.read_at(rest, self.window_at + filled as u64) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.window.clear();
                    return Err(error);
                }
            }
        }
        self.window.truncate(filled);
        Ok(())
    }
}

/// Reads bytes as text; those that are none stand as U+FFFD.
pub(crate) fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    // The check alone is several times as fast as the replacing.
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}
