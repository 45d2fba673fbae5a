use deed_agent::BoxFuture;
use deed_protocol::{SourceInfo, SourceOrigin, SourceScope};

use crate::{ExtensionApi, ExtensionError};

/// Adds tools, guards, commands and flags to a session.
///
/// A guard that blocks one kind of command, and a tool:
///
/// ```
/// use std::sync::Arc;
///
/// use deed_agent::{AgentTool, AuthorizedCall, BoxFuture, CallContext, ToolError, ToolSpec};
/// use deed_extensions::{Extension, ExtensionApi, ExtensionError, ToolCallEvent, ToolCallReply};
/// use deed_protocol::ToolResult;
/// use deed_schema::ToolSchema;
/// use deed_tooling::tool_definition_from_agent_tool;
///
/// struct NoWipe;
///
/// impl Extension for NoWipe {
///     fn name(&self) -> &str {
///         "no-wipe"
///     }
///
///     fn register<'a>(
///         &'a self,
///         api: &'a ExtensionApi,
///     ) -> BoxFuture<'a, Result<(), ExtensionError>> {
///         Box::pin(async move {
///             api.on(|call: &mut ToolCallEvent, context| {
///                 Box::pin(async move {
///                     let input = call.input();
///                     let command = input["command"].as_str().unwrap_or_default();
///                     if &*call.tool_name != "bash" || !command.contains("rm -rf") {
///                         return Ok(ToolCallReply::NoObjection);
///                     }
///                     let ask = &Default::default();
///                     if context.ui().confirm("Delete?", command, ask).await {
///                         return Ok(ToolCallReply::NoObjection);
///                     }
///                     Ok(ToolCallReply::block("rm -rf is not for agents"))
///                 })
///             })?;
///             api.register_tool(tool_definition_from_agent_tool(Arc::new(Greet::new())))
///         })
///     }
/// }
///
/// struct Greet(ToolSpec);
///
/// impl Greet {
///     fn new() -> Self {
///         Self(ToolSpec::new("greet", "Says hello", ToolSchema::any_object()))
///     }
/// }
///
/// impl AgentTool for Greet {
///     fn spec(&self) -> &ToolSpec {
///         &self.0
///     }
///
///     fn execute(
///         self: Arc<Self>,
///         call: AuthorizedCall,
///         _context: CallContext,
///     ) -> BoxFuture<'static, Result<ToolResult, ToolError>> {
///         call.begin();
///         Box::pin(async { Ok(ToolResult::text("hello")) })
///     }
/// }
/// ```
pub trait Extension: Send + Sync + 'static {
    /// Returns its name, for people and in faults.
    fn name(&self) -> &str;

    /// Returns where it comes from; two of one place cannot be loaded.
    ///
    /// By default it is one that the host program hands in, told apart by its name.
    fn source(&self) -> SourceInfo {
        SourceInfo {
            path: format!("<inline:{}>", self.name()).into(),
            source: "inline".into(),
            scope: SourceScope::Temporary,
            origin: SourceOrigin::TopLevel,
            base_dir: None,
        }
    }

    /// Registers what it brings; what only a running session can do fails meanwhile.
    ///
    /// Extensions register one after the other, in load order.
    ///
    /// Errors: the extension is not loaded, nothing that it registered stays, and the session goes
    /// on without it; so does a panic.
    fn register<'a>(&'a self, api: &'a ExtensionApi) -> BoxFuture<'a, Result<(), ExtensionError>>;
}
