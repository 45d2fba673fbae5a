//! Going from session to session.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use super::host::Play;
use super::wire::{Wire, command, say};

async fn talked(script: Value) -> Wire {
    let mut wire = Wire::start(Play::new(script)).await;
    wire.prompt("one").await;
    wire
}

async fn file(wire: &mut Wire) -> String {
    let state = wire.ok(json!({ "type": "get_state" })).await;
    state["sessionFile"].as_str().unwrap().to_owned()
}

async fn count(wire: &mut Wire) -> u64 {
    let state = wire.ok(json!({ "type": "get_state" })).await;
    state["messageCount"].as_u64().unwrap()
}

#[tokio::test]
async fn a_new_session_is_empty_and_the_old_one_can_be_gone_back_to() {
    let mut wire = talked(json!([say("fine"), say("again")])).await;
    let old = file(&mut wire).await;
    let data = wire
        .ok(json!({ "type": "new_session", "parentSession": old }))
        .await;
    assert_eq!(data, json!({ "cancelled": false }));
    assert_eq!(count(&mut wire).await, 0);
    assert_eq!(wire.host.ended.load(Ordering::Relaxed), 1);
    wire.prompt("in the new one").await;
    let new = file(&mut wire).await;
    assert_ne!(new, old);
    let text = std::fs::read_to_string(&new).unwrap();
    let header: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(header["parentSession"], old.as_str());
    wire.ok(json!({ "type": "switch_session", "sessionPath": old }))
        .await;
    assert_eq!(count(&mut wire).await, 2);
    assert_eq!(file(&mut wire).await, old);
    wire.prompt("two").await;
    assert_eq!(count(&mut wire).await, 4);
}

#[tokio::test]
async fn the_file_of_a_session_that_was_left_is_free() {
    let mut wire = talked(json!([say("fine")])).await;
    let old = file(&mut wire).await;
    let locked = wire.host.store.open(old.as_ref());
    assert!(locked.is_err());
    wire.ok(json!({ "type": "new_session" })).await;
    wire.host.store.open(old.as_ref()).unwrap();
}

#[tokio::test]
async fn what_cannot_be_opened_leaves_the_session_as_it_was() {
    let mut wire = talked(json!([say("fine"), say("again")])).await;
    std::fs::write(wire.host.path("no.jsonl"), "no session\n").unwrap();
    let error = wire
        .refused(json!({ "type": "switch_session", "sessionPath": "none.jsonl" }))
        .await;
    assert!(error.starts_with("there is no session file "), "{error}");
    let error = wire
        .refused(json!({ "type": "switch_session", "sessionPath": "no.jsonl" }))
        .await;
    assert!(error.contains("is no session file"), "{error}");
    let error = wire
        .refused(json!({ "type": "fork", "entryId": "nope" }))
        .await;
    assert!(
        error.contains("no message of the user has the id \"nope\""),
        "{error}"
    );
    assert_eq!(count(&mut wire).await, 2);
    wire.prompt("two").await;
    assert_eq!(wire.host.ended.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn switching_to_the_session_that_is_open_keeps_it() {
    let mut wire = talked(json!([say("fine"), say("again")])).await;
    let path = file(&mut wire).await;
    wire.ok(json!({ "type": "switch_session", "sessionPath": path }))
        .await;
    assert_eq!(wire.host.count(), 1);
    wire.prompt("two").await;
}

#[tokio::test]
async fn a_fork_ends_before_the_message_that_it_is_made_from() {
    let mut wire = talked(json!([say("fine"), say("again")])).await;
    wire.prompt("two").await;
    let old = file(&mut wire).await;
    let messages = wire.ok(json!({ "type": "get_fork_messages" })).await;
    let messages = messages["messages"].as_array().unwrap().clone();
    let texts: Vec<&Value> = messages.iter().map(|message| &message["text"]).collect();
    assert_eq!(texts, ["one", "two"]);
    let fork = json!({ "type": "fork", "entryId": messages[1]["entryId"] });
    let data = wire.ok(fork).await;
    assert_eq!(data, json!({ "text": "two", "cancelled": false }));
    assert_eq!(count(&mut wire).await, 2);
    assert_ne!(file(&mut wire).await, old);
    wire.ok(json!({ "type": "switch_session", "sessionPath": old }))
        .await;
    assert_eq!(count(&mut wire).await, 4);
}

#[tokio::test]
async fn a_clone_has_all_of_it() {
    let mut wire = Wire::start(Play::new(json!([say("fine")]))).await;
    let error = wire.refused(json!({ "type": "clone" })).await;
    assert_eq!(error, "the session is empty; prompt first, then clone it");
    wire.prompt("one").await;
    let old = file(&mut wire).await;
    let data = wire.ok(json!({ "type": "clone" })).await;
    assert_eq!(data, json!({ "cancelled": false }));
    assert_eq!(count(&mut wire).await, 2);
    assert_ne!(file(&mut wire).await, old);
}

#[tokio::test]
async fn going_elsewhere_ends_what_goes_on() {
    let script = json!([command("echo $$; sleep 300; touch survived"), say("no")]);
    let mut play = Play::new(script);
    play.scripts.push(json!([say("new")]));
    let mut wire = Wire::start(play).await;
    wire.ok(json!({ "type": "prompt", "message": "go" })).await;
    wire.until_type("tool_execution_update").await;
    let shell = wire.begin(json!({ "type": "bash", "command": "echo up; sleep 300" }));
    wire.until_type("bash_execution_update").await;
    let old = file(&mut wire).await;
    let switch = wire.begin(json!({ "type": "new_session" }));
    // Waits for the new session, and means that.
    let prompt = wire.begin(json!({ "type": "prompt", "message": "hello" }));
    let cancelled = wire.response(&shell).await;
    assert_eq!(cancelled["data"]["cancelled"], true);
    wire.response(&switch).await;
    let settled = wire
        .seen
        .iter()
        .find(|record| record["type"] == "agent_settled");
    assert_eq!(settled.unwrap()["aborted"], true);
    let started = match wire
        .seen
        .iter()
        .find(|record| record["id"] == prompt.as_str())
    {
        Some(started) => started.clone(),
        None => wire.response(&prompt).await,
    };
    assert_eq!(started["data"]["disposition"], "started");
    wire.until_type("agent_settled").await;
    let text = wire.ok(json!({ "type": "get_last_assistant_text" })).await;
    assert_eq!(text["text"], "new");
    let recorded = std::fs::read_to_string(old).unwrap();
    assert!(recorded.contains("\"bashExecution\"") && recorded.contains("toolResult"));
    assert!(!wire.host.path("survived").exists());
}

#[tokio::test]
async fn a_session_has_a_name_and_a_page() {
    let mut wire = talked(json!([say("fine")])).await;
    let error = wire
        .refused(json!({ "type": "set_session_name", "name": "  " }))
        .await;
    assert_eq!(error, "the name is empty");
    wire.ok(json!({ "type": "set_session_name", "name": " my work " }))
        .await;
    let state = wire.ok(json!({ "type": "get_state" })).await;
    assert_eq!(state["sessionName"], "my work");
    let data = wire.ok(json!({ "type": "export_html" })).await;
    assert_eq!(
        data["path"],
        wire.host.path("export.html").display().to_string()
    );
    let data = wire
        .ok(json!({ "type": "export_html", "outputPath": "a.html" }))
        .await;
    assert_eq!(data["path"], wire.host.path("a.html").display().to_string());
    let error = wire
        .refused(json!({ "type": "export_html", "outputPath": "none/a.html" }))
        .await;
    assert!(error.contains("No such file"), "{error}");
}
