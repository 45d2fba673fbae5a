use std::cmp::Reverse;
use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use deed_protocol::SessionHeader;

use crate::clock::{Clock, RandomBits, system_clock, system_random};
use crate::diagnostic::Diagnostic;
use crate::error::{FindError, SessionError};
use crate::load::{HeaderLine, peek_header};
use crate::session::Session;
use crate::tree::SessionTree;

mod names;
mod summary;

/// Where sessions are and how they are written.
#[derive(Clone)]
pub struct StoreConfig {
    /// The folder of all sessions.
    pub root: PathBuf,
    /// How files lie in it.
    pub layout: Layout,
    /// The time.
    pub clock: Clock,
    /// What ids are made of.
    pub random: RandomBits,
    /// Whether each entry is on disk before it counts, so that a power cut loses none.
    pub durable: bool,
}

impl StoreConfig {
    /// Sessions below a folder, as Pi keeps them, with the clock of the system.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self {
            root: root.into(),
            layout: Layout::FolderPerCwd,
            clock: system_clock(),
            random: system_random(),
            durable: false,
        }
    }

    pub(crate) fn folder_of(&self, cwd: &str) -> PathBuf {
        match self.layout {
            Layout::FolderPerCwd => self.root.join(names::folder_name(cwd)),
            Layout::Flat => self.root.clone(),
        }
    }

    pub(crate) fn path_of(&self, header: &SessionHeader) -> PathBuf {
        let name = names::file_name(&header.timestamp, &header.id);
        self.folder_of(&header.cwd).join(name)
    }
}

impl fmt::Debug for StoreConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreConfig")
            .field("root", &self.root)
            .field("layout", &self.layout)
            .field("durable", &self.durable)
            .finish_non_exhaustive()
    }
}

/// How session files lie in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// In a folder for each working folder, as Pi keeps them by default.
    FolderPerCwd,
    /// All in one, as Pi does with a session folder that was named.
    Flat,
}

/// A session that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRef {
    /// The file.
    pub path: PathBuf,
    /// The id.
    pub id: String,
    /// The folder that it runs in.
    pub cwd: String,
}

/// What can be said of a session without reading it whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionSummary {
    /// The file.
    pub path: PathBuf,
    /// The id.
    pub id: String,
    /// The folder that it runs in.
    pub cwd: String,
    /// The name that a person gave it.
    pub name: Option<String>,
    /// The file that it was forked from.
    pub parent: Option<String>,
    /// When it began, milliseconds since 1970.
    pub created_ms: i64,
    /// When a person or model last said something, milliseconds since 1970.
    pub modified_ms: i64,
    /// How many messages it has, of all kinds and on all branches.
    pub message_count: u64,
    /// The beginning of what a person said first.
    pub first_text: String,
}

/// The sessions there are.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// Those that can be read, the one with the latest word first.
    pub sessions: Vec<SessionSummary>,
    /// Files that are no sessions.
    pub diagnostics: Vec<Diagnostic>,
}

/// All sessions of a root folder.
#[derive(Clone, Debug)]
pub struct SessionStore {
    config: Arc<StoreConfig>,
}

impl SessionStore {
    /// Sessions as configured; nothing is touched.
    pub fn new(config: StoreConfig) -> Self {
        Self {
            config: Arc::new(config),
        }
    }

    /// The folder that new sessions of a working folder are made in.
    pub fn folder(&self, cwd: &Path) -> PathBuf {
        self.config.folder_of(&cwd.to_string_lossy())
    }

    /// Begins a session; `parent` is the file that it came from.
    ///
    /// Errors: none of the disk's: the file is made later.
    pub fn create(&self, cwd: &Path, parent: Option<&Path>) -> Result<Session, SessionError> {
        let config = self.config.clone();
        let path = |header: &_| Some(self.config.path_of(header));
        Session::begin(config, path, &cwd.to_string_lossy(), parent)
    }

    /// Begins a session whose file has a name that somebody chose; it must not be there yet.
    ///
    /// Errors: as [`SessionStore::create`].
    pub fn create_at(
        &self,
        path: &Path,
        cwd: &Path,
        parent: Option<&Path>,
    ) -> Result<Session, SessionError> {
        let config = self.config.clone();
        let place = |_: &_| Some(path.to_owned());
        Session::begin(config, place, &cwd.to_string_lossy(), parent)
    }

    /// Begins a session that never has a file.
    ///
    /// Errors: as [`SessionStore::create`].
    pub fn in_memory(&self, cwd: &Path) -> Result<Session, SessionError> {
        let config = self.config.clone();
        Session::begin(config, |_| None, &cwd.to_string_lossy(), None)
    }

    /// Opens a session to go on with it, and keeps others from doing so.
    ///
    /// Errors: it cannot be read, is no session, or is open elsewhere.
    pub fn open(&self, path: &Path) -> Result<Session, SessionError> {
        Session::open(self.config.clone(), path)
    }

    /// Opens a session for reading; it may be open elsewhere.
    ///
    /// Errors: it cannot be read, or is no session.
    pub fn open_read_only(&self, path: &Path) -> Result<SessionTree, SessionError> {
        SessionTree::open(path)
    }

    /// Begins a session for a working folder with all that another has, which may be open elsewhere.
    ///
    /// Errors: the other cannot be read, or the file cannot be written.
    pub fn fork_file(&self, source: &Path, cwd: &Path) -> Result<Session, SessionError> {
        let source = SessionTree::open(source)?;
        Session::copy_of(self.config.clone(), &source, &cwd.to_string_lossy())
    }

    /// The sessions of a working folder.
    pub fn list(&self, cwd: &Path) -> Listing {
        let cwd = cwd.to_string_lossy();
        let mut listing = summary::list(&names::files_in(&self.config.folder_of(&cwd)));
        let sessions = &mut listing.sessions;
        sessions.retain(|session| self.is_of(&session.cwd, &cwd));
        listing
    }

    /// The sessions of all working folders.
    pub fn list_all(&self) -> Listing {
        summary::list(&self.files())
    }

    /// The session of a working folder that was written to last.
    pub fn latest(&self, cwd: &Path) -> Option<SessionRef> {
        let cwd = cwd.to_string_lossy();
        let mut files = names::files_in(&self.config.folder_of(&cwd));
        let modified = |path: &PathBuf| path.metadata().and_then(|meta| meta.modified()).ok();
        files.sort_by_cached_key(|path| Reverse((modified(path), path.clone())));
        files
            .into_iter()
            .filter_map(ref_of)
            .find(|found| self.is_of(&found.cwd, &cwd))
    }

    /// Finds the session that a text names: by path, by id, or by the beginning of an id that is
    /// the only such in the working folder or, if none is there, at all.
    ///
    /// Errors: none fits, or several do.
    pub fn find(&self, text: &str, cwd: &Path) -> Result<SessionRef, FindError> {
        let text = text.trim();
        let nothing = || FindError::Nothing {
            text: text.to_owned(),
        };
        if text.is_empty() {
            return Err(FindError::Empty);
        }
        if text.contains('/') || text.ends_with(".jsonl") {
            return ref_of(cwd.join(text)).ok_or_else(nothing);
        }
        let all: Vec<SessionRef> = self.files().into_iter().filter_map(ref_of).collect();
        let here = cwd.to_string_lossy();
        let (near, far): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|it| self.is_of(&it.cwd, &here));
        let exact = near.iter().chain(&far).find(|it| it.id == text);
        if let Some(exact) = exact {
            return Ok(exact.clone());
        }
        for group in [near, far] {
            let fits = group.into_iter().filter(|it| it.id.starts_with(text));
            let fitting: Vec<SessionRef> = fits.collect();
            match <[SessionRef; 1]>::try_from(fitting) {
                Ok([only]) => return Ok(only),
                Err(several) if several.is_empty() => {}
                Err(several) => {
                    return Err(FindError::Several {
                        text: text.to_owned(),
                        ids: several.into_iter().map(|it| it.id).collect(),
                    });
                }
            }
        }
        Err(nothing())
    }

    /// Whether a session is of a working folder; two may share a folder for their files, and old
    /// files do not say.
    fn is_of(&self, session_cwd: &str, cwd: &str) -> bool {
        let is_silent = session_cwd.is_empty() && self.config.layout == Layout::FolderPerCwd;
        is_silent || names::is_same_folder(session_cwd, cwd)
    }

    fn files(&self) -> Vec<PathBuf> {
        match self.config.layout {
            Layout::Flat => names::files_in(&self.config.root),
            Layout::FolderPerCwd => names::folders_in(&self.config.root)
                .iter()
                .flat_map(|folder| names::files_in(folder))
                .collect(),
        }
    }
}

fn ref_of(path: PathBuf) -> Option<SessionRef> {
    let header: HeaderLine = peek_header(&File::open(&path).ok()?).ok()??;
    Some(SessionRef {
        id: header.id().to_owned(),
        cwd: header.text("cwd").to_owned(),
        path,
    })
}
