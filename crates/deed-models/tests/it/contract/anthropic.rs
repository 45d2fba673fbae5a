use deed_models::Api;
use serde_json::{Value, json};

use super::{Played, PlayedCall, Row, Sent};

pub(super) const ROW: Row = Row {
    api: Api::Anthropic,
    base: "",
    answer,
    end_events: 2,
    streams_arguments: true,
    overload_event: "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n",
    overload: (
        529,
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}"#,
    ),
    overflow: (
        400,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 208310 tokens > 200000 maximum"}}"#,
    ),
    unknown_model: (
        404,
        r#"{"type":"error","error":{"type":"not_found_error","message":"model: acme-1"}}"#,
    ),
    wrong_key: (
        401,
        r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key KEY"}}"#,
    ),
    sent,
};

fn event(kind: &str, members: &Value) -> String {
    let mut event = json!({ "type": kind });
    event
        .as_object_mut()
        .unwrap()
        .extend(members.as_object().unwrap().clone());
    format!("event: {kind}\ndata: {event}\n\n")
}

fn answer(played: &Played) -> Vec<String> {
    let usage = json!({ "input_tokens": 90, "cache_read_input_tokens": 10,
        "cache_creation_input_tokens": 0, "output_tokens": 1 });
    let message = json!({ "id": "msg_1", "type": "message", "role": "assistant",
        "model": "acme-1-0613", "content": [], "stop_reason": null, "usage": usage });
    let mut events = vec![
        event("message_start", &json!({ "message": message })),
        event("ping", &json!({})),
    ];
    let mut at = 0;
    if !played.thought.is_empty() {
        let empty = json!({ "type": "thinking", "thinking": "", "signature": "" });
        let delta = |piece| json!({ "type": "thinking_delta", "thinking": piece });
        let mut deltas: Vec<Value> = played.thought.split_inclusive(' ').map(delta).collect();
        deltas.push(json!({ "type": "signature_delta", "signature": "SIG" }));
        block(at, &empty, &deltas, &mut events);
        at += 1;
    }
    if !played.text.is_empty() {
        let delta = |piece| json!({ "type": "text_delta", "text": piece });
        let deltas: Vec<Value> = played.text.split_inclusive(' ').map(delta).collect();
        block(
            at,
            &json!({ "type": "text", "text": "" }),
            &deltas,
            &mut events,
        );
        at += 1;
    }
    for PlayedCall {
        id,
        name,
        arguments,
    } in played.calls
    {
        let begun = json!({ "type": "tool_use", "id": id, "name": name, "input": {} });
        let delta = |piece| json!({ "type": "input_json_delta", "partial_json": piece });
        let deltas: Vec<Value> = [""].iter().chain(*arguments).map(delta).collect();
        block(at, &begun, &deltas, &mut events);
        at += 1;
    }
    let reason = if played.calls.is_empty() {
        "end_turn"
    } else {
        "tool_use"
    };
    events.push(event(
        "message_delta",
        &json!({ "delta": { "stop_reason": reason, "stop_sequence": null },
                 "usage": { "output_tokens": 20 } }),
    ));
    events.push(event("message_stop", &json!({})));
    events
}

fn block(at: usize, begun: &Value, deltas: &[Value], events: &mut Vec<String>) {
    let start = json!({ "index": at, "content_block": begun });
    events.push(event("content_block_start", &start));
    for delta in deltas {
        let piece = json!({ "index": at, "delta": delta });
        events.push(event("content_block_delta", &piece));
    }
    events.push(event("content_block_stop", &json!({ "index": at })));
}

fn sent(body: &Value) -> Sent {
    let mut sent = Sent::default();
    for message in body["messages"].as_array().unwrap() {
        for block in message["content"].as_array().unwrap() {
            take(block, &mut sent);
        }
    }
    sent
}

fn take(block: &Value, sent: &mut Sent) {
    let text = |name: &str| block[name].as_str().unwrap();
    match text("type") {
        "tool_use" => sent.steps.push(format!("call {}", text("id"))),
        "tool_result" => {
            sent.steps.push(format!("result {}", text("tool_use_id")));
            for inner in block["content"].as_array().into_iter().flatten() {
                take(inner, sent);
            }
        }
        "image" => {
            assert_eq!(block["source"]["media_type"], "image/png");
            let data = block["source"]["data"].as_str().unwrap();
            sent.images.push(data.to_owned());
        }
        _ => {}
    }
}
