//! What comes in may be anything.

use serde_json::{Value, json};

use super::host::Play;
use super::wire::{Wire, kinds, say};

async fn plain() -> Wire {
    Wire::start(Play::new(json!([say("fine")]))).await
}

#[tokio::test]
async fn what_is_no_command_is_answered_and_the_next_line_is_read() {
    let mut wire = plain().await;
    for line in [
        "nonsense",
        "",
        "[1]",
        "\"text\"",
        "{\"type\":\"get_state\"",
        "{\"type\": 7, \"id\": \"x\"}",
        "{\"id\": \"y\"}",
    ] {
        wire.send_raw(line.as_bytes());
        wire.send_raw(b"\n");
    }
    let mut answers = Vec::new();
    for _ in 0..7 {
        answers.push(wire.next().await.to_string());
    }
    insta::assert_snapshot!(answers.join("\n"), @r#"
    {"type":"response","command":"parse","success":false,"error":"this is not JSON: expected ident (column 2)"}
    {"type":"response","command":"parse","success":false,"error":"this is not JSON: EOF while parsing a value (column 0)"}
    {"type":"response","command":"parse","success":false,"error":"a command is a JSON object"}
    {"type":"response","command":"parse","success":false,"error":"a command is a JSON object"}
    {"type":"response","command":"parse","success":false,"error":"this is not JSON: EOF while parsing an object (column 19)"}
    {"id":"x","type":"response","command":"parse","success":false,"error":"`type` must be a text, not 7"}
    {"id":"y","type":"response","command":"parse","success":false,"error":"`type` is missing; it must be a text"}
    "#);
    wire.ok(json!({ "type": "get_state" })).await;
}

#[tokio::test]
async fn an_unknown_command_is_echoed() {
    let mut wire = plain().await;
    wire.send(json!({ "type": "getState", "id": 7 }));
    wire.send(json!({ "type": "x".repeat(10_000) }));
    insta::assert_snapshot!(wire.next().await, @r#"{"id":7,"type":"response","command":"getState","success":false,"error":"there is no command \"getState\"; did you mean `get_state`?"}"#);
    let long = wire.next().await;
    assert_eq!(long["command"].as_str().unwrap().len(), 10_000);
    assert!(long["error"].as_str().unwrap().len() < 100);
}

#[tokio::test]
async fn a_field_that_is_missing_or_of_another_type_is_named() {
    let mut wire = plain().await;
    let cases = [
        (
            json!({ "type": "prompt" }),
            "`message` is missing; it must be a text",
        ),
        (
            json!({ "type": "prompt", "message": null }),
            "`message` is missing; it must be a text",
        ),
        (
            json!({ "type": "prompt", "message": ["a"] }),
            "`message` must be a text, not an array",
        ),
        (
            json!({ "type": "prompt", "message": "a", "streamingBehavior": "now" }),
            "`streamingBehavior` must be \"steer\" or \"followUp\", not \"now\"",
        ),
        (
            json!({ "type": "steer", "message": "a", "images": [{ "data": 1 }] }),
            "`images` must be a list of pictures, each {\"type\": \"image\", \"data\": BASE64, \"mimeType\": …}, not an array",
        ),
        (
            json!({ "type": "set_thinking_level", "level": "most" }),
            "`level` must be off, minimal, low, medium, high, xhigh or max, not \"most\"",
        ),
        (
            json!({ "type": "set_steering_mode", "mode": "some" }),
            "`mode` must be \"all\" or \"one-at-a-time\", not \"some\"",
        ),
        (
            json!({ "type": "set_auto_retry", "enabled": "yes" }),
            "`enabled` must be true or false, not \"yes\"",
        ),
        (
            json!({ "type": "bash", "command": {} }),
            "`command` must be a text, not an object",
        ),
        (
            json!({ "type": "fork" }),
            "`entryId` is missing; it must be a text",
        ),
        (
            json!({ "type": "set_model", "provider": "a" }),
            "`modelId` is missing; it must be a text",
        ),
    ];
    for (command, error) in cases {
        assert_eq!(wire.refused(command).await, error);
    }
    wire.send(json!({ "type": "get_state", "id": { "a": 1 } }));
    let answer = wire.next().await;
    assert_eq!(answer.get("id"), None);
    assert_eq!(
        answer["error"],
        "`id` must be a text or a number, not an object"
    );
}

#[tokio::test]
async fn hostile_lines_do_no_harm() {
    let mut wire = plain().await;
    let deep = "[".repeat(1_000_000);
    let nested = format!(
        "{{\"type\":\"prompt\",\"message\":{}1{}}}",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let invalid = [
        b"{\"type\":\"prompt\",\"message\":\"".as_slice(),
        &[0xff, 0xfe],
        b"\"}",
    ]
    .concat();
    let long = format!(
        "{{\"type\":\"get_state\",\"junk\":\"{}\"}}",
        "x".repeat(10_000_000)
    );
    for line in [
        deep.as_bytes(),
        nested.as_bytes(),
        &invalid,
        long.as_bytes(),
    ] {
        wire.send_raw(line);
        wire.send_raw(b"\n");
    }
    let mut errors = Vec::new();
    for _ in 0..3 {
        let answer = wire.next().await;
        errors.push(answer["error"].as_str().unwrap().to_owned());
    }
    assert_eq!(errors[0], "a command is a JSON object");
    assert_eq!(errors[1], "`message` must be a text, not an array");
    assert!(errors[2].contains("not JSON"), "{errors:?}");
    assert_eq!(wire.next().await["success"], true);
}

#[tokio::test]
async fn only_a_line_feed_ends_a_line_and_a_carriage_return_before_it_is_no_text() {
    let mut wire = plain().await;
    let text = "a\u{2028}b\u{2029}c\u{85}d";
    let line = format!("{{\"type\":\"set_session_name\",\"name\":\"{text}\"}}\r\n");
    wire.send_raw(line.as_bytes());
    let event = wire.until_type("session_info_changed").await;
    assert_eq!(event["name"], text);
}

#[tokio::test]
async fn a_long_prompt_is_taken_whole() {
    let mut wire = plain().await;
    let text = "word ".repeat(2_000_000);
    wire.prompt(&text).await;
    let said = wire
        .seen
        .iter()
        .find(|record| record["type"] == "message_end")
        .unwrap();
    assert_eq!(
        said["message"]["content"].as_str().unwrap().len(),
        text.len()
    );
}

#[tokio::test]
async fn commands_begin_in_the_order_in_which_they_come() {
    let mut wire = plain().await;
    let lines = [
        json!({ "type": "set_steering_mode", "mode": "all" }),
        json!({ "type": "prompt", "message": "go" }),
        json!({ "type": "prompt", "message": "too early" }),
        json!({ "type": "get_state" }),
    ];
    for line in lines {
        wire.send(line);
    }
    wire.until(|record| record["command"] == "get_state").await;
    let answers: Vec<&Value> = wire
        .seen
        .iter()
        .filter(|record| record["type"] == "response")
        .collect();
    assert_eq!(answers[1]["data"]["disposition"], "started");
    let error = answers.iter().find(|answer| answer["success"] == false);
    assert!(
        error.unwrap()["error"]
            .as_str()
            .unwrap()
            .contains("streamingBehavior")
    );
    let state = answers.last().unwrap();
    assert_eq!(state["data"]["steeringMode"], "all");
    assert!(
        kinds(&wire.seen)
            .iter()
            .any(|kind| kind == "response prompt")
    );
}
