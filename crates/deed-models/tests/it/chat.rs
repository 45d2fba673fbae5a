//! Chat Completions: what goes out, and what many servers make of what comes in.

mod body;
mod servers;
mod thinking;
mod usage;

use std::sync::Arc;

use deed_models::{Api, ModelSpec, RemoteModel, StaticKey};
use deed_protocol::{AssistantMessage, ContentBlock};
use serde_json::{Value, json};

use crate::support::{Reply, Server, ask, request, spec, tools, transport};

fn chat_spec(server: &Server) -> ModelSpec {
    spec(Api::Chat, format!("{}/v1", server.root))
}

fn model(spec: ModelSpec) -> RemoteModel {
    RemoteModel::new(spec, Arc::new(StaticKey(None)), transport(), || 0)
}

/// Writes chunks as a stream with its end mark.
fn stream(chunks: &[Value]) -> String {
    let events = chunks.iter().map(|chunk| format!("data: {chunk}\n\n"));
    events.chain(["data: [DONE]\n\n".to_owned()]).collect()
}

fn delta(delta: &Value) -> Value {
    json!({ "choices": [{ "index": 0, "delta": delta }] })
}

fn finished(reason: &str) -> Value {
    json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] })
}

/// Returns what comes of a body that a server answers with.
async fn answer_of(body: &str) -> AssistantMessage {
    let server = Server::start([Reply::events(body)]).await;
    let request = request(
        &json!([{ "role": "user", "content": "hi" }]),
        tools(&["read"]),
    );
    ask(&model(chat_spec(&server)), &request).await.0
}

/// Returns the blocks of a message, one line each.
fn blocks(message: &AssistantMessage) -> Vec<String> {
    let blocks = message.content.iter().map(|block| match block {
        ContentBlock::Text(block) => format!("text {}", block.text),
        ContentBlock::Thinking(block) => format!("thinking {}", block.thinking),
        ContentBlock::ToolCall(call) => {
            format!(
                "call {:?} {} {}",
                &*call.id,
                call.name,
                call.arguments.get()
            )
        }
        other => format!("{other:?}"),
    });
    blocks.collect()
}
