use thiserror::Error;

/// Why a call failed, by what the model can do next; always becomes an error result.
#[derive(Debug, Error)]
pub enum ToolError {
    /// The arguments are wrong; the text says which and how.
    #[error("{0}")]
    InvalidArguments(String),
    /// Not allowed.
    #[error("{0}")]
    Refused(String),
    /// It was tried and did not work.
    #[error("{0}")]
    Failed(String),
    /// It took too long.
    #[error("{0}")]
    TimedOut(String),
    /// It was cancelled.
    #[error("Operation aborted")]
    Cancelled,
}

impl ToolError {
    /// Makes a failure of anything that can say what went wrong.
    pub fn failed(cause: impl std::fmt::Display) -> Self {
        Self::Failed(cause.to_string())
    }
}

/// Why a run could not begin or go on; not the fault of any call.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum AgentError {
    /// A run is under way.
    #[error("the agent is already running; steer it or wait until it is idle")]
    AlreadyRunning,
    /// There is nothing to answer.
    #[error("there is no message to answer; prompt the agent first")]
    NothingToContinue,
}
