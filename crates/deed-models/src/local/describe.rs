//! What servers say of their models, each in its own way.

use std::pin::Pin;

use deed_protocol::ThinkingLevel;
use serde_json::{Value, json};

use super::{LocalModel, LocalServer, ask};
use crate::http::Transport;
use crate::{ModelSpec, ThinkingStyle};

/// Words in the list of models by which a server tells what it is.
const OWNERS: &[(&str, &str)] = &[
    ("llamacpp", "llama.cpp"),
    ("vllm", "vllm"),
    ("library", "ollama"),
    ("organization_owner", "lmstudio"),
];

/// Members of a row of the list that hold the size of the context.
const CONTEXT_MEMBERS: &[&str] = &["/max_model_len", "/meta/n_ctx", "/context_length"];

type Completing<'a> = Pin<Box<dyn Future<Output = Option<()>> + Send + 'a>>;
type Complete = for<'a> fn(&'a Transport, &'a LocalServer, &'a mut ModelSpec) -> Completing<'a>;

/// How each kind of server is asked for more than its list says.
const COMPLETE: &[(&str, Complete)] = &[
    ("ollama", |transport, server, spec| {
        Box::pin(ollama(transport, server, spec))
    }),
    ("llama.cpp", |transport, server, spec| {
        Box::pin(llama_cpp(transport, server, spec))
    }),
    ("lmstudio", |transport, server, spec| {
        Box::pin(lm_studio(transport, server, spec))
    }),
];

/// Returns what the server says it is.
pub(super) fn provider(rows: &[Value]) -> Option<&'static str> {
    let owner = rows.first()?.get("owned_by")?.as_str()?;
    let row = OWNERS.iter().find(|(word, _)| *word == owner);
    row.map(|(_, provider)| *provider)
}

/// Reads a row of the list of models; nothing if it cannot answer.
pub(super) fn model(row: &Value) -> Option<LocalModel> {
    let id = row.get("id")?.as_str()?;
    if id.is_empty() || id.to_lowercase().contains("embed") {
        return None;
    }
    let context = CONTEXT_MEMBERS
        .iter()
        .find_map(|place| row.pointer(place)?.as_u64());
    Some(LocalModel {
        id: id.to_owned(),
        context_window: context.unwrap_or(0),
    })
}

/// Asks the server for the rest.
pub(super) async fn complete(transport: &Transport, server: &LocalServer, spec: &mut ModelSpec) {
    let row = COMPLETE
        .iter()
        .find(|(provider, _)| **provider == *server.provider);
    if let Some((_, complete)) = row {
        complete(transport, server, spec).await;
    }
}

/// Source: Ollama, "Show Model Information" and "List Running Models". The size that it works with
/// is set in the model's parameters, or is that of the running model; what it could do is no help.
async fn ollama(transport: &Transport, server: &LocalServer, spec: &mut ModelSpec) -> Option<()> {
    let name = json!({ "model": &*spec.id });
    let shown = ask::post(transport, &format!("{}/api/show", server.root), &name).await?;
    let can = |word: &str| {
        let capabilities = shown.get("capabilities").and_then(Value::as_array);
        capabilities.is_some_and(|known| known.iter().any(|known| known == word))
    };
    spec.takes_images = can("vision");
    if can("thinking") {
        spec.thinking_levels = vec![
            ThinkingLevel::Low,
            ThinkingLevel::Medium,
            ThinkingLevel::High,
        ];
        let off = (ThinkingLevel::Off, "none".to_owned());
        spec.quirks.thinking_words.extend([off]);
    }
    let set = shown
        .get("parameters")
        .and_then(Value::as_str)
        .and_then(num_ctx);
    spec.context_window = match set {
        Some(size) => size,
        None => running(transport, server, &spec.id).await.unwrap_or(0),
    };
    Some(())
}

/// Reads the line `num_ctx SIZE` of a model's parameters.
fn num_ctx(parameters: &str) -> Option<u64> {
    let mut lines = parameters.lines();
    lines.find_map(|line| {
        let (name, value) = line.trim().split_once(char::is_whitespace)?;
        (name == "num_ctx").then(|| value.trim().parse().ok())?
    })
}

async fn running(transport: &Transport, server: &LocalServer, id: &str) -> Option<u64> {
    let list = ask::get(transport, &format!("{}/api/ps", server.root)).await?;
    let mut rows = list.get("models")?.as_array()?.iter();
    let row = rows.find(|row| row.get("model").is_some_and(|model| model == id))?;
    row.get("context_length")?.as_u64()
}

/// Source: llama.cpp, "GET /props".
async fn llama_cpp(
    transport: &Transport,
    server: &LocalServer,
    spec: &mut ModelSpec,
) -> Option<()> {
    let props = ask::get(transport, &format!("{}/props", server.root)).await?;
    let size = props.pointer("/default_generation_settings/n_ctx");
    if let Some(size) = size.and_then(Value::as_u64) {
        spec.context_window = size;
    }
    let vision = props.pointer("/modalities/vision");
    spec.takes_images = vision.and_then(Value::as_bool).unwrap_or(false);
    let template = props.get("chat_template").and_then(Value::as_str);
    if template.is_some_and(|template| template.contains("enable_thinking")) {
        spec.thinking_levels = vec![ThinkingLevel::Medium];
        spec.quirks.thinking_style = Some(ThinkingStyle::Template);
    }
    Some(())
}

/// Source: LM Studio, "GET /api/v0/models".
async fn lm_studio(
    transport: &Transport,
    server: &LocalServer,
    spec: &mut ModelSpec,
) -> Option<()> {
    let list = ask::get(transport, &format!("{}/api/v0/models", server.root)).await?;
    let mut rows = list.get("data")?.as_array()?.iter();
    let row = rows.find(|row| row.get("id").is_some_and(|id| *id == *spec.id))?;
    spec.takes_images = row.get("type").is_some_and(|kind| kind == "vlm");
    let sizes = ["loaded_context_length", "max_context_length"];
    let size = sizes.iter().find_map(|name| row.get(*name)?.as_u64());
    spec.context_window = size.unwrap_or(spec.context_window);
    Some(())
}
