use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use sha2::{Digest as _, Sha256};

use crate::file::{FileStamp, RealPath, WriteGuard};

/// Up to this size a file that was read or written whole is remembered by its content too.
///
/// Units: bytes. Source: DESIGN §2, "Preimages".
pub const HASHED_FILE_MAX_BYTES: u64 = 8 * 1024 * 1024;

const REMEMBERED_OWN_CHANGES: usize = 256;

/// Longer than a step of the clock by which file systems stamp changes.
///
/// Source: Linux before 6.13 stamps at the timer's interrupt, every 1 to 10 ms.
const CLOCK_TICK_NS: i128 = 20_000_000;

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
    /// Whether the file had been changed so shortly before that a second change may have left the
    /// same metadata.
    is_recent: bool,
    /// Whether it holds a change by somebody else that the session wrote around without seeing it.
    holds_unseen_change: bool,
    /// The states that only this session's own writes led from; `None` is "no file".
    replaced: Vec<Option<FileStamp>>,
}

impl SeenLedger {
    /// Notes that the session has read a file, whole if its hash is given.
    pub fn note_seen(&self, path: &RealPath, stamp: FileStamp, hash: Option<ContentHash>) {
        let mut entries = self.lock();
        match entries.get_mut(path) {
            Some(entry) if entry.stamp == stamp => {
                entry.hash = hash.or(entry.hash);
                entry.holds_unseen_change = false;
            }
            // A reading that took longer than a write of the session's own tells nothing new.
            Some(entry) if entry.replaced.contains(&Some(stamp)) => {}
            Some(entry) if hash.is_some() && entry.hash == hash => {
                entry.moved_to(stamp);
                entry.holds_unseen_change = false;
            }
            _ => {
                entries.insert(path.clone(), Entry::new(stamp, hash));
            }
        }
    }

    /// Notes that the session has written a file whole: `before` is what stood there, `None` for
    /// nothing.
    pub fn note_written(
        &self,
        path: &RealPath,
        before: Option<FileStamp>,
        after: FileStamp,
        hash: Option<ContentHash>,
    ) {
        let mut entries = self.lock();
        let old = entries.remove(path);
        let entry = Entry::new(after, hash).replacing(before, old);
        entries.insert(path.clone(), entry);
    }

    /// Notes a write that a guard allowed. An edit changes a part of a file: what the session had
    /// not seen of the rest, it still has not.
    pub(crate) fn note_allowed(
        &self,
        guard: &WriteGuard,
        path: &RealPath,
        (before, after): (Option<FileStamp>, FileStamp),
        hash: Option<ContentHash>,
    ) {
        let is_edit = matches!(guard, WriteGuard::SameBytes { .. });
        let mut entries = self.lock();
        let old = entries.remove(path);
        let holds_unseen_change = old.as_ref().is_some_and(|old| old.holds_unseen_change);
        let mut entry = Entry::new(after, hash).replacing(before, old);
        entry.holds_unseen_change = is_edit && holds_unseen_change;
        entries.insert(path.clone(), entry);
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
    /// `hash` is called only if the metadata do not tell; it returns `None` if the content cannot
    /// be had.
    pub fn check(
        &self,
        path: &RealPath,
        current: FileStamp,
        hash: impl FnOnce() -> Option<ContentHash>,
    ) -> Freshness {
        let is_unseen = |entry: &Entry| entry.holds_unseen_change;
        match self.compare(path, current, hash) {
            Freshness::Fresh if self.lock().get(path).is_some_and(is_unseen) => Freshness::Stale,
            other => other,
        }
    }

    /// Says whether a file is as the session last saw or left it.
    fn compare(
        &self,
        path: &RealPath,
        current: FileStamp,
        hash: impl FnOnce() -> Option<ContentHash>,
    ) -> Freshness {
        let known = match self.lock().get(path) {
            None => return Freshness::NeverSeen,
            Some(entry) if entry.stamp.bytes != current.bytes => return Freshness::Stale,
            Some(entry) if entry.stamp == current => match entry.hash {
                Some(known) if entry.is_recent => known,
                _ => return Freshness::Fresh,
            },
            Some(entry) => match entry.hash {
                Some(known) => known,
                None => return Freshness::Stale,
            },
        };
        if hash() != Some(known) {
            return Freshness::Stale;
        }
        if let Some(entry) = self.lock().get_mut(path)
            && entry.hash == Some(known)
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
        match (guard, current) {
            (WriteGuard::None, _) | (WriteGuard::UnchangedSinceSeen, None) => true,
            (WriteGuard::UnchangedSinceSeen, Some(current)) => {
                self.check(path, current, &hash) != Freshness::Stale
            }
            (WriteGuard::SameBytes { .. }, None) => false,
            (WriteGuard::SameBytes { stamp }, Some(current)) => {
                if self.compare(path, current, &hash) == Freshness::Stale {
                    self.mark_unseen(path);
                }
                *stamp == current
            }
            (WriteGuard::ChangedOnlyByUsSince { stamp }, None) => stamp.is_none(),
            (WriteGuard::ChangedOnlyByUsSince { stamp }, Some(current)) => {
                *stamp == Some(current)
                    || (self.compare(path, current, &hash) == Freshness::Fresh
                        && self.changed_only_by_us(path, *stamp, current))
            }
        }
    }

    fn mark_unseen(&self, path: &RealPath) {
        if let Some(entry) = self.lock().get_mut(path) {
            entry.holds_unseen_change = true;
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RealPath, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entry {
    fn new(stamp: FileStamp, hash: Option<ContentHash>) -> Self {
        Self {
            stamp,
            hash,
            is_recent: is_recent(stamp),
            holds_unseen_change: false,
            replaced: Vec::new(),
        }
    }

    /// Goes on from what the session wrote before, if nobody else wrote in between.
    fn replacing(mut self, before: Option<FileStamp>, old: Option<Self>) -> Self {
        if let Some(old) = old.filter(|old| before == Some(old.stamp)) {
            self.replaced = old.replaced;
        }
        self.push_replaced(before);
        self
    }

    /// Takes new metadata of an unchanged content.
    fn moved_to(&mut self, stamp: FileStamp) {
        if self.stamp != stamp {
            self.push_replaced(Some(self.stamp));
            self.stamp = stamp;
        }
        self.is_recent = is_recent(stamp);
    }

    fn push_replaced(&mut self, stamp: Option<FileStamp>) {
        if self.replaced.len() >= REMEMBERED_OWN_CHANGES {
            self.replaced.remove(0);
        }
        self.replaced.push(stamp);
    }
}

/// Tells whether a file changed so shortly ago that a change now could leave the same metadata.
fn is_recent(stamp: FileStamp) -> bool {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.unwrap_or_default().as_nanos();
    let age = i128::try_from(now).unwrap_or(i128::MAX) - stamp.ctime_ns;
    (-CLOCK_TICK_NS..CLOCK_TICK_NS).contains(&age)
}
