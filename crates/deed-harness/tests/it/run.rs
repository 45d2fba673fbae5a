use std::sync::Arc;

use deed_harness::SessionStats;
use deed_protocol::{AssistantMessage, Cost, Message, StopReason, ToolResult, Usage};
use deed_testing::EventLog;
use serde_json::json;

use crate::support::{Place, host_tool, run_calls, text_of};

#[tokio::test]
async fn a_run_reads_changes_and_checks_real_files() {
    let place = Place::new();
    place.put("notes.txt", "one\ntwo\nthree\n");
    let edits = json!([{ "oldText": "two", "newText": "2" }]);
    let script = json!([
        { "calls": [
            { "id": "look", "name": "read", "arguments": { "path": "notes.txt" } },
            { "id": "list", "name": "ls", "arguments": { "path": "." } } ] },
        { "expect": "two", "calls": [
            { "id": "change", "name": "edit", "arguments": { "path": "notes.txt", "edits": edits } } ] },
        { "calls": [
            { "id": "check", "name": "read", "arguments": { "path": "notes.txt" } } ] },
        { "expect": "one\n2\nthree", "say": "done" },
    ]);
    let played = place.session(script, |builder| builder);
    let log = Arc::new(EventLog::default());
    played.session.add_sink(log.clone());
    played.prompt().await;
    insta::assert_snapshot!(log.text(), @r#"
    agent start
    turn start
    message user "go"
    message assistant "" calls ["look", "list"]
    start look read
    start list ls
    end list error
    end look
    message result look "one\ntwo\nthree\n"
    message result list error "Tool ls not found\n\nActive tools: read, bash, edit, write"
    turn end, 2 results
    turn start
    message assistant "" calls ["change"]
    start change edit
    end change
    message result change "Edited notes.txt: 1 replacement."
    turn end, 1 results
    turn start
    message assistant "" calls ["check"]
    start check read
    end check
    message result check "one\n2\nthree\n"
    turn end, 1 results
    turn start
    message assistant "done" calls []
    turn end, 0 results
    agent end, 9 messages
    {"type":"agent_settled","aborted":false}
    "#);
    assert_eq!(place.content("notes.txt"), "one\n2\nthree\n");
    let stats = played.session.stats();
    assert_eq!(stats.user_messages, 1);
    assert_eq!(stats.assistant_messages, 4);
    assert_eq!(stats.tool_calls, 4);
    assert_eq!(stats.tool_errors, 1, "ls is not active");
}

#[tokio::test]
async fn a_command_sees_what_an_edit_left() {
    let place = Place::new();
    let script = json!([
        { "calls": [{ "name": "write", "arguments": { "path": "a.sh", "content": "exit 3\n" } }] },
        { "calls": [{ "id": "fails", "name": "bash", "arguments": { "command": "sh a.sh" } }] },
        { "calls": [{ "name": "edit", "arguments": { "path": "a.sh",
            "edits": [{ "oldText": "exit 3", "newText": "echo fine" }] } }] },
        { "calls": [{ "id": "works", "name": "bash", "arguments": { "command": "sh a.sh" } }] },
        { "expect": "fine", "say": "done" },
    ]);
    let played = place.play(script, |builder| builder).await;
    let fails = played.result("fails");
    assert!(fails.is_error);
    assert!(text_of(&fails).contains('3'), "{}", text_of(&fails));
    assert!(!played.result("works").is_error);
}

#[tokio::test]
async fn a_session_without_a_model_says_so() {
    let session = Place::new().builder().build().unwrap();
    let end = session.prompt(vec![Message::user("go", 0)]).await.unwrap();
    let error = end.error.unwrap();
    assert!(error.contains("no model was chosen"), "{error}");
    let last = session.agent().messages().pop().unwrap();
    let answer = last.as_assistant().unwrap();
    assert_eq!(answer.stop_reason, StopReason::Error);
    assert_eq!(answer.error_message, Some(error));
}

#[tokio::test]
async fn calls_that_no_model_made_leave_the_transcript_alone() {
    let place = Place::new();
    place.put("a", "text of a\n");
    let played = place.session(json!([{ "say": "done" }]), |builder| builder);
    let log = Arc::new(EventLog::default());
    played.session.add_sink(log.clone());
    let calls = [("read", json!({ "path": "a" })), ("nope", json!({}))];
    let results = run_calls(&played.session, &calls).await;
    assert!(text_of(&results[0]).contains("text of a"));
    assert!(results[1].is_error);
    assert!(log.text().contains("result c1"), "{}", log.text());
    assert!(played.session.agent().messages().is_empty());
    assert_eq!(played.session.stats(), SessionStats::default());
    played.prompt().await;
    assert_eq!(played.session.agent().messages().len(), 2);
}

fn usage(tokens: u64, dollars: f64) -> Usage {
    Usage {
        input: tokens,
        total_tokens: tokens,
        cost: Cost {
            total: dollars,
            ..Cost::default()
        },
        ..Usage::default()
    }
}

#[tokio::test]
async fn what_tools_use_is_summed_apart() {
    let place = Place::new();
    let asks = host_tool("ask", |_| ToolResult {
        usage: Some(usage(100, 0.25)),
        ..ToolResult::text("answer")
    });
    let mut before = AssistantMessage::new(StopReason::Stop, 0);
    before.usage = usage(7, 0.5);
    let script = json!([
        { "calls": [{ "name": "ask" }, { "name": "ask" }] },
        { "calls": [{ "name": "ask" }] },
        { "say": "done" },
    ]);
    let played = place
        .play(script, |builder| {
            let earlier = vec![
                Arc::new(Message::user("earlier", 0)),
                Arc::new(before.into()),
            ];
            builder.tool(asks.shared()).messages(earlier)
        })
        .await;
    let stats = played.session.stats();
    assert_eq!(stats.usage, usage(7, 0.5));
    assert_eq!(stats.tool_usage, usage(300, 0.75));
    assert_eq!(stats.tool_calls, 3);
    assert_eq!(stats.user_messages, 2);
}
