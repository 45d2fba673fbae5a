//! A small file that nobody else may read, replaced as a whole.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What others may not do with the file.
const OTHERS: u32 = 0o077;
/// What others may not do with its folder.
const OTHERS_WRITE: u32 = 0o022;
/// A larger file is not one of keys.
const MAX_BYTES: u64 = 1024 * 1024;

/// A change takes some milliseconds; a stopped process may hold the lock for ever.
const MAX_WAIT: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(5);

/// Why a private file is not used.
#[derive(Debug)]
pub(crate) enum Refused {
    /// Others may read or change the file.
    FileIsOpen,
    /// Others may put another file in its place.
    FolderIsOpen(PathBuf),
    /// It cannot be read.
    Io(io::Error),
}

impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Reads the file; `None` if it is not there.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>, Refused> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    // Of the file that is open, for its name may lead to another one by now.
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is no regular file").into());
    }
    if metadata.mode() & OTHERS != 0 {
        return Err(Refused::FileIsOpen);
    }
    ensure_private_folder(&real(path))?;
    if metadata.len() > MAX_BYTES {
        return Err(io::Error::other("it is larger than a file of keys can be").into());
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Keeps other changes out while it lives.
pub(crate) struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        // A lock that cannot be given back ends with the file.
        self.0.unlock().ok();
    }
}

/// Takes the lock of a file, whose folder is made if it is not there.
pub(crate) fn lock(path: &Path) -> Result<Lock, Refused> {
    let path = real(path);
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder(&path))?;
    ensure_private_folder(&path)?;
    let mut name = path.into_os_string();
    name.push(".lock");
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(name)?;
    let until = Instant::now() + MAX_WAIT;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Lock(file)),
            Err(TryLockError::Error(error)) => return Err(error.into()),
            Err(TryLockError::WouldBlock) if Instant::now() > until => {
                let reason = "another deed is changing it; see whether a stopped one is in the way";
                return Err(io::Error::new(io::ErrorKind::TimedOut, reason).into());
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
        }
    }
}

/// Puts other content in place of the file: the old or the new is there whole.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Where the name is a link, the file that it leads to is replaced.
    let path = real(path);
    let mut new = tempfile::Builder::new()
        .prefix(".deed-")
        .tempfile_in(folder(&path))?;
    new.write_all(bytes)?;
    new.as_file().sync_all()?;
    new.persist(&path).map_err(|failed| failed.error)?;
    File::open(folder(&path))?.sync_all()
}

fn ensure_private_folder(path: &Path) -> Result<(), Refused> {
    let folder = folder(path);
    match fs::metadata(folder)?.mode() & OTHERS_WRITE {
        0 => Ok(()),
        _ => Err(Refused::FolderIsOpen(folder.to_owned())),
    }
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn is_absent(error: &io::Error) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}
