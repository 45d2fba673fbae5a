//! Compaction: by hand, near the window, and when a request did not fit.

use std::sync::{Arc, Mutex};

use deed_agent::{BoxFuture, Model, ModelDelta, ModelInfo, ModelRequest};
use deed_extensions::{
    BeforeCompactReply, Extension, ExtensionApi, ExtensionError, OwnCompaction,
    SessionBeforeCompactEvent, SessionCompactEvent, SessionCompactFailedEvent,
};
use deed_harness::{AgentSession, CompactionError, SessionBuilder};
use deed_models::{Script, ScriptedModel};
use deed_protocol::{AssistantMessage, Message};
use deed_session::compaction::CompactionSettings;
use deed_session::{Session, SessionStore, StoreConfig};
use deed_testing::EventLog;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::support::Place;

/// The scripted model with a window of 1,000 tokens.
#[derive(Debug)]
struct Narrow {
    inner: ScriptedModel,
    info: ModelInfo,
}

impl Model for Narrow {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn respond<'a>(
        &'a self,
        request: &'a ModelRequest,
        deltas: mpsc::Sender<ModelDelta>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, AssistantMessage> {
        self.inner.respond(request, deltas, cancel)
    }
}

struct Kept {
    place: Place,
    root: tempfile::TempDir,
    log: Arc<EventLog>,
}

impl Kept {
    fn new() -> Self {
        Self {
            place: Place::new(),
            root: tempfile::tempdir().unwrap(),
            log: Arc::default(),
        }
    }

    fn store(&self) -> SessionStore {
        SessionStore::new(StoreConfig::new(self.root.path()))
    }

    fn session(&self, script: Value) -> AgentSession {
        let record = self.store().create(&self.place.path(""), None).unwrap();
        self.session_on(record, script)
    }

    fn session_on(&self, record: Session, script: Value) -> AgentSession {
        let session = self.builder(script).record(record).build().unwrap();
        session.add_sink(self.log.clone());
        session
    }

    fn builder(&self, script: Value) -> SessionBuilder {
        let inner = ScriptedModel::new(Script::parse(&script.to_string()).unwrap(), || 0);
        let info = ModelInfo {
            context_window: 1000,
            ..inner.info().clone()
        };
        let settings = CompactionSettings {
            enabled: true,
            reserve_tokens: 200,
            keep_recent_tokens: 20,
        };
        let model = Arc::new(Narrow { inner, info });
        self.place.builder().model(model).compaction(settings)
    }
}

async fn prompt(session: &AgentSession, text: &str) {
    let end = session.prompt(vec![Message::user(text, 0)]).await.unwrap();
    assert_eq!(end.error, None);
}

/// Returns the texts of a transcript, with what stands for a summary marked.
fn texts(session: &AgentSession) -> Vec<String> {
    let messages = session.agent().messages();
    let texts = messages.iter().map(|message| match &**message {
        Message::CompactionSummary(summary) => format!("summary: {}", summary.summary),
        Message::User(user) => serde_json::to_value(&user.content).unwrap().to_string(),
        Message::Assistant(answer) => answer
            .content
            .iter()
            .filter_map(|block| block.as_text())
            .collect(),
        _ => "other".to_owned(),
    });
    texts.collect()
}

fn long(word: &str) -> String {
    format!("{word} {}", "x".repeat(200))
}

#[tokio::test]
async fn a_person_compacts_and_the_session_goes_on_with_the_summary() {
    let kept = Kept::new();
    let script = json!([
        { "say": long("first answer") },
        { "say": "second answer" },
        { "say": "## Goal\nto test" },
        { "say": "third answer" },
    ]);
    let session = kept.session(script);
    prompt(&session, &long("first")).await;
    prompt(&session, "second").await;
    let done = session.compact(Some("mind the tests")).await.unwrap();
    assert_eq!(done.summary, "## Goal\nto test");
    assert_eq!(
        texts(&session),
        ["summary: ## Goal\nto test", "\"second\"", "second answer"]
    );
    prompt(&session, "third").await;
    let path = session.session_file().unwrap();
    session.close().await;
    // The file has all of it, and the session that is opened again has what went on.
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("first answer"), "{text}");
    let again = kept.session_on(kept.store().open(&path).unwrap(), json!([{ "say": "x" }]));
    assert_eq!(texts(&again).len(), 5);
}

#[tokio::test]
async fn a_transcript_that_grows_near_the_window_is_compacted_by_itself() {
    let kept = Kept::new();
    let script = json!([
        { "say": long("first answer"), "totalTokens": 300 },
        { "say": "second answer", "totalTokens": 900 },
        { "say": "the summary" },
        { "say": "third answer", "totalTokens": 400 },
    ]);
    let session = kept.session(script);
    prompt(&session, &long("first")).await;
    prompt(&session, "second").await;
    let log = kept.log.text();
    assert!(
        log.contains(r#""type":"compaction_start","reason":"threshold""#),
        "{log}"
    );
    assert!(texts(&session)[0].starts_with("summary: the summary"));
    // What the old answers reported does not count any more, so it is not compacted again.
    prompt(&session, "third").await;
    assert_eq!(kept.log.text().matches("compaction_start").count(), 1);
}

#[tokio::test]
async fn a_request_that_did_not_fit_is_sent_again_with_less() {
    let kept = Kept::new();
    let script = json!([
        { "say": long("first answer") },
        { "error": "too long", "errorKind": "contextOverflow" },
        { "say": "the summary" },
        { "say": "it fits" },
    ]);
    let session = kept.session(script);
    prompt(&session, &long("first")).await;
    prompt(&session, "second").await;
    assert_eq!(
        texts(&session),
        ["summary: the summary", "\"second\"", "it fits"]
    );
}

#[tokio::test]
async fn what_does_not_fit_after_all_is_an_error_and_the_session_can_go_on() {
    let kept = Kept::new();
    let overflow = json!({ "error": "too long", "errorKind": "contextOverflow" });
    let script = json!([
        { "say": long("first answer") },
        overflow, { "say": "the summary" }, overflow,
        { "say": "hello" },
    ]);
    let session = kept.session(script);
    prompt(&session, &long("first")).await;
    let end = session
        .prompt(vec![Message::user("second", 0)])
        .await
        .unwrap();
    assert_eq!(end.error.as_deref(), Some("too long"));
    prompt(&session, "third").await;
}

#[tokio::test]
async fn a_compaction_that_fails_leaves_the_transcript_as_it_was() {
    let kept = Kept::new();
    let script = json!([
        { "say": long("first answer") },
        { "say": "second answer" },
        { "error": "no" },
        { "say": "" },
    ]);
    let session = kept.session(script);
    prompt(&session, &long("first")).await;
    prompt(&session, "second").await;
    let before = texts(&session);
    for _ in 0..2 {
        let error = session.compact(None).await.unwrap_err();
        assert!(matches!(error, CompactionError::Model(_)), "{error}");
        assert_eq!(texts(&session), before);
    }
}

#[tokio::test]
async fn there_must_be_a_record_and_something_to_compact() {
    let kept = Kept::new();
    let bare = kept.builder(json!([{ "say": "x" }])).build().unwrap();
    let error = bare.compact(None).await.unwrap_err();
    assert!(matches!(error, CompactionError::NoRecord), "{error}");
    let session = kept.session(json!([{ "say": "x" }]));
    prompt(&session, "short").await;
    let error = session.compact(None).await.unwrap_err();
    assert!(matches!(error, CompactionError::NothingToDo), "{error}");
}

type Decide = fn(&SessionBeforeCompactEvent) -> BeforeCompactReply;

/// Decides on compactions, and writes down what it hears of them.
struct Decides(Decide, Arc<Mutex<Vec<String>>>);

impl Extension for Decides {
    fn name(&self) -> &str {
        "decides"
    }

    fn register<'a>(&'a self, api: &'a ExtensionApi) -> BoxFuture<'a, Result<(), ExtensionError>> {
        let (decide, notes) = (self.0, self.1.clone());
        let registered = api.on(move |event: &mut SessionBeforeCompactEvent, _| {
            let (plan, reason) = (&event.preparation, event.reason.as_str());
            let last = event.branch_entries.last().unwrap().get();
            let last: Value = serde_json::from_str(last).unwrap();
            notes.lock().unwrap().push(format!(
                "before {reason}: {} messages, {:?}, the last entry is a {}",
                plan.messages_to_summarize.len(),
                event.custom_instructions,
                last["type"].as_str().unwrap(),
            ));
            let reply = decide(event);
            Box::pin(async { Ok(reply) })
        });
        let notes = self.1.clone();
        let registered = registered.and_then(|_| {
            api.on(move |event: &mut SessionCompactEvent, _| {
                let entry: Value = serde_json::from_str(event.compaction_entry.get()).unwrap();
                let own = event.from_extension;
                let line = format!("compacted, own {own}: {}", entry["summary"]);
                notes.lock().unwrap().push(line);
                Box::pin(async { Ok(()) })
            })
        });
        let notes = self.1.clone();
        let registered = registered.and_then(|_| {
            api.on(move |event: &mut SessionCompactFailedEvent, _| {
                let (aborted, own) = (event.aborted, event.from_extension);
                let error = event.error_message.as_deref().unwrap_or_default();
                let line = format!("failed, aborted {aborted}, own {own}: {error}");
                notes.lock().unwrap().push(line);
                Box::pin(async { Ok(()) })
            })
        });
        Box::pin(async move { registered.map(drop) })
    }
}

/// Compacts by hand a session whose extension decides on it; returns what the model is told then.
async fn compact_under(decide: Decide) -> (Result<(), CompactionError>, Vec<String>, Vec<String>) {
    let kept = Kept::new();
    let notes = Arc::<Mutex<Vec<String>>>::default();
    let script = json!([{ "say": long("one") }, { "say": long("two") }, { "say": "the model's" }]);
    let record = kept.store().create(&kept.place.path(""), None).unwrap();
    let builder = kept.builder(script).record(record);
    let builder = builder.extension(Arc::new(Decides(decide, notes.clone())));
    let session = builder.build_with_extensions().await.unwrap();
    prompt(&session, &long("first")).await;
    prompt(&session, &long("second")).await;
    let done = session.compact(Some("be short")).await.map(drop);
    let heard = notes.lock().unwrap().clone();
    (done, heard, texts(&session))
}

#[tokio::test]
async fn an_extension_hears_of_a_compaction() {
    let (done, heard, texts) = compact_under(|_| BeforeCompactReply::Continue).await;
    done.unwrap();
    assert!(texts[0].starts_with("summary: the model's"), "{texts:?}");
    insta::assert_snapshot!(heard.join("\n"), @r#"
    before manual: 2 messages, Some("be short"), the last entry is a message
    compacted, own false: "the model's"
    "#);
}

#[tokio::test]
async fn an_extension_stops_a_compaction() {
    let (done, heard, texts) = compact_under(|_| BeforeCompactReply::Cancel).await;
    assert!(matches!(done, Err(CompactionError::Refused)), "{done:?}");
    assert_eq!(texts.len(), 4, "the transcript is as it was");
    insta::assert_snapshot!(heard.join("\n"), @r#"
    before manual: 2 messages, Some("be short"), the last entry is a message
    failed, aborted true, own false: an extension cancelled the compaction; the transcript is as it was
    "#);
}

#[tokio::test]
async fn the_summary_of_an_extension_stands() {
    let own =
        |event: &SessionBeforeCompactEvent| own_summary(&event.preparation.first_kept_entry_id);
    let (done, heard, texts) = compact_under(own).await;
    done.unwrap();
    assert_eq!(texts[0], "summary: by hand");
    insta::assert_snapshot!(heard.join("\n"), @r#"
    before manual: 2 messages, Some("be short"), the last entry is a message
    compacted, own true: "by hand"
    "#);
}

#[tokio::test]
async fn a_summary_that_keeps_an_entry_of_no_branch_changes_nothing() {
    let (done, heard, texts) = compact_under(|_| own_summary("nowhere")).await;
    assert!(matches!(done, Err(CompactionError::Record(_))), "{done:?}");
    assert_eq!(texts.len(), 4, "the transcript is as it was");
    insta::assert_snapshot!(heard.join("\n"), @r#"
    before manual: 2 messages, Some("be short"), the last entry is a message
    failed, aborted false, own true: there is no entry nowhere in this session
    "#);
}

fn own_summary(first_kept: &str) -> BeforeCompactReply {
    BeforeCompactReply::Compaction(Box::new(OwnCompaction {
        summary: "by hand".to_owned(),
        first_kept_entry_id: first_kept.into(),
        tokens_before: 7,
        usage: None,
        details: None,
    }))
}
