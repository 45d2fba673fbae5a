use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::ResourceProblem;

/// The text of a file, or the first part of it.
#[derive(Debug)]
pub(crate) struct FileText {
    /// The text, with plain line breaks and without a byte order mark.
    pub(crate) text: String,
    /// How large the file is.
    pub(crate) total_bytes: u64,
    /// Whether the text is only the first lines of it.
    pub(crate) is_cut: bool,
}

/// Reads a file, but no more than its first whole lines within `max_bytes`.
///
/// `None` if there is no such file.
pub(crate) fn read_head(path: &Path, max_bytes: u64) -> Result<Option<FileText>, ResourceProblem> {
    let Some((bytes, total_bytes)) = bytes(path, max_bytes)? else {
        return Ok(None);
    };
    let is_cut = total_bytes > bytes.len() as u64;
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if is_cut && error.utf8_error().error_len().is_none() => {
            let whole = error.utf8_error().valid_up_to();
            let mut bytes = error.into_bytes();
            bytes.truncate(whole);
            String::from_utf8(bytes).map_err(|_| ResourceProblem::NotUtf8)?
        }
        Err(_) => return Err(ResourceProblem::NotUtf8),
    };
    let mut text = plain(text);
    if is_cut && let Some(at) = text.rfind('\n') {
        text.truncate(at + 1);
    }
    Ok(Some(FileText {
        text,
        total_bytes,
        is_cut,
    }))
}

/// Reads a whole file; `None` if there is no such file.
///
/// Errors: also if it has more than `max_bytes`.
pub(crate) fn read_whole(path: &Path, max_bytes: u64) -> Result<Option<String>, ResourceProblem> {
    match read_head(path, max_bytes)? {
        Some(file) if file.is_cut => Err(ResourceProblem::TooLarge { max_bytes }),
        file => Ok(file.map(|file| file.text)),
    }
}

fn bytes(path: &Path, max_bytes: u64) -> Result<Option<(Vec<u8>, u64)>, ResourceProblem> {
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(unreadable(&error)),
    };
    // To open a pipe would wait for somebody who writes into it.
    if !metadata.is_file() {
        return Err(ResourceProblem::NoFile);
    }
    let mut bytes = Vec::new();
    let mut file = File::open(path).map_err(|error| unreadable(&error))?;
    let reading = file.by_ref().take(max_bytes).read_to_end(&mut bytes);
    reading.map_err(|error| unreadable(&error))?;
    let total = metadata.len().max(bytes.len() as u64);
    Ok(Some((bytes, total)))
}

pub(crate) fn is_absent(error: &io::Error) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}

pub(crate) fn unreadable(error: &io::Error) -> ResourceProblem {
    ResourceProblem::Unreadable(error.to_string())
}

fn plain(text: String) -> String {
    let text = match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    };
    match text.contains('\r') {
        true => text.replace("\r\n", "\n"),
        false => text,
    }
}
