use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::lock::Locked;

/// A change of such a file takes some milliseconds.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// A store that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// The file cannot be read.
    #[error("cannot read {}: {cause}; make it readable for you alone", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// The file is not what Deed wrote.
    #[error(
        "{} is damaged ({reason}); restore it from a copy, or remove it to decide everything anew",
        path.display()
    )]
    Damaged {
        /// Which.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The file cannot be replaced.
    #[error("cannot write {}: {cause}; nothing was stored", path.display())]
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// A person refused the path before.
    #[error("{} was refused before; revoke that first (`{}`)", path.display(), refused.display())]
    Refused {
        /// What was to be trusted.
        path: PathBuf,
        /// The path of the refusal.
        refused: PathBuf,
    },
}

/// Reads a store; `None` if there is no file.
pub(super) fn load<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, TrustError> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            return Ok(None);
        }
        Err(cause) => {
            let path = path.to_owned();
            return Err(TrustError::Read { path, cause });
        }
    };
    serde_json::from_slice(&bytes)
        .map(Some)
        .map_err(|error| TrustError::Damaged {
            path: path.to_owned(),
            reason: error.to_string(),
        })
}

/// Changes a store: reads it anew, so that what another process stored meanwhile stays.
pub(super) fn update<T, R>(
    path: &Path,
    change: impl FnOnce(&mut T) -> Result<R, TrustError>,
) -> Result<(T, R), TrustError>
where
    T: DeserializeOwned + Serialize + Default,
{
    let lock = lock(path).map_err(|cause| TrustError::Write {
        path: path.to_owned(),
        cause,
    })?;
    let mut content: T = load(path)?.unwrap_or_default();
    let result = change(&mut content)?;
    replace(path, &content).map_err(|cause| TrustError::Write {
        path: path.to_owned(),
        cause,
    })?;
    drop(lock);
    Ok((content, result))
}

fn lock(path: &Path) -> io::Result<Locked> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder(path))?;
    let lock = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(beside(path, "lock"))?;
    Locked::exclusive(&Arc::new(lock), MAX_WAIT)?.ok_or_else(|| {
        let reason = "another process holds its lock; see whether a stopped deed is in the way";
        io::Error::new(io::ErrorKind::TimedOut, reason)
    })
}

fn replace<T: Serialize>(path: &Path, content: &T) -> io::Result<()> {
    static SERIAL: AtomicU64 = AtomicU64::new(0);
    let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
    let new = beside(path, &format!("{}-{serial}.new", process::id()));
    let mut bytes = serde_json::to_vec_pretty(content)?;
    bytes.push(b'\n');
    let written = write_new(&new, &bytes).and_then(|()| fs::rename(&new, path));
    if written.is_err() {
        fs::remove_file(&new).ok();
    }
    written?;
    File::open(folder(path))?.sync_all()
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}
