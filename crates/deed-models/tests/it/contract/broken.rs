//! Streams that no provider should send.

use deed_protocol::{AssistantMessage, StopReason};
use serde_json::{Value, json};

use super::{ROWS, Row, TWO_CALLS, hello, model};
use crate::support::{Reply, Server, ask};

/// Returns every stream that comes of one fault in an answer.
fn faulty(events: &[String]) -> Vec<String> {
    let mut streams = Vec::new();
    for at in 0..events.len() {
        let (head, tail) = events.split_at(at);
        let (event, rest) = tail.split_first().unwrap();
        let around = |middle: &[String]| [head, middle, rest].concat().concat();
        // It is missing, comes twice, comes late, or is cut.
        streams.push(around(&[]));
        streams.push(around(&[event.clone(), event.clone()]));
        streams.push([rest, head, std::slice::from_ref(event)].concat().concat());
        let half: String = event.chars().take(event.chars().count() / 2).collect();
        streams.push(around(&[half + "\n\n"]));
        streams.extend(odd(event).into_iter().map(|event| around(&[event])));
    }
    streams
}

/// Returns an event with each of its members in turn of a shape that it should not have.
fn odd(event: &str) -> Vec<String> {
    let Some((head, data)) = event.split_once("data: ") else {
        return Vec::new();
    };
    let Ok(value) = serde_json::from_str::<Value>(data.trim()) else {
        return Vec::new();
    };
    let mut places = Vec::new();
    find(&value, String::new(), &mut places);
    let shapes = [
        json!(null),
        json!(-1.5),
        json!("\u{0}{"),
        json!([[]]),
        json!({ "x": 1 }),
    ];
    let mut events = Vec::new();
    for (at, place) in places.iter().enumerate() {
        let mut changed = value.clone();
        *changed.pointer_mut(place).unwrap() = shapes[at % shapes.len()].clone();
        events.push(format!("{head}data: {changed}\n\n"));
    }
    events
}

fn find(value: &Value, at: String, places: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, inner) in members {
                find(inner, format!("{at}/{name}"), places);
            }
        }
        Value::Array(items) => {
            for (index, inner) in items.iter().enumerate() {
                find(inner, format!("{at}/{index}"), places);
            }
        }
        _ => {}
    }
    if !at.is_empty() {
        places.push(at);
    }
}

fn check(row: &Row, message: &AssistantMessage, stream: &str) {
    let is_error = message.stop_reason == StopReason::Error;
    assert_eq!(
        message.error_message.is_some(),
        is_error,
        "{} {stream}",
        row.api
    );
    assert_eq!(
        message.error_kind.is_some(),
        is_error,
        "{} {stream}",
        row.api
    );
    for call in message.tool_calls() {
        let arguments = serde_json::from_str::<Value>(call.arguments.get());
        assert!(
            arguments.is_ok_and(|it| it.is_object()),
            "{} {stream}",
            row.api
        );
    }
}

#[tokio::test]
async fn any_one_fault_in_a_stream_gives_an_answer_or_says_why_not() {
    for row in ROWS {
        let streams = faulty(&(row.answer)(&TWO_CALLS));
        assert!(streams.len() > 100, "{}", row.api);
        let server = Server::start(streams.iter().map(|stream| Reply::events(stream))).await;
        let (model, request) = (model(row, &server), hello());
        for stream in &streams {
            let (message, _) = ask(&model, &request).await;
            check(row, &message, stream);
        }
        assert_eq!(server.requests().len(), streams.len());
    }
}
