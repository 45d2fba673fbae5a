//! Models, thinking, queues, retries and compaction.

use deed_protocol::ThinkingLevel;
use serde_json::{Value, json};

use super::host::{Play, spec};
use super::wire::{Wire, command, say};

fn with_models() -> Play {
    let mut play = Play::new(json!([say("fine")]));
    play.models = vec![
        spec("m1", &[]),
        spec("m2", &[ThinkingLevel::Low, ThinkingLevel::High]),
    ];
    play
}

#[tokio::test]
async fn models_are_listed_set_and_cycled() {
    let mut wire = Wire::start(with_models()).await;
    let listed = wire.ok(json!({ "type": "get_available_models" })).await;
    insta::assert_snapshot!(listed["models"][1], @r#"{"id":"m2","name":"M2","api":"openai-completions","provider":"acme","baseUrl":"http://127.0.0.1:1","reasoning":true,"input":["text"],"contextWindow":1000,"maxTokens":100,"cost":{"input":0.0,"output":0.0,"cacheRead":0.0,"cacheWrite":0.0}}"#);
    let unknown = json!({ "type": "set_model", "provider": "acme", "modelId": "m9" });
    assert_eq!(
        wire.refused(unknown).await,
        "no model acme/m9; `get_available_models` lists those there are"
    );
    let set = json!({ "type": "set_model", "provider": "acme", "modelId": "m1" });
    assert_eq!(wire.ok(set).await["id"], "m1");
    let cycled = wire.ok(json!({ "type": "cycle_model" })).await;
    assert_eq!(
        (&cycled["model"]["id"], &cycled["isScoped"]),
        (&json!("m2"), &json!(false))
    );
    wire.prompt("who are you").await;
    let text = wire.ok(json!({ "type": "get_last_assistant_text" })).await;
    assert_eq!(text["text"], "m2");
    let entries = wire.ok(json!({ "type": "get_entries" })).await;
    let changes = entries["entries"].as_array().unwrap().iter();
    let changes = changes.filter(|entry| entry["type"] == "model_change");
    let ids: Vec<&str> = changes
        .map(|entry| entry["modelId"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["script", "m1", "m2"]);
}

#[tokio::test]
async fn with_no_other_model_cycling_answers_null() {
    let mut wire = Wire::start(Play::new(json!([say("fine")]))).await;
    assert_eq!(wire.ok(json!({ "type": "cycle_model" })).await, json!(null));
    assert_eq!(wire.seen.last().unwrap().get("data"), Some(&json!(null)));
}

#[tokio::test]
async fn a_level_of_thinking_is_fitted_to_the_model() {
    let mut wire = Wire::start(with_models()).await;
    wire.ok(json!({ "type": "set_thinking_level", "level": "high" }))
        .await;
    assert_eq!(
        wire.ok(json!({ "type": "get_state" })).await["thinkingLevel"],
        "off"
    );
    let levels = wire
        .ok(json!({ "type": "get_available_thinking_levels" }))
        .await;
    assert_eq!(levels, json!({ "levels": ["off"] }));
    assert_eq!(
        wire.ok(json!({ "type": "cycle_thinking_level" })).await,
        json!(null)
    );
    wire.ok(json!({ "type": "set_model", "provider": "acme", "modelId": "m2" }))
        .await;
    wire.ok(json!({ "type": "set_thinking_level", "level": "medium" }))
        .await;
    let event = wire
        .seen
        .iter()
        .rfind(|record| record["type"] == "thinking_level_changed");
    assert_eq!(event.unwrap()["level"], "high");
    let levels = wire
        .ok(json!({ "type": "get_available_thinking_levels" }))
        .await;
    assert_eq!(levels, json!({ "levels": ["off", "low", "high"] }));
    let next = wire.ok(json!({ "type": "cycle_thinking_level" })).await;
    assert_eq!(next, json!({ "level": "off" }));
    wire.ok(json!({ "type": "set_thinking_level", "level": "max" }))
        .await;
    let state = wire.ok(json!({ "type": "get_state" })).await;
    assert_eq!(state["thinkingLevel"], "high", "the most that it knows");
    wire.ok(json!({ "type": "set_model", "provider": "acme", "modelId": "m1" }))
        .await;
    assert_eq!(
        wire.ok(json!({ "type": "get_state" })).await["thinkingLevel"],
        "off"
    );
}

#[tokio::test]
async fn what_a_client_sets_holds_for_the_next_session_too() {
    let mut wire = Wire::start(with_models()).await;
    wire.ok(json!({ "type": "set_steering_mode", "mode": "all" }))
        .await;
    wire.ok(json!({ "type": "set_follow_up_mode", "mode": "all" }))
        .await;
    wire.ok(json!({ "type": "set_auto_compaction", "enabled": false }))
        .await;
    wire.ok(json!({ "type": "set_auto_retry", "enabled": false }))
        .await;
    for _ in 0..2 {
        let state = wire.ok(json!({ "type": "get_state" })).await;
        assert_eq!(state["steeringMode"], "all");
        assert_eq!(state["followUpMode"], "all");
        assert_eq!(state["autoCompactionEnabled"], false);
        wire.ok(json!({ "type": "new_session" })).await;
    }
}

#[tokio::test]
async fn all_that_was_steered_is_delivered_at_once_if_wanted() {
    let waits = command("while [ ! -e go ]; do sleep 0.01; done");
    let mut wire = Wire::start(Play::new(json!([waits, say("one"), say("two")]))).await;
    wire.ok(json!({ "type": "set_steering_mode", "mode": "all" }))
        .await;
    wire.ok(json!({ "type": "prompt", "message": "begin" }))
        .await;
    wire.until_type("tool_execution_start").await;
    wire.ok(json!({ "type": "steer", "message": "a" })).await;
    wire.ok(json!({ "type": "steer", "message": "b" })).await;
    std::fs::write(wire.host.path("go"), "").unwrap();
    wire.until_type("agent_settled").await;
    let answers = wire
        .seen
        .iter()
        .filter(|record| record["type"] == "turn_end");
    assert_eq!(answers.count(), 2);
}

fn overloaded() -> serde_json::Value {
    json!({ "error": "overloaded", "errorKind": "overloaded", "retryAfterMs": 30_000 })
}

#[tokio::test]
async fn a_retry_that_waits_is_given_up() {
    let mut wire = Wire::start(Play::new(json!([overloaded(), say("late")]))).await;
    wire.ok(json!({ "type": "prompt", "message": "go" })).await;
    wire.until_type("auto_retry_start").await;
    wire.ok(json!({ "type": "abort_retry" })).await;
    let end = match wire
        .seen
        .iter()
        .find(|record| record["type"] == "auto_retry_end")
    {
        Some(end) => end.clone(),
        None => wire.until_type("auto_retry_end").await,
    };
    assert_eq!(end["success"], false);
}

#[tokio::test]
async fn abort_also_gives_up_a_retry() {
    let mut wire = Wire::start(Play::new(json!([overloaded(), say("late")]))).await;
    wire.ok(json!({ "type": "prompt", "message": "go" })).await;
    wire.until_type("auto_retry_start").await;
    wire.ok(json!({ "type": "abort" })).await;
    assert!(
        wire.seen
            .iter()
            .any(|record| record["type"] == "agent_settled")
    );
}

#[tokio::test]
async fn without_retries_a_failed_request_ends_the_run() {
    let mut wire = Wire::start(Play::new(json!([overloaded(), say("late")]))).await;
    wire.ok(json!({ "type": "set_auto_retry", "enabled": false }))
        .await;
    wire.prompt("go").await;
    assert!(
        !wire
            .seen
            .iter()
            .any(|record| record["type"] == "auto_retry_start")
    );
}

#[tokio::test]
async fn compaction_puts_a_summary_in_place() {
    let long = "word ".repeat(30_000);
    let script = json!([say(&long), say("two"), say("what went on"), say("three")]);
    let mut wire = Wire::start(Play::new(script)).await;
    let error = wire.refused(json!({ "type": "compact" })).await;
    assert!(error.contains("nothing to compact"), "{error}");
    wire.prompt(&long).await;
    wire.prompt("two").await;
    let compact = json!({ "type": "compact", "customInstructions": "be short" });
    let done = wire.ok(compact).await;
    assert!(
        done["summary"]
            .as_str()
            .unwrap()
            .starts_with("what went on"),
        "{done}"
    );
    assert!(
        done["tokensBefore"].as_u64().unwrap() > done["estimatedTokensAfter"].as_u64().unwrap()
    );
    assert!(done["firstKeptEntryId"].is_string());
    assert!(done["usage"]["totalTokens"].is_u64(), "{done}");
    let is_end =
        |record: &Value| record["type"] == "compaction_end" && record["result"].is_object();
    let end = match wire.seen.iter().find(|record| is_end(record)) {
        Some(end) => end.clone(),
        None => wire.until(is_end).await,
    };
    assert_eq!(end["result"], done, "as the event has it");
    for kind in ["compaction_start", "compaction_end"] {
        assert!(
            wire.seen.iter().any(|record| record["type"] == kind),
            "{kind}"
        );
    }
    let state = wire.ok(json!({ "type": "get_state" })).await;
    assert_eq!(
        (&state["isCompacting"], &state["isStreaming"]),
        (&json!(false), &json!(false))
    );
    wire.prompt("three").await;
}
