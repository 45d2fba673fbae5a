use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use deed_agent::{KeepAll, Redactor};
use deed_schema::Sha256Hash;

use super::clock::Moment;
use super::entry::Entry;
use super::error::AuditError;
use super::event::Event;
use super::finding::Finding;
use super::sync::Syncer;
use super::writer::Writer;

/// How an [`AuditLog`] is kept.
#[derive(Clone)]
pub struct AuditConfig {
    /// The folder; it is made if it is missing.
    pub folder: PathBuf,
    /// The session that each record names.
    pub session: Arc<str>,
    /// The name of this boot of the machine, such as `/proc/sys/kernel/random/boot_id` has it.
    pub boot_id: Arc<str>,
    /// When an append waits for the disk.
    pub durability: Durability,
    /// How long an append waits for a process that holds the log.
    pub max_wait: Duration,
    /// Takes known secrets out of each text.
    pub redactor: Arc<dyn Redactor>,
    /// Tells the time.
    pub clock: Arc<dyn Fn() -> Moment + Send + Sync>,
}

impl AuditConfig {
    /// Keeps a log in a folder, synced in groups, by the system's clocks, with nothing to redact.
    pub fn new(folder: impl Into<PathBuf>, session: &str, boot_id: &str) -> Self {
        Self {
            folder: folder.into(),
            session: session.into(),
            boot_id: boot_id.into(),
            durability: Durability::Grouped,
            max_wait: Duration::from_secs(10),
            redactor: Arc::new(KeepAll),
            clock: Arc::new(Moment::now),
        }
    }
}

impl fmt::Debug for AuditConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuditConfig")
            .field("folder", &self.folder)
            .field("session", &self.session)
            .field("durability", &self.durability)
            .finish_non_exhaustive()
    }
}

/// When an append waits for the disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// Never: a thread syncs within 50 ms, from the first record on that is not of mere reading. What
    /// is written survives the end of the process, not that of the machine.
    #[default]
    Grouped,
    /// When it holds the intent of an effect.
    Strict,
}

/// The numbers that an append got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppendedRange {
    /// The file that it went to.
    pub file: String,
    /// The number of its first entry.
    pub first_seq: u64,
    /// The number of its last entry.
    pub last_seq: u64,
    /// The hash of its last record: the head of the chain at that moment.
    pub last_sha256: Sha256Hash,
}

/// A writer of the audit log of a folder.
///
/// All methods block for the time of a write or a sync, and may be called from any thread.
/// Dropping it closes it.
pub struct AuditLog {
    folder: PathBuf,
    durability: Durability,
    syncer: Syncer,
}

impl AuditLog {
    /// Opens the log of a folder.
    ///
    /// Shape: also returns what is wrong with the end of the log; the first append goes on all the
    /// same and records it. Nothing but the folder and an empty head is made before that.
    ///
    /// Errors: the folder cannot be made, leads elsewhere, or is open to others.
    pub fn open(config: AuditConfig) -> Result<(Self, Vec<Finding>), AuditError> {
        let durability = config.durability;
        let (writer, findings) = Writer::open(config)?;
        let log = Self {
            folder: writer.folder().path().to_owned(),
            durability,
            syncer: Syncer::new(writer),
        };
        Ok((log, findings))
    }

    /// Records entries, in this order and with nothing between them; returns when they are written.
    ///
    /// Errors: what the entries announce must not happen; but for [`AuditError::Busy`] the log is
    /// broken, and nothing can be recorded any more.
    pub fn append(&self, entries: impl AsRef<[Entry]>) -> Result<AppendedRange, AuditError> {
        let entries = entries.as_ref();
        let is_strict = self.durability == Durability::Strict;
        let waits = is_strict && entries.iter().any(Entry::is_effect);
        self.syncer.append(entries, waits)
    }

    /// Records entries; returns when they are on disk.
    ///
    /// Errors: as [`AuditLog::append`].
    pub fn append_synced(&self, entries: impl AsRef<[Entry]>) -> Result<AppendedRange, AuditError> {
        self.syncer.append(entries.as_ref(), true)
    }

    /// Records what nothing waits for, such as what has happened already.
    ///
    /// What another process keeps from being written is written before what comes next; a log that
    /// breaks over it fails the next append.
    pub fn note(&self, entries: Vec<Entry>) {
        self.syncer.note(entries);
    }

    /// Tells whether an append that has the intent of an effect waits for the disk.
    pub fn syncs_effects(&self) -> bool {
        self.durability == Durability::Strict
    }

    /// Tells whether entries can still be recorded.
    ///
    /// Errors: an append failed, so that every further one will.
    pub fn check(&self) -> Result<(), AuditError> {
        self.syncer.check()
    }

    /// Records the end of this writer if it recorded anything, and syncs log and head if that was more
    /// than reading.
    ///
    /// Errors: the record cannot be written, or the disk does not take what was.
    pub fn close(&self) -> Result<(), AuditError> {
        self.syncer.close(&Entry::of(Event::Closed))
    }
}

impl Drop for AuditLog {
    fn drop(&mut self) {
        // Nobody is left to be told; the next writer finds what is missing.
        self.close().ok();
    }
}

impl fmt::Debug for AuditLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuditLog")
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}
