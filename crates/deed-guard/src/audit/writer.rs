//! Appending under the lock.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;

use super::entry::Entry;
use super::error::AuditError;
use super::event::Event;
use super::finding::Finding;
use super::head::{HEAD_FILE, Head, HeadState, NO_FILE};
use super::line::HexHash;
use super::log::{AppendedRange, AuditConfig};
use super::place::{Folder, month_file};
use super::record::{Common, Link};
use super::scrub::Scrub;
use super::tail::{Tail, Torn, inspect};
use crate::lock::Locked;

const MAX_KEPT_BUFFER_BYTES: usize = 256 * 1024;

/// One writer of a folder.
pub(super) struct Writer {
    config: AuditConfig,
    folder: Folder,
    head: Arc<File>,
    /// The log file that the tail is in, once something was appended to it.
    log: Option<Arc<File>>,
    /// `None` when the disk must be asked.
    tail: Option<Tail>,
    lines: Vec<u8>,
    /// Files with something in them that may not be on disk yet.
    pub(super) unsynced: Vec<Arc<File>>,
}

impl Writer {
    pub(super) fn open(config: AuditConfig) -> Result<(Self, Vec<Finding>), AuditError> {
        let folder = Folder::prepare(&config.folder)?;
        let mut writer = Self {
            head: Arc::new(folder.open_head()?),
            config,
            folder,
            log: None,
            tail: None,
            lines: Vec::new(),
            unsynced: Vec::new(),
        };
        let _locked = writer.lock()?;
        let found = inspect(&writer.folder, &writer.read_head()?)?;
        Ok((writer, found.findings))
    }

    pub(super) fn folder(&self) -> &Folder {
        &self.folder
    }

    /// All that records need to be found after a power cut; the head may lag.
    pub(super) fn unsynced_records(&self) -> Vec<Arc<File>> {
        let files = self.unsynced.iter();
        let records = files.filter(|file| !Arc::ptr_eq(file, &self.head));
        records.cloned().collect()
    }

    /// Appends entries behind what was kept from before.
    pub(super) fn append(
        &mut self,
        kept: &[Entry],
        entries: &[Entry],
    ) -> Result<AppendedRange, AuditError> {
        let _locked = self.lock()?;
        let now = self.read_head()?;
        let (tail, recovered) = match self.tail.take() {
            Some(tail) if self.is_as_left(&tail, &now)? => (tail, None),
            _ => self.recover(&now)?,
        };
        // A head that told of a fault must go on telling until the record of it is written.
        let is_sound = recovered.is_none();
        let new = self.encode(&tail, recovered, [kept, entries]);
        self.write(&tail, &new, is_sound)?;
        self.lines.shrink_to(MAX_KEPT_BUFFER_BYTES);
        let range = AppendedRange {
            file: new.file.clone(),
            first_seq: new.seq + 1 - entries.len() as u64,
            last_seq: new.seq,
            last_sha256: new.hash.to_hash(),
        };
        self.tail = Some(new);
        Ok(range)
    }

    /// Makes the lines that follow a tail, with what the log itself has to say first, and returns
    /// the tail that they lead to.
    fn encode(&mut self, tail: &Tail, recovered: Option<Entry>, entries: [&[Entry]; 2]) -> Tail {
        let moment = (self.config.clock)();
        let ts = moment.text();
        let file = month_file(&ts).max(tail.newest.clone());
        let genesis = (file != tail.file).then(|| genesis(tail));
        let common = Common {
            scrub: Scrub(&*self.config.redactor),
            session: &self.config.session,
            boot_id: &self.config.boot_id,
            ts: &ts,
            mono_us: moment.mono_us,
        };
        let mut link = Link {
            seq: tail.seq,
            prev: tail.hash,
        };
        self.lines.clear();
        let own = genesis.iter().chain(&recovered);
        for entry in own.chain(entries.into_iter().flatten()) {
            link.seq += 1;
            link.prev = common.write(entry, link, &mut self.lines);
        }
        let start_bytes = if genesis.is_some() { 0 } else { tail.end_bytes };
        Tail {
            newest: file.clone(),
            file,
            end_bytes: start_bytes + self.lines.len() as u64,
            seq: link.seq,
            hash: link.prev,
        }
    }

    fn lock(&mut self) -> Result<Locked, AuditError> {
        let path = self.folder.join(HEAD_FILE);
        loop {
            let locked = Locked::exclusive(&self.head, self.config.max_wait)
                .map_err(AuditError::io("lock", &path))?;
            let Some(locked) = locked else {
                let seconds = self.config.max_wait.as_secs();
                return Err(AuditError::Busy { path, seconds });
            };
            let meta = self
                .head
                .metadata()
                .map_err(AuditError::io("look at", &path))?;
            if meta.nlink() > 0 {
                return Ok(locked);
            }
            // Somebody removed the head: the next writer locks another file.
            self.head = Arc::new(self.folder.open_head()?);
        }
    }

    fn read_head(&self) -> Result<HeadState, AuditError> {
        HeadState::read(&self.head).map_err(AuditError::io("read", &self.folder.join(HEAD_FILE)))
    }

    fn write_head(&mut self, tail: &Tail, is_settled: bool) -> Result<(), AuditError> {
        let head = Head {
            is_settled,
            file: tail.file.clone(),
            seq: tail.seq,
            hash: tail.hash,
        };
        head.write(&self.head)
            .map_err(AuditError::io("write", &self.folder.join(HEAD_FILE)))?;
        self.mark_unsynced(self.head.clone());
        Ok(())
    }

    /// Whether head and log are as the last append of this writer left them.
    fn is_as_left(&self, tail: &Tail, now: &HeadState) -> Result<bool, AuditError> {
        let Some(log) = &self.log else {
            return Ok(false);
        };
        let is_head = matches!(now, HeadState::Read(head) if head.is_settled
            && head.seq == tail.seq && head.hash == tail.hash && head.file == tail.file);
        let path = self.folder.join(&tail.file);
        let meta = log.metadata().map_err(AuditError::io("look at", &path))?;
        Ok(is_head && meta.len() == tail.end_bytes && meta.nlink() > 0)
    }

    /// Reads the end of the log, moves a torn line away, and makes a record of what was wrong.
    fn recover(&mut self, now: &HeadState) -> Result<(Tail, Option<Entry>), AuditError> {
        self.log = None;
        let found = inspect(&self.folder, now)?;
        let mut tail = found.tail;
        if found.findings.is_empty() {
            return Ok((tail, None));
        }
        let kinds: Vec<_> = found.findings.iter().map(|it| it.kind.name()).collect();
        let reasons: Vec<_> = found
            .findings
            .iter()
            .map(|it| it.message.as_str())
            .collect();
        let mut entry = Entry::of(Event::Recovered)
            .reason(reasons.join("; "))
            .detail("found", kinds)
            .detail("tail_seq", tail.seq)
            .detail("tail_sha256", tail.hash.as_str());
        if let Some(torn) = &found.torn {
            let (name, hash) = self.move_torn(torn, tail.seq + 1)?;
            entry = entry
                .detail("bytes", torn.bytes)
                .detail("torn_file", name)
                .detail("torn_sha256", hash.as_str());
        }
        if let HeadState::Read(head) = now {
            entry = entry
                .detail("head_file", head.file.as_str())
                .detail("head_seq", head.seq)
                .detail("head_sha256", head.hash.as_str());
            // Going on behind the head keeps a cut visible as a gap.
            tail.seq = tail.seq.max(head.seq);
        }
        Ok((tail, Some(entry)))
    }

    fn move_torn(&self, torn: &Torn, seq: u64) -> Result<(String, HexHash), AuditError> {
        let path = self.folder.join(&torn.file);
        let mut log = self.folder.open_log(&torn.file)?;
        let (name, mut aside) = self.folder.open_new(&format!("{}.torn-{seq}", torn.file))?;
        let mut bytes = Vec::new();
        log.seek(SeekFrom::Start(torn.at))
            .and_then(|_| log.read_to_end(&mut bytes))
            .map_err(AuditError::io("read", &path))?;
        aside
            .write_all(&bytes)
            .and_then(|()| aside.sync_all())
            .map_err(AuditError::io("write", &self.folder.join(&name)))?;
        log.set_len(torn.at)
            .map_err(AuditError::io("cut the torn line off", &path))?;
        Ok((name, HexHash::of(&bytes)))
    }

    /// Writes the lines, with the head marked as begun before and settled after.
    fn write(&mut self, old: &Tail, new: &Tail, mark: bool) -> Result<(), AuditError> {
        let log = self.open_log(old, new)?;
        if mark {
            self.write_head(old, false)?;
        }
        let start = new.end_bytes - self.lines.len() as u64;
        let path = self.folder.join(&new.file);
        if let Err(error) = (&*log).write_all(&self.lines) {
            // Half a line is worse than none; where even this fails, the next writer moves it away.
            if log.set_len(start).is_ok() && mark {
                self.write_head(old, true)?;
            }
            return Err(AuditError::io("write", &path)(error));
        }
        self.mark_unsynced(log);
        self.write_head(new, true)
    }

    fn open_log(&mut self, old: &Tail, new: &Tail) -> Result<Arc<File>, AuditError> {
        if let Some(log) = self.log.as_ref().filter(|_| old.file == new.file) {
            return Ok(log.clone());
        }
        let log = Arc::new(self.folder.open_log(&new.file)?);
        if old.file != new.file {
            // The name of a new file must reach the disk as well.
            self.mark_unsynced(Arc::new(self.folder.open_self()?));
        }
        self.log = Some(log.clone());
        Ok(log)
    }

    fn mark_unsynced(&mut self, file: Arc<File>) {
        if !self
            .unsynced
            .iter()
            .any(|marked| Arc::ptr_eq(marked, &file))
        {
            self.unsynced.push(file);
        }
    }
}

fn genesis(before: &Tail) -> Entry {
    let entry = Entry::of(Event::Genesis);
    match before.file.as_str() {
        NO_FILE => entry,
        file => entry
            .detail("previous_file", file)
            .detail("previous_seq", before.seq),
    }
}
