use std::sync::Arc;

use deed_models::transcript::{IdRule, Target};
use deed_models::{Api, ModelSpec, Prices, Quirks};
use deed_protocol::Message;
use serde_json::{Value, json};

/// A picture of one pixel, as far as anybody here looks at it.
pub(crate) const PIXEL: &str = "iVBORw0KGgo=";

/// Makes a model of an interface that takes pictures.
pub(crate) fn spec(api: Api) -> ModelSpec {
    ModelSpec {
        provider: "here".into(),
        id: "m1".into(),
        name: "M1".into(),
        api,
        base_url: "http://127.0.0.1:1".to_owned(),
        headers: Vec::new(),
        extra_body: serde_json::Map::new(),
        context_window: 0,
        max_output_tokens: 0,
        takes_images: true,
        thinking_levels: Vec::new(),
        prices: Prices::default(),
        quirks: Quirks::default(),
    }
}

/// Makes the target of a model that takes pictures.
pub(crate) fn target(api: Api) -> Target {
    let spec = spec(api);
    Target {
        ids: IdRule::of(&spec),
        ..Target::of(&spec, false)
    }
}

/// Reads messages as a session file holds them.
pub(crate) fn messages(list: &[Value]) -> Vec<Arc<Message>> {
    let read = |value: &Value| Arc::new(serde_json::from_str(&value.to_string()).unwrap());
    list.iter().map(read).collect()
}

pub(crate) fn user(text: &str) -> Value {
    json!({ "role": "user", "content": text })
}

/// An answer of the target itself.
pub(crate) fn assistant(api: Api, content: Value) -> Value {
    json!({ "role": "assistant", "content": content, "api": api.as_str(), "provider": "here",
            "model": "m1", "stopReason": "stop" })
}

pub(crate) fn call(id: &str) -> Value {
    json!({ "type": "toolCall", "id": id, "name": "read", "arguments": { "path": id } })
}

pub(crate) fn result(id: &str, text: &str) -> Value {
    json!({ "role": "toolResult", "toolCallId": id, "toolName": "read", "isError": false,
            "content": [{ "type": "text", "text": text }] })
}

pub(crate) fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

pub(crate) fn image(data: &str, mime_type: &str) -> Value {
    json!({ "type": "image", "data": data, "mimeType": mime_type })
}
