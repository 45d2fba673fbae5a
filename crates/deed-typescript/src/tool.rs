//! A tool of a script.

use std::sync::Arc;

use deed_agent::{AuthorizedCall, BoxFuture, ExecutionMode, Replay, ToolError, ToolSpec};
use deed_protocol::ToolResult;
use deed_schema::{RawArgs, ToolSchema};
use deed_tooling::{PromptText, RenderShell, ToolContext, ToolDefinition};
use serde::Deserialize;
use serde_json::Value;

use crate::ops::Scope;
use crate::running::Running;
use crate::{Death, ScriptError};

/// What a script says of a tool when it registers it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Registration {
    pub(crate) name: String,
    label: Option<String>,
    #[serde(default)]
    description: String,
    parameters: Option<Value>,
    prompt_snippet: Option<String>,
    #[serde(default)]
    prompt_guidelines: Vec<String>,
    execution_mode: Option<String>,
    replay: Option<String>,
    render_shell: Option<String>,
    #[serde(default)]
    has_prepare_arguments: bool,
    #[serde(default)]
    has_render_call: bool,
    #[serde(default)]
    has_render_result: bool,
}

impl Registration {
    /// Tells whether the script draws its calls or results.
    pub(crate) fn draws(&self) -> bool {
        self.has_render_call || self.has_render_result
    }
}

/// A tool that a script registered.
pub(crate) struct ScriptTool {
    spec: ToolSpec,
    prompt: PromptText,
    shell: RenderShell,
    has_prepare_arguments: bool,
    running: Arc<Running>,
}

impl ScriptTool {
    /// Makes a tool of what a script says of it.
    ///
    /// Errors: it has no schema, or one that is none; the text names the tool.
    pub(crate) fn new(registration: Registration, running: Arc<Running>) -> Result<Self, String> {
        let name = &registration.name;
        let Some(parameters) = registration.parameters else {
            return Err(format!(
                "the tool `{name}` has no parameters; give it a schema such as Type.Object({{}})"
            ));
        };
        let schema = ToolSchema::new(parameters).map_err(|error| {
            format!("the parameters of the tool `{name}` are no schema: {error}")
        })?;
        let mut spec = ToolSpec::new(name, &registration.description, schema);
        if let Some(label) = &registration.label {
            spec.label = label.as_str().into();
        }
        spec.execution_mode = match registration.execution_mode.as_deref() {
            Some("sequential") => Some(ExecutionMode::Sequential),
            Some("parallel") => Some(ExecutionMode::Parallel),
            _ => None,
        };
        if registration.replay.as_deref() == Some("safe") {
            spec.replay = Replay::Safe;
        }
        if let Some(api) = running.bridge.api.get() {
            spec.source = api.source().clone();
        }
        Ok(Self {
            spec,
            prompt: PromptText::new(
                registration.prompt_snippet.as_deref().unwrap_or_default(),
                &registration.prompt_guidelines,
            ),
            shell: match registration.render_shell.as_deref() {
                Some("self" | "bare" | "none") => RenderShell::Bare,
                _ => RenderShell::Framed,
            },
            has_prepare_arguments: registration.has_prepare_arguments,
            running,
        })
    }
}

impl ToolDefinition for ScriptTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn prompt(&self) -> &PromptText {
        &self.prompt
    }

    fn render_shell(&self) -> RenderShell {
        self.shell
    }

    fn prepare_arguments<'a>(&'a self, raw: RawArgs) -> BoxFuture<'a, Result<RawArgs, ToolError>> {
        Box::pin(async move {
            if !self.has_prepare_arguments {
                return Ok(raw);
            }
            let args = vec![self.spec.name.to_string(), raw.get().to_owned()];
            let prepared = self.running.call("prepareArguments", args).await;
            let prepared = prepared.map_err(ToolError::failed)?;
            match prepared.filter(|text| !text.is_empty()) {
                Some(text) => RawArgs::from_text(&text).map_err(ToolError::failed),
                None => Ok(raw),
            }
        })
    }

    fn execute(
        self: Arc<Self>,
        call: AuthorizedCall,
        context: ToolContext,
    ) -> BoxFuture<'static, Result<ToolResult, ToolError>> {
        let call = call.begin();
        Box::pin(async move {
            let cancel = context.call.cancel.clone();
            let scope = self.running.bridge.open(Scope::Tool(context));
            let text = call.args().value().to_string();
            let asked = vec![
                self.spec.name.to_string(),
                scope.id.clone(),
                text,
                scope.id.clone(),
            ];
            let calling = self.running.call("tool", asked);
            tokio::pin!(calling);
            let answer = tokio::select! {
                biased;
                answer = &mut calling => answer,
                () = cancel.cancelled() => {
                    self.running.tell("abort", vec![scope.id.clone()]);
                    // How long it may take to come to an end is the runner's affair.
                    calling.await
                }
            };
            let answer = answer.map_err(|error| tool_error(error, cancel.is_cancelled()))?;
            result_of(&self.spec.name, answer.as_deref())
        })
    }
}

fn tool_error(error: ScriptError, is_cancelled: bool) -> ToolError {
    match error {
        ScriptError::Dead(death @ Death::Busy { .. }) => ToolError::TimedOut(death.to_string()),
        // What a script says of its own end is more than that it was stopped.
        error @ ScriptError::Thrown(_) => ToolError::failed(error),
        _ if is_cancelled => ToolError::Cancelled,
        error => ToolError::failed(error),
    }
}

/// Reads what a script's tool returned.
fn result_of(tool: &str, answer: Option<&str>) -> Result<ToolResult, ToolError> {
    let wrong = |why: String| {
        ToolError::Failed(format!(
            "the tool `{tool}` returned no result: {why}; return {{ content: [{{ type: \"text\", text }}] }}"
        ))
    };
    let answer = answer.filter(|answer| !answer.is_empty());
    let answer = answer.ok_or_else(|| wrong("nothing at all".to_owned()))?;
    let mut value: Value =
        serde_json::from_str(answer).map_err(|error| wrong(error.to_string()))?;
    let content = match value.as_object_mut() {
        Some(members) => members
            .entry("content")
            .or_insert_with(|| Value::Array(Vec::new())),
        None => return Err(wrong("it is no object".to_owned())),
    };
    if !content.is_array() {
        return Err(wrong("its `content` is no list".to_owned()));
    }
    let mut result: ToolResult =
        serde_json::from_value(value).map_err(|error| wrong(error.to_string()))?;
    // What a call activated is what its context says, not what it claims.
    result.added_tool_names.clear();
    Ok(result)
}

/// Reads what a script's tool shows on the way; `None` if it means nothing.
pub(crate) fn partial_of(partial: Value) -> Option<ToolResult> {
    serde_json::from_value(partial).ok()
}
