//! A tool of a script.

use std::sync::Arc;

use deed_agent::{AuthorizedCall, BoxFuture, ExecutionMode, Replay, ToolError, ToolSpec};
use deed_protocol::{ToolCard, ToolResult};
use deed_schema::{RawArgs, ToolSchema};
use deed_tooling::{
    PromptText, RenderShell, ResultView, ToolContext, ToolDefinition, generic_call_card,
    generic_result_card,
};
use serde::Deserialize;
use serde_json::{Value, json};

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

/// A tool that a script registered.
pub(crate) struct ScriptTool {
    spec: ToolSpec,
    prompt: PromptText,
    shell: RenderShell,
    has_prepare_arguments: bool,
    has_render_call: bool,
    has_render_result: bool,
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
            has_render_call: registration.has_render_call,
            has_render_result: registration.has_render_result,
            running,
        })
    }

    /// Asks the script to draw; `None` if it does not, or cannot.
    async fn render(&self, what: &str, of: Value) -> Option<Vec<deed_protocol::Block>> {
        let args = vec![what.to_owned(), self.spec.name.to_string(), of.to_string()];
        let drawn = self.running.call("render", args).await.ok()??;
        let mut drawn: Value = serde_json::from_str(&drawn).ok()?;
        let blocks = drawn.get_mut("blocks").map(Value::take)?;
        serde_json::from_value(blocks).ok()
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

    fn render_call<'a>(&'a self, args: &'a Value) -> BoxFuture<'a, ToolCard> {
        Box::pin(async move {
            let mut card = generic_call_card(&self.spec, args);
            if self.has_render_call
                && let Some(blocks) = self.render("call", json!({ "args": args })).await
            {
                card.blocks = blocks;
            }
            card
        })
    }

    fn render_result<'a>(
        &'a self,
        args: &'a Value,
        result: &'a ToolResult,
        view: ResultView,
    ) -> BoxFuture<'a, ToolCard> {
        Box::pin(async move {
            let mut card = generic_result_card(&self.spec, args, result, view);
            let of = || {
                json!({
                    "args": args,
                    "result": result,
                    "expanded": view.expanded,
                    "isPartial": view.partial,
                    "isError": result.is_error,
                })
            };
            if self.has_render_result
                && let Some(blocks) = self.render("result", of()).await
            {
                card.blocks = blocks;
            }
            card
        })
    }
}

fn tool_error(error: ScriptError, is_cancelled: bool) -> ToolError {
    match error {
        ScriptError::Dead(death @ Death::Busy { .. }) => ToolError::TimedOut(death.to_string()),
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
    let value: Value = serde_json::from_str(answer).map_err(|error| wrong(error.to_string()))?;
    if !value.get("content").is_some_and(Value::is_array) {
        return Err(wrong("it has no list `content`".to_owned()));
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
