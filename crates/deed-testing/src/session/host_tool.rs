use std::fmt;
use std::sync::Arc;

use deed_agent::{AuthorizedCall, BoxFuture, ToolError, ToolSpec};
use deed_protocol::ToolResult;
use deed_schema::ToolSchema;
use deed_tooling::{PromptText, ToolContext, ToolDefinition};
use serde_json::json;

type Act = Box<dyn Fn(ToolContext) -> BoxFuture<'static, ToolResult> + Send + Sync>;

/// A tool of a host that takes whatever arguments and does what a test tells it to.
pub struct HostTool {
    spec: ToolSpec,
    prompt: PromptText,
    act: Act,
}

impl HostTool {
    /// Makes a tool.
    pub fn new<F, R>(name: &str, act: F) -> Self
    where
        F: Fn(ToolContext) -> R + Send + Sync + 'static,
        R: Future<Output = ToolResult> + Send + 'static,
    {
        let schema = ToolSchema::new(json!({ "type": "object" })).expect("an object");
        Self {
            spec: ToolSpec::new(name, "A tool of the host", schema),
            prompt: PromptText::default(),
            act: Box::new(move |context| Box::pin(act(context))),
        }
    }

    /// Sets what the prompt says of it.
    pub fn says(mut self, snippet: &str, guidelines: &[&str]) -> Self {
        self.prompt = PromptText::new(snippet, guidelines);
        self
    }

    /// Returns it as sessions take it.
    pub fn shared(self) -> Arc<dyn ToolDefinition> {
        Arc::new(self)
    }
}

impl ToolDefinition for HostTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn prompt(&self) -> &PromptText {
        &self.prompt
    }

    fn execute(
        self: Arc<Self>,
        call: AuthorizedCall,
        context: ToolContext,
    ) -> BoxFuture<'static, Result<ToolResult, ToolError>> {
        let running = call.begin();
        let acting = (self.act)(context);
        Box::pin(async move {
            let _running = running;
            Ok(acting.await)
        })
    }
}

impl fmt::Debug for HostTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("HostTool").field(&self.spec.name).finish()
    }
}
