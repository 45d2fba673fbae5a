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

use crate::ToolBasis;
use crate::basis::PREFER_STRICT;
use crate::command::{self, CommandLine, CommandParams, run_command};

pub(crate) const NAME: &str = "powershell";

/// The present name of the program, then that of the one that comes with Windows.
const PROGRAMS: [&str; 2] = ["pwsh", "powershell"];
const OPTIONS: [&str; 4] = ["-NoLogo", "-NoProfile", "-NonInteractive", "-Command"];
/// The old one writes in the code page of the console otherwise.
const BEFORE: &str = "$OutputEncoding = [Console]::OutputEncoding = \
                      [System.Text.UTF8Encoding]::new($false)\n";
/// Any failure has the code 1 otherwise.
const AFTER: &str = "\nif (-not $?) { if ($LASTEXITCODE -gt 0) { exit $LASTEXITCODE } exit 1 }";

pub(crate) fn make(basis: &ToolBasis) -> Arc<dyn ToolDefinition> {
    Arc::new(TypedDefinition::new(Powershell::new(basis)))
}

/// Runs commands in PowerShell, where it is installed.
struct Powershell {
    spec: ToolSpec,
    prompt: PromptText,
    basis: ToolBasis,
}

impl Powershell {
    fn new(basis: &ToolBasis) -> Self {
        let seconds = basis.settings.command_timeout.as_secs_f64();
        let description = format!(
            "Run a command in PowerShell, in the working folder, where pwsh or powershell is \
             installed. Returns what it writes, at most the last {DEFAULT_MAX_LINES} lines or {} \
             KB; if more was written, the result names a file that holds all of it, which read can \
             open. Each call starts a new shell without a profile and without input. After \
             {seconds} seconds the command is stopped, unless timeout sets another limit.",
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
        let prompt = PromptText::new(
            "Run PowerShell commands",
            [format!(
                "A powershell command is stopped after {seconds} seconds; give one that needs \
                 longer its own timeout"
            )],
        );
        Self {
            spec,
            prompt,
            basis: basis.clone(),
        }
    }

    async fn program(&self) -> Result<PathBuf, ToolError> {
        for name in PROGRAMS {
            if let Some(path) = self.basis.env.find_program(name).await {
                return Ok(path);
            }
        }
        Err(ToolError::failed(format!(
            "PowerShell is not installed here: neither {} is on the search path; install it, or use \
             the bash tool",
            PROGRAMS.join(" nor ")
        )))
    }
}

impl TypedTool<ToolContext> for Powershell {
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
        let script = format!("{BEFORE}{}{AFTER}", params.command);
        let line = CommandLine {
            tool_name: NAME,
            program: self.program().await?,
            time_limit: params.time_limit(&self.basis.settings),
            args: OPTIONS
                .iter()
                .copied()
                .chain([script.as_str()])
                .map(Into::into)
                .collect(),
        };
        run_command(self.basis.env.clone(), line, context).await
    }
}

impl Presentation for Powershell {
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
