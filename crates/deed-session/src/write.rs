//! The file of a session that is open for writing: locked, and only ever appended to.

use std::fs::{DirBuilder, File};
use std::io::{self, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::SessionError;
use crate::tree::open_plain;

mod holder;
mod repair;
mod rewrite;

pub(crate) use repair::repair_tail;
pub(crate) use rewrite::rewrite;

/// A locked file that lines are appended to.
#[derive(Debug)]
pub(crate) struct SessionFile {
    file: Arc<File>,
    path: PathBuf,
    /// Whether each append is on disk before it counts.
    is_durable: bool,
    /// Whether the file ends within a line that could not be taken back.
    lacks_line_end: bool,
}

impl SessionFile {
    /// Makes a file that must not be there yet, and writes its first lines.
    ///
    /// Errors: it is there, or cannot be made or written; then none is left behind.
    pub(crate) fn create(
        path: &Path,
        lines: &[u8],
        is_durable: bool,
    ) -> Result<Self, SessionError> {
        if let Some(folder) = path.parent() {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(folder)
                .map_err(SessionError::io("make the folder", folder))?;
        }
        let mut options = File::options();
        options.read(true).append(true).create_new(true).mode(0o600);
        let file = open_plain(&mut options, path)?;
        let written = lock(&file, path).and_then(|()| {
            let mut made = Self::of_locked(file, path, is_durable);
            made.append(lines).map(|_| made)
        });
        if written.is_err() {
            // A file without a conversation says nothing; if it stays it is skipped as empty.
            std::fs::remove_file(path).ok();
        }
        written
    }

    /// Opens a file and keeps others from writing to it.
    ///
    /// Errors: it cannot be opened, or somebody else has it open.
    pub(crate) fn open(path: &Path, is_durable: bool) -> Result<Self, SessionError> {
        loop {
            let file = open_plain(File::options().read(true).append(true), path)?;
            lock(&file, path)?;
            // Who held the lock may have put another file in its place.
            if is_same(&file, path)? {
                return Ok(Self::of_locked(file, path, is_durable));
            }
        }
    }

    fn of_locked(file: File, path: &Path, is_durable: bool) -> Self {
        Self {
            file: Arc::new(file),
            path: path.to_owned(),
            is_durable,
            lacks_line_end: false,
        }
    }

    pub(crate) fn file(&self) -> &Arc<File> {
        &self.file
    }

    /// Appends whole lines in one write, and returns where the first of them begins.
    ///
    /// Errors: nothing of them counts; what was written of them is taken back, or ended so that it
    /// is a line that is skipped.
    pub(crate) fn append(&mut self, lines: &[u8]) -> Result<u64, SessionError> {
        let meta = self
            .file
            .metadata()
            .map_err(SessionError::io("look at", &self.path))?;
        if meta.nlink() == 0 {
            let path = self.path.clone();
            return Err(SessionError::Gone { path });
        }
        let ended;
        let bytes = if self.lacks_line_end {
            ended = [b"\n", lines].concat();
            ended.as_slice()
        } else {
            lines
        };
        let end = self.write(bytes).map_err(|(cause, written)| {
            self.take_back(meta.len(), written);
            let path = self.path.clone();
            SessionError::Write { path, cause }
        })?;
        self.lacks_line_end = false;
        Ok(end.saturating_sub(lines.len() as u64))
    }

    /// Returns where the file position is afterwards, or how much was written before it failed.
    fn write(&self, bytes: &[u8]) -> Result<u64, (io::Error, u64)> {
        let mut file = &*self.file;
        let mut rest = bytes;
        while !rest.is_empty() {
            let written = (bytes.len() - rest.len()) as u64;
            match file.write(rest) {
                Ok(0) => return Err((io::ErrorKind::WriteZero.into(), written)),
                Ok(more) => rest = rest.get(more..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err((error, written)),
            }
        }
        let all = bytes.len() as u64;
        if self.is_durable {
            file.sync_data().map_err(|error| (error, all))?;
        }
        file.stream_position().map_err(|error| (error, all))
    }

    fn take_back(&mut self, length_before: u64, written: u64) {
        if written == 0 {
            return;
        }
        let is_ours_alone = self
            .file
            .metadata()
            .is_ok_and(|meta| meta.len() == length_before + written);
        let is_back = is_ours_alone && self.file.set_len(length_before).is_ok();
        self.lacks_line_end |= !is_back;
    }
}

fn lock(file: &File, path: &Path) -> Result<(), SessionError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(std::fs::TryLockError::WouldBlock) => Err(SessionError::Locked {
            path: path.to_owned(),
            holder: holder::of(file),
        }),
        Err(std::fs::TryLockError::Error(cause)) => Err(SessionError::io("lock", path)(cause)),
    }
}

fn is_same(file: &File, path: &Path) -> Result<bool, SessionError> {
    let fail = || SessionError::io("look at", path);
    let open = file.metadata().map_err(fail())?;
    let named = path.metadata().map_err(fail())?;
    Ok((open.dev(), open.ino()) == (named.dev(), named.ino()))
}
