//! Which tool runs for a script, and where.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use deed_agent::{Access, AuthorizedCall, BoxFuture, EffectPlan, ToolError, ToolSpec};
use deed_env::ExecutionEnv;
use deed_protocol::ToolResult;
use deed_schema::{RawArgs, ValidatedArgs};
use deed_tooling::{ToolContext, ToolDefinition};
use deed_tools::{BUILTINS, ToolBasis, ToolSettings};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::callbacks::CallbackEnv;
use super::elsewhere::Elsewhere;
use super::hook::SPAWN_HOOK;
use super::run::Run;
use super::{OpContext, OpError, tool_of};

/// What a script says of a tool that is to run.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Start {
    pub(super) run: Value,
    tool: String,
    cwd: Option<String>,
    pub(super) call_id: Option<String>,
    pub(super) args: Map<String, Value>,
    #[serde(default)]
    options: Options,
    /// The names of its functions.
    #[serde(default)]
    operations: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Options {
    command_prefix: Option<String>,
    shell_path: Option<String>,
    auto_resize_images: Option<bool>,
}

impl Options {
    /// Returns the settings with what the script says of them; `None` if it says nothing.
    fn over(&self, settings: &ToolSettings) -> Option<ToolSettings> {
        let says_nothing = self.command_prefix.is_none()
            && self.shell_path.is_none()
            && self.auto_resize_images.is_none();
        (!says_nothing).then(|| ToolSettings {
            shell_command_prefix: (self.command_prefix.clone())
                .or_else(|| settings.shell_command_prefix.clone()),
            shell_path: (self.shell_path.clone()).or_else(|| settings.shell_path.clone()),
            images_auto_resize: (self.auto_resize_images).unwrap_or(settings.images_auto_resize),
            ..settings.clone()
        })
    }
}

impl Start {
    /// Tells whether the only function is the one that changes commands.
    pub(super) fn is_only_hooked(&self) -> bool {
        self.operations.iter().any(|name| name == SPAWN_HOOK) && !self.has_environment()
    }

    fn has_environment(&self) -> bool {
        self.operations.iter().any(|name| name != SPAWN_HOOK)
    }

    /// Makes the tool.
    ///
    /// Errors: the host has none of that name.
    pub(super) fn tool(
        &self,
        context: &OpContext,
        run: &Arc<Run>,
    ) -> Result<Arc<dyn ToolDefinition>, OpError> {
        let registered = tool_of(context, &self.tool)?;
        let local = context.api()?.environment().map_err(OpError::failed)?;
        let usual = context.bridge.options.tools.clone();
        let settings = self.options.over(&usual).map_or(usual, Arc::new);
        let cwd = match &self.cwd {
            Some(cwd) => context.path(cwd),
            None => context.cwd().to_owned(),
        };
        if self.has_environment() {
            let methods = self.operations.clone();
            let mut env = CallbackEnv::new(run.clone(), context.bridge.clone(), local, methods);
            env.cwd = cwd;
            if let Some(limit) = self.args.get("limit").and_then(Value::as_u64) {
                env.limit = limit;
            }
            let env: Arc<dyn ExecutionEnv> = Arc::new(env);
            let made = made(&self.tool, ToolBasis { env, settings })?;
            return Ok(Arc::new(Unplanned(made)));
        }
        let is_usual = Arc::ptr_eq(&settings, &context.bridge.options.tools);
        if is_usual && is_same(&cwd, local.cwd()) {
            return Ok(registered.definition().clone());
        }
        let env: Arc<dyn ExecutionEnv> = Arc::new(Elsewhere { cwd, env: local });
        made(&self.tool, ToolBasis { env, settings })
    }
}

fn is_same(one: &Path, other: &Path) -> bool {
    let plain = |path: &Path| path.components().collect::<PathBuf>();
    plain(one) == plain(other)
}

fn made(name: &str, basis: ToolBasis) -> Result<Arc<dyn ToolDefinition>, OpError> {
    let builtin = BUILTINS.iter().find(|builtin| builtin.name == name);
    let builtin = builtin.ok_or_else(|| OpError::unsupported(&format!("the tool {name}")))?;
    Ok((builtin.make)(&basis))
}

/// A tool on functions of a script: what it touches, they touch, and that is decided on there.
struct Unplanned(Arc<dyn ToolDefinition>);

impl ToolDefinition for Unplanned {
    fn spec(&self) -> &ToolSpec {
        self.0.spec()
    }

    fn prepare_arguments<'a>(&'a self, raw: RawArgs) -> BoxFuture<'a, Result<RawArgs, ToolError>> {
        self.0.prepare_arguments(raw)
    }

    fn plan<'a>(&'a self, _: &'a ValidatedArgs) -> BoxFuture<'a, Result<EffectPlan, ToolError>> {
        let plan = EffectPlan::new(Access::None, &self.spec().policy_name, "");
        Box::pin(async { Ok(plan) })
    }

    fn execute(
        self: Arc<Self>,
        call: AuthorizedCall,
        context: ToolContext,
    ) -> BoxFuture<'static, Result<ToolResult, ToolError>> {
        self.0.clone().execute(call, context)
    }
}
