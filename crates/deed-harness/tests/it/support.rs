use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use deed_agent::{
    AuthorizedCall, BoxFuture, Model, ModelDelta, ModelInfo, ModelRequest, ToolError, ToolSpec,
};
use deed_env::{ExecutionEnv, LocalConfig, LocalEnv};
use deed_harness::{AgentSession, SessionBuilder};
use deed_models::{Script, ScriptedModel};
use deed_protocol::{
    AssistantMessage, ContentBlock, Message, StopReason, ToolCall, ToolResult, ToolResultMessage,
};
use deed_schema::ToolSchema;
use deed_tooling::{PromptText, ToolContext, ToolDefinition};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// A folder to work in and one for saved output.
pub(crate) struct Place {
    env: Arc<LocalEnv>,
    folders: [TempDir; 2],
}

impl Place {
    pub(crate) fn new() -> Self {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let [cwd, output] = [0, 1].map(|at: usize| folders[at].path().canonicalize().unwrap());
        let env = LocalEnv::new(LocalConfig {
            cwd,
            output_folder: output,
            variables: vec![("PATH".into(), std::env::var_os("PATH").unwrap())],
            ..LocalConfig::default()
        });
        Self {
            env: Arc::new(env),
            folders,
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.env.cwd().join(name)
    }

    pub(crate) fn output_folder(&self) -> PathBuf {
        self.folders[1].path().canonicalize().unwrap()
    }

    pub(crate) fn put(&self, name: &str, content: &str) {
        std::fs::write(self.path(name), content).unwrap();
    }

    pub(crate) fn content(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn builder(&self) -> SessionBuilder {
        AgentSession::builder(self.env.clone()).clock(|| 0)
    }

    /// Puts a session together that plays a script: an array of turns.
    pub(crate) fn session(
        &self,
        script: Value,
        change: impl FnOnce(SessionBuilder) -> SessionBuilder,
    ) -> Played {
        let script = Script::parse(&script.to_string()).unwrap();
        let model = Arc::new(Watched {
            inner: ScriptedModel::new(script, || 0),
            asked: Mutex::default(),
        });
        let session = change(self.builder().model(model.clone())).build().unwrap();
        Played { session, model }
    }

    /// As [`Place::session`], and prompts it.
    pub(crate) async fn play(
        &self,
        script: Value,
        change: impl FnOnce(SessionBuilder) -> SessionBuilder,
    ) -> Played {
        let played = self.session(script, change);
        played.prompt().await;
        played
    }
}

/// A session and what its model was asked.
pub(crate) struct Played {
    pub(crate) session: AgentSession,
    model: Arc<Watched>,
}

impl Played {
    pub(crate) async fn prompt(&self) {
        let end = self.session.prompt(vec![Message::user("go", 0)]).await;
        let end = end.unwrap();
        assert_eq!(end.error, None);
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.model.asked.lock().unwrap().clone()
    }

    pub(crate) fn results(&self) -> Vec<ToolResultMessage> {
        results_in(&self.session.agent().messages())
    }

    /// Returns the result of a call by its id.
    #[track_caller]
    pub(crate) fn result(&self, id: &str) -> ToolResultMessage {
        let mut results = self.results();
        results.retain(|result| &*result.tool_call_id == id);
        assert_eq!(results.len(), 1, "results of {id}");
        results.remove(0)
    }
}

pub(crate) fn results_in(messages: &[Arc<Message>]) -> Vec<ToolResultMessage> {
    let results = messages.iter().filter_map(|one| one.as_tool_result());
    results.cloned().collect()
}

pub(crate) fn text_of(result: &ToolResultMessage) -> String {
    let texts = result.content.iter().filter_map(ContentBlock::as_text);
    texts.collect::<Vec<_>>().join("\n")
}

/// Runs calls that no model made.
pub(crate) async fn run_calls(
    session: &AgentSession,
    calls: &[(&str, Value)],
) -> Vec<ToolResultMessage> {
    let mut message = AssistantMessage::new(StopReason::ToolUse, 0);
    for (index, (name, arguments)) in calls.iter().enumerate() {
        let arguments = to_raw_value(arguments).unwrap();
        let call = ToolCall::new(format!("c{}", index + 1), *name, arguments.into());
        message.content.push(call.into());
    }
    let outcome = session.run_calls(message, &CancellationToken::new()).await;
    results_in(&outcome.results)
}

/// What a model was asked, as far as tools go.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) system: String,
    pub(crate) tools: Vec<String>,
}

/// The scripted model, with a record of what it is asked.
#[derive(Debug)]
struct Watched {
    inner: ScriptedModel,
    asked: Mutex<Vec<Asked>>,
}

impl Model for Watched {
    fn info(&self) -> &ModelInfo {
        self.inner.info()
    }

    fn respond<'a>(
        &'a self,
        request: &'a ModelRequest,
        deltas: mpsc::Sender<ModelDelta>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, AssistantMessage> {
        let names = request.tools.names();
        self.asked.lock().unwrap().push(Asked {
            system: request.system.to_string(),
            tools: names.iter().map(|name| name.to_string()).collect(),
        });
        self.inner.respond(request, deltas, cancel)
    }
}

type Act = Box<dyn Fn(&ToolContext) -> ToolResult + Send + Sync>;

/// A tool of the host that does what a test tells it to.
pub(crate) struct HostTool {
    spec: ToolSpec,
    prompt: PromptText,
    act: Act,
}

impl HostTool {
    pub(crate) fn new(
        name: &str,
        act: impl Fn(&ToolContext) -> ToolResult + Send + Sync + 'static,
    ) -> Self {
        let schema = ToolSchema::new(json!({ "type": "object" })).unwrap();
        Self {
            spec: ToolSpec::new(name, "A tool of the host", schema),
            prompt: PromptText::default(),
            act: Box::new(act),
        }
    }

    pub(crate) fn says(mut self, snippet: &str, guidelines: &[&str]) -> Self {
        self.prompt = PromptText::new(snippet, guidelines);
        self
    }

    pub(crate) fn shared(self) -> Arc<dyn ToolDefinition> {
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
        let _running = call.begin();
        Box::pin(async move { Ok((self.act)(&context)) })
    }
}

/// A tool that changes the active set.
pub(crate) fn changing(
    name: &str,
    change: impl Fn(&ToolContext) + Send + Sync + 'static,
) -> Arc<dyn ToolDefinition> {
    let act = move |context: &ToolContext| {
        change(context);
        ToolResult::text("changed")
    };
    HostTool::new(name, act).shared()
}
