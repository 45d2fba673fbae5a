use std::path::{Path, PathBuf};
use std::sync::Arc;

use deed_protocol::{Entry, EntryBase, SessionHeader};

use crate::clock::{entry_id, iso_of, session_id};
use crate::context::{Context, Recovery, Repair};
use crate::error::SessionError;
use crate::index::{Kind, Slot};
use crate::load::{Header, load};
use crate::place::Place;
use crate::store::StoreConfig;
use crate::tree::{EntryId, SessionTree};
use crate::write::{SessionFile, repair_tail, rewrite};
use crate::{SESSION_VERSION, place};

mod add;
mod calls;
mod copy;
mod fork;
mod note;

pub use add::{NewBranchSummary, NewCompaction, NewCustomMessage};
use calls::CallTail;

/// A session that may be written to.
///
/// While it lives nobody else writes to its file. The file is made with the first message of a
/// person or model; what came before waits until then.
#[derive(Debug)]
pub struct Session {
    tree: SessionTree,
    sink: Sink,
    config: Arc<StoreConfig>,
    /// The calls of the last answer; `None` if they must be looked up.
    calls: Option<CallTail>,
    /// Repairs of the context that are not on record; `None` if nobody has looked.
    unnoted: Option<Vec<Repair>>,
    lines: Vec<u8>,
}

/// Where entries go.
#[derive(Debug)]
enum Sink {
    /// Nowhere but into memory.
    Memory,
    /// Into a file, once there is something worth one.
    Waiting(PathBuf),
    /// Into the file.
    File(SessionFile),
    /// Into a file of an old version, which is rewritten before.
    Old(SessionFile),
}

impl Session {
    /// Begins a session whose file will be at `path`, or in memory without one.
    pub(crate) fn begin(
        config: Arc<StoreConfig>,
        path: impl FnOnce(&SessionHeader) -> Option<PathBuf>,
        cwd: &str,
        parent: Option<&Path>,
    ) -> Result<Self, SessionError> {
        let now_ms = (config.clock)();
        let shown = SessionHeader {
            kind: "session".to_owned(),
            version: SESSION_VERSION,
            id: session_id(now_ms, &config.random),
            timestamp: iso_of(now_ms),
            cwd: cwd.to_owned(),
            parent_session: parent.map(|path| path.display().to_string()),
        };
        let path = path(&shown);
        let sink = match &path {
            None => Sink::Memory,
            Some(path) => Sink::Waiting(path.clone()),
        };
        let tree = SessionTree::empty(path, Header::new(shown)?);
        Ok(Self::new(tree, sink, config, Some(Vec::new())))
    }

    /// Opens a session file, and brings the end of it in order if a crash left it torn.
    pub(crate) fn open(config: Arc<StoreConfig>, path: &Path) -> Result<Self, SessionError> {
        let mut file = SessionFile::open(path, config.durable)?;
        let loaded = load(file.file(), path)?;
        let (tail, version) = (loaded.tail, loaded.version);
        let mut tree = SessionTree::of_loaded(path, file.file().clone(), loaded);
        if let Some((line_1based, what)) = repair_tail(&mut file, tail) {
            let mut diagnostic = tree.finding(None, what);
            diagnostic.line_1based = Some(line_1based);
            tree.diagnostics.push(diagnostic);
        }
        let is_present = version == u64::from(SESSION_VERSION);
        let sink = match is_present {
            true => Sink::File(file),
            false => Sink::Old(file),
        };
        Ok(Self::new(tree, sink, config, None))
    }

    fn new(
        tree: SessionTree,
        sink: Sink,
        config: Arc<StoreConfig>,
        unnoted: Option<Vec<Repair>>,
    ) -> Self {
        Self {
            tree,
            sink,
            config,
            calls: None,
            unnoted,
            lines: Vec::new(),
        }
    }

    /// All that can be read of the session.
    pub fn view(&self) -> &SessionTree {
        &self.tree
    }

    /// The id of the session.
    pub fn id(&self) -> &str {
        self.tree.id()
    }

    /// The header.
    pub fn header(&self) -> &SessionHeader {
        self.tree.header()
    }

    /// The file, also while it waits to be made; `None` if the session is in memory only.
    pub fn path(&self) -> Option<&Path> {
        self.tree.path()
    }

    /// Whether there is a file.
    pub fn is_on_disk(&self) -> bool {
        matches!(self.sink, Sink::File(_) | Sink::Old(_))
    }

    /// The entry that the next one follows; `None` before the first.
    pub fn leaf(&self) -> Option<&EntryId> {
        self.tree.leaf()
    }

    /// What of the present branch goes to a model; what had to be repaired is put on record with
    /// the next entry.
    ///
    /// Errors: the file cannot be read.
    pub fn context(&mut self) -> Result<Context, SessionError> {
        let context = self.tree.context()?;
        self.remember_repairs(&context);
        Ok(context)
    }

    /// The calls at the end of the present branch that wait for a result: each either never
    /// started, or its outcome is unknown.
    ///
    /// Errors: the file cannot be read.
    pub fn recovery(&mut self) -> Result<Option<Recovery>, SessionError> {
        Ok(self.context()?.recovery)
    }

    /// Goes to another entry, which the next one will follow; without one the next begins a tree.
    ///
    /// Errors: there is no such entry.
    pub fn move_to(&mut self, leaf: Option<&str>) -> Result<(), SessionError> {
        self.tree.leaf = match leaf {
            None => None,
            Some(id) => Some(self.tree.number(id)?),
        };
        self.calls = None;
        self.unnoted = None;
        Ok(())
    }

    /// Appends an entry behind the leaf.
    fn add(&mut self, make: impl FnOnce(EntryBase) -> Entry) -> Result<EntryId, SessionError> {
        let ids = self.add_all(vec![make])?;
        Ok(ids.into_iter().next().unwrap_or_else(|| Arc::from("")))
    }

    /// Appends entries one behind the other, in one write.
    fn add_all<F>(&mut self, makes: Vec<F>) -> Result<Vec<EntryId>, SessionError>
    where
        F: FnOnce(EntryBase) -> Entry,
    {
        self.note_repairs()?;
        self.write_all(makes)
    }

    fn write_all<F>(&mut self, makes: Vec<F>) -> Result<Vec<EntryId>, SessionError>
    where
        F: FnOnce(EntryBase) -> Entry,
    {
        let timestamp = iso_of((self.config.clock)());
        let mut ids: Vec<EntryId> = Vec::with_capacity(makes.len());
        let mut entries = Vec::with_capacity(makes.len());
        for make in makes {
            let parent_id = ids.last().or(self.tree.leaf()).cloned();
            let id = entry_id(&self.config.random, |id| {
                self.tree.contains(id) || ids.iter().any(|own| **own == *id)
            });
            ids.push(id.clone());
            entries.push(make(EntryBase {
                id,
                parent_id,
                timestamp: timestamp.clone(),
            }));
        }
        self.write_entries(&entries)?;
        Ok(ids)
    }

    /// Writes entries and takes them into the tree; if they cannot be written nothing changes.
    fn write_entries(&mut self, entries: &[Entry]) -> Result<(), SessionError> {
        let mut lines = std::mem::take(&mut self.lines);
        lines.clear();
        let mut ends = Vec::with_capacity(entries.len());
        for entry in entries {
            deed_protocol::append_json_line(&mut lines, entry)?;
            ends.push(lines.len());
        }
        let kinds: Vec<Kind> = entries.iter().map(Kind::of).collect();
        let start = self.write_lines(&lines, kinds.iter().any(|kind| kind.is_conversation()))?;
        let mut begin = 0;
        for ((entry, kind), end) in entries.iter().zip(kinds).zip(ends) {
            let line = lines.get(begin..end.saturating_sub(1)).unwrap_or_default();
            let place = match start {
                Some(start) => Place::OnDisk {
                    at: start + begin as u64,
                    bytes: line.len() as u64,
                },
                None => Place::Held(String::from_utf8_lossy(line).into()),
            };
            self.take_in(entry, kind, place);
            begin = end;
        }
        lines.shrink_to(place::MAX_KEPT_BYTES);
        self.lines = lines;
        Ok(())
    }

    fn take_in(&mut self, entry: &Entry, kind: Kind, place: Place) {
        let Some(base) = entry.base() else {
            return;
        };
        match entry {
            Entry::SessionInfo(entry) => self.tree.index.set_name(entry.name.as_deref()),
            Entry::Label(entry) => self.tree.index.set_label(entry),
            _ => {}
        }
        let number = self.tree.index.push(Slot {
            id: base.id.clone(),
            parent: self.tree.leaf,
            kind,
            place,
            line_1based: 0,
        });
        self.tree.leaf = Some(number);
        self.follow_calls(entry);
    }

    /// Returns where the lines begin in the file; `None` if they are not in one.
    fn write_lines(
        &mut self,
        lines: &[u8],
        is_conversation: bool,
    ) -> Result<Option<u64>, SessionError> {
        match &mut self.sink {
            Sink::Memory => Ok(None),
            Sink::Waiting(_) if !is_conversation => Ok(None),
            Sink::Waiting(path) => {
                let path = path.clone();
                self.make_file(&path, lines).map(Some)
            }
            Sink::File(file) => file.append(lines).map(Some),
            Sink::Old(old) => {
                let mut file = rewrite(old, &self.tree.header, &mut self.tree.index)?;
                self.tree.file = Some(file.file().clone());
                let start = file.append(lines);
                self.sink = Sink::File(file);
                start.map(Some)
            }
        }
    }

    /// Makes the file with the header, what has waited, and the lines; returns where these begin.
    fn make_file(&mut self, path: &Path, lines: &[u8]) -> Result<u64, SessionError> {
        let mut bytes = Vec::new();
        bytes.extend_from_slice(self.tree.header.line.as_bytes());
        bytes.push(b'\n');
        let mut places = Vec::with_capacity(self.tree.index.len());
        for slot in self.tree.index.slots() {
            if let Place::Held(line) = &slot.place {
                places.push(Place::OnDisk {
                    at: bytes.len() as u64,
                    bytes: line.len() as u64,
                });
                bytes.extend_from_slice(line.as_bytes());
                bytes.push(b'\n');
            }
        }
        let start = bytes.len() as u64;
        bytes.extend_from_slice(lines);
        let file = SessionFile::create(path, &bytes, self.config.durable)?;
        for (slot, place) in self.tree.index.slots_mut().iter_mut().zip(places) {
            slot.place = place;
        }
        self.tree.file = Some(file.file().clone());
        self.sink = Sink::File(file);
        Ok(start)
    }
}
