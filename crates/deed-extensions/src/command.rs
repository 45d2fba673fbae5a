use std::fmt;
use std::sync::Arc;

use deed_agent::BoxFuture;
use deed_protocol::SourceInfo;

use crate::{ExtensionContext, ExtensionError};

pub(crate) type CommandHandler = Arc<
    dyn for<'a> Fn(&'a str, &'a ExtensionContext) -> BoxFuture<'a, Result<(), ExtensionError>>
        + Send
        + Sync,
>;

/// A command of one extension.
#[derive(Clone)]
pub(crate) struct Command {
    pub(crate) name: Arc<str>,
    pub(crate) description: Arc<str>,
    pub(crate) handler: CommandHandler,
}

/// What may be known of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandInfo {
    /// What it is called by; where several have one name, with `:1`, `:2` and so on behind it, in
    /// load order.
    pub invocation: String,
    /// The name it was registered under.
    pub name: Arc<str>,
    /// What it does, for people.
    pub description: Arc<str>,
    /// Where it comes from.
    pub source: Arc<SourceInfo>,
}

/// Why a command did not do its part.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// There is none of that name.
    #[error("there is no command `{name}`{}", hint(.like))]
    Unknown {
        /// The name.
        name: String,
        /// Those that begin alike, such as `deploy:1`.
        like: Vec<String>,
    },
    /// It failed.
    #[error("the command `{name}` failed: {error}")]
    Failed {
        /// The name.
        name: String,
        /// What it said.
        error: String,
    },
}

fn hint(like: &[String]) -> impl fmt::Display {
    if like.is_empty() {
        String::new()
    } else {
        format!("; there are {}", like.join(", "))
    }
}
