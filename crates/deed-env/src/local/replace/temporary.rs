use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write as _};

use rustix::fs::{
    AtFlags, Mode, OFlags, RenameFlags, linkat, openat, renameat, renameat_with, unlinkat,
};
use rustix::io::Errno;
use tokio_util::sync::CancellationToken;

use crate::file::FileStamp;
use crate::local::folder::Folder;
use crate::local::{output, stamp};

const CHUNK_BYTES: usize = 256 * 1024;

/// A new file that disappears again unless it is kept.
pub(super) struct Temporary<'a> {
    folder: &'a Folder,
    name: OsString,
    file: File,
    is_kept: bool,
}

/// What became of giving a new file its name.
pub(super) enum Persisted {
    /// It stands there.
    Here(FileStamp),
    /// This folder or file does not allow it; something else may work.
    Refused,
}

impl<'a> Temporary<'a> {
    /// Makes a file under a hidden name of its own; the system's umask applies to `mode`.
    pub(super) fn create(folder: &'a Folder, mode: u32) -> io::Result<Self> {
        let name = format!(".deed-{:016x}.tmp", output::random());
        Self::create_as(folder, OsStr::new(&name), mode)
    }

    /// Makes a file under a name that nothing has yet.
    pub(super) fn create_as(folder: &'a Folder, name: &OsStr, mode: u32) -> io::Result<Self> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let file = openat(&folder.handle, name, flags, Mode::from_raw_mode(mode))?;
        Ok(Self {
            folder,
            name: name.into(),
            file: File::from(file),
            is_kept: false,
        })
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Writes the whole content.
    ///
    /// Cancellation: an error of the kind `Interrupted`.
    pub(super) fn write(
        &mut self,
        content: &[u8],
        durable: bool,
        cancel: &CancellationToken,
    ) -> io::Result<()> {
        for chunk in content.chunks(CHUNK_BYTES) {
            if cancel.is_cancelled() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            self.file.write_all(chunk)?;
        }
        if durable {
            self.file.sync_all()
        } else {
            Ok(())
        }
    }

    /// Takes the place of the file `name`.
    pub(super) fn replace(self, name: &OsStr) -> io::Result<Persisted> {
        let folder = &self.folder.handle;
        let renamed = renameat(folder, &self.name, folder, name);
        self.renamed(renamed)
    }

    /// Appears as `name`, where nothing stands.
    ///
    /// Errors: `AlreadyExists` if something stands there by now.
    pub(super) fn appear_as(self, name: &OsStr) -> io::Result<Persisted> {
        let folder = &self.folder.handle;
        let renamed = renameat_with(folder, &self.name, folder, name, RenameFlags::NOREPLACE);
        if !matches!(renamed, Err(Errno::INVAL | Errno::NOSYS)) {
            return self.renamed(renamed);
        }
        // This file system has no such rename; a second name is as exclusive.
        match linkat(folder, &self.name, folder, name, AtFlags::empty()) {
            Err(Errno::EXIST) => Err(Errno::EXIST.into()),
            Err(_) => Ok(Persisted::Refused),
            Ok(()) => {
                unlinkat(folder, &self.name, AtFlags::empty())?;
                self.renamed(Ok(()))
            }
        }
    }

    /// Keeps the file under the name it was made with.
    pub(super) fn keep(mut self) -> io::Result<FileStamp> {
        self.is_kept = true;
        Ok(stamp::stamp(&self.file.metadata()?))
    }

    fn renamed(mut self, renamed: Result<(), Errno>) -> io::Result<Persisted> {
        match renamed {
            Ok(()) => {}
            Err(
                Errno::XDEV
                | Errno::BUSY
                | Errno::PERM
                | Errno::ACCESS
                | Errno::TXTBSY
                | Errno::INVAL,
            ) => return Ok(Persisted::Refused),
            Err(failure) => return Err(failure.into()),
        }
        self.is_kept = true;
        Ok(Persisted::Here(stamp::stamp(&self.file.metadata()?)))
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.is_kept {
            // Nothing better can be done with an error here than to leave the file.
            unlinkat(&self.folder.handle, &self.name, AtFlags::empty()).ok();
        }
    }
}
