//! Approvals of calls over the wire.

use serde_json::{Value, json};

use super::host::Play;
use super::wire::{Wire, say};

fn touching(names: &[&str]) -> Value {
    let calls: Vec<Value> = names
        .iter()
        .map(|name| {
            let command = format!("touch {name}");
            json!({ "id": name, "name": "bash", "arguments": { "command": command } })
        })
        .collect();
    json!([{ "calls": calls }, say("done"), { "calls": calls }, say("done")])
}

async fn asked(names: &[&str]) -> Wire {
    let mut wire = Wire::start(Play::guarded(touching(names), json!({}))).await;
    wire.ok(json!({ "type": "prompt", "message": "go" })).await;
    wire
}

/// Reads on to the end of the run and returns the text of the result of a call.
async fn result(wire: &mut Wire, id: &str) -> String {
    if !wire
        .seen
        .iter()
        .any(|record| record["type"] == "agent_settled")
    {
        wire.until_type("agent_settled").await;
    }
    let end = wire
        .seen
        .iter()
        .find(|record| record["type"] == "tool_execution_end" && record["toolCallId"] == id);
    let content = &end.unwrap()["result"]["content"];
    content[0]["text"].as_str().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn any_client_can_show_the_question_and_a_better_one_can_check_it() {
    let mut wire = asked(&["a"]).await;
    let mut question = wire.question().await;
    assert_eq!(question["method"], "select");
    assert_eq!(question["toolCallId"], "a");
    let cwd = wire.host.path("").display().to_string();
    let title = question["title"].as_str().unwrap();
    insta::assert_snapshot!(title.replace(cwd.trim_end_matches('/'), "CWD"), @r"
    Allow this call? no rule allows this command

    bash
    runs in CWD
    command: touch a
    ");
    insta::assert_snapshot!(question["options"], @r#"["Allow once","Allow this call for the session","Always allow: Bash(touch a)","Deny"]"#);
    assert_eq!(
        question["choices"],
        json!(["once", "session", "always", "deny"])
    );
    assert_eq!(question["rule"], "Bash(touch a)");
    let text = question["text"].as_str().unwrap();
    let hash = deed_schema::Sha256Hash::of(text.as_bytes());
    assert_eq!(question["displaySha256"], hash.to_string());
    for name in ["argsSha256", "contextSha256", "displaySha256"] {
        assert_eq!(question[name].take().as_str().unwrap().len(), 64, "{name}");
    }
    wire.answer(&question, json!({ "value": "Allow once" }));
    result(&mut wire, "a").await;
    assert!(wire.host.path("a").exists());
    let answers = wire.host.answers();
    assert_eq!(answers.len(), 1);
    assert_eq!(answers[0]["decision"], "allow_once");
    assert_eq!(answers[0]["channel"], "rpc");
    assert_eq!(answers[0]["verified"], false);
}

#[tokio::test]
async fn an_answer_with_the_hash_of_what_was_shown_is_on_record_as_verified() {
    let mut wire = asked(&["a"]).await;
    let question = wire.question().await;
    let answer = json!({
        "value": "once",
        "displaySha256": question["displaySha256"],
        "argsSha256": question["argsSha256"],
        "contextSha256": question["contextSha256"],
        "toolCallId": "a",
        "user": "ada",
    });
    wire.answer(&question, answer);
    result(&mut wire, "a").await;
    assert!(wire.host.path("a").exists());
    let answer = &wire.host.answers()[0];
    assert_eq!(
        (&answer["verified"], &answer["user"]),
        (&json!(true), &json!("ada"))
    );
}

#[tokio::test]
async fn an_answer_for_something_else_is_refused() {
    let zeros = "0".repeat(64);
    for (name, value) in [
        ("displaySha256", json!(zeros)),
        ("argsSha256", json!(zeros)),
        ("contextSha256", json!(zeros)),
        ("toolCallId", json!("b")),
        ("displaySha256", json!(7)),
    ] {
        let mut wire = asked(&["a"]).await;
        let question = wire.question().await;
        wire.answer(&question, json!({ "value": "once", name: value }));
        let text = result(&mut wire, "a").await;
        assert!(text.contains("showed something else"), "{name}: {text}");
        assert!(!wire.host.path("a").exists(), "{name}");
    }
}

#[tokio::test]
async fn no_is_no_in_whatever_words() {
    for answer in [
        json!({ "value": "Deny" }),
        json!({ "value": "deny" }),
        json!({ "value": "yes, please" }),
        json!({ "cancelled": true }),
        json!({}),
    ] {
        let mut wire = asked(&["a"]).await;
        let question = wire.question().await;
        wire.answer(&question, answer.clone());
        let text = result(&mut wire, "a").await;
        assert!(text.starts_with("Refused by the user"), "{answer}: {text}");
        assert!(!wire.host.path("a").exists());
    }
}

#[tokio::test]
async fn a_refusal_may_say_why() {
    let mut wire = asked(&["a"]).await;
    let question = wire.question().await;
    wire.answer(&question, json!({ "value": "deny", "comment": "use b" }));
    let text = result(&mut wire, "a").await;
    assert_eq!(text, "Refused by the user, who says: use b");
}

#[tokio::test]
async fn b133_two_open_questions_each_get_their_own_answer() {
    let mut wire = asked(&["a", "b"]).await;
    let (first, second) = (wire.question().await, wire.question().await);
    assert_eq!(
        (&first["toolCallId"], &second["toolCallId"]),
        (&json!("a"), &json!("b"))
    );
    wire.answer(&second, json!({ "value": "once" }));
    wire.answer(&first, json!({ "value": "deny" }));
    assert!(result(&mut wire, "a").await.starts_with("Refused"));
    result(&mut wire, "b").await;
    assert!(wire.host.path("b").exists() && !wire.host.path("a").exists());
}

#[tokio::test]
async fn b134_an_answer_for_the_session_settles_equal_calls_and_their_questions() {
    let calls = json!([{ "calls": [
        { "id": "1", "name": "bash", "arguments": { "command": "touch a" } },
        { "id": "2", "name": "bash", "arguments": { "command": "touch a" } },
        { "id": "3", "name": "bash", "arguments": { "command": "touch b" } },
    ] }, say("done")]);
    let mut wire = Wire::start(Play::guarded(calls, json!({}))).await;
    wire.ok(json!({ "type": "prompt", "message": "go" })).await;
    let questions = [
        wire.question().await,
        wire.question().await,
        wire.question().await,
    ];
    wire.answer(&questions[0], json!({ "value": "session" }));
    let closed = wire.until_type("extension_ui_closed").await;
    assert_eq!(closed["id"], questions[1]["id"]);
    wire.answer(&questions[2], json!({ "value": "deny" }));
    assert!(result(&mut wire, "3").await.starts_with("Refused"));
    assert!(wire.host.path("a").exists() && !wire.host.path("b").exists());
}

#[tokio::test]
async fn an_answer_that_comes_too_late_has_no_effect_and_is_on_record() {
    let mut wire = asked(&["a"]).await;
    let question = wire.question().await;
    wire.ok(json!({ "type": "abort" })).await;
    wire.answer(&question, json!({ "value": "once" }));
    wire.answer(&question, json!({ "value": "once" }));
    wire.ok(json!({ "type": "get_state" })).await;
    assert!(!wire.host.path("a").exists());
    let late = wire.host.late.lock().unwrap().clone();
    let approval = question["approvalId"].as_str().unwrap().to_owned();
    assert_eq!(late, [(approval, "once".to_owned())]);
}

#[tokio::test]
async fn a_client_that_is_gone_refuses_in_a_way_of_its_own() {
    let mut wire = asked(&["a"]).await;
    wire.question().await;
    wire.close_input();
    let (host, _) = wire.ended().await;
    assert!(!host.path("a").exists());
    let answers = host.answers();
    assert_eq!(answers.len(), 1, "{answers:?}");
    let decision = answers[0]["decision"].as_str().unwrap();
    assert!(matches!(decision, "no_ui" | "cancelled"), "{decision}");
}

#[tokio::test]
async fn a_change_of_a_file_comes_with_its_card() {
    let write = json!({ "path": "new.txt", "content": "hello\n" });
    let script = json!([
        { "calls": [{ "id": "w", "name": "write", "arguments": write }] },
        say("done"),
    ]);
    let mut wire = Wire::start(Play::guarded(script, json!({}))).await;
    wire.ok(json!({ "type": "prompt", "message": "go" })).await;
    let question = wire.question().await;
    let card = question["card"].to_string();
    assert!(card.contains("new.txt") && card.contains("hello"), "{card}");
    wire.answer(&question, json!({ "value": "once" }));
    result(&mut wire, "w").await;
    assert!(wire.host.path("new.txt").exists());
}
