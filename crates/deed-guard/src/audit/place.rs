//! The folder of the log, and opening files in it without being led elsewhere.

use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::error::AuditError;
use super::head::{HEAD_FILE, NO_FILE};

const OTHERS_MAY_WRITE: u32 = 0o022;

/// Tells whether a name is that of a file of the log, such as `audit-2026-12.jsonl`.
pub(super) fn is_month_file(name: &str) -> bool {
    let is_like = |(shape, got): (u8, u8)| match shape {
        b'0' => got.is_ascii_digit(),
        _ => got == shape,
    };
    name.len() == NO_FILE.len() && NO_FILE.bytes().zip(name.bytes()).all(is_like)
}

/// The file for records of a time, given as RFC 3339.
pub(super) fn month_file(ts: &str) -> String {
    format!("audit-{}.jsonl", ts.get(..7).unwrap_or_default())
}

/// The folder of a log.
#[derive(Clone, Debug)]
pub(super) struct Folder(PathBuf);

impl Folder {
    /// Makes the folder if it is missing.
    ///
    /// Errors: it is a symlink, no folder, or open to others.
    pub(super) fn prepare(path: &Path) -> Result<Self, AuditError> {
        if let Err(error) = path.symlink_metadata() {
            let missing = error.kind() == io::ErrorKind::NotFound;
            let made = match missing {
                true => DirBuilder::new().recursive(true).mode(0o700).create(path),
                false => Err(error),
            };
            made.map_err(AuditError::io("make the folder", path))?;
        }
        let meta = path
            .symlink_metadata()
            .map_err(AuditError::io("look at", path))?;
        check(path, &meta, "folder", Metadata::is_dir)?;
        Ok(Self(path.to_owned()))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    pub(super) fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(super) fn open_head(&self) -> Result<File, AuditError> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        open(options, &self.join(HEAD_FILE))
    }

    /// Opens a file of the log for appending, and makes it if it is missing.
    pub(super) fn open_log(&self, name: &str) -> Result<File, AuditError> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        open(options, &self.join(name))
    }

    /// Opens a file of the log for reading.
    pub(super) fn open_to_read(&self, name: &str) -> Result<File, AuditError> {
        let mut options = OpenOptions::new();
        options.read(true);
        open(options, &self.join(name))
    }

    /// Makes a file of this name, or of a name near it: nothing that was kept is written over.
    pub(super) fn open_new(&self, name: &str) -> Result<(String, File), AuditError> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        let mut free = name.to_owned();
        for number in 2.. {
            if self.join(&free).symlink_metadata().is_err() {
                break;
            }
            free = format!("{name}-{number}");
        }
        let file = open(options, &self.join(&free))?;
        Ok((free, file))
    }

    pub(super) fn open_self(&self) -> Result<File, AuditError> {
        File::open(&self.0).map_err(AuditError::io("open", &self.0))
    }

    pub(super) fn months(&self) -> Result<Vec<String>, AuditError> {
        months(&self.0)
    }
}

/// The files of a log, in the order of the chain.
pub(super) fn months(folder: &Path) -> Result<Vec<String>, AuditError> {
    let fail = || AuditError::io("list", folder);
    let mut names = Vec::new();
    for entry in folder.read_dir().map_err(fail())? {
        let name = entry.map_err(fail())?.file_name();
        names.extend(
            name.to_str()
                .filter(|name| is_month_file(name))
                .map(str::to_owned),
        );
    }
    names.sort_unstable();
    Ok(names)
}

/// Opens a file for reading only; whoever reads may also read a copy that others can write.
pub(super) fn open_to_read(path: &Path) -> Result<File, AuditError> {
    File::open(path).map_err(AuditError::io("open", path))
}

fn open(mut options: OpenOptions, path: &Path) -> Result<File, AuditError> {
    // Without O_NONBLOCK, opening a pipe that somebody put there would wait for ever.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    options.mode(0o600).custom_flags(flags.bits().cast_signed());
    let opened = options.open(path);
    if opened.is_err() && path.is_symlink() {
        let path = path.to_owned();
        return Err(AuditError::Symlink { path });
    }
    let file = opened.map_err(AuditError::io("open", path))?;
    let meta = file.metadata().map_err(AuditError::io("look at", path))?;
    check(path, &meta, "plain file", Metadata::is_file)?;
    Ok(file)
}

fn check(
    path: &Path,
    meta: &Metadata,
    expected: &'static str,
    is_right: fn(&Metadata) -> bool,
) -> Result<(), AuditError> {
    let path = path.to_owned();
    let mode = meta.mode() & 0o777;
    let (owner, user) = (meta.uid(), rustix::process::geteuid());
    if meta.is_symlink() {
        Err(AuditError::Symlink { path })
    } else if !is_right(meta) {
        Err(AuditError::WrongKind { path, expected })
    } else if mode & OTHERS_MAY_WRITE != 0 {
        Err(AuditError::WritableByOthers { path, mode })
    } else if owner != user.as_raw() && !user.is_root() {
        Err(AuditError::NotOurs { path, owner })
    } else {
        Ok(())
    }
}
