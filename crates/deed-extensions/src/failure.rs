use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError, RwLock};

use deed_protocol::SourceInfo;

use crate::ExtensionError;

/// A handler or command that failed.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The extension.
    pub extension: Arc<SourceInfo>,
    /// The event it handled, or `command`.
    pub event: &'static str,
    /// What it said.
    pub error: String,
    /// How it failed.
    pub kind: FailureKind,
    /// The call that was blocked by it; only handlers of `tool_call` block.
    pub blocked_call_id: Option<Arc<str>>,
}

/// How a handler failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// It returned an error.
    Error,
    /// It panicked.
    Panic,
    /// It took more than its own time.
    TimedOut,
    /// It did not end after the run was cancelled, or the session closed, and was let go.
    LetGo,
}

/// Why one handler did not do its part.
#[derive(Debug)]
pub(crate) enum Fault {
    Error(ExtensionError),
    Panic(String),
    TimedOut(String),
    LetGo,
}

impl Fault {
    pub(crate) fn kind(&self) -> FailureKind {
        match self {
            Self::Error(_) => FailureKind::Error,
            Self::Panic(_) => FailureKind::Panic,
            Self::TimedOut(_) => FailureKind::TimedOut,
            Self::LetGo => FailureKind::LetGo,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Error(error) => error.fmt(f),
            Self::Panic(text) => write!(f, "it panicked: {text}"),
            Self::TimedOut(text) => f.write_str(text),
            Self::LetGo => f.write_str("it did not end after the cancellation and was let go"),
        }
    }
}

type Listener = Arc<dyn Fn(&Failure) + Send + Sync>;

/// Who wants to hear of failures.
#[derive(Default)]
pub(crate) struct FailureListeners(RwLock<Vec<(Hears, Listener)>>);

/// What a listener hears.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hears {
    /// What had no effect beyond itself.
    Isolated,
    /// Also what blocked a call.
    All,
}

impl FailureListeners {
    pub(crate) fn add(&self, hears: Hears, listener: Listener) {
        let mut listeners = self.0.write().unwrap_or_else(PoisonError::into_inner);
        listeners.push((hears, listener));
    }

    pub(crate) fn tell(&self, failure: &Failure) {
        let listeners = self
            .0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        for (hears, listener) in listeners {
            if hears == Hears::All || failure.blocked_call_id.is_none() {
                // Whoever listens must not make things worse.
                catch_unwind(AssertUnwindSafe(|| listener(failure))).ok();
            }
        }
    }
}
