use std::fmt::Display;

use deed_env::EnvError;
use deed_tooling::RegisterError;

/// Why something that an extension does failed.
#[derive(Debug, thiserror::Error)]
pub enum ExtensionError {
    /// The extension says so itself.
    #[error("{0}")]
    Failed(String),
    /// An action was called while extensions register.
    #[error(
        "`{action}` does not work while extensions register; call it from a handler, such as one of session_start"
    )]
    Registering {
        /// The action.
        action: &'static str,
    },
    /// The session has ended, or the extension was not loaded.
    #[error("`{action}` came too late: this extension is no longer part of a running session")]
    Stale {
        /// The action.
        action: &'static str,
    },
    /// A tool cannot be registered.
    #[error(transparent)]
    Tool(#[from] RegisterError),
    /// A command cannot be registered.
    #[error("the command `{name}` was not registered: its name is empty or has spaces")]
    CommandName {
        /// The name.
        name: String,
    },
    /// A default is of another kind than its flag.
    #[error("the flag `{name}` was not registered: its default is not {expected}")]
    FlagDefault {
        /// The flag.
        name: String,
        /// What the flag holds.
        expected: &'static str,
    },
    /// Another extension has the flag.
    #[error("the flag `{name}` was not registered: {holder} already has one of that name")]
    FlagTaken {
        /// The flag.
        name: String,
        /// Where the extension comes from that has it.
        holder: String,
    },
    /// A program could not be run.
    #[error(transparent)]
    Exec(#[from] EnvError),
}

impl ExtensionError {
    /// Makes the extension's own error of anything that can be printed.
    pub fn new(error: impl Display) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<String> for ExtensionError {
    fn from(text: String) -> Self {
        Self::Failed(text)
    }
}

impl From<&str> for ExtensionError {
    fn from(text: &str) -> Self {
        Self::Failed(text.to_owned())
    }
}
