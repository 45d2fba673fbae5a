//! Reading a session file into an index.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Finding};
use crate::error::SessionError;
use crate::index::Index;

mod head;
mod header;
mod lines;
mod migrate;
mod parents;
mod reading;

pub(crate) use head::Head;
pub(crate) use header::{Header, HeaderFault, HeaderLine};
pub(crate) use lines::Lines;

/// What a file holds.
pub(crate) struct Loaded {
    pub(crate) header: Header,
    pub(crate) index: Index,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) tail: FileTail,
    pub(crate) version: u64,
}

/// How a file ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileTail {
    /// With the end of a line.
    Whole,
    /// With an entry that only lacks the end of its line.
    Unfinished { line_1based: u64 },
    /// With bytes that are no entry.
    Torn {
        at: u64,
        bytes: u64,
        line_1based: u64,
    },
}

/// Reads a file from its beginning to its end, in bounded memory.
///
/// Errors: it cannot be read, or is no session of a version that is known.
pub(crate) fn load(file: &File, path: &Path) -> Result<Loaded, SessionError> {
    let mut reading = reading::Reading::new(path);
    let mut lines = Lines::new(file);
    while let Some(line) = lines.next().map_err(SessionError::io("read", path))? {
        reading.take(&line)?;
    }
    reading.finish()
}

pub(crate) fn diagnostic(path: &Arc<Path>, line_1based: Option<u64>, what: Finding) -> Diagnostic {
    Diagnostic {
        path: Some(path.to_path_buf()),
        line_1based,
        what,
    }
}

/// Reads a header from the beginning of a file, and no more than that.
///
/// Errors: as an I/O error; `None` if the file begins otherwise or the header is not near.
pub(crate) fn peek_header(file: &File) -> std::io::Result<Option<HeaderLine>> {
    const MAX_BYTES: u64 = 1024 * 1024;
    let mut lines = Lines::with_buffer(file.take(MAX_BYTES), 4096);
    while let Some(line) = lines.next()? {
        match HeaderLine::read(line.bytes) {
            Ok(header) => return Ok(Some(header)),
            Err(HeaderFault::NoJson(_)) => {}
            Err(HeaderFault::NoHeader(_)) => return Ok(None),
        }
    }
    Ok(None)
}
