use std::sync::{Arc, Mutex};
use std::time::Duration;

use deed_agent::{AgentTool, BoxFuture, RunEnd, ToolError};
use deed_extensions::{Extension, Failure};
use deed_harness::{AgentSession, SessionBuilder};
use deed_protocol::{ContentBlock, Message, NoticeLevel, ToolResult, ToolResultMessage};
pub(crate) use deed_testing::extension as ext;
use deed_testing::{Asked, FakeTool, WatchedModel, Workplace};
use deed_tooling::{AskOptions, ToolDefinition, Ui, tool_definition_from_agent_tool};
use serde_json::{Value, json};
use tokio::sync::oneshot;

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

/// A session to be: extensions, a script, and what else a test puts in.
pub(crate) struct Play {
    workplace: Workplace,
    builder: SessionBuilder,
    extensions: Vec<Arc<dyn Extension>>,
}

impl Play {
    pub(crate) fn new() -> Self {
        let workplace = Workplace::new();
        let builder = workplace.builder().tool(lifted(FakeTool::new("t")));
        Self {
            workplace,
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
        let model = WatchedModel::playing(&script);
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
            _workplace: self.workplace,
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
    model: Arc<WatchedModel>,
    pub(crate) failures: Notes,
    _workplace: Workplace,
}

impl Played {
    pub(crate) async fn prompt(&self, text: &str) -> RunEnd {
        self.session
            .prompt(vec![Message::user(text, 0)])
            .await
            .unwrap()
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.model.asked()
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
