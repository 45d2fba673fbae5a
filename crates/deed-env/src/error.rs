use std::io;
use std::path::PathBuf;

/// Why an operation of the environment failed.
///
/// Errors: messages name the thing and are fit for a model to read.
#[derive(Debug, thiserror::Error)]
pub enum EnvError {
    /// The operating system refused.
    #[error("{operation} {}: {source}", path.display())]
    Io {
        /// What was tried, such as `read` or `rename`.
        operation: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The thing is not a regular file, and opening it could block or have effects.
    #[error("{} is a {kind}, not a regular file", path.display())]
    NotRegular {
        /// The path.
        path: PathBuf,
        /// `directory`, `FIFO`, `socket`, `character device` or `block device`.
        kind: &'static str,
    },
    /// The thing is too large for the operation.
    #[error("{} has {actual_bytes} bytes; the limit is {max_bytes}", path.display())]
    TooLarge {
        /// The path.
        path: PathBuf,
        /// Its size.
        actual_bytes: u64,
        /// The limit.
        max_bytes: u64,
    },
    /// Somebody else changed the file since this session last saw it.
    #[error("{} changed since it was last read in this session", path.display())]
    Stale {
        /// The path.
        path: PathBuf,
    },
    /// A pattern could not be understood.
    #[error("{message}")]
    Pattern {
        /// What is wrong and where, with a position.
        message: String,
    },
    /// A program could not be started.
    #[error("cannot start {program}: {source}")]
    Spawn {
        /// The program.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// The working folder of a command is missing or no folder.
    #[error("working folder {} {problem}", path.display())]
    WorkingFolder {
        /// The folder.
        path: PathBuf,
        /// What is wrong with it, such as `does not exist`.
        problem: String,
    },
    /// The environment cannot do this at all.
    #[error("this environment cannot {0}")]
    Unsupported(&'static str),
    /// The call was cancelled.
    #[error("Operation aborted")]
    Cancelled,
}

impl EnvError {
    /// Wraps an error of the operating system.
    pub fn io(operation: &'static str, path: impl Into<PathBuf>, source: io::Error) -> Self {
        Self::Io {
            operation,
            path: path.into(),
            source,
        }
    }
}
