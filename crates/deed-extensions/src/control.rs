use std::path::PathBuf;

use deed_agent::BoxFuture;

use crate::ForkPosition;

/// What the program round a session does for its extensions: other sessions, and its own end.
pub trait SessionControl: Send + Sync + 'static {
    /// Puts another session in the place of this one, when the command that asks has ended; tells
    /// whether all extensions agree.
    ///
    /// Errors: it cannot be; the session goes on.
    fn replace<'a>(&'a self, by: Replacement) -> BoxFuture<'a, Result<bool, ControlError>>;

    /// Ends the program when what goes on has come to its end.
    ///
    /// Errors: it cannot be.
    fn shutdown(&self) -> Result<(), ControlError>;
}

/// What takes the place of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replacement {
    /// A new one, which came from the session of another file if one is named.
    New {
        /// The file.
        parent: Option<PathBuf>,
    },
    /// A part of this one, as a session of its own.
    Fork {
        /// Where it is cut.
        entry_id: String,
        /// On which side of the entry.
        position: ForkPosition,
    },
    /// The one in a file.
    File(PathBuf),
    /// The same, with extensions, settings and resources read anew.
    Reload,
}

impl Replacement {
    /// Returns what scripts call it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::New { .. } => "ctx.newSession",
            Self::Fork { .. } => "ctx.fork",
            Self::File(_) => "ctx.switchSession",
            Self::Reload => "ctx.reload",
        }
    }
}

/// Why the program does not do what an extension asks of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ControlError {
    /// This mode of the program cannot.
    #[error("{what} does not work here; it does in {modes}")]
    Mode {
        /// What was asked for.
        what: &'static str,
        /// Where it works.
        modes: &'static str,
    },
    /// It was tried, and failed.
    #[error("{0}")]
    Failed(String),
}

/// The control of a program that leads one session and ends with it: nothing takes its place.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoControl;

impl SessionControl for NoControl {
    fn replace<'a>(&'a self, by: Replacement) -> BoxFuture<'a, Result<bool, ControlError>> {
        let what = by.name();
        Box::pin(async move {
            let modes = "--mode rpc";
            Err(ControlError::Mode { what, modes })
        })
    }

    fn shutdown(&self) -> Result<(), ControlError> {
        Err(ControlError::Mode {
            what: "ctx.shutdown",
            modes: "--print and --mode rpc",
        })
    }
}

/// The control of a program that leads one session, and ends when it is told to.
pub struct OneSession {
    end: Box<dyn Fn() + Send + Sync>,
}

impl OneSession {
    /// Calls `end` when an extension wants the program to end; it is to let what goes on come to its
    /// end, and must not block.
    pub fn ending_by(end: impl Fn() + Send + Sync + 'static) -> Self {
        Self { end: Box::new(end) }
    }
}

impl std::fmt::Debug for OneSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("OneSession")
    }
}

impl SessionControl for OneSession {
    fn replace<'a>(&'a self, by: Replacement) -> BoxFuture<'a, Result<bool, ControlError>> {
        NoControl.replace(by)
    }

    fn shutdown(&self) -> Result<(), ControlError> {
        (self.end)();
        Ok(())
    }
}

/// Where a session went within its own tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Navigated {
    /// The text of the person's message that was gone back to, to be sent anew.
    pub editor_text: Option<String>,
}
