use std::sync::Arc;
use std::time::Duration;

use super::{AuthError, KeyOrigin};

/// Why there is no key.
///
/// No message holds a key, a command or what a command printed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum KeyError {
    /// Nothing says what it is.
    #[error(
        "there is no key for {provider}; run `deed auth set {provider}`{}",
        or_set(variables)
    )]
    NotSet {
        /// Whose key.
        provider: String,
        /// Variables that would be looked at.
        variables: Vec<String>,
    },
    /// The variable that should hold it is not set.
    #[error(
        "the key of {provider} should be in the variable {variable}, according to {origin}, and it is \
         not set; set it, or name another place"
    )]
    VariableNotSet {
        /// Whose key.
        provider: String,
        /// The variable.
        variable: String,
        /// Who names it.
        origin: KeyOrigin,
    },
    /// What was found cannot be a key.
    #[error(
        "the key of {provider}, according to {origin}, is empty or holds a blank or a letter that no \
         key has; set it anew"
    )]
    NoKey {
        /// Whose key.
        provider: String,
        /// Who gives it.
        origin: KeyOrigin,
    },
    /// The file of keys cannot be used.
    #[error(transparent)]
    AuthFile(Arc<AuthError>),
    /// The command did not give it.
    #[error(
        "the command for the key of {provider}, according to {origin}, {fault}; run it by hand to \
         see why"
    )]
    Command {
        /// Whose key.
        provider: String,
        /// Who names the command.
        origin: KeyOrigin,
        /// How it failed.
        fault: CommandFault,
    },
}

/// How a command that should print a key failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandFault {
    /// There is nothing to run it with.
    #[error("cannot be run here")]
    NoRunner,
    /// It could not be started.
    #[error("could not be started ({0})")]
    NotStarted(String),
    /// It took too long.
    #[error("gave nothing within {} seconds", .0.as_secs())]
    TimedOut(Duration),
    /// It ended with an exit code that says so.
    #[error("ended with exit code {0}")]
    Failed(i32),
    /// It was ended by a signal.
    #[error("was ended by signal {0}")]
    Signalled(i32),
    /// It printed more than a key.
    #[error("printed more than a key")]
    TooMuch,
}

fn or_set(variables: &[String]) -> String {
    match variables {
        [] => String::new(),
        names => format!(", or set {}", names.join(" or ")),
    }
}
