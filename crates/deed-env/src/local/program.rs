use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD, accessat};

use super::LocalConfig;

/// Finds a program by name on the search path, or checks one that is given by path.
pub(super) fn find(name: &str, config: &LocalConfig) -> Option<PathBuf> {
    if name.is_empty() {
        return None;
    }
    if name.contains('/') {
        return Some(config.cwd.join(name)).filter(|path| is_program(path));
    }
    // A relative folder on the search path would make the program depend on where a call runs.
    let search_path = config
        .variables
        .iter()
        .rev()
        .find(|(name, _)| name == "PATH");
    std::env::split_paths(search_path.map_or(OsStr::new(""), |(_, folders)| folders))
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    path.is_file() && accessat(CWD, path, Access::EXEC_OK, AtFlags::EACCESS).is_ok()
}
