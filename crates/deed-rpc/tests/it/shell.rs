//! Commands of the person behind the client.

use serde_json::{Value, json};

use super::host::Play;
use super::wire::{Wire, command, kinds, say};

async fn plain() -> Wire {
    Wire::start(Play::new(json!([say("fine"), say("fine")]))).await
}

#[tokio::test]
async fn output_streams_and_the_answer_has_the_result() {
    let mut wire = plain().await;
    let id = wire.begin(json!({ "type": "bash", "command": "echo out; exit 3" }));
    let update = wire.until_type("bash_execution_update").await;
    assert_eq!(
        update,
        json!({ "type": "bash_execution_update", "id": id, "delta": "out\n" })
    );
    let response = wire.response(&id).await;
    insta::assert_snapshot!(response["data"], @r#"{"output":"out\n","exitCode":3,"cancelled":false,"truncated":false}"#);
    let messages = wire.ok(json!({ "type": "get_messages" })).await;
    insta::assert_snapshot!(messages["messages"][0], @r#"{"role":"bashExecution","command":"echo out; exit 3","output":"out\n","exitCode":3,"cancelled":false,"truncated":false,"timestamp":0}"#);
}

#[tokio::test]
async fn long_output_is_cut_and_the_file_has_it_all() {
    let mut wire = plain().await;
    let data = wire
        .ok(json!({ "type": "bash", "command": "seq 1 5000" }))
        .await;
    assert_eq!(data["truncated"], true);
    let saved = std::fs::read_to_string(data["fullOutputPath"].as_str().unwrap()).unwrap();
    assert_eq!(saved.lines().count(), 5000);
    let told: String = wire
        .seen
        .iter()
        .filter(|record| record["type"] == "bash_execution_update")
        .map(|record| record["delta"].as_str().unwrap())
        .collect();
    assert_eq!(told, saved);
}

#[tokio::test]
async fn abort_bash_ends_those_that_run_and_no_later_one() {
    let mut wire = plain().await;
    let first = wire.begin(json!({ "type": "bash", "command": "echo a; sleep 300" }));
    let second = wire.begin(json!({ "type": "bash", "command": "echo b; sleep 300" }));
    wire.until_type("bash_execution_update").await;
    wire.until_type("bash_execution_update").await;
    let abort = wire.begin(json!({ "type": "abort_bash" }));
    let mut cancelled = 0;
    let mut answered = 0;
    while answered < 3 {
        let record = wire.until_type("response").await;
        answered += 1;
        if record["id"] == first.as_str() || record["id"] == second.as_str() {
            assert_eq!(record["data"]["cancelled"], true);
            assert_eq!(record["data"].get("exitCode"), None);
            cancelled += 1;
        } else {
            assert_eq!(record["id"], abort.as_str());
        }
    }
    assert_eq!(cancelled, 2);
    let data = wire
        .ok(json!({ "type": "bash", "command": "echo c" }))
        .await;
    assert_eq!(
        (&data["output"], &data["cancelled"]),
        (&json!("c\n"), &json!(false))
    );
}

#[tokio::test]
async fn what_is_kept_from_the_model_is_kept_in_the_session() {
    let mut wire = plain().await;
    let hidden = json!({ "type": "bash", "command": "echo aside", "excludeFromContext": true });
    wire.ok(hidden).await;
    wire.prompt("go").await;
    let entries = wire.ok(json!({ "type": "get_entries" })).await;
    let mut all = entries["entries"].as_array().unwrap().iter();
    let first = &all.find(|entry| entry["type"] == "message").unwrap()["message"];
    assert_eq!(first["excludeFromContext"], true);
    assert_eq!(first["command"], "echo aside");
}

#[tokio::test]
async fn during_a_run_it_stands_behind_the_run() {
    let waits = command("while [ ! -e go ]; do sleep 0.01; done");
    let mut wire = Wire::start(Play::new(json!([waits, say("one")]))).await;
    wire.ok(json!({ "type": "prompt", "message": "go" })).await;
    wire.until_type("tool_execution_start").await;
    wire.ok(json!({ "type": "bash", "command": "touch go" }))
        .await;
    wire.until_type("agent_settled").await;
    let id = wire.begin(json!({ "type": "abort" }));
    wire.response(&id).await;
    let messages = wire.ok(json!({ "type": "get_messages" })).await;
    let roles: Vec<&str> = messages["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["role"].as_str().unwrap())
        .collect();
    assert_eq!(
        roles,
        [
            "user",
            "assistant",
            "toolResult",
            "assistant",
            "bashExecution"
        ]
    );
}

#[tokio::test]
async fn what_cannot_run_is_a_failed_answer() {
    let mut wire = plain().await;
    let error = wire
        .refused(json!({ "type": "bash", "command": "a\0b" }))
        .await;
    assert!(error.contains("NUL"), "{error}");
    let none: Vec<Value> = Vec::new();
    let messages = wire.ok(json!({ "type": "get_messages" })).await;
    assert_eq!(messages["messages"], json!(none));
}

#[tokio::test]
async fn a_command_is_not_asked_about_but_held_to_what_denies_and_is_on_record() {
    let rules = json!({ "ask": ["Bash(echo *)"], "deny": ["Bash(touch *)"] });
    let mut wire = Wire::start(Play::guarded(json!([say("fine")]), rules)).await;
    let data = wire
        .ok(json!({ "type": "bash", "command": "echo out" }))
        .await;
    assert_eq!(data["output"], "out\n");
    let error = wire
        .refused(json!({ "type": "bash", "command": "touch made" }))
        .await;
    assert!(error.contains("denies this"), "{error}");
    let (host, seen) = wire.end().await;
    assert!(!kinds(&seen).iter().any(|kind| kind.contains("ui_request")));
    assert!(!host.path("made").exists());
    let of_person = host.records().into_iter();
    let of_person = of_person.filter(|record| record["tool"] == "user_bash");
    let told: Vec<String> = of_person
        .map(|record| {
            let args = record.get("args_redacted").and_then(Value::as_str);
            let decision = record.get("decision").and_then(Value::as_str);
            let word = args.or(decision).unwrap_or("-");
            format!("{} {word}", record["event"].as_str().unwrap())
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"), @r#"
    call {"command":"echo out"}
    decision allow
    intent -
    outcome -
    call {"command":"touch made"}
    decision deny
    "#);
}
