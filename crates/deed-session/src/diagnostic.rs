use std::fmt;
use std::path::PathBuf;

use crate::EntryId;

/// Something that was wrong with a session, and what was made of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The file, if it has one.
    pub path: Option<PathBuf>,
    /// The line, if it is of one.
    pub line_1based: Option<u64>,
    /// What was found.
    pub what: Finding,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{}:", path.display())?;
        }
        if let Some(line) = self.line_1based {
            write!(f, "{line}:")?;
        }
        if self.path.is_some() || self.line_1based.is_some() {
            f.write_str(" ")?;
        }
        self.what.fmt(f)
    }
}

/// What can be wrong with a session.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Finding {
    /// A line is no entry; it stays in the file.
    #[error("the line is no session entry and is skipped: {reason}")]
    MalformedLine {
        /// What is wrong with it.
        reason: String,
    },
    /// A line holds bytes that are no text.
    #[error("the line holds bytes that are no UTF-8; each stands as U+FFFD")]
    NotText,
    /// A second header.
    #[error("a second header; skipped")]
    SecondHeader,
    /// The last line was whole but for its end, which was added.
    #[error("the last line had no end; it was added")]
    Unfinished,
    /// The last line was cut off by a crash.
    #[error("the last {bytes} bytes are no whole line, a writer was stopped; {}", kept_text(.kept))]
    TornTail {
        /// How many bytes.
        bytes: u64,
        /// Where they were put; `None` if they stay in the file.
        kept: Option<PathBuf>,
    },
    /// More lines have faults than are told.
    #[error("{more} more lines have faults")]
    More {
        /// How many.
        more: usize,
    },
    /// An entry follows one that is not there.
    #[error("entry {id} follows {parent}, which is not there; it begins a tree of its own")]
    MissingParent {
        /// The entry.
        id: EntryId,
        /// The one that is missing.
        parent: EntryId,
    },
    /// An entry follows one that is on a line that cannot be read.
    #[error(
        "entry {id} follows {parent}, which cannot be read; it is taken to follow {adopted_by}"
    )]
    AdoptedParent {
        /// The entry.
        id: EntryId,
        /// The one that is missing.
        parent: EntryId,
        /// The entry before the unreadable line.
        adopted_by: EntryId,
    },
    /// An entry is its own ancestor.
    #[error("entry {id} is its own ancestor; it begins a tree of its own")]
    ParentCycle {
        /// The entry where the ring was opened.
        id: EntryId,
    },
    /// An id is used twice.
    #[error("entry {id} is there twice; the name stands for the later one")]
    DuplicateId {
        /// The id.
        id: EntryId,
    },
    /// An entry has a place in the tree, but not the fields of its type.
    #[error("entry {id} is no whole entry of its type and counts for nothing: {reason}")]
    UnreadableEntry {
        /// The entry.
        id: EntryId,
        /// What is wrong with it.
        reason: String,
    },
    /// The file is not what it was when it was opened.
    #[error("entry {id} is no longer where it was: somebody changed the file")]
    ChangedOnDisk {
        /// The entry.
        id: EntryId,
    },
    /// A summary keeps entries from one on that is not on its branch.
    #[error(
        "compaction {id} keeps entries from {first_kept} on, which is not before it; none is kept"
    )]
    MissingKept {
        /// The compaction.
        id: EntryId,
        /// The entry that it names.
        first_kept: EntryId,
    },
    /// An old version was read as the present one.
    #[error(
        "the file is of version {version}; it is rewritten as version 3 when it is next written"
    )]
    OldVersion {
        /// The version.
        version: u32,
    },
    /// A file that should be a session is none.
    #[error("no session: {reason}")]
    NoSession {
        /// Why.
        reason: String,
    },
    /// A call without a result got one in the context.
    #[error(
        "call {call_index} of entry {message_entry} ({tool_call_id}) has no result; the context has one that says so"
    )]
    OrphanCall {
        /// The entry with the calls.
        message_entry: EntryId,
        /// Which of its calls, from 0.
        call_index: usize,
        /// The id of the call.
        tool_call_id: String,
    },
    /// A result without a call was left out of the context.
    #[error(
        "entry {entry} is the result of a call that is not there ({tool_call_id}); the context leaves it out"
    )]
    OrphanResult {
        /// The entry with the result.
        entry: EntryId,
        /// The call that it answers.
        tool_call_id: String,
    },
}

fn kept_text(kept: &Option<PathBuf>) -> String {
    match kept {
        Some(path) => format!("they were moved to {}", path.display()),
        None => "they are skipped".to_owned(),
    }
}
