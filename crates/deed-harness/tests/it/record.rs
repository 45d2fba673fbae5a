//! Sessions on disk: what is written, and how a session goes on.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use deed_harness::{AgentSession, Resumed, SessionBuilder};
use deed_models::{Script, ScriptedModel};
use deed_protocol::Message;
use deed_session::{Session, SessionStore, StartedCall, StoreConfig};
use serde_json::{Value, json};

use crate::support::{Place, results_in, text_of};

/// Sessions in a folder, and tools in another.
struct Kept {
    place: Place,
    root: tempfile::TempDir,
}

impl Kept {
    fn new() -> Self {
        Self {
            place: Place::new(),
            root: tempfile::tempdir().unwrap(),
        }
    }

    fn store(&self) -> SessionStore {
        SessionStore::new(StoreConfig::new(self.root.path()))
    }

    fn new_session(&self) -> Session {
        let cwd = self.place.path("");
        self.store().create(&cwd, None).unwrap()
    }

    fn open(&self, path: &Path) -> Session {
        self.store().open(path).unwrap()
    }

    fn session(&self, record: Session, script: Value) -> AgentSession {
        self.builder(record, script).build().unwrap()
    }

    fn builder(&self, record: Session, script: Value) -> SessionBuilder {
        let script = Script::parse(&script.to_string()).unwrap();
        self.place
            .builder()
            .model(Arc::new(ScriptedModel::new(script, || 0)))
            .record(record)
    }
}

async fn prompt(session: &AgentSession, text: &str) {
    let end = session.prompt(vec![Message::user(text, 0)]).await.unwrap();
    assert_eq!(end.error, None);
}

/// Returns the entries of a file, each as a word or two.
fn kinds(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().skip(1);
    lines
        .map(|line| {
            let entry: Value = serde_json::from_str(line).unwrap();
            let inner = [&entry["message"]["role"], &entry["customType"]];
            let inner = inner.into_iter().find_map(Value::as_str).unwrap_or("");
            format!("{} {inner}", entry["type"].as_str().unwrap())
                .trim_end()
                .to_owned()
        })
        .collect()
}

fn file_of(session: &AgentSession) -> PathBuf {
    session.session_file().unwrap()
}

#[tokio::test]
async fn a_call_is_on_record_before_it_runs_and_its_result_after() {
    let kept = Kept::new();
    let script = json!([
        { "calls": [{ "id": "w", "name": "write",
                      "arguments": { "path": "a.txt", "content": "x" } }] },
        { "say": "done" },
    ]);
    let session = kept.session(kept.new_session(), script);
    prompt(&session, "go").await;
    insta::assert_debug_snapshot!(kinds(&file_of(&session)), @r#"
    [
        "model_change",
        "message user",
        "message assistant",
        "custom deed.started",
        "message toolResult",
        "message assistant",
    ]
    "#);
}

#[tokio::test]
async fn a_session_goes_on_where_it_was() {
    let kept = Kept::new();
    let session = kept.session(kept.new_session(), json!([{ "say": "hello" }]));
    prompt(&session, "first").await;
    let path = file_of(&session);
    session.close().await;
    let session = kept.session(kept.open(&path), json!([{ "say": "again" }]));
    assert_eq!(session.agent().messages().len(), 2);
    prompt(&session, "second").await;
    assert_eq!(session.agent().messages().len(), 4);
    assert_eq!(kinds(&path).len(), 5, "the model is noted once");
}

/// Writes a session that ended in the middle of a batch of calls: those that `started` names had
/// begun.
fn broken_off(kept: &Kept, calls: &Value, started: &[&str]) -> PathBuf {
    let mut record = kept.new_session();
    let user = Message::user("go", 0);
    record.append_message(Arc::new(user)).unwrap();
    let answer = json!({ "role": "assistant", "content": calls, "stopReason": "toolUse" });
    let answer: Message = serde_json::from_value(answer).unwrap();
    record.append_message(Arc::new(answer)).unwrap();
    let started: Vec<StartedCall> = started
        .iter()
        .map(|id| StartedCall {
            tool_call_id: (*id).into(),
            call_index: None,
            args_sha256: "00".repeat(32),
        })
        .collect();
    if !started.is_empty() {
        record.append_started(&started).unwrap();
    }
    record.path().unwrap().to_owned()
}

fn call(id: &str, name: &str, arguments: Value) -> Value {
    json!({ "type": "toolCall", "id": id, "name": name, "arguments": arguments })
}

#[tokio::test]
async fn calls_that_a_crash_left_open_are_resumed_by_their_rule() {
    let kept = Kept::new();
    kept.place.put("a.txt", "there\n");
    let calls = json!([
        call("ran", "bash", json!({ "command": "echo ran >> log" })),
        call("safe", "read", json!({ "path": "a.txt" })),
        call("new", "bash", json!({ "command": "echo new >> log" })),
    ]);
    let path = broken_off(&kept, &calls, &["ran", "safe"]);
    let session = kept.session(kept.open(&path), json!([{ "say": "done" }]));
    let resumed = session.resume().await.unwrap();
    let expected = Resumed {
        ran: vec!["safe".into(), "new".into()],
        unknown: vec!["ran".into()],
    };
    assert_eq!(resumed, expected);
    // What may have run did not run again; what never began ran once.
    assert_eq!(kept.place.content("log"), "new\n");
    let results = results_in(&session.agent().messages());
    let ids: Vec<&str> = results.iter().map(|one| &*one.tool_call_id).collect();
    assert_eq!(ids, ["ran", "safe", "new"], "in call order");
    assert!(results[0].is_error);
    assert!(text_of(&results[0]).contains("outcome of this call is unknown"));
    assert_eq!(text_of(&results[1]), "there\n");
    // And once more: nothing is open, so nothing runs.
    assert_eq!(session.resume().await.unwrap(), Resumed::default());
    session.close().await;
    let session = kept.session(kept.open(&path), json!([{ "say": "done" }]));
    assert_eq!(session.resume().await.unwrap(), Resumed::default());
    prompt(&session, "go on").await;
    assert_eq!(kept.place.content("log"), "new\n");
}

#[tokio::test]
async fn a_prompt_answers_open_calls_first() {
    let kept = Kept::new();
    let calls = json!([call("x", "bash", json!({ "command": "echo once >> log" }))]);
    let path = broken_off(&kept, &calls, &[]);
    let session = kept.session(kept.open(&path), json!([{ "expect": "", "say": "done" }]));
    prompt(&session, "go on").await;
    let roles: Vec<&str> = session
        .agent()
        .messages()
        .iter()
        .map(|message| match &**message {
            Message::User(_) => "user",
            Message::Assistant(_) => "assistant",
            Message::ToolResult(_) => "result",
            _ => "other",
        })
        .collect();
    assert_eq!(roles, ["user", "assistant", "result", "user", "assistant"]);
    assert_eq!(kept.place.content("log"), "once\n");
}

#[tokio::test]
async fn b109_calls_with_one_id_are_resumed_one_by_one() {
    let kept = Kept::new();
    kept.place.put("a.txt", "a\n");
    kept.place.put("b.txt", "b\n");
    let calls = json!([
        call("c1", "read", json!({ "path": "a.txt" })),
        call("c1", "read", json!({ "path": "b.txt" })),
    ]);
    let path = broken_off(&kept, &calls, &["c1"]);
    let session = kept.session(kept.open(&path), json!([{ "say": "done" }]));
    session.resume().await.unwrap();
    let texts: Vec<String> = results_in(&session.agent().messages())
        .iter()
        .map(text_of)
        .collect();
    assert_eq!(texts, ["a\n", "b\n"]);
    session.close().await;
    let session = kept.session(kept.open(&path), json!([{ "say": "done" }]));
    let texts: Vec<String> = results_in(&session.agent().messages())
        .iter()
        .map(text_of)
        .collect();
    assert_eq!(texts, ["a\n", "b\n"], "after a reload too");
}

#[tokio::test]
async fn b176_tools_that_were_made_active_are_so_when_the_session_goes_on() {
    let kept = Kept::new();
    let session = kept.session(
        kept.new_session(),
        json!([{ "calls": [{ "name": "read", "arguments": { "path": "none" } }] }, { "say": "x" }]),
    );
    let change = deed_tooling::ActiveChange::Add(vec!["grep".into()]);
    session.registry().change_active_tools(&change);
    prompt(&session, "go").await;
    let active = session.registry().active_names();
    assert!(active.contains(&"grep".into()));
    let path = file_of(&session);
    session.close().await;
    let session = kept.session(kept.open(&path), json!([{ "say": "done" }]));
    assert_eq!(session.registry().active_names(), active);
}

#[tokio::test]
async fn a_failed_answer_stays_on_record_and_out_of_what_goes_on() {
    let kept = Kept::new();
    let script = json!([
        { "error": "busy", "errorKind": "overloaded" },
        { "say": "done" },
    ]);
    let quick = deed_harness::RetryPolicy {
        base_delay: std::time::Duration::from_millis(1),
        ..Default::default()
    };
    let builder = kept.builder(kept.new_session(), script).retry(quick);
    let session = builder.build().unwrap();
    prompt(&session, "go").await;
    let path = file_of(&session);
    assert_eq!(
        kinds(&path),
        [
            "model_change",
            "message user",
            "message assistant",
            "context_edit",
            "message assistant"
        ]
    );
    session.close().await;
    let session = kept.session(kept.open(&path), json!([{ "say": "x" }]));
    assert_eq!(session.agent().messages().len(), 2);
}
