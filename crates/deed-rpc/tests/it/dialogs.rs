//! Questions of tools and extensions, and notes of theirs.

use std::sync::Arc;
use std::time::Duration;

use deed_protocol::{NoticeLevel, ToolResult};
use deed_tooling::{AskOptions, ToolContext, ToolDefinition, WidgetPlace};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::extension::tool;
use super::host::Play;
use super::wire::{Wire, say};

/// Asks all three kinds of questions one after the other and tells the answers.
fn asker(name: &str, options: fn() -> AskOptions) -> Arc<dyn ToolDefinition> {
    tool(name, move |context: ToolContext| async move {
        let ui = context.ui();
        let choices = ["red".to_owned(), "blue".to_owned()];
        let options = options();
        let chosen = ui.select("Which?", &choices, &options).await;
        let sure = ui.confirm("Sure?", "It cannot be undone.", &options).await;
        let named = ui.input("Name", Some("such as Ada"), &options).await;
        ToolResult::text(format!("{chosen:?} {sure} {named:?}"))
    })
}

fn calls(names: &[&str]) -> Value {
    let calls: Vec<Value> = names
        .iter()
        .map(|name| json!({ "id": name, "name": name, "arguments": {} }))
        .collect();
    json!([{ "calls": calls }, say("done")])
}

async fn asking(options: fn() -> AskOptions) -> Wire {
    let play = Play {
        tools: vec![asker("ask", options)],
        ..Play::new(calls(&["ask"]))
    };
    let mut wire = Wire::start(play).await;
    wire.ok(json!({ "type": "prompt", "message": "go" })).await;
    wire
}

/// Reads on to the end of the run and returns what the call told.
async fn told(wire: &mut Wire) -> String {
    wire.until_type("agent_settled").await;
    let end = wire
        .seen
        .iter()
        .find(|record| record["type"] == "tool_execution_end");
    let text = &end.unwrap()["result"]["content"][0]["text"];
    text.as_str().unwrap().to_owned()
}

#[tokio::test]
async fn questions_are_sent_as_pis_clients_know_them_and_answered_by_id() {
    let mut wire = asking(AskOptions::default).await;
    let select = wire.question().await;
    insta::assert_snapshot!(select, @r#"{"type":"extension_ui_request","id":"ui-1","method":"select","title":"Which?","options":["red","blue"]}"#);
    wire.answer(&select, json!({ "value": "blue" }));
    let confirm = wire.question().await;
    insta::assert_snapshot!(confirm, @r#"{"type":"extension_ui_request","id":"ui-2","method":"confirm","title":"Sure?","message":"It cannot be undone."}"#);
    wire.answer(&confirm, json!({ "confirmed": true }));
    let input = wire.question().await;
    insta::assert_snapshot!(input, @r#"{"type":"extension_ui_request","id":"ui-3","method":"input","title":"Name","placeholder":"such as Ada"}"#);
    wire.answer(&input, json!({ "value": "Grace\u{2028}H" }));
    assert_eq!(
        told(&mut wire).await,
        "Some(\"blue\") true Some(\"Grace\\u{2028}H\")"
    );
    let answers = wire
        .seen
        .iter()
        .filter(|record| record["type"] == "response");
    assert_eq!(
        answers.count(),
        1,
        "an answer to a question is not answered"
    );
}

#[tokio::test]
async fn dismissed_or_senseless_answers_are_no() {
    let mut wire = asking(AskOptions::default).await;
    let select = wire.question().await;
    wire.answer(&select, json!({ "value": "green" }));
    let confirm = wire.question().await;
    wire.answer(&confirm, json!({ "confirmed": "true" }));
    let input = wire.question().await;
    wire.answer(&input, json!({ "cancelled": true }));
    assert_eq!(told(&mut wire).await, "None false None");
}

#[tokio::test]
async fn nobody_answers_in_time_and_the_client_is_told_that_the_question_is_over() {
    let soon = || AskOptions {
        timeout: Some(Duration::from_millis(20)),
        cancel: None,
    };
    let mut wire = asking(soon).await;
    assert_eq!(wire.question().await["timeout"], 20);
    assert_eq!(told(&mut wire).await, "None false None");
    let closed = wire
        .seen
        .iter()
        .filter(|record| record["type"] == "extension_ui_closed");
    assert!(closed.count() >= 2);
}

#[tokio::test]
async fn a_question_that_is_taken_back_before_it_was_asked_is_not_sent() {
    let taken_back = || {
        let cancel = CancellationToken::new();
        cancel.cancel();
        AskOptions {
            timeout: None,
            cancel: Some(cancel),
        }
    };
    let mut wire = asking(taken_back).await;
    assert_eq!(told(&mut wire).await, "None false None");
    let asked = wire
        .seen
        .iter()
        .filter(|record| record["type"] == "extension_ui_request");
    assert_eq!(asked.count(), 0);
}

#[tokio::test]
async fn b122_two_questions_at_once_are_each_settled_by_their_own_answer() {
    let one = || {
        tool("one", |context: ToolContext| async move {
            let choices = ["a".to_owned()];
            let options = AskOptions::default();
            let said = context.ui().select("One?", &choices, &options).await;
            ToolResult::text(format!("{said:?}"))
        })
    };
    let two = tool("two", |context: ToolContext| async move {
        let said = context
            .ui()
            .input("Two?", None, &AskOptions::default())
            .await;
        ToolResult::text(format!("{said:?}"))
    });
    let play = Play {
        tools: vec![one(), two],
        ..Play::new(calls(&["one", "two"]))
    };
    let mut wire = Wire::start(play).await;
    wire.ok(json!({ "type": "prompt", "message": "go" })).await;
    let (first, second) = (wire.question().await, wire.question().await);
    assert_eq!(
        (&first["title"], &second["title"]),
        (&json!("One?"), &json!("Two?"))
    );
    wire.answer(&second, json!({ "value": "later one first" }));
    let ended = wire.until_type("tool_execution_end").await;
    assert_eq!(ended["toolCallId"], "two");
    // Once more, to a question that is settled, and to one that never was.
    wire.answer(&second, json!({ "value": "again" }));
    wire.answer(&json!({ "id": "ui-999" }), json!({ "value": "?" }));
    wire.send(json!({ "type": "extension_ui_response" }));
    wire.answer(&first, json!({ "value": "a" }));
    let ended = wire.until_type("tool_execution_end").await;
    assert_eq!(ended["result"]["content"][0]["text"], "Some(\"a\")");
    wire.until_type("agent_settled").await;
}

#[tokio::test]
async fn notes_and_status_are_told_and_need_no_answer() {
    let noter = tool("note", |context: ToolContext| async move {
        let ui = context.ui();
        ui.notify("careful", NoticeLevel::Warning);
        ui.status("build", Some("3 of 4"));
        ui.status("build", None);
        let lines = ["one".to_owned(), "two".to_owned()];
        ui.widget("todo", Some(&lines), WidgetPlace::BelowEditor);
        ui.widget("todo", None, WidgetPlace::AboveEditor);
        ui.title("digging");
        ui.editor_text("try this");
        ui.working_message(Some("nobody is told"));
        ToolResult::text("noted")
    });
    let play = Play {
        tools: vec![noter],
        ..Play::new(calls(&["note"]))
    };
    let mut wire = Wire::start(play).await;
    wire.prompt("go").await;
    let told = wire
        .seen
        .iter()
        .filter(|record| record["type"] == "extension_ui_request");
    let mut told: Vec<String> = told.map(ToString::to_string).collect();
    while told.len() < 7 {
        let next = wire.question().await;
        told.push(next.to_string());
    }
    insta::assert_snapshot!(told.join("\n"), @r#"
    {"type":"extension_ui_request","id":"ui-1","method":"notify","message":"careful","notifyType":"warning"}
    {"type":"extension_ui_request","id":"ui-2","method":"setStatus","statusKey":"build","statusText":"3 of 4"}
    {"type":"extension_ui_request","id":"ui-3","method":"setStatus","statusKey":"build"}
    {"type":"extension_ui_request","id":"ui-4","method":"setWidget","widgetKey":"todo","widgetLines":["one","two"],"widgetPlacement":"belowEditor"}
    {"type":"extension_ui_request","id":"ui-5","method":"setWidget","widgetKey":"todo","widgetPlacement":"aboveEditor"}
    {"type":"extension_ui_request","id":"ui-6","method":"setTitle","title":"digging"}
    {"type":"extension_ui_request","id":"ui-7","method":"set_editor_text","text":"try this"}
    "#);
}

#[tokio::test]
async fn a_client_that_leaves_has_said_no_to_everything() {
    let mut wire = asking(AskOptions::default).await;
    wire.question().await;
    let (_, rest) = wire.end().await;
    let end = rest
        .iter()
        .find(|record| record["type"] == "tool_execution_end");
    assert!(end.is_some(), "{rest:?}");
}
