//! Running a command and telling of its output: what `bash` and `powershell` share.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use deed_agent::{Access, EffectPlan, FrozenContext, ToolError};
use deed_env::ExecutionEnv;
use deed_env::process::{ExitReport, GRACE, ProcessSpec};
use deed_protocol::ToolResult;
use deed_schema::{Faults, ToolSchema};
use deed_tooling::ToolContext;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::ToolSettings;
use crate::failure::tool_error;
use capture::Capture;

mod capture;
mod card;
mod merge;
mod person;
mod report;
mod saved;

pub(crate) use card::{call_card, preview_card, result_card};
pub use person::{ElsewhereOutput, Listener, PersonShell, RanCommand};

/// The word in front of the parenthesis of a rule for commands, whatever the shell.
pub(crate) const POLICY_NAME: &str = "Bash";
/// Updates come no closer than this.
const UPDATE_INTERVAL: Duration = Duration::from_millis(100);

/// What a command tool takes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CommandParams {
    /// The command line to run
    pub(crate) command: String,
    /// Time limit in seconds, fractions allowed
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 2_147_483))]
    pub(crate) timeout: Option<f64>,
}

impl CommandParams {
    /// Refuses what the schema cannot.
    ///
    /// Errors: [`ToolError::InvalidArguments`] for a NUL character, which no program can be given.
    pub(crate) fn check(&self, tool_name: &str) -> Result<(), ToolError> {
        let Some(before) = self.command.split_once('\0').map(|(before, _)| before) else {
            return Ok(());
        };
        let at = before.chars().count() + 1;
        let reason = format!("contains a NUL character (character {at}); take it out");
        let faults = Faults::at("command", reason);
        Err(ToolError::InvalidArguments(format!(
            "Validation failed for tool \"{tool_name}\":\n{faults}"
        )))
    }

    /// Returns the schema, which tells the time limit that holds if a call gives none.
    pub(crate) fn schema(default: Duration) -> ToolSchema {
        let mut schema = ToolSchema::of::<Self>().as_value().clone();
        if let Some(timeout) = schema.pointer_mut("/properties/timeout/description") {
            let seconds = default.as_secs_f64();
            *timeout =
                format!("Time limit in seconds, fractions allowed; default {seconds}").into();
        }
        ToolSchema::new(schema).unwrap_or_else(|_| ToolSchema::of::<Self>())
    }

    /// Returns how long the command may take.
    pub(crate) fn time_limit(&self, settings: &ToolSettings) -> Duration {
        let given = self
            .timeout
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        given
            .unwrap_or(settings.command_timeout)
            .min(settings.max_command_timeout)
    }

    /// Says what running it would touch: all that the command does, in the working folder.
    pub(crate) async fn plan(&self, label: &str, env: &dyn ExecutionEnv) -> EffectPlan {
        let cwd = env.cwd();
        let access = Access::Command {
            command: self.command.clone(),
            cwd: cwd.to_owned(),
        };
        let real = env.resolve(cwd).await;
        let real = real.as_ref().map_or(cwd, |real| real.as_path());
        EffectPlan {
            preview: Some(preview_card(label, &self.command, cwd)),
            context: FrozenContext::default().with("cwd", real.display().to_string()),
            ..EffectPlan::new(access, POLICY_NAME, self.command.clone())
        }
    }
}

/// A command, ready to be run.
#[derive(Debug)]
pub(crate) struct CommandLine {
    /// Whose command it is; the saved output is named after it.
    pub(crate) tool_name: &'static str,
    /// The shell.
    pub(crate) program: PathBuf,
    /// What the shell is given.
    pub(crate) args: Vec<OsString>,
    /// How long it may take.
    pub(crate) time_limit: Duration,
}

/// Runs a command, showing the end of its output on the way, and tells what came of it.
///
/// Errors: if it could not be started, or was cancelled before. A command that failed, was stopped
/// or ran out of time is a failed result that keeps its output.
///
/// Cancellation: the command and all that it started are ended.
pub(crate) async fn run_command(
    env: Arc<dyn ExecutionEnv>,
    line: CommandLine,
    context: ToolContext,
) -> Result<ToolResult, ToolError> {
    let call = context.call;
    let spec = ProcessSpec {
        program: line.program,
        args: line.args,
        cwd: env.cwd().to_owned(),
        env: Vec::new(),
        timeout: Some(line.time_limit),
        stdin: Vec::new(),
        grace: GRACE,
    };
    let stem = format!("{}-{}", line.tool_name, call.call_id);
    let capture = Capture::new(env.clone(), stem, call.redactor.as_ref());
    call.updates.send(ToolResult::default());
    let mut running = std::pin::pin!(env.run(spec, capture.sink(), &call.cancel));
    let exit: ExitReport = loop {
        match tokio::time::timeout(UPDATE_INTERVAL, running.as_mut()).await {
            Ok(ended) => break ended.map_err(tool_error)?,
            Err(_) => {
                if let Some(news) = capture.news() {
                    call.updates.send(report::update(&news));
                }
            }
        }
    };
    let (output, has_news) = capture.finish();
    if has_news {
        call.updates.send(report::update(&output));
    }
    Ok(report::result(&exit, output, line.time_limit))
}
