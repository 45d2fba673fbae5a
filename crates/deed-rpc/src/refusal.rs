use std::path::PathBuf;

use deed_agent::AgentError;
use deed_harness::{BashError, CompactionError, ExpandError};
use deed_session::SessionError;
use deed_tooling::ImageFault;

use crate::HostError;

/// Why a command was not carried out; its text is the `error` of the answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    /// There is no such command.
    #[error("there is no command {name:?}{}", meant(.like))]
    Unknown {
        name: String,
        /// The command that is nearest, if one is near.
        like: Option<&'static str>,
    },
    /// A field is not there.
    #[error("`{field}` is missing; it must be {wanted}")]
    Missing {
        field: &'static str,
        wanted: &'static str,
    },
    /// A field is something else.
    #[error("`{field}` must be {wanted}, not {given}")]
    IllTyped {
        field: &'static str,
        wanted: &'static str,
        given: String,
    },
    /// A picture cannot be used.
    #[error("`images[{index}]` cannot be used: {fault}")]
    Picture { index: usize, fault: PictureFault },
    /// A run is under way, and the client does not say what to do about that.
    #[error(
        "a run is under way; send `streamingBehavior` \"steer\" or \"followUp\" to queue the prompt"
    )]
    Streaming,
    /// Something else than a run goes on.
    #[error("the session is busy with a compaction; wait for its end, or send `abort`")]
    Busy,
    /// The prompt was taken back before it began.
    #[error("the prompt was aborted before it began")]
    AbortedEarly,
    /// Another session took the place of the one that was meant.
    #[error("the session was closed meanwhile; send the command again")]
    Closed,
    /// Commands of extensions do not wait.
    #[error("`/{0}` is a command of an extension, which cannot be queued; send it with `prompt`")]
    NotQueued(String),
    /// No model has the name.
    #[error("no model {provider}/{model_id}; `get_available_models` lists those there are")]
    NoModel { provider: String, model_id: String },
    /// There is nothing to make a copy of.
    #[error("the session is empty; prompt first, then clone it")]
    NothingToClone,
    /// The session keeps no record.
    #[error("this session keeps no record")]
    NoRecord,
    /// No message of a person has the id.
    #[error("no message of the user has the id {0:?}; `get_fork_messages` lists those there are")]
    NoUserMessage(String),
    /// Nothing on record has the id.
    #[error("no entry of the session has the id {0:?}")]
    NoEntry(String),
    /// A name must be one.
    #[error("the name is empty")]
    EmptyName,
    /// There is no such file.
    #[error("there is no session file {}", .0.display())]
    NoSuchFile(PathBuf),
    /// Too much goes on.
    #[error("{0} commands are under way; wait for an answer")]
    TooMany(usize),
    /// The command failed inside.
    #[error("the command failed inside: {0}; this is a fault of deed, please report it")]
    Panicked(String),
    #[error(transparent)]
    Agent(#[from] AgentError),
    #[error(transparent)]
    Bash(#[from] BashError),
    #[error(transparent)]
    Compaction(#[from] CompactionError),
    #[error(transparent)]
    Encode(#[from] serde_json::Error),
    #[error(transparent)]
    Expand(#[from] ExpandError),
    #[error(transparent)]
    Host(#[from] HostError),
    #[error(transparent)]
    Session(#[from] SessionError),
}

/// What is wrong with a picture.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PictureFault {
    #[error("`data` is not base64")]
    NotBase64,
    #[error(transparent)]
    Image(#[from] ImageFault),
}

fn meant(like: &Option<&'static str>) -> String {
    like.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}
