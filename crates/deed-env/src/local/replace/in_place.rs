use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt as _;

use rustix::fs::Mode;

/// A file that is overwritten where it stands, with what of the old content may have to be put
/// back.
pub(super) struct InPlace<'a> {
    file: &'a File,
    old_len: u64,
    /// As much of the beginning as the new content covers; what is behind it is only cut off, and
    /// that last.
    old_head: Vec<u8>,
}

impl<'a> InPlace<'a> {
    /// Reads what the new content will cover.
    pub(super) fn prepare(file: &'a File, new: &[u8]) -> io::Result<Self> {
        let old_len = file.metadata()?.len();
        let covered = usize::try_from(old_len).map_or(new.len(), |old| old.min(new.len()));
        let mut old_head = vec![0; covered];
        file.read_exact_at(&mut old_head, 0)?;
        Ok(Self {
            file,
            old_len,
            old_head,
        })
    }

    /// Overwrites the file and cuts it to length; if that fails, puts the old content back.
    ///
    /// The file is not emptied first, and only what was overwritten is put back: on a full disk
    /// the old content still has its blocks there, so that putting it back needs no new ones.
    pub(super) fn overwrite(&self, new: &[u8], durable: bool) -> io::Result<()> {
        let mut written = 0;
        let Err(failure) = self.put(new, durable, &mut written) else {
            return Ok(());
        };
        if self
            .file
            .metadata()
            .is_ok_and(|now| now.len() < self.old_len)
        {
            // It was cut to length already: the new content stands there whole.
            return Err(failure);
        }
        match self.put_back(written, durable) {
            Ok(()) => Err(failure),
            Err(second) => Err(io::Error::new(
                failure.kind(),
                format!("{failure}; putting the old content back failed too: {second}"),
            )),
        }
    }

    /// Gives the file its mode again: a write takes the set-user-id bits away.
    pub(super) fn keep_mode(&self, mode: u32) {
        use std::os::unix::fs::MetadataExt as _;

        let is_other = |file: &File| file.metadata().is_ok_and(|now| now.mode() & 0o7777 != mode);
        if is_other(self.file) {
            // Only the owner may; for anybody else the system's rule stands.
            rustix::fs::fchmod(self.file, Mode::from_raw_mode(mode)).ok();
        }
    }

    fn put(&self, new: &[u8], durable: bool, written: &mut usize) -> io::Result<()> {
        while let Some(rest) = new.get(*written..).filter(|rest| !rest.is_empty()) {
            match self.file.write_at(rest, *written as u64) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(bytes) => *written += bytes,
                Err(failure) if failure.kind() == ErrorKind::Interrupted => {}
                Err(failure) => return Err(failure),
            }
        }
        if durable {
            self.file.sync_all()?;
        }
        let new_len = new.len() as u64;
        if self.old_len <= new_len {
            return Ok(());
        }
        self.file.set_len(new_len)?;
        if durable {
            self.file.sync_all()
        } else {
            Ok(())
        }
    }

    fn put_back(&self, written: usize, durable: bool) -> io::Result<()> {
        let touched = self.old_head.get(..written).unwrap_or(&self.old_head);
        self.file.write_all_at(touched, 0)?;
        if self.file.metadata()?.len() > self.old_len {
            self.file.set_len(self.old_len)?;
        }
        if durable {
            self.file.sync_all()
        } else {
            Ok(())
        }
    }
}
