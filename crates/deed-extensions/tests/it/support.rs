use std::sync::{Arc, Mutex};
use std::time::Duration;

use deed_agent::{
    AgentTool, BoxFuture, Model, ModelDelta, ModelInfo, ModelRequest, RunEnd, ToolError,
};
use deed_env::{ExecutionEnv, LocalConfig, LocalEnv};
use deed_extensions::{Extension, ExtensionApi, ExtensionError, Failure};
use deed_harness::{AgentSession, SessionBuilder};
use deed_models::{Script, ScriptedModel};
use deed_protocol::{
    AssistantMessage, ContentBlock, Message, NoticeLevel, ToolResult, ToolResultMessage,
};
use deed_testing::FakeTool;
use deed_tooling::{AskOptions, ToolDefinition, Ui, tool_definition_from_agent_tool};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// What a test writes down, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    pub(crate) fn add(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

type Register = Box<dyn Fn(&ExtensionApi) -> Result<(), ExtensionError> + Send + Sync>;

/// An extension of a test.
pub(crate) struct Ext {
    name: &'static str,
    register: Register,
}

pub(crate) fn ext(
    name: &'static str,
    register: impl Fn(&ExtensionApi) -> Result<(), ExtensionError> + Send + Sync + 'static,
) -> Arc<dyn Extension> {
    Arc::new(Ext {
        name,
        register: Box::new(register),
    })
}

impl Extension for Ext {
    fn name(&self) -> &str {
        self.name
    }

    fn register<'a>(&'a self, api: &'a ExtensionApi) -> BoxFuture<'a, Result<(), ExtensionError>> {
        Box::pin(async move {
            // Registering is asynchronous, and the next extension waits for it.
            tokio::task::yield_now().await;
            (self.register)(api)
        })
    }
}

/// A session to be: extensions, a script, and what else a test puts in.
pub(crate) struct Play {
    folder: TempDir,
    builder: SessionBuilder,
    extensions: Vec<Arc<dyn Extension>>,
}

impl Play {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let cwd = folder.path().canonicalize().unwrap();
        let env: Arc<dyn ExecutionEnv> = Arc::new(LocalEnv::new(LocalConfig {
            output_folder: cwd.join("output"),
            cwd,
            variables: vec![("PATH".into(), std::env::var_os("PATH").unwrap())],
            ..LocalConfig::default()
        }));
        let builder = AgentSession::builder(env).clock(|| 0);
        let builder = builder.tool(lifted(FakeTool::new("t")));
        Self {
            folder,
            builder,
            extensions: Vec::new(),
        }
    }

    pub(crate) fn with(mut self, extension: Arc<dyn Extension>) -> Self {
        self.extensions.push(extension);
        self
    }

    pub(crate) fn change(mut self, change: impl FnOnce(SessionBuilder) -> SessionBuilder) -> Self {
        self.builder = change(self.builder);
        self
    }

    /// Adds a tool of the host.
    pub(crate) fn tool(self, tool: FakeTool) -> Self {
        self.change(|builder| builder.tool(lifted(tool)))
    }

    /// Loads everything, but nobody hears yet that the session starts.
    pub(crate) async fn build_to_start(self) -> AgentSession {
        let mut builder = self.builder;
        for extension in self.extensions {
            builder = builder.extension(extension);
        }
        builder.build_to_start().await.unwrap()
    }

    /// Loads everything for a script: an array of turns.
    pub(crate) async fn load(self, script: Value) -> Played {
        let script = Script::parse(&script.to_string()).unwrap();
        let model = Arc::new(Watched {
            inner: ScriptedModel::new(script, || 0),
            asked: Mutex::default(),
        });
        let mut builder = self.builder.model(model.clone());
        for extension in self.extensions {
            builder = builder.extension(extension);
        }
        let session = builder.build_with_extensions().await.unwrap();
        let failures = Notes::default();
        let heard = failures.clone();
        session.extensions().on_error(move |failure: &Failure| {
            heard.add(said(failure));
        });
        Played {
            session,
            model,
            failures,
            _folder: self.folder,
        }
    }

    /// Loads, prompts with `go`, and plays the script to its end.
    pub(crate) async fn run(self, script: Value) -> Played {
        let played = self.load(script).await;
        let end = played.prompt("go").await;
        assert_eq!(end.error, None);
        played
    }
}

pub(crate) fn said(failure: &Failure) -> String {
    format!(
        "{} {}: {}",
        failure.extension.path, failure.event, failure.error
    )
}

/// A session that was played.
pub(crate) struct Played {
    pub(crate) session: AgentSession,
    model: Arc<Watched>,
    pub(crate) failures: Notes,
    _folder: TempDir,
}

impl Played {
    pub(crate) async fn prompt(&self, text: &str) -> RunEnd {
        self.session
            .prompt(vec![Message::user(text, 0)])
            .await
            .unwrap()
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.model.asked.lock().unwrap().clone()
    }

    pub(crate) fn results(&self) -> Vec<ToolResultMessage> {
        let messages = self.session.agent().messages();
        let results = messages.iter().filter_map(|one| one.as_tool_result());
        results.cloned().collect()
    }

    /// Returns the result of a call by its id.
    #[track_caller]
    pub(crate) fn result(&self, id: &str) -> ToolResultMessage {
        let mut results = self.results();
        results.retain(|result| &*result.tool_call_id == id);
        assert_eq!(results.len(), 1, "results of {id}");
        results.remove(0)
    }

    /// Returns whether a call failed, and what its result says.
    #[track_caller]
    pub(crate) fn answer(&self, id: &str) -> (bool, String) {
        let result = self.result(id);
        (result.is_error, text_of(&result.content))
    }

    #[track_caller]
    pub(crate) fn text(&self, id: &str) -> String {
        let (is_error, text) = self.answer(id);
        assert!(!is_error, "{text}");
        text
    }

    /// Returns the text of a result that must be an error.
    #[track_caller]
    pub(crate) fn fault(&self, id: &str) -> String {
        let (is_error, text) = self.answer(id);
        assert!(is_error, "{text}");
        text
    }

    pub(crate) fn diagnostics(&self) -> Vec<String> {
        let diagnostics = self.session.diagnostics();
        diagnostics.iter().map(ToString::to_string).collect()
    }
}

pub(crate) fn text_of(content: &[ContentBlock]) -> String {
    let texts = content.iter().filter_map(ContentBlock::as_text);
    texts.collect::<Vec<_>>().join("|")
}

pub(crate) fn lifted(tool: FakeTool) -> Arc<dyn ToolDefinition> {
    tool_definition_from_agent_tool(tool.shared() as Arc<dyn AgentTool>)
}

/// A tool that answers with the arguments it got.
pub(crate) fn echoes(name: &str) -> FakeTool {
    FakeTool::new(name)
        .acts(|args, _| async move { Ok::<_, ToolError>(ToolResult::text(args.to_string())) })
}

/// One call of a script.
pub(crate) fn call(id: &str, name: &str, arguments: Value) -> Value {
    json!({ "id": id, "name": name, "arguments": arguments })
}

/// A script of one batch and a last word.
pub(crate) fn batch(calls: &[Value]) -> Value {
    json!([{ "calls": calls }, { "say": "done" }])
}

/// A script of one call of `t` and a last word.
pub(crate) fn one_call(arguments: Value) -> Value {
    batch(&[call("c", "t", arguments)])
}

/// What a model was asked.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) system: String,
    pub(crate) tools: Vec<String>,
    pub(crate) messages: Vec<Arc<Message>>,
}

impl Asked {
    pub(crate) fn has_tool(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool == name)
    }

    /// Returns all messages as JSON text.
    pub(crate) fn text(&self) -> String {
        serde_json::to_string(&self.messages).unwrap()
    }
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
            messages: request.messages.to_vec(),
        });
        self.inner.respond(request, deltas, cancel)
    }
}

/// Somebody who answers questions the way a test says.
#[derive(Clone)]
pub(crate) struct Person {
    pub(crate) notes: Notes,
    present: bool,
    answers: bool,
    takes: Option<Duration>,
}

impl Person {
    /// Says yes at once.
    pub(crate) fn agreeing() -> Self {
        Self {
            notes: Notes::default(),
            present: true,
            answers: true,
            takes: Some(Duration::ZERO),
        }
    }

    pub(crate) fn refusing() -> Self {
        Self {
            answers: false,
            ..Self::agreeing()
        }
    }

    pub(crate) fn after(mut self, time: Duration) -> Self {
        self.takes = Some(time);
        self
    }

    /// Never answers, and does not care about timeouts and tokens.
    pub(crate) fn deaf() -> Self {
        Self {
            takes: None,
            ..Self::agreeing()
        }
    }

    /// Would say yes, but is not there.
    pub(crate) fn absent() -> Self {
        Self {
            present: false,
            ..Self::agreeing()
        }
    }

    async fn answer(&self, question: String) -> bool {
        self.notes.add(format!("asked {question}"));
        match self.takes {
            Some(time) => tokio::time::sleep(time).await,
            None => std::future::pending().await,
        }
        self.notes.add(format!("answered {question}"));
        self.answers
    }
}

impl Ui for Person {
    fn has_ui(&self) -> bool {
        self.present
    }

    fn select<'a>(
        &'a self,
        title: &'a str,
        choices: &'a [String],
        _options: &'a AskOptions,
    ) -> BoxFuture<'a, Option<String>> {
        Box::pin(async move {
            let yes = self.answer(title.to_owned()).await;
            choices.first().filter(|_| yes).cloned()
        })
    }

    fn confirm<'a>(
        &'a self,
        title: &'a str,
        message: &'a str,
        _options: &'a AskOptions,
    ) -> BoxFuture<'a, bool> {
        Box::pin(self.answer(format!("{title} {message}")))
    }

    fn input<'a>(
        &'a self,
        title: &'a str,
        _placeholder: Option<&'a str>,
        _options: &'a AskOptions,
    ) -> BoxFuture<'a, Option<String>> {
        Box::pin(async move {
            self.answer(title.to_owned())
                .await
                .then(|| "text".to_owned())
        })
    }

    fn notify(&self, message: &str, _level: NoticeLevel) {
        self.notes.add(format!("notified {message}"));
    }
}

/// Something that a handler waits for and a test sets off, or the other way round.
#[derive(Clone)]
pub(crate) struct Signal(Arc<tokio::sync::Notify>);

impl Signal {
    pub(crate) fn new() -> Self {
        Self(Arc::default())
    }

    pub(crate) fn give(&self) {
        self.0.notify_one();
    }

    pub(crate) async fn wait(&self) {
        self.0.notified().await;
    }
}

/// A value that comes once.
pub(crate) struct Once<T>(Mutex<Option<oneshot::Sender<T>>>);

impl<T> Once<T> {
    pub(crate) fn new() -> (Arc<Self>, oneshot::Receiver<T>) {
        let (sender, receiver) = oneshot::channel();
        (Arc::new(Self(Mutex::new(Some(sender)))), receiver)
    }

    pub(crate) fn give(&self, value: T) {
        if let Some(sender) = self.0.lock().unwrap().take() {
            sender.send(value).ok();
        }
    }
}
