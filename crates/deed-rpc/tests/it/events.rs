//! The events between the answers: Pi's, in Pi's order.

use serde_json::json;

use super::host::Play;
use super::wire::{Wire, command, kinds, say};

#[tokio::test]
async fn the_answer_to_a_prompt_comes_first_and_the_end_last() {
    let mut wire = Wire::start(Play::new(json!([command("true"), say("done")]))).await;
    wire.prompt("go").await;
    let kinds = kinds(&wire.seen);
    let without_updates: Vec<&str> = kinds
        .iter()
        .map(String::as_str)
        .filter(|kind| !kind.contains("_update"))
        .collect();
    insta::assert_snapshot!(without_updates.join("\n"), @r"
    response prompt
    agent_start
    turn_start
    message_start user
    message_end user
    message_start assistant
    message_end assistant
    tool_execution_start call_1_1
    tool_execution_end call_1_1
    message_start toolResult
    message_end toolResult
    turn_end
    turn_start
    message_start assistant
    message_end assistant
    turn_end
    agent_end
    agent_settled
    ");
}

#[tokio::test]
async fn what_fails_at_once_ends_before_anything_runs_and_results_come_in_call_order() {
    let calls = json!([{ "calls": [
        { "id": "1", "name": "bash", "arguments": { "command": "while [ ! -e go ]; do sleep 0.01; done" } },
        { "id": "2", "name": "bash", "arguments": { "command": "true" } },
        { "id": "3", "name": "unknown", "arguments": {} },
        { "id": "4", "name": "read", "arguments": { "path": "missing" } },
        { "id": "5", "name": "read", "arguments": {} },
    ] }, say("done")]);
    let mut wire = Wire::start(Play::new(calls)).await;
    wire.ok(json!({ "type": "prompt", "message": "go" })).await;
    for _ in 2..=5 {
        wire.until_type("tool_execution_end").await;
    }
    std::fs::write(wire.host.path("go"), "").unwrap();
    wire.until_type("agent_settled").await;
    let kinds = kinds(&wire.seen);
    let calls: Vec<&str> = kinds
        .iter()
        .filter_map(|kind| kind.strip_prefix("tool_execution_"))
        .collect();
    // Source: the order that Pi 1.6.0 makes of these calls.
    let begin = [
        "start 1", "start 2", "start 3", "end 3", "start 4", "start 5", "end 5",
    ];
    assert_eq!(calls[..7], begin, "{calls:?}");
    assert_eq!(calls.last(), Some(&"end 1"));
    let results = wire.seen.iter().filter(|record| {
        record["type"] == "message_end" && record["message"]["role"] == "toolResult"
    });
    let ids: Vec<&str> = results
        .map(|record| record["message"]["toolCallId"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["1", "2", "3", "4", "5"]);
}

#[tokio::test]
async fn b124_the_end_of_a_call_is_told_while_its_sibling_still_runs() {
    let calls = json!([{ "calls": [
        { "id": "slow", "name": "bash", "arguments": { "command": "while [ ! -e go ]; do sleep 0.01; done" } },
        { "id": "fast", "name": "bash", "arguments": { "command": "true" } },
    ] }, say("done")]);
    let mut wire = Wire::start(Play::new(calls)).await;
    wire.ok(json!({ "type": "prompt", "message": "go" })).await;
    let ended = wire.until_type("tool_execution_end").await;
    assert_eq!(ended["toolCallId"], "fast");
    std::fs::write(wire.host.path("go"), "").unwrap();
    let ended = wire.until_type("tool_execution_end").await;
    assert_eq!(ended["toolCallId"], "slow");
    wire.until_type("agent_settled").await;
}

#[tokio::test]
async fn who_wants_cards_gets_them_in_the_events_of_a_call() {
    let script = json!([command("echo hi; echo 1 >&2"), say("done")]);
    let mut play = Play::new(script);
    play.with_cards = true;
    let mut wire = Wire::start(play).await;
    wire.prompt("go").await;
    let of_call = |kind: &str| {
        let found = wire.seen.iter().find(|record| record["type"] == kind);
        found.unwrap().clone()
    };
    let start = of_call("tool_execution_start");
    assert_eq!(start["args"]["command"], "echo hi; echo 1 >&2");
    assert_eq!(start["card"]["title"], "bash");
    assert!(of_call("tool_execution_update")["card"].is_object());
    let card = of_call("tool_execution_end")["card"].to_string();
    assert!(card.contains("hi"), "{card}");
    let without = wire
        .seen
        .iter()
        .filter(|record| record.get("card").is_some());
    let kinds = kinds(&without.cloned().collect::<Vec<_>>());
    assert!(
        kinds.iter().all(|kind| kind.starts_with("tool_execution_")),
        "{kinds:?}"
    );
}

#[tokio::test]
async fn who_does_not_want_cards_gets_none() {
    let mut wire = Wire::start(Play::new(json!([command("true"), say("done")]))).await;
    wire.prompt("go").await;
    assert!(wire.seen.iter().all(|record| record.get("card").is_none()));
}
