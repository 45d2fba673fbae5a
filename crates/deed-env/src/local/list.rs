use std::fs;
use std::path::Path;

use tokio_util::sync::CancellationToken;

use super::blocking;
use crate::EnvError;
use crate::file::{ListEntry, Listing};

/// Lists one folder.
pub(super) fn entries(path: &Path, cancel: &CancellationToken) -> Result<Listing, EnvError> {
    let error = |source| EnvError::io("list", path, source);
    let mut entries = Vec::new();
    for entry in fs::read_dir(path).map_err(error)? {
        blocking::check(cancel)?;
        let entry = entry.map_err(error)?;
        let Ok(file_type) = entry.file_type() else {
            continue;
        };
        let is_folder = if file_type.is_symlink() {
            let Ok(target) = fs::metadata(entry.path()) else {
                continue;
            };
            target.is_dir()
        } else {
            file_type.is_dir()
        };
        let name = entry.file_name().to_string_lossy().into_owned();
        entries.push(ListEntry { name, is_folder });
    }
    Ok(Listing::sorted(entries))
}
