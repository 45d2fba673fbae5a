//! Commands of people: what they print is told, kept, and stands in the transcript where it may.

use std::sync::{Arc, Mutex};

use deed_agent::{BarrierSink, BoxFuture};
use deed_guard::redact::{KnownSecret, SecretRedactor};
use deed_harness::{AgentSession, BashRequest};
use deed_protocol::{BashExecutionMessage, Event, EventBody, Message};
use deed_session::{SessionStore, StoreConfig};
use serde_json::json;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::support::{Place, host_tool};

fn request(command: &str) -> BashRequest {
    BashRequest {
        command: command.to_owned(),
        ..BashRequest::default()
    }
}

fn commands_in(messages: &[Arc<Message>]) -> Vec<BashExecutionMessage> {
    let commands = messages.iter().filter_map(|message| match &**message {
        Message::BashExecution(command) => Some(command.clone()),
        _ => None,
    });
    commands.collect()
}

/// Keeps the output that is told, by the name of its command.
#[derive(Default)]
struct Heard(Mutex<Vec<(Option<String>, String)>>);

impl BarrierSink for Heard {
    fn name(&self) -> &str {
        "what is heard"
    }

    fn deliver<'a>(&'a self, event: &'a Arc<Event>) -> BoxFuture<'a, Result<(), String>> {
        if let EventBody::BashExecutionUpdate { id, delta } = &event.body {
            self.0.lock().unwrap().push((id.clone(), delta.clone()));
        }
        Box::pin(async { Ok(()) })
    }
}

fn listen(session: &AgentSession) -> Arc<Heard> {
    let heard = Arc::new(Heard::default());
    session.add_sink(heard.clone());
    heard
}

#[tokio::test]
async fn a_command_is_told_and_stands_in_the_transcript() {
    let place = Place::new();
    let played = place.session(json!([{ "say": "fine" }]), |builder| builder);
    let heard = listen(&played.session);
    let named = BashRequest {
        id: Some("c1".to_owned()),
        ..request("echo out; echo err >&2; exit 3")
    };
    let cancel = CancellationToken::new();
    let ran = played.session.run_bash(named, &cancel).await.unwrap();
    assert_eq!((ran.exit_code, ran.is_cancelled), (Some(3), false));
    let told = heard.0.lock().unwrap();
    let text: String = told.iter().map(|(_, delta)| delta.as_str()).collect();
    assert_eq!(text.len(), "out\nerr\n".len());
    assert!(told.iter().all(|(id, _)| id.as_deref() == Some("c1")));
    let kept = commands_in(&played.session.agent().messages());
    assert_eq!(kept.len(), 1);
    assert_eq!((kept[0].output.len(), kept[0].exit_code), (8, Some(3)));
    assert_eq!(kept[0].exclude_from_context, None);
}

#[tokio::test]
async fn long_output_is_cut_and_saved_whole() {
    let place = Place::new();
    let played = place.session(json!([{ "say": "fine" }]), |builder| builder);
    let heard = listen(&played.session);
    let cancel = CancellationToken::new();
    let ran = played
        .session
        .run_bash(request("seq 1 9000"), &cancel)
        .await;
    let ran = ran.unwrap();
    assert!(ran.is_truncated);
    assert!(
        ran.output.ends_with("8999\n9000") || ran.output.ends_with("9000\n"),
        "{}",
        ran.output
    );
    let saved = std::fs::read_to_string(ran.full_output_path.unwrap()).unwrap();
    let told = heard.0.lock().unwrap();
    let text: String = told.iter().map(|(_, delta)| delta.as_str()).collect();
    assert_eq!(text, saved);
    assert_eq!(saved.lines().count(), 9000);
}

#[tokio::test]
async fn cancelling_ends_the_command_and_keeps_what_it_printed() {
    let place = Place::new();
    let played = place.session(json!([{ "say": "fine" }]), |builder| builder);
    let cancel = CancellationToken::new();
    struct Canceller(CancellationToken);
    impl BarrierSink for Canceller {
        fn name(&self) -> &str {
            "canceller"
        }

        fn deliver<'a>(&'a self, event: &'a Arc<Event>) -> BoxFuture<'a, Result<(), String>> {
            if matches!(event.body, EventBody::BashExecutionUpdate { .. }) {
                self.0.cancel();
            }
            Box::pin(async { Ok(()) })
        }
    }
    played.session.add_sink(Arc::new(Canceller(cancel.clone())));
    let running = played
        .session
        .run_bash(request("echo begun; sleep 300"), &cancel);
    let ran = running.await.unwrap();
    assert_eq!((ran.exit_code, ran.is_cancelled), (None, true));
    assert_eq!(ran.output, "begun\n");
    assert!(commands_in(&played.session.agent().messages())[0].cancelled);
}

#[tokio::test]
async fn a_command_that_ends_during_a_run_stands_behind_it() {
    let place = Place::new();
    let (begun, done) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let store = SessionStore::new(StoreConfig::new(place.output_folder()));
    let record = store.in_memory(&place.path("")).unwrap();
    let tool = {
        let begun = begun.clone();
        host_tool("signal", move |_| {
            begun.notify_one();
            deed_protocol::ToolResult::text("ok")
        })
    };
    let waits = json!([
        { "calls": [{ "name": "signal" }, { "name": "bash", "arguments": { "command": "while [ ! -e go ]; do sleep 0.01; done" } }] },
        { "say": "fine" },
        { "say": "again" },
    ]);
    let played = place.session(waits, |builder| builder.tool(Arc::new(tool)).record(record));
    let session = played.session.clone();
    let running = tokio::spawn({
        let done = done.clone();
        async move {
            session.prompt(vec![Message::user("go", 0)]).await.unwrap();
            done.notify_one();
        }
    });
    begun.notified().await;
    let cancel = CancellationToken::new();
    let hidden = BashRequest {
        exclude_from_context: true,
        ..request("echo aside")
    };
    played.session.run_bash(hidden, &cancel).await.unwrap();
    assert!(commands_in(&played.session.agent().messages()).is_empty());
    place.put("go", "");
    done.notified().await;
    running.await.unwrap();
    let messages = played.session.agent().messages();
    let last = messages.last().unwrap();
    let Message::BashExecution(command) = &**last else {
        panic!("{last:?}")
    };
    assert_eq!(command.exclude_from_context, Some(true));
    let recorded = played.session.on_record(|record| record.context().unwrap());
    assert_eq!(recorded.unwrap().messages().len(), messages.len());
    played.prompt().await;
    assert_eq!(played.session.agent().messages().len(), messages.len() + 2);
}

#[tokio::test]
async fn what_cannot_run_is_an_error_and_leaves_nothing() {
    let place = Place::new();
    let played = place.session(json!([{ "say": "fine" }]), |builder| builder);
    let cancel = CancellationToken::new();
    let error = played.session.run_bash(request("a\0b"), &cancel).await;
    let error = error.unwrap_err().to_string();
    assert!(error.contains("NUL"), "{error}");
    assert!(played.session.agent().messages().is_empty());
}

#[tokio::test]
async fn known_secrets_reach_neither_the_client_nor_the_transcript_nor_the_file() {
    let place = Place::new();
    let secret = KnownSecret {
        kind: "test".into(),
        value: "hunter2-hunter2".into(),
    };
    let (redactor, _) = SecretRedactor::new([secret]);
    let script = json!([{ "say": "fine" }]);
    let played = place.session(script, |builder| builder.redactor(Arc::new(redactor)));
    let heard = listen(&played.session);
    // Cut in two, so that no piece has it whole.
    let command = "seq 1 5000; printf hunter2-; printf 'hunter2\\n'; seq 1 10";
    let cancel = CancellationToken::new();
    let ran = played.session.run_bash(request(command), &cancel).await;
    let ran = ran.unwrap();
    let told = heard.0.lock().unwrap();
    let told: String = told.iter().map(|(_, delta)| delta.as_str()).collect();
    let saved = std::fs::read_to_string(ran.full_output_path.unwrap()).unwrap();
    for text in [&told, &ran.output, &saved] {
        assert!(
            text.contains("[redacted") && !text.contains("hunter2"),
            "{text}"
        );
    }
}
