use std::io;
use std::path::{Path, PathBuf};

use crate::EntryId;

/// Why a session cannot be opened, read or written.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The system refused.
    #[error("cannot {action} {path}: {cause}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// Something else stands where the file should be.
    #[error("{path} is no plain file, so it is no session; name a session file")]
    NotAFile {
        /// Which.
        path: PathBuf,
    },
    /// The file does not begin with a header.
    #[error("{path} is no session file: {reason}; see `deed session list` for those there are")]
    NoHeader {
        /// Which.
        path: PathBuf,
        /// What it begins with.
        reason: String,
    },
    /// The file is of a version that is not known yet.
    #[error("{path} is of version {version}, and versions up to 3 are known; use a newer deed")]
    NewerVersion {
        /// Which.
        path: PathBuf,
        /// Its version.
        version: u64,
    },
    /// Somebody else has the session open.
    #[error(
        "session {path} is open in {}; end that one, or go on in a copy with `--fork`",
        holder_text(*.holder)
    )]
    Locked {
        /// Which.
        path: PathBuf,
        /// The process id, if it can be told.
        holder: Option<u32>,
    },
    /// The file was removed or replaced while it was open.
    #[error(
        "session file {path} was removed while it was open; nothing can be added to it any more"
    )]
    Gone {
        /// Which.
        path: PathBuf,
    },
    /// An entry could not be written; the session is as it was before.
    #[error("cannot write to session {path}: {cause}; make room, then go on")]
    Write {
        /// Which.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// JSON cannot say what should be written.
    #[error("the entry cannot be written as JSON: {0}")]
    Encode(#[from] serde_json::Error),
    /// No entry has this id.
    #[error("there is no entry {id} in this session")]
    UnknownEntry {
        /// The id.
        id: EntryId,
    },
    /// The entry is on another branch.
    #[error("entry {id} is not on the branch that the session is on; move there first")]
    NotOnBranch {
        /// The id.
        id: EntryId,
    },
    /// The entry gives nothing to the context that could be changed.
    #[error(
        "entry {id} is no message of a person, model, tool or extension, so its content cannot be edited"
    )]
    NotEditable {
        /// The id.
        id: EntryId,
    },
    /// A call was said to start that no answer asks for.
    #[error(
        "call {tool_call_id} is none of the calls of the last answer, so its start cannot be recorded"
    )]
    UnknownCall {
        /// The id of the call.
        tool_call_id: String,
    },
}

impl SessionError {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |cause| Self::Io {
            action,
            path,
            cause,
        }
    }
}

fn holder_text(holder: Option<u32>) -> String {
    match holder {
        Some(pid) if pid == std::process::id() => "this same process".to_owned(),
        Some(pid) => format!("another process (pid {pid})"),
        None => "another process".to_owned(),
    }
}

/// Why no session could be picked by what was typed.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// None fits.
    #[error("no session is called {text:?}; see `deed session list`")]
    Nothing {
        /// What was asked for.
        text: String,
    },
    /// Several fit.
    #[error("{text:?} fits {} sessions: {}; type more of the id", .ids.len(), shown_ids(.ids))]
    Several {
        /// What was asked for.
        text: String,
        /// The ids of those that fit.
        ids: Vec<String>,
    },
    /// Nothing was asked for.
    #[error("no session was named; give a path, an id, or the beginning of one")]
    Empty,
}

fn shown_ids(ids: &[String]) -> String {
    const MAX_SHOWN: usize = 5;
    let shown: Vec<&str> = ids.iter().take(MAX_SHOWN).map(String::as_str).collect();
    let more = if ids.len() > MAX_SHOWN { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}
