//! Extensions and tools of tests.

use std::sync::Arc;

use deed_agent::{AuthorizedCall, BoxFuture, ToolError, ToolSpec};
use deed_extensions::{Extension, ExtensionApi, ExtensionError};
use deed_protocol::ToolResult;
use deed_schema::ToolSchema;
use deed_tooling::{PromptText, ToolContext, ToolDefinition};
use serde_json::json;

type Register = Box<dyn Fn(&ExtensionApi) -> Result<(), ExtensionError> + Send + Sync>;

struct Ext(Register);

pub(crate) fn ext(
    register: impl Fn(&ExtensionApi) -> Result<(), ExtensionError> + Send + Sync + 'static,
) -> Arc<dyn Extension> {
    Arc::new(Ext(Box::new(register)))
}

impl Extension for Ext {
    fn name(&self) -> &str {
        "test"
    }

    fn register<'a>(&'a self, api: &'a ExtensionApi) -> BoxFuture<'a, Result<(), ExtensionError>> {
        Box::pin(async move { (self.0)(api) })
    }
}

type Act = Arc<dyn Fn(ToolContext) -> BoxFuture<'static, ToolResult> + Send + Sync>;

/// A tool that does what a test tells it to.
pub(crate) struct Tool {
    spec: ToolSpec,
    prompt: PromptText,
    act: Act,
}

pub(crate) fn tool<F, R>(name: &str, act: F) -> Arc<dyn ToolDefinition>
where
    F: Fn(ToolContext) -> R + Send + Sync + 'static,
    R: Future<Output = ToolResult> + Send + 'static,
{
    let schema = ToolSchema::new(json!({ "type": "object" })).unwrap();
    Arc::new(Tool {
        spec: ToolSpec::new(name, "A tool of a test", schema),
        prompt: PromptText::default(),
        act: Arc::new(move |context| Box::pin(act(context))),
    })
}

impl ToolDefinition for Tool {
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
