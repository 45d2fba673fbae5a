use std::fs::{self, File, Metadata};
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::run_error::RunError;

/// Where the header says how the database is written, and with which value there is a log beside it.
///
/// Source: SQLite file format, 1.3.3.
const FORMAT_AT: usize = 18;
const FORMAT_LOG: u8 = 2;
const HEADER_BYTES: usize = 20;

/// Which file a database is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileIdentity {
    pub(crate) real_path: PathBuf,
    pub(crate) device: u64,
    pub(crate) inode: u64,
}

/// A database file as it was found.
#[derive(Debug)]
pub(super) struct DatabaseFile {
    pub(super) identity: FileIdentity,
    stamp: Stamp,
    has_log: bool,
}

/// What changes when somebody writes.
#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    bytes: u64,
    modified: Option<SystemTime>,
    is_log_there: bool,
}

impl DatabaseFile {
    /// Finds the file behind a path and makes sure that it is the one that was planned.
    pub(super) fn find(path: &Path, planned: Option<&FileIdentity>) -> Result<Self, RunError> {
        let real_path = fs::canonicalize(path).map_err(|error| inaccessible(path, &error))?;
        let metadata = fs::metadata(&real_path).map_err(|error| inaccessible(path, &error))?;
        if !metadata.is_file() {
            let kind = if metadata.is_dir() {
                "a folder"
            } else {
                "a device or a pipe"
            };
            let path = path.to_owned();
            return Err(RunError::NotAFile { path, kind });
        }
        let (device, inode) = identity(&metadata);
        let identity = FileIdentity {
            real_path,
            device,
            inode,
        };
        if planned.is_some_and(|planned| *planned != identity) {
            return Err(RunError::Replaced(path.to_owned()));
        }
        let has_log = has_log(&identity.real_path).map_err(|error| inaccessible(path, &error))?;
        Ok(Self {
            stamp: stamp(&identity.real_path, &metadata),
            identity,
            has_log,
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.identity.real_path
    }

    /// Tells whether the database keeps a log beside it and nobody has it open: then all there is to
    /// read stands in the file itself.
    pub(super) fn is_log_at_rest(&self) -> bool {
        self.has_log && !self.stamp.is_log_there
    }

    /// Tells whether nobody wrote since the file was found.
    pub(super) fn is_unchanged(&self) -> bool {
        let now = fs::metadata(self.path());
        now.is_ok_and(|now| {
            identity(&now) == (self.identity.device, self.identity.inode)
                && stamp(self.path(), &now) == self.stamp
        })
    }
}

fn stamp(path: &Path, metadata: &Metadata) -> Stamp {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    Stamp {
        bytes: metadata.len(),
        modified: metadata.modified().ok(),
        is_log_there: Path::new(&log).exists(),
    }
}

fn has_log(path: &Path) -> std::io::Result<bool> {
    let mut header = Vec::new();
    File::open(path)?
        .take(HEADER_BYTES as u64)
        .read_to_end(&mut header)?;
    Ok(header.get(FORMAT_AT) == Some(&FORMAT_LOG))
}

#[cfg(unix)]
fn identity(metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt as _;
    (metadata.dev(), metadata.ino())
}

/// Elsewhere the real path alone says which file it is.
#[cfg(not(unix))]
fn identity(_: &Metadata) -> (u64, u64) {
    (0, 0)
}

fn inaccessible(path: &Path, error: &std::io::Error) -> RunError {
    let path = path.to_owned();
    match error.kind() {
        ErrorKind::NotFound => RunError::Missing(path),
        _ => RunError::Inaccessible {
            path,
            reason: error.to_string(),
        },
    }
}
