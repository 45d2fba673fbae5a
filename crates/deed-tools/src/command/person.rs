//! A command that a person or a client program runs beside the tools.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use deed_agent::{Redactor, ToolError};
use deed_env::process::{Ending, ExitReport, GRACE, OutputStream, ProcessSpec};
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

/// Takes what a command prints that runs elsewhere, as bytes.
pub type ElsewhereOutput = Box<dyn FnMut(&[u8]) + Send>;

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
        listener: Listener,
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
        let capture = self.capture(stem, listener);
        let exit = env.run(spec, capture.sink(), cancel).await;
        Ok(self.ran(capture, &exit.map_err(tool_error)?))
    }

    /// Lets somebody else run a command, within the same bounds of time and output.
    ///
    /// `run` returns how it ended, `None` if it did not end by itself.
    ///
    /// Errors: those of `run`.
    ///
    /// Cancellation: `run` hears of it, and is let go two seconds later.
    pub async fn run_elsewhere<F>(
        &self,
        stem: &str,
        listener: Listener,
        run: impl FnOnce(ElsewhereOutput) -> F,
        cancel: &CancellationToken,
    ) -> Result<RanCommand, ToolError>
    where
        F: Future<Output = Result<Option<i32>, String>>,
    {
        let begun = tokio::time::Instant::now();
        let capture = self.capture(stem, listener);
        let mut sink = capture.sink();
        let running = run(Box::new(move |bytes| {
            sink.chunk(OutputStream::Stdout, bytes);
        }));
        let let_go = async {
            cancel.cancelled().await;
            tokio::time::sleep(GRACE).await;
        };
        let ending = tokio::select! {
            biased;
            ended = running => match ended {
                _ if cancel.is_cancelled() => Ending::Cancelled,
                Ok(Some(code)) => Ending::Exited(code),
                Ok(None) => Ending::Cancelled,
                Err(why) => return Err(ToolError::Failed(why)),
            },
            () = let_go => Ending::Cancelled,
            () = tokio::time::sleep(self.basis.settings.max_command_timeout) => {
                Ending::TimedOut { exited_before: None }
            }
        };
        let exit = ExitReport {
            ending,
            elapsed: begun.elapsed(),
            left_running: Vec::new(),
        };
        Ok(self.ran(capture, &exit))
    }

    fn capture(&self, stem: &str, mut listener: Listener) -> Capture {
        let env = self.basis.env.clone();
        let capture = Capture::new(env, stem.to_owned(), self.redactor.as_ref());
        // Forgotten by `finish` and with the capture, so that who listens hears of the end.
        capture.tells(Box::new(move |bytes| {
            let text = decode_for_model(bytes);
            if !text.is_empty() {
                listener(text);
            }
        }));
        capture
    }

    fn ran(&self, capture: Capture, exit: &ExitReport) -> RanCommand {
        let (output, _) = capture.finish();
        let time_limit: Duration = self.basis.settings.max_command_timeout;
        let remarks = report::remarks(exit, &output, time_limit);
        RanCommand {
            is_cancelled: exit.ending == Ending::Cancelled,
            is_truncated: output.tail.truncation.truncated,
            exit_code: exit_code(&exit.ending),
            full_output_path: output.saved.path,
            output: report::text(output.tail.text, &remarks),
        }
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
