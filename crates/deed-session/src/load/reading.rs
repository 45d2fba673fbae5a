use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use deed_protocol::{LabelEntry, SessionInfoEntry};

use super::head::{Head, salvaged_place};
use super::header::{HeaderFault, HeaderLine};
use super::lines::RawLine;
use super::migrate::{LinearIds, with_custom_role};
use super::parents::{Waiting, settle};
use super::{FileTail, Loaded, diagnostic};
use crate::SESSION_VERSION;
use crate::diagnostic::{Diagnostic, Finding};
use crate::error::SessionError;
use crate::index::{Index, Kind, Slot, SlotNumber};
use crate::place::{Place, text_of};
use crate::tree::EntryId;

/// How many faults of a file are told.
const MAX_TOLD: usize = 1000;

/// A file that is being read, line by line.
pub(super) struct Reading {
    path: Arc<Path>,
    header: Option<HeaderLine>,
    version: u64,
    linear: LinearIds,
    index: Index,
    waiting: Vec<Waiting>,
    diagnostics: Vec<Diagnostic>,
    /// Whether a line that says nothing of its place stands before the next entry.
    is_gap: bool,
    last: Option<SlotNumber>,
    tail: FileTail,
}

/// An entry that has a place in the tree.
struct Placed {
    id: EntryId,
    parent: Option<EntryId>,
    kind: Kind,
    /// The text, if it is not that of the file.
    held: Option<Arc<str>>,
}

impl Reading {
    pub(super) fn new(path: &Path) -> Self {
        Self {
            path: path.into(),
            header: None,
            version: u64::from(SESSION_VERSION),
            linear: LinearIds::of_header(),
            index: Index::default(),
            waiting: Vec::new(),
            diagnostics: Vec::new(),
            is_gap: false,
            last: None,
            tail: FileTail::Whole,
        }
    }

    /// Errors: the line shows that the file is no session that can be read.
    pub(super) fn take(&mut self, line: &RawLine<'_>) -> Result<(), SessionError> {
        if line.is_blank() && line.is_ended {
            return Ok(());
        }
        if self.header.is_none() {
            return self.take_header(line);
        }
        let text = text_of(line.bytes);
        if matches!(text, Cow::Owned(_)) && line.is_ended {
            self.tell(line, Finding::NotText);
        }
        let is_entry = match Head::read(&text) {
            Ok(head) => self.take_entry(line, &text, head),
            Err(reason) => Err(reason),
        };
        match is_entry {
            Ok(()) if line.is_ended => {}
            Ok(()) => {
                self.tail = FileTail::Unfinished {
                    line_1based: line.line_1based,
                };
            }
            Err(reason) if line.is_ended => self.take_malformed(line, &text, reason),
            Err(_) => {
                self.tail = FileTail::Torn {
                    at: line.at,
                    bytes: line.bytes.len() as u64,
                    line_1based: line.line_1based,
                };
            }
        }
        Ok(())
    }

    fn take_header(&mut self, line: &RawLine<'_>) -> Result<(), SessionError> {
        let reason = match HeaderLine::read(line.bytes) {
            Ok(header) => {
                self.version = header.version();
                if self.version > u64::from(SESSION_VERSION) {
                    return Err(SessionError::NewerVersion {
                        path: self.path.to_path_buf(),
                        version: self.version,
                    });
                }
                self.header = Some(header);
                if !line.is_ended {
                    self.tail = FileTail::Unfinished {
                        line_1based: line.line_1based,
                    };
                }
                return Ok(());
            }
            Err(HeaderFault::NoJson(reason)) if line.is_ended => {
                self.tell(line, Finding::MalformedLine { reason });
                return Ok(());
            }
            Err(HeaderFault::NoJson(reason) | HeaderFault::NoHeader(reason)) => reason,
        };
        Err(SessionError::NoHeader {
            path: self.path.to_path_buf(),
            reason,
        })
    }

    /// Errors: the line is no entry.
    fn take_entry(&mut self, line: &RawLine<'_>, text: &str, head: Head<'_>) -> Result<(), String> {
        if head.word == "session" {
            self.tell(line, Finding::SecondHeader);
            return Ok(());
        }
        let placed = self.placed(text, &head).ok_or("it has no id")?;
        if let Some(reason) = head.fault {
            let id = placed.id.clone();
            self.tell(line, Finding::UnreadableEntry { id, reason });
        }
        self.note_small(placed.kind, placed.held.as_deref().unwrap_or(text));
        let neighbour = self.is_gap.then_some(self.last).flatten();
        self.is_gap = false;
        self.push(line, placed, neighbour);
        Ok(())
    }

    /// Gives an entry its id and parent, and the text that it has in the present version.
    fn placed(&mut self, text: &str, head: &Head<'_>) -> Option<Placed> {
        let kind = head.kind;
        if self.version < 2 {
            let (id, parent, line) = self.linear.line_of_next(text);
            let is_old = head.is_hook_message;
            let renamed = is_old.then(|| with_custom_role(&line)).flatten();
            let held = Some(renamed.unwrap_or(line).into());
            return Some(Placed {
                id,
                parent,
                kind,
                held,
            });
        }
        let id = head.id.as_deref().filter(|id| !id.is_empty())?;
        let is_old = head.is_hook_message && self.version < u64::from(SESSION_VERSION);
        Some(Placed {
            id: id.into(),
            parent: head.parent_id.as_deref().map(Arc::from),
            kind,
            held: is_old
                .then(|| with_custom_role(text))
                .flatten()
                .map(Arc::from),
        })
    }

    /// Reads the entries that say something of the session as a whole.
    fn note_small(&mut self, kind: Kind, text: &str) {
        if kind == Kind::SessionInfo
            && let Ok(entry) = serde_json::from_str::<SessionInfoEntry>(text)
        {
            self.index.set_name(entry.name.as_deref());
        }
        if kind == Kind::Label
            && let Ok(entry) = serde_json::from_str::<LabelEntry>(text)
        {
            self.index.set_label(&entry);
        }
    }

    fn push(&mut self, line: &RawLine<'_>, placed: Placed, neighbour: Option<SlotNumber>) {
        let Placed {
            id,
            parent,
            kind,
            held,
        } = placed;
        let place = match held {
            Some(text) => Place::Held(text),
            None => Place::OnDisk {
                at: line.at,
                bytes: line.bytes.len() as u64,
            },
        };
        let known = parent.as_ref().and_then(|it| self.index.number_of(it));
        if self.index.number_of(&id).is_some() {
            self.tell(line, Finding::DuplicateId { id: id.clone() });
        }
        let slot = self.index.push(Slot {
            id,
            parent: known,
            kind,
            place,
            line_1based: line.line_1based,
        });
        if let (Some(parent), None) = (parent, known) {
            self.waiting.push(Waiting {
                slot,
                parent,
                neighbour,
            });
        }
        self.last = Some(slot);
    }

    /// Keeps the place in the tree of a line that is damaged further on, so that what follows it
    /// stays where it is.
    fn take_malformed(&mut self, line: &RawLine<'_>, text: &str, reason: String) {
        self.tell(line, Finding::MalformedLine { reason });
        let place = (self.version >= 2).then(|| salvaged_place(text)).flatten();
        let Some((id, parent)) = place else {
            self.is_gap = true;
            return;
        };
        let placed = Placed {
            id: id.into(),
            parent: parent.map(Arc::from),
            kind: Kind::Broken,
            held: None,
        };
        self.push(line, placed, None);
    }

    fn tell(&mut self, line: &RawLine<'_>, what: Finding) {
        let one = diagnostic(&self.path, Some(line.line_1based), what);
        self.diagnostics.push(one);
    }

    pub(super) fn finish(mut self) -> Result<Loaded, SessionError> {
        let Some(header) = self.header else {
            return Err(SessionError::NoHeader {
                path: self.path.to_path_buf(),
                reason: "it is empty".to_owned(),
            });
        };
        settle(
            &mut self.index,
            self.waiting,
            &self.path,
            &mut self.diagnostics,
        );
        let more = self.diagnostics.len().saturating_sub(MAX_TOLD);
        if more > 0 {
            self.diagnostics.truncate(MAX_TOLD);
            let what = Finding::More { more };
            self.diagnostics.push(diagnostic(&self.path, None, what));
        }
        if self.version < u64::from(SESSION_VERSION) {
            let version = u32::try_from(self.version).unwrap_or_default();
            let what = Finding::OldVersion { version };
            self.diagnostics.push(diagnostic(&self.path, None, what));
        }
        Ok(Loaded {
            header: header.into_header(),
            index: self.index,
            diagnostics: self.diagnostics,
            tail: self.tail,
            version: self.version,
        })
    }
}
