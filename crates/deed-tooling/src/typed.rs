use std::sync::Arc;

use deed_agent::{AuthorizedCall, BoxFuture, EffectPlan, ToolError, ToolSpec, TypedTool};
use deed_protocol::{ToolCard, ToolResult};
use deed_schema::{RawArgs, ValidatedArgs};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    PromptText, RenderShell, ResultView, ToolContext, ToolDefinition, generic_call_card,
    generic_result_card,
};

/// How a typed tool appears in the prompt and before people; every method has a default.
pub trait Presentation: TypedTool<ToolContext> {
    /// Returns what the system prompt says of the tool while it is active.
    fn prompt(&self) -> &PromptText {
        PromptText::none()
    }

    /// Says whether a front end frames the card.
    fn render_shell(&self) -> RenderShell {
        RenderShell::Framed
    }

    /// Draws a call, whose arguments may be raw, incomplete or invalid.
    fn render_call(&self, args: &Value) -> ToolCard {
        generic_call_card(self.spec(), args)
    }

    /// Draws a result, also one that an error made or that is not complete.
    fn render_result(&self, args: &Value, result: &ToolResult, view: ResultView) -> ToolCard {
        generic_result_card(self.spec(), args, result, view)
    }
}

/// Makes a [`ToolDefinition`] of a typed tool.
#[derive(Debug)]
pub struct TypedDefinition<T>(Arc<T>);

impl<T: Presentation> TypedDefinition<T> {
    /// Wraps a typed tool.
    pub fn new(tool: T) -> Self {
        Self(Arc::new(tool))
    }
}

impl<T: Presentation> ToolDefinition for TypedDefinition<T> {
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
        let prepared = self.0.prepare_arguments(raw);
        Box::pin(async move { prepared })
    }

    fn plan<'a>(&'a self, args: &'a ValidatedArgs) -> BoxFuture<'a, Result<EffectPlan, ToolError>> {
        Box::pin(async move { self.0.plan(decode(self.0.spec(), args)?, args).await })
    }

    fn execute(
        self: Arc<Self>,
        call: AuthorizedCall,
        context: ToolContext,
    ) -> BoxFuture<'static, Result<ToolResult, ToolError>> {
        let call = call.begin();
        match decode(self.0.spec(), call.args()) {
            Ok(params) => Box::pin(self.0.clone().run(params, context)),
            Err(error) => Box::pin(async move { Err(error) }),
        }
    }

    fn render_call<'a>(&'a self, args: &'a Value) -> BoxFuture<'a, ToolCard> {
        let card = self.0.render_call(args);
        Box::pin(async move { card })
    }

    fn render_result<'a>(
        &'a self,
        args: &'a Value,
        result: &'a ToolResult,
        view: ResultView,
    ) -> BoxFuture<'a, ToolCard> {
        let card = self.0.render_result(args, result, view);
        Box::pin(async move { card })
    }
}

/// Makes parameters of validated arguments; fails where the Rust type is narrower than the schema.
fn decode<P: DeserializeOwned>(spec: &ToolSpec, args: &ValidatedArgs) -> Result<P, ToolError> {
    args.decode().map_err(|faults| {
        let received = RawArgs::from_value(args.value());
        ToolError::InvalidArguments(faults.describe(&spec.name, &received))
    })
}
