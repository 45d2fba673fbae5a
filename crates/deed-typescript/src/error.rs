use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// Why a script did not do what it was asked.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ScriptError {
    /// The file cannot be read.
    #[error("{path}: {cause}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: String,
    },
    /// The file may not be loaded.
    #[error("{path} is not loaded: {reason}")]
    NotAdmitted {
        /// The file.
        path: PathBuf,
        /// Why, and what to do.
        reason: String,
    },
    /// The file is not TypeScript or JavaScript.
    #[error("{path}:{line_1based}:{column_1based}: syntax error: {message}")]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The line.
        line_1based: usize,
        /// The column, in characters.
        column_1based: usize,
        /// What is wrong there.
        message: String,
    },
    /// The file exports nothing that could register an extension.
    #[error(
        "{path}: it has no default export that is a function; write `export default function (pi) {{ … }}`"
    )]
    NoFactory {
        /// The file.
        path: PathBuf,
    },
    /// The factory promises to finish and does not.
    #[error("{path}: the extension did not finish registering within {} s", limit.as_secs_f64())]
    FactoryTime {
        /// The file.
        path: PathBuf,
        /// How long it had.
        limit: Duration,
    },
    /// The script threw.
    #[error("{0}")]
    Thrown(Thrown),
    /// The script ran out of what it is given, or its engine is gone; nothing runs in it any more.
    #[error("{0}")]
    Dead(Death),
    /// The script answered something that means nothing.
    #[error("{what}: {why}")]
    Answer {
        /// What was asked.
        what: String,
        /// What is wrong with the answer.
        why: String,
    },
}

/// What a script threw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thrown {
    /// The class, such as `TypeError`; empty for what is no error.
    pub name: String,
    /// The text.
    pub message: String,
    /// Where it came from, innermost first, in the script's own files, as `function (file:line:column)`.
    pub stack: Vec<String>,
}

impl fmt::Display for Thrown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A plain `Error` says nothing that the message does not.
        match self.name.as_str() {
            "" | "Error" => f.write_str(&self.message),
            name => write!(f, "{name}: {}", self.message),
        }
    }
}

/// Why an engine ended before its time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Death {
    /// It did not give the thread back.
    #[error(
        "the extension kept its engine busy for more than {} s without a pause and was stopped",
        slice.as_secs_f64()
    )]
    Busy {
        /// How long it may.
        slice: Duration,
    },
    /// It needed too much.
    #[error("the extension needed more than {} MB of memory and was stopped", max_bytes / 1_000_000)]
    Memory {
        /// How much it may use.
        max_bytes: usize,
    },
    /// It was closed with the session.
    #[error("the extension is closed")]
    Closed,
    /// It failed to start.
    #[error("the engine of the extension cannot start: {0}")]
    Start(String),
}
