//! Anthropic Messages: what goes out, and what of it goes back.

mod answers;
mod body;
mod marks;
mod thinking;

use std::sync::Arc;

use deed_models::{Api, ModelSpec, RemoteModel, StaticKey};
use deed_protocol::AssistantMessage;
use serde_json::{Value, json};

use crate::support::{Reply, Server, ask, request, spec, tools, transport};

fn anthropic_spec(server: &Server) -> ModelSpec {
    spec(Api::Anthropic, server.root.clone())
}

fn model(spec: ModelSpec) -> RemoteModel {
    RemoteModel::new(spec, Arc::new(StaticKey(None)), transport(), || 0)
}

fn stream(events: &[Value]) -> String {
    let events = events.iter().map(|event| {
        let kind = event["type"].as_str().unwrap();
        format!("event: {kind}\ndata: {event}\n\n")
    });
    events.collect()
}

/// Ends an answer for a reason.
fn stopped(reason: &str) -> [Value; 2] {
    [
        json!({ "type": "message_delta", "delta": { "stop_reason": reason } }),
        json!({ "type": "message_stop" }),
    ]
}

fn begun(index: u32, block: Value) -> Value {
    json!({ "type": "content_block_start", "index": index, "content_block": block })
}

fn piece(index: u32, delta: Value) -> Value {
    json!({ "type": "content_block_delta", "index": index, "delta": delta })
}

fn over(index: u32) -> Value {
    json!({ "type": "content_block_stop", "index": index })
}

/// Returns what comes of a body that a server answers with.
async fn answer_of(body: &str) -> AssistantMessage {
    let server = Server::start([Reply::events(body)]).await;
    let request = request(
        &json!([{ "role": "user", "content": "hi" }]),
        tools(&["read"]),
    );
    ask(&model(anthropic_spec(&server)), &request).await.0
}

/// Sends a transcript and returns the body that arrived.
async fn body_of(messages: &Value, change: impl FnOnce(&mut ModelSpec)) -> Value {
    let server = Server::start([Reply::events(&stream(&stopped("end_turn")))]).await;
    let mut spec = anthropic_spec(&server);
    change(&mut spec);
    ask(&model(spec), &request(messages, tools(&["read"]))).await;
    server.last_body()
}
