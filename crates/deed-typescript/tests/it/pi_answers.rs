//! Extensions that Pi and Deed were asked the same with: `tests/fixtures/pi`.
//!
//! Beside each extension stands a record: what is said and called, what Deed answers, and, where that
//! is something else on purpose, what Pi 1.6.0 answers and why. `play.mjs` there asks the real Pi.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use deed_agent::{BarrierSink, BoxFuture, Model, ModelDelta, ModelInfo, ModelRequest};
use deed_models::{Script, ScriptedModel};
use deed_protocol::{
    AssistantMessage, ContentBlock, Event, EventBody, Message, ToolResultMessage, UserContent,
};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::support::{Notes, Play, Played};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    /// What holds, for readers.
    what: String,
    /// The files, in the order they are loaded.
    extensions: Vec<String>,
    /// What stands in the folder of the session.
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(default = "go")]
    prompts: Vec<String>,
    /// What the model says.
    turns: Vec<Value>,
    /// What Deed answers, line by line.
    answer: Vec<String>,
    /// What Pi answers, if that is not the same.
    pi: Option<Other>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Other {
    why: String,
    answer: Vec<String>,
}

fn go() -> Vec<String> {
    vec!["go".to_owned()]
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/pi")
}

fn record(name: &str) -> Record {
    let text = std::fs::read_to_string(folder().join(format!("{name}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Returns what is said where a record is played.
async fn played(record: &Record) -> Vec<String> {
    let script = Script::parse(&json!(record.turns).to_string()).unwrap();
    let said = Notes::default();
    let model = Watched {
        inner: ScriptedModel::new(script, || 0),
        said: said.clone(),
    };
    let mut play = Play::new().recorded().model(Arc::new(model));
    for (name, text) in &record.files {
        play = play.file(name, text);
    }
    for name in &record.extensions {
        let text = std::fs::read_to_string(folder().join(name)).unwrap();
        play = play.with(&format!("extensions/{name}"), &text);
    }
    let played = play.load(json!([{}])).await;
    for diagnostic in played.session.diagnostics() {
        let file = Path::new(&*diagnostic.extension.path).file_stem().unwrap();
        said.add(format!("diagnostic of {}", file.to_string_lossy()));
    }
    played.session.add_sink(Arc::new(Updates(said.clone())));
    for prompt in &record.prompts {
        // One that is handled begins no run.
        let prompted = played.session.prompt(vec![Message::user(prompt, 0)]).await;
        let error = prompted.ok().and_then(|end| end.error);
        assert_eq!(error, None, "{prompt}");
    }
    remains(&played, &said);
    said.lines().iter().map(|line| played.plain(line)).collect()
}

/// Says what there is when everything is over: messages, failures, entries.
fn remains(played: &Played, said: &Notes) {
    for line in played.session.agent().messages().iter().filter_map(told) {
        said.add(line);
    }
    for failure in played.failures.lines() {
        // Where it came from stands behind it.
        let first = failure.lines().next().unwrap_or_default();
        let what = first.split_once(" (").map_or(first, |(what, _)| what);
        said.add(format!("failure {what}"));
    }
    for entry in played.custom_entries() {
        let kind = entry["customType"].as_str().unwrap();
        if kind.starts_with("deed.") {
            // What Deed itself notes.
            continue;
        }
        said.add(format!("entry {kind} {}", entry["data"]));
    }
}

fn told(message: &Arc<Message>) -> Option<String> {
    match &**message {
        Message::User(message) => Some(format!("user {}", text_of(&message.content))),
        Message::Custom(message) => Some(format!(
            "custom {} {}",
            message.custom_type,
            text_of(&message.content)
        )),
        Message::ToolResult(result) => Some(result_of(result)),
        _ => None,
    }
}

fn text_of(content: &UserContent) -> String {
    match content {
        UserContent::Text(text) => text.clone(),
        UserContent::Blocks(blocks) => joined(blocks),
    }
}

fn joined(blocks: &[ContentBlock]) -> String {
    let texts = blocks.iter().filter_map(ContentBlock::as_text);
    texts.collect::<Vec<_>>().join("|")
}

fn result_of(result: &ToolResultMessage) -> String {
    let verb = if result.is_error { "fails" } else { "says" };
    let details = result.details.as_ref().filter(|details| match details {
        Value::Object(fields) => !fields.is_empty(),
        details => !details.is_null(),
    });
    let details = details.map(|details| format!(" with {details}"));
    format!(
        "{} {verb} {}{}",
        result.tool_call_id,
        joined(&result.content),
        details.unwrap_or_default()
    )
}

/// Says what calls tell while they run.
struct Updates(Notes);

impl BarrierSink for Updates {
    fn name(&self) -> &str {
        "updates"
    }

    fn deliver<'a>(&'a self, event: &'a Arc<Event>) -> BoxFuture<'a, Result<(), String>> {
        if let EventBody::ToolExecutionUpdate {
            tool_call_id,
            partial_result,
            ..
        } = &event.body
        {
            let text = joined(&partial_result.content);
            self.0.add(format!("update {tool_call_id} {text}"));
        }
        Box::pin(async { Ok(()) })
    }
}

/// The scripted model, which says what it is offered.
struct Watched {
    inner: ScriptedModel,
    said: Notes,
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
        let names: Vec<&str> = names.iter().map(|name| &**name).collect();
        self.said.add(format!("request with {}", names.join(" ")));
        let marks = request.system.lines();
        for mark in marks.filter(|line| line.starts_with("fixture ")) {
            self.said.add(format!("system {mark}"));
        }
        self.inner.respond(request, deltas, cancel)
    }
}

macro_rules! records {
    ($($case:ident: $name:literal,)+) => {
        $(#[tokio::test(flavor = "multi_thread")]
        async fn $case() {
            let record = record($name);
            assert_eq!(played(&record).await, record.answer, "{}", record.what);
        })+

        const NAMES: &[&str] = &[$($name),+];
    };
}

records! {
    abort: "abort",
    active_tools: "active-tools",
    append_entry: "append-entry",
    arguments: "arguments",
    before_agent_start: "before-agent-start",
    block: "block",
    first_wins: "first-wins",
    input: "input",
    late_registration: "late-registration",
    late_update: "late-update",
    messages: "messages",
    overriding: "override",
    result_chain: "result-chain",
    tool_call_throws: "tool-call-throws",
    tool_result_throws: "tool-result-throws",
}

#[test]
fn every_record_is_played_and_says_why_pi_differs() {
    let files = std::fs::read_dir(folder()).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names
        .filter_map(|name| name.strip_suffix(".json").map(str::to_owned))
        .collect();
    names.sort();
    assert_eq!(names, NAMES);
    for name in NAMES {
        let record = record(name);
        if let Some(pi) = record.pi {
            assert!(!pi.why.is_empty(), "{name} does not say why Pi differs");
            assert_ne!(pi.answer, record.answer, "{name}");
        }
    }
}
