use std::borrow::Cow;
use std::collections::HashSet;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use deed_protocol::{Entry, Message, SessionHeader, UserContent};
use serde_json::value::RawValue;

use crate::context::{Context, Recovery};
use crate::diagnostic::{Diagnostic, Finding};
use crate::entry_text::read_entry;
use crate::error::SessionError;
use crate::index::{Index, Kind, Role, Slot, SlotNumber};
use crate::load::{FileTail, Header, Loaded, diagnostic, load};
use crate::place::LineReader;

mod nested;

pub use nested::TreeNode;

/// Names an entry in its session.
pub type EntryId = Arc<str>;

/// A mark on an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelText {
    /// What it says.
    pub text: String,
    /// When it was set, ISO 8601.
    pub timestamp: String,
}

/// What can be read of a session.
///
/// It holds where the entries are, not what they say: that is read when it is asked for.
#[derive(Debug)]
pub struct SessionTree {
    pub(crate) path: Option<PathBuf>,
    pub(crate) header: Header,
    pub(crate) index: Index,
    pub(crate) leaf: Option<SlotNumber>,
    pub(crate) file: Option<Arc<File>>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl SessionTree {
    /// Reads a session file without keeping others from writing to it, and changes nothing.
    ///
    /// Errors: the file cannot be read or is no session.
    pub fn open(path: &Path) -> Result<Self, SessionError> {
        let file = open_plain(File::options().read(true), path)?;
        let loaded = load(&file, path)?;
        let tail = loaded.tail;
        let mut tree = Self::of_loaded(path, file.into(), loaded);
        if let FileTail::Torn {
            bytes, line_1based, ..
        } = tail
        {
            let what = Finding::TornTail { bytes, kept: None };
            let path: Arc<Path> = path.into();
            tree.diagnostics
                .push(diagnostic(&path, Some(line_1based), what));
        }
        Ok(tree)
    }

    pub(crate) fn of_loaded(path: &Path, file: Arc<File>, loaded: Loaded) -> Self {
        Self {
            path: Some(path.to_owned()),
            leaf: loaded.index.last(),
            header: loaded.header,
            index: loaded.index,
            file: Some(file),
            diagnostics: loaded.diagnostics,
        }
    }

    pub(crate) fn empty(path: Option<PathBuf>, header: Header) -> Self {
        Self {
            path,
            header,
            index: Index::default(),
            leaf: None,
            file: None,
            diagnostics: Vec::new(),
        }
    }

    /// The file; `None` if the session is in memory only.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The header.
    pub fn header(&self) -> &SessionHeader {
        &self.header.shown
    }

    /// The id of the session.
    pub fn id(&self) -> &str {
        &self.header.shown.id
    }

    /// The folder that the session runs in; empty in some old files.
    pub fn cwd(&self) -> &str {
        &self.header.shown.cwd
    }

    /// The name that a person gave it.
    pub fn name(&self) -> Option<&str> {
        self.index.name()
    }

    /// What was wrong with the file.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// How many entries it has.
    pub fn entry_count(&self) -> usize {
        self.index.len()
    }

    /// The entry that the next one follows; `None` before the first.
    pub fn leaf(&self) -> Option<&EntryId> {
        self.leaf
            .and_then(|leaf| self.index.get(leaf))
            .map(|slot| &slot.id)
    }

    /// Whether there is such an entry.
    pub fn contains(&self, id: &str) -> bool {
        self.index.number_of(id).is_some()
    }

    /// The mark on an entry.
    pub fn label(&self, id: &str) -> Option<&LabelText> {
        self.index.label(id)
    }

    /// The ids of all entries, in the order of the file.
    pub fn ids(&self) -> impl Iterator<Item = &EntryId> {
        self.index.slots().iter().map(|slot| &slot.id)
    }

    /// The entry before another on its branch.
    ///
    /// Errors: there is no such entry.
    pub fn parent(&self, id: &str) -> Result<Option<&EntryId>, SessionError> {
        let parent = self.slot(id)?.parent;
        Ok(parent
            .and_then(|parent| self.index.get(parent))
            .map(|slot| &slot.id))
    }

    /// The entries that follow an entry, or that begin a tree.
    pub fn children(&self, id: Option<&str>) -> Vec<EntryId> {
        let parent = match id {
            None => None,
            Some(id) => match self.index.number_of(id) {
                None => return Vec::new(),
                number => number,
            },
        };
        let children = self.index.slots().iter();
        children
            .filter(|slot| slot.parent == parent)
            .map(|slot| slot.id.clone())
            .collect()
    }

    /// The branch that ends at an entry, from its root on.
    ///
    /// Errors: there is no such entry.
    pub fn branch(&self, leaf: &str) -> Result<Vec<EntryId>, SessionError> {
        let branch = self.index.branch(Some(self.number(leaf)?));
        Ok(branch
            .into_iter()
            .map(|number| self.index.shared_id(number))
            .collect())
    }

    /// Reads an entry.
    ///
    /// Errors: there is no such entry, or it can no longer be read.
    pub fn entry(&self, id: &str) -> Result<Entry, SessionError> {
        let slot = self.slot(id)?;
        let text = self.text_of(slot)?;
        Ok(read_entry(slot.kind, &text)?)
    }

    /// Reads an entry as it was written.
    ///
    /// Errors: as [`SessionTree::entry`].
    pub fn raw_entry(&self, id: &str) -> Result<Box<RawValue>, SessionError> {
        Ok(RawValue::from_string(self.text_of(self.slot(id)?)?)?)
    }

    /// Reads the entries as they were written, in the order of the file; with `since` only those
    /// after that one.
    ///
    /// Errors: there is no such entry, or the file cannot be read.
    pub fn raw_entries(&self, since: Option<&str>) -> Result<Vec<Box<RawValue>>, SessionError> {
        let skipped = match since {
            None => 0,
            Some(id) => self.number(id)? as usize + 1,
        };
        let mut reader = self.reader();
        let whole = self.index.slots().iter().skip(skipped);
        whole
            .filter(|slot| slot.kind != Kind::Broken)
            .map(|slot| {
                let text = self.text_from(&mut reader, slot)?;
                Ok(RawValue::from_string(text.into_owned())?)
            })
            .collect()
    }

    /// The texts of what people said, on all branches, each with its entry: where one can fork.
    ///
    /// Errors: the file cannot be read.
    pub fn user_texts(&self) -> Result<Vec<(EntryId, String)>, SessionError> {
        let mut reader = self.reader();
        let mut texts = Vec::new();
        for slot in self.index.slots() {
            if slot.kind != Kind::Message(Role::User) {
                continue;
            }
            let text = self.text_from(&mut reader, slot)?;
            if let Ok(Entry::Message(entry)) = read_entry(slot.kind, &text)
                && let Message::User(message) = &*entry.message
            {
                texts.push((slot.id.clone(), plain_text(&message.content)));
            }
        }
        Ok(texts)
    }

    /// What of the present branch goes to a model.
    ///
    /// Errors: the file cannot be read.
    pub fn context(&self) -> Result<Context, SessionError> {
        crate::context::build(self, self.leaf)
    }

    /// What of the branch that ends at an entry goes to a model.
    ///
    /// Errors: there is no such entry, or the file cannot be read.
    pub fn context_at(&self, leaf: &str) -> Result<Context, SessionError> {
        crate::context::build(self, Some(self.number(leaf)?))
    }

    /// The calls at the end of the present branch that wait for a result.
    ///
    /// Errors: the file cannot be read.
    pub fn recovery(&self) -> Result<Option<Recovery>, SessionError> {
        Ok(self.context()?.recovery)
    }

    /// What of the branch that ends at one entry is not on that of another: what is left behind by
    /// going there.
    ///
    /// Errors: there is no such entry, or the file cannot be read.
    pub fn left_behind(
        &self,
        from: &str,
        to: Option<&str>,
    ) -> Result<Vec<Arc<Message>>, SessionError> {
        let to = to.map(|id| self.number(id)).transpose()?;
        let stays: HashSet<EntryId> = self
            .index
            .branch(to)
            .into_iter()
            .map(|number| self.index.shared_id(number))
            .collect();
        let context = self.context_at(from)?;
        let left = context.entries.into_iter().filter(|entry| {
            let stays_too = entry.entry.as_ref().is_some_and(|id| stays.contains(id));
            !stays_too
        });
        Ok(left.map(|entry| entry.message).collect())
    }

    pub(crate) fn number(&self, id: &str) -> Result<SlotNumber, SessionError> {
        self.index
            .number_of(id)
            .ok_or_else(|| SessionError::UnknownEntry { id: id.into() })
    }

    pub(crate) fn slot(&self, id: &str) -> Result<&Slot, SessionError> {
        self.index
            .number_of(id)
            .and_then(|number| self.index.get(number))
            .ok_or_else(|| SessionError::UnknownEntry { id: id.into() })
    }

    pub(crate) fn reader(&self) -> LineReader<'_> {
        LineReader::new(self.file.as_deref())
    }

    pub(crate) fn text_from<'r>(
        &self,
        reader: &'r mut LineReader<'_>,
        slot: &'r Slot,
    ) -> Result<Cow<'r, str>, SessionError> {
        let path = self.path.as_deref().unwrap_or(Path::new(""));
        reader
            .read(&slot.place)
            .map_err(SessionError::io("read", path))
    }

    fn text_of(&self, slot: &Slot) -> Result<String, SessionError> {
        Ok(self.text_from(&mut self.reader(), slot)?.into_owned())
    }

    pub(crate) fn finding(&self, slot: Option<&Slot>, what: Finding) -> Diagnostic {
        Diagnostic {
            path: self.path.clone(),
            line_1based: slot.map(|slot| slot.line_1based).filter(|line| *line > 0),
            what,
        }
    }
}

/// The text of a message without its pictures.
pub(crate) fn plain_text(content: &UserContent) -> String {
    match content {
        UserContent::Text(text) => text.clone(),
        UserContent::Blocks(blocks) => {
            let texts: Vec<&str> = blocks.iter().filter_map(|block| block.as_text()).collect();
            texts.join(" ")
        }
    }
}

/// Opens a plain file; a pipe that somebody put there would be waited for for ever.
pub(crate) fn open_plain(
    options: &mut std::fs::OpenOptions,
    path: &Path,
) -> Result<File, SessionError> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let not_a_file = || SessionError::NotAFile {
        path: path.to_owned(),
    };
    let file = match options.custom_flags(flags).open(path) {
        Err(error) if error.kind() == ErrorKind::IsADirectory => return Err(not_a_file()),
        opened => opened.map_err(SessionError::io("open", path))?,
    };
    let meta = file.metadata().map_err(SessionError::io("look at", path))?;
    if meta.is_file() {
        Ok(file)
    } else {
        Err(not_a_file())
    }
}
