use std::fs::{DirBuilder, File, OpenOptions};
use std::hash::{BuildHasher as _, RandomState};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use crate::EnvError;

/// Makes a new file that only its owner may read, for the output of one call.
pub(super) fn create(folder: &Path, stem: &str) -> Result<(PathBuf, File), EnvError> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(|source| EnvError::io("make the output folder", folder, source))?;
    let stem: String = stem
        .chars()
        .map(|c| if is_plain(c) { c } else { '_' })
        .take(100)
        .collect();
    loop {
        let path = folder.join(format!("{stem}-{:016x}.log", random()));
        match OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)
        {
            Ok(file) => return Ok((path, file)),
            Err(failure) if failure.kind() == ErrorKind::AlreadyExists => {}
            Err(failure) => return Err(EnvError::io("make the output file", path, failure)),
        }
    }
}

/// Returns a number that nobody else has: the keys of the standard library's hasher are random
/// per thread and differ at every use.
pub(super) fn random() -> u64 {
    RandomState::new().hash_one((std::process::id(), std::time::SystemTime::now()))
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "._-".contains(c)
}
