//! A command that a person or a client program runs beside the tools.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use deed_agent::{Redactor, ToolError};
use deed_env::process::{Ending, GRACE, ProcessSpec};
use deed_tooling::decode_for_model;
use tokio_util::sync::CancellationToken;

use super::capture::Capture;
use super::{CommandParams, report};
use crate::ToolBasis;
use crate::bash::{self, ShellPath};
use crate::failure::tool_error;

/// Runs commands of people as `bash` runs those of models: in the same shell, with the same bounds,
/// the whole output saved where `read` finds it, known secrets taken out.
///
/// Nobody is asked here, and no policy decides: that is for who holds it. The longest time that the
/// settings allow is its only time limit.
pub struct PersonShell {
    basis: ToolBasis,
    redactor: Arc<dyn Redactor>,
    shell: ShellPath,
}

/// What became of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RanCommand {
    /// The end of what it printed, and what else there is to say of its end.
    pub output: String,
    /// How it ended; `None` if it did not end by itself. A signal is 128 and its number.
    pub exit_code: Option<i32>,
    /// Whether it was cancelled.
    pub is_cancelled: bool,
    /// Whether `output` is not all that it printed.
    pub is_truncated: bool,
    /// The file with all that it printed, if `output` does not have it.
    pub full_output_path: Option<PathBuf>,
}

/// Hears what a command prints, as text, on the thread that reads it.
///
/// While it waits the command waits, and so does its time limit.
pub type Listener = Box<dyn FnMut(String) + Send>;

impl PersonShell {
    /// Makes a shell; it is looked for when the first command runs.
    pub fn new(basis: ToolBasis, redactor: Arc<dyn Redactor>) -> Self {
        Self {
            basis,
            redactor,
            shell: ShellPath::default(),
        }
    }

    /// Runs a command; the file that takes long output begins with `stem`.
    ///
    /// Errors: it cannot be started, or has a character that no program can be given.
    ///
    /// Cancellation: the command and all that it started are ended.
    pub async fn run(
        &self,
        command: &str,
        stem: &str,
        mut listener: Listener,
        cancel: &CancellationToken,
    ) -> Result<RanCommand, ToolError> {
        let params = CommandParams {
            command: command.to_owned(),
            timeout: None,
        };
        params.check(bash::NAME)?;
        let env = &self.basis.env;
        let time_limit = self.basis.settings.max_command_timeout;
        let spec = ProcessSpec {
            program: self.shell.find(&self.basis).await?,
            args: bash::shell_args(&self.basis, command),
            cwd: env.cwd().to_owned(),
            env: Vec::new(),
            timeout: Some(time_limit),
            stdin: Vec::new(),
            grace: GRACE,
        };
        let capture = Capture::new(env.clone(), stem.to_owned(), self.redactor.as_ref());
        // Forgotten by `finish` and with the capture, so that who listens hears of the end.
        capture.tells(Box::new(move |bytes| {
            let text = decode_for_model(bytes);
            if !text.is_empty() {
                listener(text);
            }
        }));
        let exit = env.run(spec, capture.sink(), cancel).await;
        let exit = exit.map_err(tool_error)?;
        let (output, _) = capture.finish();
        let remarks = report::remarks(&exit, &output, time_limit);
        Ok(RanCommand {
            is_cancelled: exit.ending == Ending::Cancelled,
            is_truncated: output.tail.truncation.truncated,
            exit_code: exit_code(&exit.ending),
            full_output_path: output.saved.path,
            output: report::text(output.tail.text, &remarks),
        })
    }
}

fn exit_code(ending: &Ending) -> Option<i32> {
    match ending {
        Ending::Exited(code) => Some(*code),
        Ending::Signalled(signal) => Some(report::SIGNAL_CODE_BASE + signal),
        Ending::TimedOut { .. } | Ending::Cancelled => None,
    }
}

impl fmt::Debug for PersonShell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PersonShell")
            .field("basis", &self.basis)
            .finish_non_exhaustive()
    }
}
