//! One writer behind a lock, and the thread that brings its files to disk.

use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::entry::Entry;
use super::error::AuditError;
use super::log::AppendedRange;
use super::writer::Writer;

/// Short enough that the sync itself fits into the promised 50 ms.
const GROUP: Duration = Duration::from_millis(40);

pub(super) struct Syncer(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    wake: Condvar,
}

struct State {
    writer: Writer,
    folder: PathBuf,
    broken: Option<Arc<str>>,
    /// Notes that could not be written yet.
    kept: Vec<Entry>,
    /// When the oldest append was made that may not be on disk.
    unsynced_since: Option<Instant>,
    /// Whether more than quiet reading was recorded. If not, nobody waits for the disk.
    must_last: bool,
    thread: Option<JoinHandle<()>>,
    has_recorded: bool,
    is_closed: bool,
}

impl Syncer {
    pub(super) fn new(writer: Writer) -> Self {
        let state = State {
            folder: writer.folder().path().to_owned(),
            writer,
            broken: None,
            kept: Vec::new(),
            unsynced_since: None,
            must_last: false,
            thread: None,
            has_recorded: false,
            is_closed: false,
        };
        Self(Arc::new(Shared {
            state: Mutex::new(state),
            wake: Condvar::new(),
        }))
    }

    pub(super) fn check(&self) -> Result<(), AuditError> {
        self.0.lock().check()
    }

    pub(super) fn append(
        &self,
        entries: &[Entry],
        waits: bool,
    ) -> Result<AppendedRange, AuditError> {
        let mut state = self.0.lock();
        let range = self.append_in(&mut state, entries)?;
        let files = match waits {
            true => state.writer.unsynced_records(),
            false => Vec::new(),
        };
        drop(state);
        match files.iter().try_for_each(|file| file.sync_data()) {
            Ok(()) => Ok(range),
            Err(error) => Err(self.0.lock().break_with(&format!("cannot sync: {error}"))),
        }
    }

    pub(super) fn note(&self, entries: Vec<Entry>) {
        let mut state = self.0.lock();
        // In one breath with the attempt, so that nothing is written in between.
        if let Err(AuditError::Busy { .. }) = self.append_in(&mut state, &entries) {
            state.kept.extend(entries);
        }
    }

    fn append_in(&self, state: &mut State, entries: &[Entry]) -> Result<AppendedRange, AuditError> {
        if state.is_closed {
            let folder = state.folder.clone();
            return Err(AuditError::Closed { folder });
        }
        let range = state.append(entries)?;
        if state.thread.is_none() && state.must_last {
            let shared = self.0.clone();
            let spawned = thread::Builder::new()
                .name("audit-sync".into())
                .spawn(move || shared.sync_in_groups());
            match spawned {
                Ok(thread) => state.thread = Some(thread),
                Err(error) => {
                    return Err(state.break_with(&format!("cannot start a thread: {error}")));
                }
            }
        }
        if state.unsynced_since.is_none() {
            state.unsynced_since = Some(Instant::now());
            self.0.wake.notify_one();
        }
        Ok(range)
    }

    pub(super) fn close(&self, last: &Entry) -> Result<(), AuditError> {
        let mut state = self.0.lock();
        if state.is_closed {
            return Ok(());
        }
        let has_recorded = state.has_recorded || !state.kept.is_empty();
        let appended = match has_recorded && state.broken.is_none() {
            true => state.append(std::slice::from_ref(last)).map(|_| ()),
            false => Ok(()),
        };
        state.is_closed = true;
        if appended.is_ok() {
            state.unsynced_since.get_or_insert_with(Instant::now);
        }
        let thread = state.thread.take();
        drop(state);
        self.0.wake.notify_one();
        // The thread syncs all that is left before it ends.
        if thread.is_some_and(|thread| thread.join().is_err()) {
            return Err(self.0.lock().break_with("the syncing thread panicked"));
        }
        appended?;
        self.0.lock().check()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sync_in_groups(&self) {
        while let Some(files) = self.next_group() {
            if let Err(error) = files.iter().try_for_each(|file| file.sync_data()) {
                self.lock().break_with(&format!("cannot sync: {error}"));
            }
        }
    }

    /// Waits until a group is due; `None` when the log is closed and all is synced.
    fn next_group(&self) -> Option<Vec<Arc<File>>> {
        let mut state = self.lock();
        loop {
            let now = Instant::now();
            let due = state.unsynced_since.map(|since| since + GROUP);
            match due {
                Some(_) if state.is_closed && !state.must_last => return None,
                Some(due) if state.is_closed || due <= now => {
                    state.unsynced_since = None;
                    return Some(std::mem::take(&mut state.writer.unsynced));
                }
                Some(due) => {
                    let waited = self.wake.wait_timeout(state, due - now);
                    state = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
                None if state.is_closed => return None,
                None => {
                    let waited = self.wake.wait(state);
                    state = waited.unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }
}

impl State {
    fn append(&mut self, entries: &[Entry]) -> Result<AppendedRange, AuditError> {
        self.check()?;
        match self.writer.append(&self.kept, entries) {
            Ok(range) => {
                self.has_recorded = true;
                self.must_last |= !entries.iter().all(Entry::is_of_quiet_reading);
                self.kept.clear();
                Ok(range)
            }
            Err(busy @ AuditError::Busy { .. }) => Err(busy),
            Err(error) => Err(self.break_with(&error.to_string())),
        }
    }

    fn check(&self) -> Result<(), AuditError> {
        match &self.broken {
            None => Ok(()),
            Some(cause) => Err(AuditError::Broken {
                folder: self.folder.clone(),
                cause: cause.clone(),
            }),
        }
    }

    /// Breaks the log, unless it is broken already, and returns the error of all appends to come.
    fn break_with(&mut self, cause: &str) -> AuditError {
        let cause = self.broken.get_or_insert_with(|| cause.into()).clone();
        let folder = self.folder.clone();
        AuditError::Broken { folder, cause }
    }
}
