use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use deed_agent::BoxFuture;
use tokio_util::sync::CancellationToken;

use super::ExtensionEvent;

/// A person or a client program runs a command beside the model.
///
/// No rule denies it. The first handler that answers has it; one that fails ends the command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserBashEvent {
    /// The command line.
    pub command: String,
    /// Whether models never see it.
    pub exclude_from_context: bool,
    /// The folder it runs in.
    pub cwd: Arc<Path>,
}

/// What becomes of a command.
#[derive(Clone, Debug, Default)]
pub enum UserBashReply {
    /// It goes on: the next handler is asked, in the end the shell runs it.
    #[default]
    Continue,
    /// It has run; this came of it.
    Result(UserBashResult),
    /// It runs through this.
    Operations(Arc<dyn BashOperations>),
}

/// What came of a command that an extension ran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserBashResult {
    /// What it printed.
    pub output: String,
    /// How it ended; `None` if it did not end by itself.
    pub exit_code: Option<i32>,
    /// Whether it was cancelled.
    pub cancelled: bool,
    /// Whether `output` is not all that it printed.
    pub truncated: bool,
    /// The file with all that it printed.
    pub full_output_path: Option<PathBuf>,
}

/// Runs commands somewhere.
pub trait BashOperations: Send + Sync + 'static {
    /// Runs a command and hands its output on as it comes; returns how it ended, `None` if it did not
    /// end by itself.
    ///
    /// Errors: it could not be run; the text says why.
    ///
    /// Cancellation: by the token; whoever waits may also let go of it.
    fn exec<'a>(
        &'a self,
        command: &'a str,
        cwd: &'a Path,
        output: CommandOutput,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Option<i32>, String>>;
}

impl fmt::Debug for dyn BashOperations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BashOperations")
    }
}

/// Takes what a command prints, as bytes.
pub type CommandOutput = Box<dyn FnMut(&[u8]) + Send>;

impl ExtensionEvent for UserBashEvent {
    const NAME: &'static str = "user_bash";
    type Reply = UserBashReply;
}
