use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
use rustix::io::Errno;

use crate::EnvError;

/// An open folder and the folders that had to be made for it.
///
/// It was reached without following a link: the path had been resolved before, and a link that
/// was put there since must not lead the write astray.
#[derive(Debug)]
pub(super) struct Folder {
    pub(super) handle: OwnedFd,
    path: PathBuf,
    made: Vec<PathBuf>,
}

impl Folder {
    /// Opens a folder, making it and its ancestors if they are missing.
    pub(super) fn open(path: &Path) -> Result<Self, EnvError> {
        let mut made = Vec::new();
        match open_or_make(path, &mut made) {
            Ok(handle) => Ok(Self {
                handle,
                path: path.into(),
                made,
            }),
            Err(source) => {
                remove(&made);
                Err(EnvError::io("make the folder", path, source))
            }
        }
    }

    /// Removes the folders that were made, unless something stands in them.
    pub(super) fn remove_made(&self) {
        remove(&self.made);
    }

    /// Waits until the disk has the folder's entries.
    pub(super) fn sync(&self) -> io::Result<()> {
        fs::File::open(&self.path)?.sync_all()
    }
}

fn open_or_make(path: &Path, made: &mut Vec<PathBuf>) -> io::Result<OwnedFd> {
    match open_without_links(path) {
        Err(Errno::NOENT) => {}
        Err(Errno::LOOP) => {
            return Err(io::Error::other(
                "a folder on the way became a link after the path was resolved; try again",
            ));
        }
        opened => return Ok(opened?),
    }
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(Errno::NOENT.into());
    };
    let parent = open_or_make(parent, made)?;
    match mkdirat(&parent, name, Mode::from_raw_mode(0o777)) {
        Ok(()) => made.push(path.into()),
        Err(Errno::EXIST) => {}
        Err(failure) => return Err(failure.into()),
    }
    Ok(openat(
        &parent,
        name,
        flags() | OFlags::NOFOLLOW,
        Mode::empty(),
    )?)
}

#[cfg(target_os = "linux")]
fn open_without_links(path: &Path) -> Result<OwnedFd, Errno> {
    use rustix::fs::{ResolveFlags, openat2};

    match openat2(CWD, path, flags(), Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        // Kernels before 5.6 do not have the call, and some containers forbid what they do not know.
        Err(Errno::NOSYS | Errno::PERM) => openat(CWD, path, flags(), Mode::empty()),
        opened => opened,
    }
}

#[cfg(not(target_os = "linux"))]
fn open_without_links(path: &Path) -> Result<OwnedFd, Errno> {
    openat(CWD, path, flags(), Mode::empty())
}

/// Opening by path alone needs no right to list the folder.
fn flags() -> OFlags {
    #[cfg(target_os = "linux")]
    let by_path = OFlags::PATH;
    #[cfg(not(target_os = "linux"))]
    let by_path = OFlags::RDONLY;
    by_path | OFlags::DIRECTORY | OFlags::CLOEXEC
}

fn remove(made: &[PathBuf]) {
    for path in made.iter().rev() {
        if fs::remove_dir(path).is_err() {
            return;
        }
    }
}
