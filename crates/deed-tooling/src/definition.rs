use std::sync::Arc;

use deed_agent::{AuthorizedCall, BoxFuture, EffectPlan, ToolError, ToolSpec};
use deed_protocol::{ToolCard, ToolResult};
use deed_schema::{RawArgs, ValidatedArgs};
use serde_json::Value;

use crate::{PromptText, ToolContext, generic_call_card, generic_result_card};

/// What the product knows of a tool: all that the loop knows, and how it appears in the prompt and
/// before people.
///
/// Most tools implement [`crate::Presentation`] instead and are wrapped in
/// [`crate::TypedDefinition`].
pub trait ToolDefinition: Send + Sync + 'static {
    /// Returns name, schema and the other fixed facts.
    fn spec(&self) -> &ToolSpec;

    /// Returns what the system prompt says of the tool while it is active; by default nothing.
    fn prompt(&self) -> &PromptText {
        PromptText::none()
    }

    /// Says whether a front end frames the card.
    fn render_shell(&self) -> RenderShell {
        RenderShell::Framed
    }

    /// Brings arguments of a known wrong shape into the right one; by default leaves them alone.
    ///
    /// Errors: become the result of the call.
    fn prepare_arguments<'a>(&'a self, raw: RawArgs) -> BoxFuture<'a, Result<RawArgs, ToolError>> {
        Box::pin(async move { Ok(raw) })
    }

    /// Says what the call would touch, without touching anything; by default opaque.
    ///
    /// Errors: become the result of the call.
    fn plan<'a>(&'a self, args: &'a ValidatedArgs) -> BoxFuture<'a, Result<EffectPlan, ToolError>> {
        let plan = EffectPlan::opaque(&self.spec().name, args);
        Box::pin(async move { Ok(plan) })
    }

    /// Does it; what stands before the returned future runs in call order and must not block.
    ///
    /// Errors: become the result of the call.
    ///
    /// Cancellation: as [`deed_agent::AgentTool::execute`].
    fn execute(
        self: Arc<Self>,
        call: AuthorizedCall,
        context: ToolContext,
    ) -> BoxFuture<'static, Result<ToolResult, ToolError>>;

    /// Draws a call.
    ///
    /// The arguments may be raw, incomplete or invalid, so this cannot fail.
    fn render_call<'a>(&'a self, args: &'a Value) -> BoxFuture<'a, ToolCard> {
        let card = generic_call_card(self.spec(), args);
        Box::pin(async move { card })
    }

    /// Draws a result, also one that an error made or that is not complete.
    fn render_result<'a>(
        &'a self,
        args: &'a Value,
        result: &'a ToolResult,
        view: ResultView,
    ) -> BoxFuture<'a, ToolCard> {
        let card = generic_result_card(self.spec(), args, result, view);
        Box::pin(async move { card })
    }
}

/// Whether a front end frames the card of a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RenderShell {
    /// In the frame that all tools have.
    #[default]
    Framed,
    /// On its own.
    Bare,
}

/// How much of a result is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResultView {
    /// All that is reasonable to show, not just the beginning.
    pub expanded: bool,
    /// The call is still running.
    pub partial: bool,
}
