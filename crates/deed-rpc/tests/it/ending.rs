//! How serving ends, and what a client that does not read does to it.

use std::sync::atomic::Ordering;

use serde_json::json;

use super::host::Play;
use super::wire::{Wire, command, kinds, say};

const WAITS: &str = "echo up; sleep 300; touch survived";

async fn running() -> Wire {
    let mut wire = Wire::start(Play::new(json!([command(WAITS), say("no")]))).await;
    wire.ok(json!({ "type": "prompt", "message": "go" })).await;
    wire.until_type("tool_execution_update").await;
    wire
}

#[tokio::test]
async fn the_end_of_the_input_ends_the_session_in_order() {
    let mut wire = Wire::start(Play::new(json!([say("fine")]))).await;
    wire.prompt("go").await;
    let (host, rest) = wire.end().await;
    assert!(rest.is_empty(), "{rest:?}");
    assert_eq!(host.ended.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn the_last_line_may_lack_its_end() {
    let mut wire = Wire::start(Play::new(json!([say("fine")]))).await;
    wire.send_raw(b"{\"type\":\"get_state\",\"id\":\"x\"}");
    wire.close_input();
    assert_eq!(wire.next().await["id"], "x");
    wire.ended().await;
}

#[tokio::test]
async fn in_the_middle_of_a_run_it_is_cancelled_and_every_call_gets_its_result() {
    let wire = running().await;
    let (host, rest) = wire.end().await;
    let kinds = kinds(&rest);
    assert!(
        kinds.iter().any(|kind| kind == "message_end toolResult"),
        "{kinds:?}"
    );
    let last = rest.last().unwrap();
    assert_eq!(
        (&last["type"], &last["aborted"]),
        (&json!("agent_settled"), &json!(true))
    );
    assert!(!host.path("survived").exists());
    assert_eq!(host.ended.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn being_told_to_stop_is_the_same() {
    let wire = running().await;
    wire.stop.cancel();
    let (host, rest) = wire.ended().await;
    assert_eq!(rest.last().unwrap()["type"], "agent_settled");
    assert!(!host.path("survived").exists());
}

#[tokio::test]
async fn a_client_that_closes_its_end_ends_the_serving() {
    let mut wire = running().await;
    wire.stop_reading();
    // What is written next finds out.
    wire.send(json!({ "type": "get_state" }));
    let (host, _) = wire.ended().await;
    assert!(!host.path("survived").exists());
    assert_eq!(host.ended.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_client_that_does_not_read_holds_the_run_up() {
    let mut script: Vec<_> = (0..50)
        .map(|at| command(&format!("echo {at} >> log")))
        .collect();
    script.push(say("done"));
    let mut play = Play::new(json!(script));
    play.room = 2;
    let mut wire = Wire::start(play).await;
    wire.send(json!({ "type": "prompt", "message": "go" }));
    let log = wire.host.path("log");
    for at in 1..=50 {
        wire.until_type("tool_execution_end").await;
        let ran = std::fs::read_to_string(&log).unwrap().lines().count();
        // The events between two calls do not fit into the room for lines.
        assert!(
            ran <= at + 1,
            "{ran} commands ran when the end of {at} was read"
        );
    }
    wire.until_type("agent_settled").await;
}

#[tokio::test]
async fn a_client_that_does_not_read_holds_its_own_command_up_and_can_still_abort_it() {
    let mut play = Play::new(json!([say("fine")]));
    play.room = 2;
    let mut wire = Wire::start(play).await;
    let shell = wire.begin(json!({ "type": "bash", "command": "yes word; touch survived" }));
    wire.until_type("bash_execution_update").await;
    let abort = wire.begin(json!({ "type": "abort_bash" }));
    let first = wire.until(|record| record["type"] == "response").await;
    let second = wire.until(|record| record["type"] == "response").await;
    let ids = [&first["id"], &second["id"]];
    assert!(ids.contains(&&json!(shell)) && ids.contains(&&json!(abort)));
    let ran = if first["id"] == shell.as_str() {
        first
    } else {
        second
    };
    assert_eq!(ran["data"]["cancelled"], true);
    assert!(!wire.host.path("survived").exists());
}

#[tokio::test]
async fn too_many_commands_at_once_are_refused_and_answers_still_come() {
    let mut wire = Wire::start(Play::new(json!([say("fine")]))).await;
    for _ in 0..130 {
        wire.begin(json!({ "type": "bash", "command": "while [ ! -e go ]; do sleep 0.1; done" }));
    }
    let refused = wire.until(|record| record["success"] == false).await;
    assert_eq!(
        refused["error"],
        "128 commands are under way; wait for an answer"
    );
    wire.close_input();
    wire.ended().await;
}
