use std::sync::Arc;

use deed_protocol::SourceInfo;

/// What went wrong with an extension while the session went on.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}: {problem}", extension.path)]
pub struct Diagnostic {
    /// The extension.
    pub extension: Arc<SourceInfo>,
    /// What is wrong.
    pub problem: Problem,
}

/// What can be wrong with an extension.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// It could not be loaded, and nothing of it was registered.
    #[error("not loaded: {0}")]
    NotLoaded(String),
    /// One thing of it was not registered; the rest was.
    #[error("{0}")]
    NotRegistered(String),
    /// A value that was given for one of its flags does not fit.
    #[error("the flag `{name}` takes {expected}; what was given is ignored")]
    FlagValue {
        /// The flag.
        name: String,
        /// What it holds.
        expected: &'static str,
    },
}
