use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::time::Duration;

use rustix::fs::{Access, AtFlags, FlockOperation, Mode, OFlags, accessat, flock, openat, statat};
use rustix::io::Errno;
use tokio_util::sync::CancellationToken;

use super::folder::Folder;
use super::{blocking, read, stamp};
use crate::EnvError;
use crate::file::{ContentHash, FileStamp, RealPath, Replaced, SeenLedger, WriteGuard};

mod attributes;
mod in_place;
mod temporary;

use in_place::InPlace;
use temporary::{Persisted, Temporary};

/// How often, and how long after each try, another process is waited for that changes the file.
const LOCK_TRIES: u32 = 100;
const LOCK_PAUSE: Duration = Duration::from_millis(1);

/// One write of one file.
///
/// A file is replaced by a rename where that loses nothing: it has one name, its owner and
/// extended attributes can be given to the new file, and the folder lets a file be made. Otherwise
/// it is overwritten in place, with the old content in memory to put back if that fails.
pub(super) struct Replacement<'a> {
    pub(super) path: &'a RealPath,
    pub(super) content: &'a [u8],
    pub(super) guard: &'a WriteGuard,
    pub(super) ledger: &'a SeenLedger,
    pub(super) durable: bool,
    pub(super) cancel: &'a CancellationToken,
}

/// A file that is about to be replaced.
struct OldFile {
    file: File,
    stamp: FileStamp,
    mode: u32,
    owner: u32,
    group: u32,
    names: u64,
}

impl Replacement<'_> {
    pub(super) fn run(&self) -> Result<Replaced, EnvError> {
        blocking::check(self.cancel)?;
        self.check_size_limit()?;
        let path = self.path.as_path();
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(EnvError::NotRegular {
                path: path.into(),
                kind: "directory",
            });
        };
        let folder = Folder::open(parent)?;
        let result = self.write(&folder, name);
        if result.is_err() {
            folder.remove_made();
        }
        result
    }

    /// Refuses what is larger than this process may make a file: the signal that tells of the limit
    /// would end it in the middle of the write.
    fn check_size_limit(&self) -> Result<(), EnvError> {
        let limit = rustix::process::getrlimit(rustix::process::Resource::Fsize).current;
        match limit {
            Some(max_bytes) if self.content.len() as u64 > max_bytes => {
                Err(self.error("write", Errno::FBIG.into()))
            }
            _ => Ok(()),
        }
    }

    fn write(&self, folder: &Folder, name: &OsStr) -> Result<Replaced, EnvError> {
        let old = self.open_old(folder, name)?;
        self.check_guard(old.as_ref())?;
        let (written, hash) = hashed_beside(self.content, || match &old {
            Some(old) => match self.by_rename(folder, name, old)? {
                Some(after) => Ok((after, true)),
                None => Ok((self.in_place(folder, name, old)?, false)),
            },
            None => self.create(folder, name),
        });
        let (after, atomic) = written?;
        if self.durable {
            folder
                .sync()
                .map_err(|source| self.error("sync the folder of", source))?;
        }
        let before = old.as_ref().map(|old| old.stamp);
        self.ledger
            .note_allowed(self.guard, self.path, (before, after), hash);
        Ok(Replaced {
            path: self.path.clone(),
            created: Some(old.is_none()),
            atomic: Some(atomic),
        })
    }

    /// Opens what stands there; `None` if nothing does.
    fn open_old(&self, folder: &Folder, name: &OsStr) -> Result<Option<OldFile>, EnvError> {
        let failed = |failure: Errno| self.error("write", failure.into());
        let kind = match statat(&folder.handle, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => return Ok(None),
            found => rustix::fs::FileType::from_raw_mode(found.map_err(failed)?.st_mode),
        };
        if kind == rustix::fs::FileType::Symlink {
            return Err(self.became_a_link());
        }
        // Only regular files are opened; of anything else the name is all that is asked for. To
        // open for reading is enough for a rename, and does not make a layered file system copy
        // the file, which would look like a change.
        if kind != rustix::fs::FileType::RegularFile {
            return Err(self.not_regular(kind));
        }
        let old = self.open_regular(folder, name, OFlags::RDONLY)?;
        accessat(&folder.handle, name, Access::WRITE_OK, AtFlags::EACCESS).map_err(failed)?;
        Ok(Some(old))
    }

    fn open_regular(
        &self,
        folder: &Folder,
        name: &OsStr,
        access: OFlags,
    ) -> Result<OldFile, EnvError> {
        let flags = access | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = match openat(&folder.handle, name, flags, Mode::empty()) {
            Err(Errno::LOOP) => return Err(self.became_a_link()),
            opened => File::from(opened.map_err(|failure| self.error("write", failure.into()))?),
        };
        let metadata = file
            .metadata()
            .map_err(|source| self.error("write", source))?;
        if !metadata.is_file() {
            let kind = stamp::name(metadata.file_type());
            return Err(EnvError::NotRegular {
                path: self.path.as_path().into(),
                kind,
            });
        }
        Ok(OldFile {
            stamp: stamp::stamp(&metadata),
            mode: metadata.mode() & 0o7777,
            owner: metadata.uid(),
            group: metadata.gid(),
            names: metadata.nlink(),
            file,
        })
    }

    fn check_guard(&self, old: Option<&OldFile>) -> Result<(), EnvError> {
        let passes = self
            .ledger
            .allows(self.guard, self.path, old.map(|old| old.stamp), || {
                read::content_hash(self.path.as_path())
            });
        if passes { Ok(()) } else { Err(self.stale()) }
    }

    /// Locks the old file until it is closed, so that another process that does the same does not
    /// change it between the last look and the change.
    ///
    /// A lock that cannot be had, or that somebody keeps, holds up no write for long.
    fn keep_others_out(&self, old: &OldFile) -> Result<(), EnvError> {
        for _ in 0..LOCK_TRIES {
            match flock(&old.file, FlockOperation::NonBlockingLockExclusive) {
                Err(Errno::WOULDBLOCK) => std::thread::sleep(LOCK_PAUSE),
                _ => break,
            }
            blocking::check(self.cancel)?;
        }
        Ok(())
    }

    /// Makes sure, as the last thing before the change, that what the guard saw is still there.
    fn check_still(&self, folder: &Folder, name: &OsStr, old: &OldFile) -> Result<(), EnvError> {
        blocking::check(self.cancel)?;
        if *self.guard == WriteGuard::None {
            return Ok(());
        }
        let is_same = old
            .file
            .metadata()
            .is_ok_and(|now| stamp::stamp(&now) == old.stamp)
            && statat(&folder.handle, name, AtFlags::SYMLINK_NOFOLLOW)
                .is_ok_and(|now| now.st_ino == old.stamp.inode);
        if is_same { Ok(()) } else { Err(self.stale()) }
    }

    /// Replaces the file by a rename; `None` if that is not possible or would lose something.
    fn by_rename(
        &self,
        folder: &Folder,
        name: &OsStr,
        old: &OldFile,
    ) -> Result<Option<FileStamp>, EnvError> {
        if old.names != 1 {
            return Ok(None);
        }
        let Ok(mut temporary) = Temporary::create(folder, 0o600) else {
            return Ok(None);
        };
        if !attributes::give_owner((old.owner, old.group), temporary.file()) {
            return Ok(None);
        }
        self.fill(&mut temporary)?;
        // After the owner and the content, for both take capabilities and set-user-id bits away.
        if !attributes::give_extended(&old.file, temporary.file()) {
            return Ok(None);
        }
        if rustix::fs::fchmod(temporary.file(), Mode::from_raw_mode(old.mode)).is_err() {
            return Ok(None);
        }
        self.keep_others_out(old)?;
        self.check_still(folder, name, old)?;
        match temporary
            .replace(name)
            .map_err(|source| self.error("rename", source))?
        {
            Persisted::Here(stamp) => Ok(Some(stamp)),
            Persisted::Refused => Ok(None),
        }
    }

    fn in_place(
        &self,
        folder: &Folder,
        name: &OsStr,
        old: &OldFile,
    ) -> Result<FileStamp, EnvError> {
        let write = |source| self.error("write", source);
        self.keep_others_out(old)?;
        self.check_still(folder, name, old)?;
        let to_write = self.open_regular(folder, name, OFlags::RDWR)?;
        // To open it may have copied it to another layer; that changes no more than this time.
        let ctime_ns = to_write.stamp.ctime_ns;
        if to_write.stamp
            != (FileStamp {
                ctime_ns,
                ..old.stamp
            })
        {
            return Err(self.stale());
        }
        let in_place = InPlace::prepare(&to_write.file, self.content).map_err(write)?;
        self.check_still(folder, name, &to_write)?;
        let overwritten = in_place.overwrite(self.content, self.durable);
        in_place.keep_mode(old.mode);
        overwritten.map_err(write)?;
        Ok(stamp::stamp(&to_write.file.metadata().map_err(write)?))
    }

    /// Makes a file that is not there; says whether nobody can have seen half of it.
    fn create(&self, folder: &Folder, name: &OsStr) -> Result<(FileStamp, bool), EnvError> {
        let failed = |source| self.error("write", source);
        if let Ok(mut temporary) = Temporary::create(folder, 0o666) {
            self.fill(&mut temporary)?;
            blocking::check(self.cancel)?;
            match temporary.appear_as(name) {
                Ok(Persisted::Here(stamp)) => return Ok((stamp, true)),
                Ok(Persisted::Refused) => {}
                Err(failure) if failure.kind() == io::ErrorKind::AlreadyExists => {
                    return Err(self.stale());
                }
                Err(failure) => return Err(failed(failure)),
            }
        }
        let mut file = Temporary::create_as(folder, name, 0o666).map_err(failed)?;
        self.fill(&mut file)?;
        Ok((file.keep().map_err(failed)?, false))
    }

    fn fill(&self, file: &mut Temporary<'_>) -> Result<(), EnvError> {
        file.write(self.content, self.durable, self.cancel)
            .map_err(|failure| match failure {
                _ if self.cancel.is_cancelled() => EnvError::Cancelled,
                source => self.error("write", source),
            })
    }

    fn stale(&self) -> EnvError {
        EnvError::Stale {
            path: self.path.as_path().into(),
        }
    }

    fn became_a_link(&self) -> EnvError {
        let message = "it became a link after the path was resolved; try again";
        self.error("write", io::Error::other(message))
    }

    fn not_regular(&self, kind: rustix::fs::FileType) -> EnvError {
        let kind = match kind {
            rustix::fs::FileType::Directory => "directory",
            rustix::fs::FileType::Fifo => "FIFO",
            rustix::fs::FileType::Socket => "socket",
            rustix::fs::FileType::CharacterDevice => "character device",
            rustix::fs::FileType::BlockDevice => "block device",
            _ => "special file",
        };
        EnvError::NotRegular {
            path: self.path.as_path().into(),
            kind,
        }
    }

    fn error(&self, operation: &'static str, source: io::Error) -> EnvError {
        EnvError::io(operation, self.path.as_path(), source)
    }
}

/// Content from which a hash takes long enough to be worth a thread.
const HASHED_BESIDE_MIN_BYTES: usize = 1024 * 1024;

/// Writes, and hashes the content meanwhile.
fn hashed_beside<T>(content: &[u8], write: impl FnOnce() -> T) -> (T, Option<ContentHash>) {
    if content.len() < HASHED_BESIDE_MIN_BYTES {
        return (write(), ContentHash::of_small(content));
    }
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().name("deed-hash".to_owned());
        let hashing = builder.spawn_scoped(scope, || ContentHash::of_small(content));
        let written = write();
        let hash = match hashing {
            Ok(thread) => thread.join().ok().flatten(),
            Err(_) => ContentHash::of_small(content),
        };
        (written, hash)
    })
}
