use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use ignore::overrides::Override;
use ignore::{DirEntry, WalkBuilder};

use crate::EnvError;

/// How many unreadable things a report names.
pub(super) const MAX_UNREADABLE: usize = 10;

/// Follows the links of a root that must exist.
pub(super) fn real_root(
    root: &Path,
    operation: &'static str,
) -> Result<(PathBuf, Metadata), EnvError> {
    let error = |source| EnvError::io(operation, root, source);
    let real = fs::canonicalize(root).map_err(error)?;
    let metadata = fs::metadata(&real).map_err(error)?;
    Ok((real, metadata))
}

/// Sets up a walk that goes through a folder in the order of names.
///
/// `ignore_file` is the ignore file that only this kind of walk has. No configuration outside the
/// tree and its parents is read: the same call means the same for every user. Inside a repository
/// git's own rules hold, by which a `.gitignore` file does not reach into another repository; for
/// a root outside of any, every `.gitignore` file of the tree and its parents holds.
pub(super) fn walk(root: &Path, ignore_file: &str, files: Override) -> ignore::Walk {
    WalkBuilder::new(root)
        .current_dir(root)
        .hidden(false)
        .require_git(is_in_repository(root))
        .git_global(false)
        .follow_links(false)
        .overrides(files)
        .filter_entry(|entry| entry.depth() == 0 || !is_repository_data(entry))
        // Entries of one folder differ only in their names, and comparing whole paths as bytes is
        // much cheaper than taking the name out of each path for each comparison.
        .sort_by_file_path(|left, right| left.as_os_str().cmp(right.as_os_str()))
        .add_custom_ignore_filename(ignore_file)
        .build()
}

/// Returns a path relative to the root, as the model sees it.
pub(super) fn shown(root: &Path, path: &Path) -> String {
    relative(root, path).to_string_lossy().into_owned()
}

/// Returns the part of a path of a walk that is below the walk's root.
///
/// Such a path is the root with names appended, so comparing bytes does what comparing components
/// would do, at a fraction of the time.
pub(super) fn relative<'a>(root: &Path, path: &'a Path) -> &'a Path {
    let path = path.as_os_str().as_bytes();
    let below = path
        .strip_prefix(root.as_os_str().as_bytes())
        .unwrap_or(path);
    Path::new(OsStr::from_bytes(below.strip_prefix(b"/").unwrap_or(below)))
}

fn is_in_repository(root: &Path) -> bool {
    root.ancestors().any(|folder| folder.join(".git").exists())
}

fn is_repository_data(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_dir()) && entry.file_name() == ".git"
}
