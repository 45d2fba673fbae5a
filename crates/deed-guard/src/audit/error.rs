use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Why the audit log cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// The folder or a file of it leads elsewhere.
    #[error(
        "{path} is a symlink, so the audit log could lead anywhere; name the real place instead"
    )]
    Symlink {
        /// Which.
        path: PathBuf,
    },
    /// The folder or a file of it is open to others.
    #[error("other users may write {path} (mode {mode:03o}); run `chmod go-w` on it")]
    WritableByOthers {
        /// Which.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// The folder or a file of it belongs to somebody else.
    #[error("{path} belongs to user {owner}; take it over with `chown`, or name another folder")]
    NotOurs {
        /// Which.
        path: PathBuf,
        /// The user id of its owner.
        owner: u32,
    },
    /// Something else stands where a folder or a plain file should be.
    #[error("{path} is no {expected}; move it away, or name another folder")]
    WrongKind {
        /// Which.
        path: PathBuf,
        /// What it should be.
        expected: &'static str,
    },
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
    /// Another process holds the lock for too long.
    #[error(
        "another process holds {path} for over {seconds} s; see whether a stopped deed is in the way"
    )]
    Busy {
        /// The locked file.
        path: PathBuf,
        /// How long it was waited for.
        seconds: u64,
    },
    /// An append failed; nothing is recorded any more, so nothing may run.
    #[error(
        "the audit log in {folder} is broken, nothing runs without it: {cause}; \
         make room or repair the folder, then start again"
    )]
    Broken {
        /// The folder of the log.
        folder: PathBuf,
        /// What went wrong first.
        cause: Arc<str>,
    },
    /// The log was closed.
    #[error("the audit log in {folder} is closed; open it again to record more")]
    Closed {
        /// The folder of the log.
        folder: PathBuf,
    },
}

impl AuditError {
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |cause| Self::Io {
            action,
            path,
            cause,
        }
    }
}
