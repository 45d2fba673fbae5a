//! Calls of `query_database` through the real runner.

use std::borrow::Cow;
use std::path::Path;
use std::sync::{Arc, Mutex};

use deed_agent::{
    AgentTool, Allowed, Answer as Decision, Approval, Authority, Batch, BatchRunner, BoxFuture,
    CallOutcome, Committed, EffectPlan, EventBus, FrozenCall, Gate, Grant, GrantState, Observer,
    Question, RedactStream, Redactor, Refusal, Seams, ToolError, ToolSet, Verdict,
};
use deed_protocol::{
    AssistantMessage, ContentBlock, Event, EventBody, Message, StopReason, ToolCall, ToolResult,
    ToolResultMessage,
};
use deed_schema::RawArgs;
use deed_sql::{Database, SqlLimits, query_database};
use deed_tooling::{FixedContext, ToolDefinition, wrap_tool_definition};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// The tool on some databases.
#[derive(Clone)]
pub(crate) struct Desk {
    pub(crate) databases: Vec<Database>,
    pub(crate) limits: SqlLimits,
    authority: Authority,
    cancel: CancellationToken,
}

impl Desk {
    /// Makes a desk where nobody approved anything.
    pub(crate) fn new(databases: Vec<Database>) -> Self {
        Self {
            databases,
            limits: SqlLimits::default(),
            authority: Authority::Rule,
            cancel: CancellationToken::new(),
        }
    }

    /// The same desk with everything approved by a person.
    pub(crate) fn approved(&self) -> Self {
        self.on_word_of(Authority::Person(Approval("a1".into())))
    }

    pub(crate) fn on_word_of(&self, authority: Authority) -> Self {
        Self {
            authority,
            ..self.clone()
        }
    }

    pub(crate) fn limited(&self, limits: SqlLimits) -> Self {
        Self {
            limits,
            ..self.clone()
        }
    }

    pub(crate) fn cancelled_by(&self, cancel: &CancellationToken) -> Self {
        Self {
            cancel: cancel.clone(),
            ..self.clone()
        }
    }

    pub(crate) fn tool(&self) -> Arc<dyn ToolDefinition> {
        query_database(self.databases.clone(), self.limits)
    }

    pub(crate) async fn plan(&self, arguments: Value) -> Result<EffectPlan, ToolError> {
        let tool = self.tool();
        let args = tool
            .spec()
            .parameters
            .validate(&RawArgs::from_value(&arguments));
        tool.plan(&args.unwrap()).await
    }

    pub(crate) async fn run(&self, sql: &str) -> Answer {
        self.call(json!({ "sql": sql })).await
    }

    pub(crate) async fn call(&self, arguments: Value) -> Answer {
        let bus = EventBus::new();
        let updates = Arc::new(Updates::default());
        bus.add_observer(updates.clone()).unwrap();
        let mut seams = Seams::open(bus.clone(), || 0);
        let secrets = self.databases.iter().flat_map(Database::secrets).collect();
        seams.redactor = Arc::new(Secrets(secrets));
        seams.gate = Arc::new(Word(self.authority.clone()));
        let context = Arc::new(FixedContext::new(Path::new("/")));
        let tool: Arc<dyn AgentTool> = wrap_tool_definition(self.tool(), context);
        let batch = Batch {
            tools: Arc::new(ToolSet::new([tool])),
            assistant: Arc::new(message("query_database", &arguments)),
        };
        let outcome = BatchRunner::new(seams).run(&batch, &self.cancel).await;
        bus.observers_caught_up().await;
        let updates = updates.0.lock().unwrap().clone();
        match outcome.results[0].as_ref() {
            Message::ToolResult(result) => Answer {
                result: result.clone(),
                updates,
            },
            other => panic!("not a result: {other:?}"),
        }
    }
}

pub(crate) fn message(tool: &str, arguments: &Value) -> Message {
    let mut assistant = AssistantMessage::new(StopReason::ToolUse, 0);
    let arguments = to_raw_value(arguments).unwrap();
    let call = ToolCall::new("c1", tool, arguments.into());
    assistant.content.push(ContentBlock::ToolCall(call));
    Message::Assistant(assistant)
}

/// A call that was answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) result: ToolResultMessage,
    /// What it showed on the way.
    pub(crate) updates: Vec<Arc<ToolResult>>,
}

impl Answer {
    pub(crate) fn text(&self) -> String {
        let content = self.result.content.iter();
        content.filter_map(ContentBlock::as_text).collect()
    }

    /// Returns the text of a call that succeeded.
    #[track_caller]
    pub(crate) fn ok(&self) -> String {
        assert!(!self.result.is_error, "{}", self.text());
        self.text()
    }

    /// Returns the text of a call that failed.
    #[track_caller]
    pub(crate) fn error(&self) -> String {
        assert!(self.result.is_error, "{}", self.text());
        self.text()
    }

    /// Returns the lines of the rows, without the names of the columns.
    #[track_caller]
    pub(crate) fn rows(&self) -> Vec<String> {
        let text = self.ok();
        let lines = text.lines().skip(1).take_while(|line| !line.is_empty());
        lines.map(str::to_owned).collect()
    }

    pub(crate) fn detail(&self, name: &str) -> Value {
        let details = self.result.details.as_ref();
        details
            .and_then(|details| details.get(name))
            .cloned()
            .unwrap_or_default()
    }
}

#[derive(Default)]
struct Updates(Mutex<Vec<Arc<ToolResult>>>);

impl Observer for Updates {
    fn offer(&self, event: &Arc<Event>) {
        if let EventBody::ToolExecutionUpdate { partial_result, .. } = &event.body {
            self.0.lock().unwrap().push(partial_result.clone());
        }
    }
}

/// Lets every call run on the word of one.
pub(crate) struct Word(pub(crate) Authority);

impl Gate for Word {
    fn decide<'a>(&'a self, _: &'a FrozenCall) -> BoxFuture<'a, Verdict> {
        Box::pin(async { Verdict::Allow })
    }

    fn ask<'a>(
        &'a self,
        _: &'a FrozenCall,
        question: &'a Question,
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, Decision> {
        panic!("asked: {question:?}")
    }

    fn commit<'a>(&'a self, batch: Vec<Allowed>) -> BoxFuture<'a, Vec<Committed>> {
        let grant = |allowed: Allowed| Committed {
            call: allowed.call,
            grant: Ok::<_, Refusal>(Grant::new(Box::new(Unheard), self.0.clone())),
        };
        Box::pin(async move { batch.into_iter().map(grant).collect() })
    }

    fn outcome<'a>(&'a self, _: &'a FrozenCall, _: &'a CallOutcome<'a>) -> BoxFuture<'a, ()> {
        Box::pin(async {})
    }
}

struct Unheard;

impl GrantState for Unheard {
    fn used(&mut self) {}

    fn void(&mut self) {}
}

/// Takes texts out where they are whole.
struct Secrets(Vec<String>);

impl Redactor for Secrets {
    fn stream(&self) -> Option<Box<dyn RedactStream>> {
        Some(Box::new(Whole {
            secrets: self.0.clone(),
            text: String::new(),
        }))
    }
}

struct Whole {
    secrets: Vec<String>,
    text: String,
}

impl RedactStream for Whole {
    fn push<'a>(&'a mut self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        self.text.push_str(std::str::from_utf8(bytes).unwrap());
        Cow::Borrowed(&[])
    }

    fn finish(&mut self) -> Vec<u8> {
        let text = std::mem::take(&mut self.text);
        let clean = self
            .secrets
            .iter()
            .fold(text, |text, secret| text.replace(secret, "[redacted]"));
        clean.into_bytes()
    }
}
