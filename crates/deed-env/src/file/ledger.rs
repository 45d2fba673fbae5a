use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use sha2::{Digest as _, Sha256};

use crate::file::{FileStamp, RealPath, WriteGuard};

/// Up to this size a file that was read or written whole is remembered by its content too.
///
/// Units: bytes. Source: DESIGN §2, "Preimages".
pub const HASHED_FILE_MAX_BYTES: u64 = 8 * 1024 * 1024;

const REMEMBERED_OWN_CHANGES: usize = 256;

/// The SHA-256 of a file's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// Hashes a whole content.
    pub fn of(content: &[u8]) -> Self {
        Self(Sha256::digest(content).into())
    }

    /// Hashes a whole content unless it is too large to be worth it.
    pub fn of_small(content: &[u8]) -> Option<Self> {
        (content.len() as u64 <= HASHED_FILE_MAX_BYTES).then(|| Self::of(content))
    }

    pub(crate) fn finish(hasher: Sha256) -> Self {
        Self(hasher.finalize().into())
    }
}

/// Whether a file is as this session last saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// This session has not seen it.
    NeverSeen,
    /// It is as this session last saw or wrote it.
    Fresh,
    /// Somebody else changed it since.
    Stale,
}

/// Remembers what this session last saw or wrote of each file.
///
/// A file is told by its metadata; where those differ, its content decides, if it is known.
#[derive(Debug, Default)]
pub struct SeenLedger {
    entries: Mutex<HashMap<RealPath, Entry>>,
}

#[derive(Debug)]
struct Entry {
    stamp: FileStamp,
    hash: Option<ContentHash>,
    /// The states that only this session's own writes led from; `None` is "no file".
    replaced: Vec<Option<FileStamp>>,
}

impl SeenLedger {
    /// Notes that the session has read a file, whole if its hash is given.
    pub fn note_seen(&self, path: &RealPath, stamp: FileStamp, hash: Option<ContentHash>) {
        let mut entries = self.lock();
        match entries.get_mut(path) {
            Some(entry) if entry.stamp == stamp => entry.hash = hash.or(entry.hash),
            Some(entry) if hash.is_some() && entry.hash == hash => entry.moved_to(stamp),
            _ => {
                entries.insert(
                    path.clone(),
                    Entry {
                        stamp,
                        hash,
                        replaced: Vec::new(),
                    },
                );
            }
        }
    }

    /// Notes that the session has written a file: `before` is what stood there, `None` for nothing.
    pub fn note_written(
        &self,
        path: &RealPath,
        before: Option<FileStamp>,
        after: FileStamp,
        hash: Option<ContentHash>,
    ) {
        let mut entries = self.lock();
        let mut replaced = match entries.remove(path) {
            Some(entry) if before == Some(entry.stamp) => entry.replaced,
            _ => Vec::new(),
        };
        if replaced.len() >= REMEMBERED_OWN_CHANGES {
            replaced.remove(0);
        }
        replaced.push(before);
        entries.insert(
            path.clone(),
            Entry {
                stamp: after,
                hash,
                replaced,
            },
        );
    }

    /// Forgets a file.
    pub fn forget(&self, path: &RealPath) {
        self.lock().remove(path);
    }

    /// Returns the metadata that the session last saw or left.
    pub fn last_seen(&self, path: &RealPath) -> Option<FileStamp> {
        self.lock().get(path).map(|entry| entry.stamp)
    }

    /// Says whether a file is as the session last saw it.
    ///
    /// `hash` is called only if the metadata differ and could not have come from a change of the
    /// content alone; it returns `None` if the content cannot be had.
    pub fn check(
        &self,
        path: &RealPath,
        current: FileStamp,
        hash: impl FnOnce() -> Option<ContentHash>,
    ) -> Freshness {
        let known = match self.lock().get(path) {
            None => return Freshness::NeverSeen,
            Some(entry) if entry.stamp == current => return Freshness::Fresh,
            Some(entry) if entry.stamp.bytes != current.bytes => return Freshness::Stale,
            Some(entry) => entry.hash,
        };
        if known.is_none() || hash() != known {
            return Freshness::Stale;
        }
        if let Some(entry) = self.lock().get_mut(path)
            && entry.hash == known
        {
            entry.moved_to(current);
        }
        Freshness::Fresh
    }

    /// Says whether a file that had the stamp `since` was changed by nobody but this session,
    /// given that it is `current` now and [`SeenLedger::check`] found it fresh.
    pub fn changed_only_by_us(
        &self,
        path: &RealPath,
        since: Option<FileStamp>,
        current: FileStamp,
    ) -> bool {
        since == Some(current)
            || self
                .lock()
                .get(path)
                .is_some_and(|entry| entry.stamp == current && entry.replaced.contains(&since))
    }

    /// Says whether a guard lets a write happen on what stands there now, if anything.
    pub(crate) fn allows(
        &self,
        guard: &WriteGuard,
        path: &RealPath,
        current: Option<FileStamp>,
        hash: impl Fn() -> Option<ContentHash>,
    ) -> bool {
        let last_seen = self.last_seen(path);
        let freshness = |current| self.check(path, current, &hash);
        match (guard, current) {
            (WriteGuard::None, _) | (WriteGuard::UnchangedSinceSeen, None) => true,
            (WriteGuard::UnchangedSinceSeen, Some(current)) => {
                freshness(current) != Freshness::Stale
            }
            (WriteGuard::SameBytes { .. }, None) => false,
            (WriteGuard::SameBytes { stamp }, Some(current)) => {
                *stamp == current
                    || (last_seen == Some(*stamp) && freshness(current) == Freshness::Fresh)
            }
            (WriteGuard::ChangedOnlyByUsSince { stamp }, None) => stamp.is_none(),
            (WriteGuard::ChangedOnlyByUsSince { stamp }, Some(current)) => {
                *stamp == Some(current)
                    || (freshness(current) == Freshness::Fresh
                        && self.changed_only_by_us(path, *stamp, current))
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RealPath, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entry {
    /// Takes new metadata of an unchanged content.
    fn moved_to(&mut self, stamp: FileStamp) {
        self.replaced.push(Some(self.stamp));
        self.stamp = stamp;
    }
}
