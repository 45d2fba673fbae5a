use deed_models::Api;
use serde_json::{Value, json};

use super::{Played, Row, Sent};

pub(super) const ROW: Row = Row {
    api: Api::Chat,
    base: "/v1",
    answer,
    end_events: 3,
    streams_arguments: true,
    overload_event: "data: {\"error\":{\"message\":\"The server is overloaded\",\"code\":503}}\n\n",
    overload: (
        503,
        r#"{"error":{"message":"The engine is currently overloaded","type":"server_error","code":null}}"#,
    ),
    overflow: (
        400,
        r#"{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}"#,
    ),
    unknown_model: (
        404,
        r#"{"error":{"message":"The model `acme-1` does not exist","type":"invalid_request_error","code":"model_not_found"}}"#,
    ),
    wrong_key: (
        401,
        r#"{"error":{"message":"Incorrect API key provided: KEY","type":"invalid_request_error","code":"invalid_api_key"}}"#,
    ),
    sent,
};

fn event(delta: &Value, finish_reason: Option<&str>) -> String {
    let chunk = json!({ "id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "acme-1-0613",
        "choices": [{ "index": 0, "delta": delta, "finish_reason": finish_reason }] });
    format!("data: {chunk}\n\n")
}

fn answer(played: &Played) -> Vec<String> {
    let mut events = vec![event(&json!({ "role": "assistant", "content": "" }), None)];
    for piece in played
        .thought
        .split_inclusive(' ')
        .filter(|piece| !piece.is_empty())
    {
        events.push(event(&json!({ "reasoning_content": piece }), None));
    }
    for piece in played
        .text
        .split_inclusive(' ')
        .filter(|piece| !piece.is_empty())
    {
        events.push(event(&json!({ "content": piece }), None));
    }
    for (index, call) in played.calls.iter().enumerate() {
        events.push(event(
            &json!({ "tool_calls": [{ "index": index, "id": call.id, "type": "function",
                "function": { "name": call.name, "arguments": "" } }] }),
            None,
        ));
    }
    // The pieces of the calls come in turn.
    let rounds = played.calls.iter().map(|call| call.arguments.len()).max();
    for round in 0..rounds.unwrap_or(0) {
        for (index, call) in played.calls.iter().enumerate() {
            if let Some(piece) = call.arguments.get(round) {
                let function = json!({ "arguments": piece });
                events.push(event(
                    &json!({ "tool_calls": [{ "index": index, "function": function }] }),
                    None,
                ));
            }
        }
    }
    let reason = if played.calls.is_empty() {
        "stop"
    } else {
        "tool_calls"
    };
    events.push(event(&json!({}), Some(reason)));
    let usage = json!({ "id": "chatcmpl-1", "choices": [], "usage": { "prompt_tokens": 100,
        "completion_tokens": 20, "total_tokens": 120, "prompt_tokens_details": { "cached_tokens": 10 },
        "completion_tokens_details": { "reasoning_tokens": 5 } } });
    events.push(format!("data: {usage}\n\n"));
    events.push("data: [DONE]\n\n".to_owned());
    events
}

fn sent(body: &Value) -> Sent {
    let mut sent = Sent::default();
    for message in body["messages"].as_array().unwrap() {
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            sent.steps
                .push(format!("call {}", call["id"].as_str().unwrap()));
        }
        if let Some(id) = message["tool_call_id"].as_str() {
            sent.steps.push(format!("result {id}"));
        }
        for block in message["content"].as_array().into_iter().flatten() {
            if let Some(url) = block["image_url"]["url"].as_str() {
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
