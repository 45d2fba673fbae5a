use deed_models::Api;
use serde_json::{Value, json};

use super::{Played, Row, Sent};

pub(super) const ROW: Row = Row {
    api: Api::Responses,
    base: "/v1",
    answer,
    end_events: 1,
    streams_arguments: true,
    overload_event: "event: error\ndata: {\"type\":\"error\",\"code\":\"server_is_overloaded\",\"message\":\"Our servers are overloaded\"}\n\n",
    overload: (
        503,
        r#"{"error":{"message":"Our servers are currently overloaded","type":"service_unavailable_error"}}"#,
    ),
    overflow: (
        400,
        r#"{"error":{"message":"Your input exceeds the context window of this model.","type":"invalid_request_error","code":"context_length_exceeded"}}"#,
    ),
    unknown_model: (
        400,
        r#"{"error":{"message":"The requested model 'acme-1' does not exist.","type":"invalid_request_error","code":"model_not_found"}}"#,
    ),
    wrong_key: (
        401,
        r#"{"error":{"message":"Incorrect API key provided: KEY","type":"invalid_request_error","code":"invalid_api_key"}}"#,
    ),
    sent,
};

fn event(kind: &str, members: Value) -> String {
    let mut event = json!({ "type": kind });
    event
        .as_object_mut()
        .unwrap()
        .extend(members.as_object().unwrap().clone());
    format!("event: {kind}\ndata: {event}\n\n")
}

fn answer(played: &Played) -> Vec<String> {
    let response =
        |status: &str| json!({ "id": "resp_1", "model": "acme-1-0613", "status": status });
    let mut events = vec![event(
        "response.created",
        json!({ "response": response("in_progress") }),
    )];
    let mut at = 0;
    if !played.thought.is_empty() {
        thought(played, at, &mut events);
        at += 1;
    }
    if !played.text.is_empty() {
        text(played, at, &mut events);
        at += 1;
    }
    calls(played, at, &mut events);
    let mut whole = response("completed");
    whole["usage"] = json!({ "input_tokens": 100, "input_tokens_details": { "cached_tokens": 10 },
        "output_tokens": 20, "output_tokens_details": { "reasoning_tokens": 5 }, "total_tokens": 120 });
    events.push(event("response.completed", json!({ "response": whole })));
    events
}

fn thought(played: &Played, at: usize, events: &mut Vec<String>) {
    let item = json!({ "id": "rs_1", "type": "reasoning", "summary": [] });
    events.push(event(
        "response.output_item.added",
        json!({ "output_index": at, "item": item }),
    ));
    events.push(event(
        "response.reasoning_summary_part.added",
        json!({ "output_index": at, "summary_index": 0 }),
    ));
    for piece in played.thought.split_inclusive(' ') {
        events.push(event(
            "response.reasoning_summary_text.delta",
            json!({ "output_index": at, "summary_index": 0, "delta": piece }),
        ));
    }
    let item = json!({ "id": "rs_1", "type": "reasoning", "encrypted_content": "ENC==",
        "summary": [{ "type": "summary_text", "text": played.thought }] });
    events.push(event(
        "response.output_item.done",
        json!({ "output_index": at, "item": item }),
    ));
}

fn text(played: &Played, at: usize, events: &mut Vec<String>) {
    let item = json!({ "id": "msg_1", "type": "message", "role": "assistant", "content": [] });
    events.push(event(
        "response.output_item.added",
        json!({ "output_index": at, "item": item }),
    ));
    for piece in played.text.split_inclusive(' ') {
        events.push(event(
            "response.output_text.delta",
            json!({ "output_index": at, "content_index": 0, "delta": piece }),
        ));
    }
    let item = json!({ "id": "msg_1", "type": "message", "role": "assistant",
        "content": [{ "type": "output_text", "text": played.text, "annotations": [] }] });
    events.push(event(
        "response.output_item.done",
        json!({ "output_index": at, "item": item }),
    ));
}

fn calls(played: &Played, first: usize, events: &mut Vec<String>) {
    let item = |at: usize, arguments: &str| {
        let call = played.calls[at];
        json!({ "id": format!("fc_{at}"), "type": "function_call", "call_id": call.id,
            "name": call.name, "arguments": arguments })
    };
    for at in 0..played.calls.len() {
        events.push(event(
            "response.output_item.added",
            json!({ "output_index": first + at, "item": item(at, "") }),
        ));
    }
    for (at, call) in played.calls.iter().enumerate() {
        for piece in call.arguments {
            events.push(event(
                "response.function_call_arguments.delta",
                json!({ "output_index": first + at, "delta": piece }),
            ));
        }
        let whole = call.arguments.concat();
        events.push(event(
            "response.function_call_arguments.done",
            json!({ "output_index": first + at, "arguments": whole }),
        ));
        events.push(event(
            "response.output_item.done",
            json!({ "output_index": first + at, "item": item(at, &whole) }),
        ));
    }
}

fn sent(body: &Value) -> Sent {
    let mut sent = Sent::default();
    for item in body["input"].as_array().unwrap() {
        let id = item["call_id"].as_str().unwrap_or_default();
        match item["type"].as_str() {
            Some("function_call") => sent.steps.push(format!("call {id}")),
            Some("function_call_output") => sent.steps.push(format!("result {id}")),
            _ => {}
        }
        let blocks = [&item["content"], &item["output"]];
        for block in blocks.into_iter().filter_map(Value::as_array).flatten() {
            if let Some(url) = block["image_url"].as_str() {
                sent.images.push(
                    url.strip_prefix("data:image/png;base64,")
                        .unwrap()
                        .to_owned(),
                );
            }
        }
    }
    sent
}
