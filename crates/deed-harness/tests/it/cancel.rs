use std::sync::Arc;

use deed_protocol::{StopReason, ToolResult};
use deed_testing::{EventLog, HostTool};
use serde_json::json;

use crate::support::{Place, host_tool, run_calls, text_of};

/// A tool that aborts as soon as a file is there.
fn aborting(place: &Place) -> HostTool {
    let started = place.path("started");
    host_tool("stop", move |context| {
        while !started.exists() {
            std::thread::yield_now();
        }
        context.actions().abort();
        ToolResult::text("stopped")
    })
}

const SLEEPS: &str = "echo before; touch started; sleep 300";

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_tool_that_aborts_ends_the_run_and_every_call_is_answered() {
    let place = Place::new();
    let script = json!([
        { "calls": [
            { "id": "sleeps", "name": "bash", "arguments": { "command": SLEEPS } },
            { "id": "stops", "name": "stop" } ] },
        { "say": "never said" },
        { "say": "said" },
    ]);
    let played = place.session(script, |builder| builder.tool(aborting(&place).shared()));
    let log = Arc::new(EventLog::default());
    played.session.add_sink(log.clone());
    played.prompt().await;
    let sleeps = played.result("sleeps");
    assert!(sleeps.is_error);
    let text = text_of(&sleeps);
    assert!(text.contains("before") && text.contains("abort"), "{text}");
    assert!(!played.result("stops").is_error, "it was done");
    let last = played.session.agent().messages().pop().unwrap();
    assert_eq!(
        last.as_assistant().unwrap().stop_reason,
        StopReason::Aborted
    );
    assert!(
        log.text()
            .ends_with(r#"{"type":"agent_settled","aborted":true}"#),
        "{}",
        log.text()
    );
    played.prompt().await;
    let last = played.session.agent().messages().pop().unwrap();
    assert_eq!(last.as_assistant().unwrap().stop_reason, StopReason::Stop);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_tool_that_aborts_reaches_calls_that_no_model_made() {
    let place = Place::new();
    let builder = place.builder().tool(aborting(&place).shared());
    let session = builder.build().unwrap();
    let calls = [("bash", json!({ "command": SLEEPS })), ("stop", json!({}))];
    let results = run_calls(&session, &calls).await;
    assert!(results[0].is_error);
    assert!(text_of(&results[0]).contains("before"));
    assert!(!results[1].is_error);
    let later = run_calls(&session, &[("bash", json!({ "command": "echo later" }))]).await;
    assert!(!later[0].is_error, "{}", text_of(&later[0]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn cancelling_the_session_ends_what_runs_in_it() {
    let place = Place::new();
    let started = place.path("started");
    let script = json!([
        { "calls": [{ "id": "sleeps", "name": "bash", "arguments": { "command": SLEEPS } }] },
    ]);
    let played = place.session(script, |builder| builder);
    let session = played.session.clone();
    let cancelling = tokio::spawn(async move {
        while !started.exists() {
            tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        }
        session.cancel();
    });
    played.prompt().await;
    cancelling.await.unwrap();
    assert!(played.result("sleeps").is_error);
}
