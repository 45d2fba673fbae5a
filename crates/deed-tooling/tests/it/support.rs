use std::path::Path;
use std::sync::{Arc, OnceLock};

use deed_agent::{
    AgentTool, AuthorizedCall, Batch, BatchRunner, BoxFuture, EventBus, Seams, ToolError, ToolSet,
    ToolSpec,
};
use deed_protocol::{
    AssistantMessage, ContentBlock, Message, SourceInfo, StopReason, ToolCall, ToolResult,
    ToolResultMessage,
};
use deed_schema::ToolSchema;
use deed_tooling::{
    ActiveChange, ActiveChanged, ContextSource, HostActions, Layer, PromptText, RegisteredTool,
    ToolContext, ToolDefinition, ToolRegistry,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

type Act = Arc<dyn Fn(&ToolContext, &Value) -> ToolResult + Send + Sync>;

/// A definition that does what a test tells it to.
pub(crate) struct Fake {
    spec: ToolSpec,
    prompt: PromptText,
    act: Act,
}

impl Fake {
    pub(crate) fn new(name: &str) -> Self {
        let schema = json!({ "type": "object", "properties": { "say": { "type": "string" } } });
        Self::with_schema(name, ToolSchema::new(schema).unwrap())
    }

    pub(crate) fn with_schema(name: &str, schema: ToolSchema) -> Self {
        let mut spec = ToolSpec::new(name, "A tool of a test", schema);
        spec.replay = deed_agent::Replay::Safe;
        let snippet = format!("does {name}");
        Self {
            spec,
            prompt: PromptText::new(&snippet, [""; 0]),
            act: Arc::new(|_, _| ToolResult::text("ok")),
        }
    }

    pub(crate) fn says(mut self, snippet: &str, guidelines: &[&str]) -> Self {
        self.prompt = PromptText::new(snippet, guidelines);
        self
    }

    pub(crate) fn acts(
        mut self,
        act: impl Fn(&ToolContext, &Value) -> ToolResult + Send + Sync + 'static,
    ) -> Self {
        self.act = Arc::new(act);
        self
    }

    pub(crate) fn built_in(self) -> RegisteredTool {
        RegisteredTool::built_in(Arc::new(self))
    }

    pub(crate) fn of_extension(self, path: &str) -> RegisteredTool {
        RegisteredTool::new(Layer::Extension, source(path), Arc::new(self))
    }

    pub(crate) fn sdk(self) -> RegisteredTool {
        let source = Arc::new(SourceInfo::sdk(&self.spec.name));
        RegisteredTool::new(Layer::Sdk, source, Arc::new(self))
    }
}

pub(crate) fn source(path: &str) -> Arc<SourceInfo> {
    Arc::new(SourceInfo {
        path: path.into(),
        ..SourceInfo::sdk("x")
    })
}

impl ToolDefinition for Fake {
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
        let call = call.begin();
        let result = (self.act)(&context, call.args().value());
        Box::pin(async move { Ok(result) })
    }
}

/// A context whose actions go to a registry.
#[derive(Default)]
pub(crate) struct Host {
    registry: OnceLock<Arc<ToolRegistry>>,
}

impl Host {
    pub(crate) fn of(registry: &Arc<ToolRegistry>) -> Arc<dyn ContextSource> {
        let host = Self::default();
        assert!(host.registry.set(registry.clone()).is_ok());
        Arc::new(host)
    }
}

impl ContextSource for Host {
    fn cwd(&self) -> &Path {
        Path::new("/proj")
    }

    fn actions(&self) -> &dyn HostActions {
        self
    }
}

impl HostActions for Host {
    fn active_tools(&self) -> Vec<Arc<str>> {
        self.registry.get().unwrap().active_names()
    }

    fn change_active_tools(&self, change: &ActiveChange) -> ActiveChanged {
        self.registry.get().unwrap().change_active_tools(change)
    }
}

/// Runs one call through the real runner.
pub(crate) async fn run(
    tools: impl IntoIterator<Item = Arc<dyn AgentTool>>,
    name: &str,
    args: Value,
) -> ToolResultMessage {
    let tools = Arc::new(ToolSet::new(tools));
    let mut message = AssistantMessage::new(StopReason::ToolUse, 0);
    let raw = serde_json::value::to_raw_value(&args).unwrap();
    message.content = vec![ContentBlock::ToolCall(ToolCall::new(
        "c1",
        name,
        Arc::from(raw),
    ))];
    let batch = Batch {
        assistant: Arc::new(Message::Assistant(message)),
        tools,
    };
    let runner = BatchRunner::new(Seams::open(EventBus::new(), || 0));
    let outcome = runner.run(&batch, &CancellationToken::new()).await;
    outcome.results[0].as_tool_result().unwrap().clone()
}

pub(crate) fn names(list: &[&str]) -> Vec<Arc<str>> {
    list.iter().map(|name| (*name).into()).collect()
}

pub(crate) fn texts(content: &[ContentBlock]) -> Vec<&str> {
    content.iter().filter_map(ContentBlock::as_text).collect()
}
