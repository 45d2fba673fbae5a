use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::KeySpec;
use super::private_file::{self, Refused};

/// The file of keys: the user's own, which nobody else may read.
///
/// Shape: JSON, an object of [`KeySpec`] by provider; mode 0600 in a folder that it makes with 0700,
/// replaced as a whole. Its functions block on the file system.
#[derive(Clone, Debug)]
pub struct AuthFile {
    path: PathBuf,
}

/// Why the file of keys is not used.
#[derive(Debug, thiserror::Error)]
pub enum AuthError {
    /// Others may read or change it.
    #[error(
        "others may read the keys in {0}, so it is not used; run `chmod 600 {0}`",
        path.display()
    )]
    OpenToOthers {
        /// The file.
        path: PathBuf,
    },
    /// Others may put another file in its place.
    #[error(
        "others may change the folder of keys {0}, so it is not used; run `chmod go-w {0}`",
        folder.display()
    )]
    FolderOpenToOthers {
        /// The folder.
        folder: PathBuf,
    },
    /// It cannot be read.
    #[error("cannot read the keys in {}: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// It is not what Deed wrote.
    ///
    /// What stands there is not told, for it may be a key.
    #[error(
        "{}:{line_1based}:{column_1based}: not a file of keys; it holds objects such as \
         {{\"anthropic\": {{\"key\": \"…\"}}}}, with `key`, `env` or `command`; mend it, or take it \
         away and set the keys anew",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line.
        line_1based: usize,
        /// The column.
        column_1based: usize,
    },
    /// It cannot be replaced.
    #[error("cannot write {}: {cause}; nothing was changed", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
}

impl AuthFile {
    /// Names the file, which need not be there.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Returns where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads all keys; a file that is not there has none.
    ///
    /// Errors: a file that others may read or change, that cannot be read, or is damaged.
    pub fn load(&self) -> Result<BTreeMap<String, KeySpec>, AuthError> {
        let read = private_file::read(&self.path);
        let bytes = read.map_err(|refused| self.refused(refused, Self::unread))?;
        let Some(bytes) = bytes else {
            return Ok(BTreeMap::new());
        };
        serde_json::from_slice(&bytes).map_err(|error| AuthError::Damaged {
            path: self.path.clone(),
            line_1based: error.line().max(1),
            column_1based: error.column().max(1),
        })
    }

    /// Stores the key of a provider in place of the one that is there.
    ///
    /// Errors: as [`AuthFile::load`], and a file that cannot be replaced.
    pub fn set(&self, provider: &str, key: KeySpec) -> Result<(), AuthError> {
        self.update(|keys| {
            keys.insert(provider.to_owned(), key);
        })
    }

    /// Forgets the key of a provider; tells whether there was one.
    ///
    /// Errors: as [`AuthFile::set`].
    pub fn remove(&self, provider: &str) -> Result<bool, AuthError> {
        self.update(|keys| keys.remove(provider).is_some())
    }

    fn update<R>(
        &self,
        change: impl FnOnce(&mut BTreeMap<String, KeySpec>) -> R,
    ) -> Result<R, AuthError> {
        let locked = private_file::lock(&self.path);
        let lock = locked.map_err(|refused| self.refused(refused, Self::unwritten))?;
        // Under the lock, so that what another process stored meanwhile stays.
        let mut keys = self.load()?;
        let result = change(&mut keys);
        let bytes = serde_json::to_vec_pretty(&keys).map_err(io::Error::other);
        let written = bytes.and_then(|mut bytes| {
            bytes.push(b'\n');
            private_file::replace(&self.path, &bytes)
        });
        written.map_err(|cause| self.unwritten(cause))?;
        drop(lock);
        Ok(result)
    }

    fn refused(&self, refused: Refused, other: fn(&Self, io::Error) -> AuthError) -> AuthError {
        match refused {
            Refused::FileIsOpen => AuthError::OpenToOthers {
                path: self.path.clone(),
            },
            Refused::FolderIsOpen(folder) => AuthError::FolderOpenToOthers { folder },
            Refused::Io(cause) => other(self, cause),
        }
    }

    fn unread(&self, cause: io::Error) -> AuthError {
        let path = self.path.clone();
        AuthError::Read { path, cause }
    }

    fn unwritten(&self, cause: io::Error) -> AuthError {
        let path = self.path.clone();
        AuthError::Write { path, cause }
    }
}
