use std::sync::Arc;

use deed_agent::{AuthorizedCall, BoxFuture, EffectPlan, ToolError, ToolSpec};
use deed_protocol::{ToolCard, ToolResult};
use deed_schema::{RawArgs, ValidatedArgs};
use deed_tooling::{PromptText, RenderShell, ResultView, ToolContext, ToolDefinition};
use serde_json::Value;

tokio::task_local! {
    /// The call of an extension's tool that runs here.
    static CALL: ToolContext;
}

/// Returns the context of the call that runs on this task, if one of an extension's tools does.
///
/// What a tool activates through its extension's API counts as activated by the call.
pub(crate) fn running_call() -> Option<ToolContext> {
    CALL.try_with(Clone::clone).ok()
}

/// A tool of an extension: the definition, which knows while it runs whose call it is.
pub(crate) struct ExtensionTool(pub(crate) Arc<dyn ToolDefinition>);

impl ToolDefinition for ExtensionTool {
    fn spec(&self) -> &ToolSpec {
        self.0.spec()
    }

    fn prompt(&self) -> &PromptText {
        self.0.prompt()
    }

    fn render_shell(&self) -> RenderShell {
        self.0.render_shell()
    }

    fn prepare_arguments<'a>(&'a self, raw: RawArgs) -> BoxFuture<'a, Result<RawArgs, ToolError>> {
        self.0.prepare_arguments(raw)
    }

    fn plan<'a>(&'a self, args: &'a ValidatedArgs) -> BoxFuture<'a, Result<EffectPlan, ToolError>> {
        self.0.plan(args)
    }

    fn execute(
        self: Arc<Self>,
        call: AuthorizedCall,
        context: ToolContext,
    ) -> BoxFuture<'static, Result<ToolResult, ToolError>> {
        let definition = self.0.clone();
        let running = CALL.sync_scope(context.clone(), || {
            definition.execute(call, context.clone())
        });
        Box::pin(CALL.scope(context, running))
    }

    fn render_call<'a>(&'a self, args: &'a Value) -> BoxFuture<'a, ToolCard> {
        self.0.render_call(args)
    }

    fn render_result<'a>(
        &'a self,
        args: &'a Value,
        result: &'a ToolResult,
        view: ResultView,
    ) -> BoxFuture<'a, ToolCard> {
        self.0.render_result(args, result, view)
    }
}
