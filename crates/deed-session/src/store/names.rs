//! The names of folders and files.

use std::path::{Path, PathBuf};

/// The name of the folder for the sessions of a working folder.
///
/// Source: Pi's layout, `--home-me-project--`.
pub(super) fn folder_name(cwd: &str) -> String {
    let path = cwd.strip_prefix(['/', '\\']).unwrap_or(cwd);
    let path = path.trim_end_matches('/');
    format!("--{}--", path.replace(['/', '\\', ':'], "-"))
}

/// The name of a session file, such as `2026-11-30T21-12-12-006Z_ID.jsonl`.
pub(super) fn file_name(timestamp: &str, id: &str) -> String {
    format!("{}_{id}.jsonl", timestamp.replace([':', '.'], "-"))
}

/// The session files of a folder; none if there is no such folder.
pub(super) fn files_in(folder: &Path) -> Vec<PathBuf> {
    let mut files = paths_in(folder);
    files.retain(|path| path.extension().is_some_and(|it| it == "jsonl") && path.is_file());
    files
}

/// The folders in a folder.
pub(super) fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let mut folders = paths_in(folder);
    folders.retain(|path| path.is_dir());
    folders
}

fn paths_in(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    paths.sort_unstable();
    paths
}

/// Whether two paths are written alike but for slashes at the end.
pub(super) fn is_same_folder(left: &str, right: &str) -> bool {
    left.trim_end_matches('/') == right.trim_end_matches('/')
}
