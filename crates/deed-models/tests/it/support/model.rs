use std::sync::Arc;

use deed_agent::{
    AgentTool, AuthorizedCall, BoxFuture, CallContext, Model, ModelDelta, ModelRequest, ToolError,
    ToolSet, ToolSpec,
};
use deed_models::{Api, ModelSpec, Prices, Quirks, RemoteModel, Transport, TransportOptions};
use deed_protocol::{AssistantDelta, AssistantMessage, Message, ThinkingLevel, ToolResult};
use deed_testing::FakeTool;
use serde_json::{Map, Value};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// The spec of a model at an address.
pub(crate) fn spec(api: Api, base_url: String) -> ModelSpec {
    ModelSpec {
        provider: "acme".into(),
        id: "acme-1".into(),
        name: "Acme One".into(),
        api,
        base_url,
        headers: Vec::new(),
        extra_body: Map::new(),
        context_window: 100_000,
        max_output_tokens: 4096,
        takes_images: true,
        thinking_levels: vec![ThinkingLevel::Low, ThinkingLevel::High],
        prices: Prices {
            input: 1.0,
            output: 10.0,
            cache_read: 0.1,
            cache_write: 2.0,
            tiers: Vec::new(),
        },
        quirks: Quirks::default(),
    }
}

pub(crate) fn transport() -> Transport {
    Transport::new(TransportOptions::default())
}

/// Tools of these names.
pub(crate) fn tools(names: &[&str]) -> Arc<ToolSet> {
    let tools = names.iter().map(|name| FakeTool::new(name).shared());
    Arc::new(ToolSet::new(tools))
}

/// A tool that is only told of.
struct Declared(ToolSpec);

impl AgentTool for Declared {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn execute(
        self: Arc<Self>,
        _: AuthorizedCall,
        _: CallContext,
    ) -> BoxFuture<'static, Result<ToolResult, ToolError>> {
        Box::pin(std::future::pending())
    }
}

/// A tool that is only told of, to the word.
pub(crate) fn declared(spec: ToolSpec) -> Arc<dyn AgentTool> {
    Arc::new(Declared(spec))
}

/// A request of messages in JSON.
pub(crate) fn request(messages: &Value, tools: Arc<ToolSet>) -> ModelRequest {
    let messages: Vec<Message> = serde_json::from_value(messages.clone()).unwrap();
    ModelRequest {
        system: "You are terse.".into(),
        messages: Arc::new(messages.into_iter().map(Arc::new).collect()),
        tools,
        thinking: ThinkingLevel::Off,
    }
}

/// What listeners heard of an answer, block by block.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Heard {
    /// What began and ended, in order.
    pub(crate) marks: Vec<String>,
    /// The pieces of each block, joined.
    pub(crate) texts: Vec<String>,
}

pub(crate) fn heard(deltas: &[AssistantDelta]) -> Heard {
    let mut heard = Heard::default();
    let mut append = |at: usize, piece: &str| {
        if heard.texts.len() <= at {
            heard.texts.resize(at + 1, String::new());
        }
        heard.texts[at].push_str(piece);
    };
    for delta in deltas {
        let value = serde_json::to_value(delta).unwrap();
        let at = value["contentIndex"].as_u64().unwrap() as usize;
        let kind = value["type"].as_str().unwrap();
        match value["delta"].as_str() {
            Some(piece) => append(at, piece),
            None => heard.marks.push(format!("{at} {kind}")),
        }
    }
    heard
}

pub(crate) async fn ask(
    model: &RemoteModel,
    request: &ModelRequest,
) -> (AssistantMessage, Vec<AssistantDelta>) {
    let (message, come) = ask_with_usage(model, request).await;
    (message, come.into_iter().map(|come| come.delta).collect())
}

/// Asks and keeps also what was told of the usage on the way.
pub(crate) async fn ask_with_usage(
    model: &RemoteModel,
    request: &ModelRequest,
) -> (AssistantMessage, Vec<ModelDelta>) {
    let (to, mut from) = mpsc::channel(100_000);
    let message = model.respond(request, to, &CancellationToken::new()).await;
    let mut come = Vec::new();
    while let Ok(delta) = from.try_recv() {
        come.push(delta);
    }
    (message, come)
}

/// Asks and cancels as soon as a delta comes that `stops` picks.
pub(crate) async fn ask_until(
    model: &RemoteModel,
    request: &ModelRequest,
    stops: impl Fn(&AssistantDelta) -> bool,
) -> AssistantMessage {
    let (to, mut from) = mpsc::channel::<ModelDelta>(100_000);
    let cancel = CancellationToken::new();
    let watching = async {
        while let Some(come) = from.recv().await {
            if stops(&come.delta) {
                cancel.cancel();
            }
        }
    };
    let (message, ()) = tokio::join!(model.respond(request, to, &cancel), watching);
    message
}

/// Adds messages to the transcript of a request.
pub(crate) fn add(request: &mut ModelRequest, messages: impl IntoIterator<Item = Message>) {
    Arc::make_mut(&mut request.messages).extend(messages.into_iter().map(Arc::new));
}
