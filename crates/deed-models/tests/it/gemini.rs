//! Google Gemini: what goes out, and what of it goes back.

mod answers;
mod body;
mod thinking;

use std::sync::Arc;

use deed_models::{Api, ModelSpec, RemoteModel, StaticKey};
use deed_protocol::AssistantMessage;
use serde_json::{Value, json};

use crate::support::{Reply, Server, ask, request, spec, tools, transport};

fn gemini_spec(server: &Server) -> ModelSpec {
    spec(Api::Gemini, format!("{}/v1beta", server.root))
}

fn model(spec: ModelSpec) -> RemoteModel {
    RemoteModel::new(spec, Arc::new(StaticKey(None)), transport(), || 0)
}

fn stream(chunks: &[Value]) -> String {
    chunks
        .iter()
        .map(|chunk| format!("data: {chunk}\n\n"))
        .collect()
}

fn parts(parts: &Value) -> Value {
    json!({ "candidates": [{ "content": { "parts": parts, "role": "model" } }] })
}

fn finished(reason: &str) -> Value {
    json!({ "candidates": [{ "finishReason": reason }] })
}

/// Returns what comes of a body that a server answers with.
async fn answer_of(body: &str) -> AssistantMessage {
    let server = Server::start([Reply::events(body)]).await;
    let request = request(
        &json!([{ "role": "user", "content": "hi" }]),
        tools(&["read"]),
    );
    ask(&model(gemini_spec(&server)), &request).await.0
}
