use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::fd::AsRawFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use super::stamp;
use crate::EnvError;
use crate::file::{FileKind, Inspection, RealPath};

/// Source: the limit of Linux for links followed in one path.
const MAX_LINKS: usize = 40;

/// Follows every symlink of an absolute path; what does not exist is appended as it is written.
///
/// It blocks. A link to nothing leads to where its target would be.
///
/// Errors: a part that cannot be looked up, links in a circle.
pub fn real_path(path: &Path) -> Result<RealPath, EnvError> {
    match fs::canonicalize(path) {
        Ok(path) => Ok(RealPath::from_resolved(path)),
        Err(failure) if failure.kind() == ErrorKind::NotFound => follow(path)
            .map(RealPath::from_resolved)
            .map_err(|source| error(path, source)),
        Err(failure) => Err(error(path, failure)),
    }
}

/// Returns where an open file really is: one question to the kernel instead of one for each folder
/// of its path, which is asked where the kernel cannot say.
pub(super) fn real_path_of(file: &File, path: &Path) -> Result<RealPath, EnvError> {
    let told = fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()));
    match told {
        Ok(told) if told.is_absolute() && !is_marked_deleted(&told) => {
            Ok(RealPath::from_resolved(told))
        }
        _ => real_path(path),
    }
}

/// Source: proc(5), `/proc/PID/fd`.
fn is_marked_deleted(told: &Path) -> bool {
    told.as_os_str().as_bytes().ends_with(b" (deleted)")
}

/// Says what stands at a path, links followed.
pub(super) fn kind(path: &Path) -> Result<FileKind, EnvError> {
    match fs::metadata(path) {
        Ok(metadata) => Ok(stamp::kind(&metadata)),
        Err(failure) if failure.kind() == ErrorKind::NotFound => Ok(FileKind::Missing),
        Err(failure) => Err(EnvError::io("look at", path, failure)),
    }
}

/// Says all that can be known of a path without opening it.
pub(super) fn inspect(path: &Path) -> Result<Inspection, EnvError> {
    use std::os::unix::fs::MetadataExt as _;

    let path = real_path(path)?;
    let metadata = match fs::metadata(path.as_path()) {
        Ok(metadata) => metadata,
        Err(failure) if failure.kind() == ErrorKind::NotFound => {
            return Ok(Inspection {
                path,
                kind: FileKind::Missing,
                stamp: None,
                has_other_names: false,
            });
        }
        Err(failure) => return Err(EnvError::io("look at", path.as_path(), failure)),
    };
    Ok(Inspection {
        kind: stamp::kind(&metadata),
        stamp: Some(stamp::stamp(&metadata)),
        has_other_names: metadata.is_file() && metadata.nlink() > 1,
        path,
    })
}

/// Walks a path name by name, following links by hand, so that a link to nothing leads to where
/// its target would be.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut real = PathBuf::from("/");
    let mut rest: VecDeque<OsString> = names(path).collect();
    let mut links = 0;
    let mut missing_depth = 0_usize;
    while let Some(name) = rest.pop_front() {
        if name == ".." {
            real.pop();
            missing_depth = missing_depth.saturating_sub(1);
            continue;
        }
        real.push(&name);
        if missing_depth > 0 {
            missing_depth += 1;
            continue;
        }
        match fs::symlink_metadata(&real) {
            Ok(metadata) if metadata.is_symlink() => {
                links += 1;
                if links > MAX_LINKS {
                    return Err(io::Error::from_raw_os_error(libc::ELOOP));
                }
                let target = fs::read_link(&real)?;
                real.pop();
                if target.is_absolute() {
                    real = PathBuf::from("/");
                }
                for name in names(&target).collect::<Vec<_>>().into_iter().rev() {
                    rest.push_front(name);
                }
            }
            Ok(_) => {}
            Err(failure) if failure.kind() == ErrorKind::NotFound => missing_depth = 1,
            Err(failure) => return Err(failure),
        }
    }
    Ok(real)
}

fn names(path: &Path) -> impl Iterator<Item = OsString> + '_ {
    path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some(OsString::from("..")),
        Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
    })
}

fn error(path: &Path, source: io::Error) -> EnvError {
    EnvError::io("look up", path, source)
}
