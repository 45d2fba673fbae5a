use std::path::PathBuf;
use std::time::Duration;

use deed_agent::{Redactor, ToolError};
use thiserror::Error;

/// Why a statement did not run, or not to its end.
#[derive(Debug, Error)]
pub(crate) enum RunError {
    #[error("cancelled")]
    Cancelled,
    #[error(
        "the statement was stopped after {} s and changed nothing; ask for less (WHERE, LIMIT, an \
         index) or in parts", .0.as_secs_f64()
    )]
    TimedOut(Duration),
    #[error("{path}: there is no such file", path = .0.display())]
    Missing(PathBuf),
    #[error("{path}: this is {kind}, not a file", path = .path.display())]
    NotAFile { path: PathBuf, kind: &'static str },
    #[error("{path}: {reason}", path = .path.display())]
    Inaccessible { path: PathBuf, reason: String },
    #[error("{path} is another file than when the call was planned; ask again", path = .0.display())]
    Replaced(PathBuf),
    #[error("{path} is not a SQLite database", path = .0.display())]
    NotADatabase(PathBuf),
    #[error(
        "the database is locked by another program; nothing was changed. Try again when it is done"
    )]
    Locked,
    #[error(
        "a program that crashed left the database in the middle of a change; open it once with one \
         that may write"
    )]
    Unfinished,
    #[error(
        "a value or a row is longer than {max_bytes} bytes; ask for parts (substr), lengths or fewer columns"
    )]
    ValueTooLong { max_bytes: usize },
    #[error("the engine refused the statement: {0}")]
    Refused(String),
    #[error("{0}")]
    Engine(String),
    #[error("no connection to {place}: {reason}")]
    Unreachable { place: String, reason: String },
    #[error(
        "the role {role} may do more than read: {powers}. Give the database a role that holds only \
         SELECT (CREATE ROLE reader LOGIN PASSWORD '…'; GRANT pg_read_all_data TO reader, or GRANT \
         SELECT ON the tables TO reader){lift}"
    )]
    PrivilegedRole {
        role: String,
        powers: String,
        lift: &'static str,
    },
    #[error(
        "the statement ended the transaction it ran in, so that nothing confined it any more; the \
         connection was dropped"
    )]
    TransactionEnded,
    #[error(
        "outcome unknown: the change was sent, and the server did not confirm it ({0}). It was not \
         tried again; look whether it is there before you repeat it"
    )]
    OutcomeUnknown(String),
}

impl RunError {
    /// Becomes a failed call, without the secrets that the text may quote.
    pub(crate) fn into_tool_error(self, redactor: &dyn Redactor) -> ToolError {
        let text = redactor.redact_text(&self.to_string()).into_owned();
        match self {
            Self::Cancelled => ToolError::Cancelled,
            Self::TimedOut(_) => ToolError::TimedOut(text),
            Self::Refused(_) | Self::PrivilegedRole { .. } => ToolError::Refused(text),
            _ => ToolError::Failed(text),
        }
    }
}
