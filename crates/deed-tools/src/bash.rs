use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use deed_agent::{EffectPlan, ToolError, ToolSpec, TypedTool};
use deed_protocol::{SourceInfo, ToolCard, ToolResult};
use deed_schema::ValidatedArgs;
use deed_tooling::{
    DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES, Presentation, PromptText, ResultView, ToolContext,
    ToolDefinition, TypedDefinition,
};
use serde_json::Value;
use tokio::sync::OnceCell;

use crate::ToolBasis;
use crate::basis::PREFER_STRICT;
use crate::command::{self, CommandLine, CommandParams, run_command};

pub(crate) const NAME: &str = "bash";

/// Where the shell is looked for, in this order.
const SHELLS: [&str; 3] = ["/bin/bash", "bash", "sh"];

pub(crate) fn make(basis: &ToolBasis) -> Arc<dyn ToolDefinition> {
    Arc::new(TypedDefinition::new(Bash::new(basis)))
}

/// Runs commands in a shell.
struct Bash {
    spec: ToolSpec,
    prompt: PromptText,
    basis: ToolBasis,
    shell: ShellPath,
}

impl Bash {
    fn new(basis: &ToolBasis) -> Self {
        let seconds = basis.settings.command_timeout.as_secs_f64();
        let description = format!(
            "Run a command in bash, in the working folder. Returns what it writes to stdout and \
             stderr (each in its order, the two joined about as they came), at most the last \
             {DEFAULT_MAX_LINES} lines or {} KB; if more was written, the result names a file that \
             holds all of it, which read can open. Each call starts a new shell without a terminal \
             and without input. After {seconds} seconds the command is stopped, unless timeout \
             sets another limit. A process started with & goes on running after the call.",
            DEFAULT_MAX_BYTES / 1024
        );
        let mut spec = ToolSpec::new(
            NAME,
            &description,
            CommandParams::schema(basis.settings.command_timeout),
        );
        spec.source = Arc::new(SourceInfo::builtin(NAME));
        spec.constrained_sampling = PREFER_STRICT;
        spec.policy_name = crate::command::POLICY_NAME.into();
        Self {
            spec,
            prompt: PromptText::new(
                "Run shell commands: search, list, build, test, use git",
                [format!(
                    "A bash command is stopped after {seconds} seconds; give one that needs longer \
                     its own timeout, and start servers in the background"
                )],
            ),
            basis: basis.clone(),
            shell: ShellPath::default(),
        }
    }
}

/// The shell, found once.
#[derive(Debug, Default)]
pub(crate) struct ShellPath(OnceCell<PathBuf>);

impl ShellPath {
    pub(crate) async fn find(&self, basis: &ToolBasis) -> Result<PathBuf, ToolError> {
        if let Some(path) = &basis.settings.shell_path {
            return Ok(path.into());
        }
        let found = self.0.get_or_try_init(|| look_for_shell(basis)).await;
        found.cloned()
    }
}

async fn look_for_shell(basis: &ToolBasis) -> Result<PathBuf, ToolError> {
    for name in SHELLS {
        if let Some(path) = basis.env.find_program(name).await {
            return Ok(path);
        }
    }
    Err(ToolError::failed(
        "no shell found; install bash or name a shell in the setting shellPath",
    ))
}

/// Returns what the shell is given to run a command.
pub(crate) fn shell_args(basis: &ToolBasis, command: &str) -> Vec<OsString> {
    let script = match &basis.settings.shell_command_prefix {
        Some(prefix) => format!("{prefix}\n{command}"),
        None => command.to_owned(),
    };
    vec!["-c".into(), script.into()]
}

impl TypedTool<ToolContext> for Bash {
    type Params = CommandParams;

    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn plan(
        &self,
        params: CommandParams,
        _: &ValidatedArgs,
    ) -> Result<EffectPlan, ToolError> {
        params.check(NAME)?;
        Ok(params.plan(NAME, self.basis.env.as_ref()).await)
    }

    async fn run(
        self: Arc<Self>,
        params: CommandParams,
        context: ToolContext,
    ) -> Result<ToolResult, ToolError> {
        params.check(NAME)?;
        let line = CommandLine {
            tool_name: NAME,
            program: self.shell.find(&self.basis).await?,
            time_limit: params.time_limit(&self.basis.settings),
            args: shell_args(&self.basis, &params.command),
        };
        run_command(self.basis.env.clone(), line, context).await
    }
}

impl Presentation for Bash {
    fn prompt(&self) -> &PromptText {
        &self.prompt
    }

    fn render_call(&self, args: &Value) -> ToolCard {
        command::call_card(NAME, args)
    }

    fn render_result(&self, args: &Value, result: &ToolResult, view: ResultView) -> ToolCard {
        command::result_card(NAME, args, result, view)
    }
}
