//! Finds servers of models on this machine.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::task::JoinSet;

use crate::http::Transport;
use crate::{Api, ModelSpec, Prices, Quirks};

mod ask;
mod describe;

/// How long a server on this machine may take to say which models it has.
const PATIENCE: Duration = Duration::from_millis(700);

/// How long a local server may read a transcript before it says a word.
///
/// Units: milliseconds.
const IDLE_TIMEOUT_MS: u64 = 1_800_000;

/// Where servers of models usually listen: what they are called, and the address.
///
/// Source: the defaults in the documentation of each.
pub const LOCAL_ENDPOINTS: &[(&str, &str)] = &[
    ("ollama", "http://127.0.0.1:11434"),
    ("llama.cpp", "http://127.0.0.1:8080"),
    ("lmstudio", "http://127.0.0.1:1234"),
    ("vllm", "http://127.0.0.1:8000"),
];

/// A server of models that answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalServer {
    /// What it is, such as `ollama`.
    pub provider: Arc<str>,
    /// Where it is, without the path of an interface.
    pub root: String,
    /// The models that it has, in its order; those that only embed texts are left out.
    pub models: Vec<LocalModel>,
}

/// A model of a server on this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocalModel {
    /// Its id, as the server wants it.
    pub id: String,
    /// How large its context is.
    ///
    /// Units: tokens; 0 if the list does not say.
    pub context_window: u64,
}

/// Asks all usual places at once and returns what answered, in the order of the table.
///
/// Cancellation: dropping the future closes the connections.
pub async fn find_local(transport: &Transport) -> Vec<LocalServer> {
    find_local_at(transport, LOCAL_ENDPOINTS).await
}

/// Asks these places at once and returns what answered, in their order.
///
/// Shape: a place is what its server is called, and the address without a path.
pub async fn find_local_at(transport: &Transport, places: &[(&str, &str)]) -> Vec<LocalServer> {
    let mut asking = JoinSet::new();
    for (at, (provider, root)) in places.iter().enumerate() {
        let (transport, provider) = (transport.clone(), Arc::from(*provider));
        let root = root.trim_end_matches('/').to_owned();
        asking.spawn(async move {
            let looking = look(&transport, provider, root);
            let found = tokio::time::timeout(PATIENCE, looking).await;
            (at, found.ok().flatten())
        });
    }
    let mut found: Vec<(usize, LocalServer)> = Vec::new();
    while let Some(answer) = asking.join_next().await {
        if let Ok((at, Some(server))) = answer {
            found.push((at, server));
        }
    }
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, server)| server).collect()
}

async fn look(transport: &Transport, provider: Arc<str>, root: String) -> Option<LocalServer> {
    let list = ask::get(transport, &format!("{root}/v1/models")).await?;
    let rows = list.get("data")?.as_array()?;
    let models = rows.iter().filter_map(describe::model).collect();
    Some(LocalServer {
        provider: describe::provider(rows).map_or(provider, Arc::from),
        root,
        models,
    })
}

impl LocalServer {
    /// Asks what a model can do and returns what is needed to use it; what the server does not say
    /// is left open.
    ///
    /// Cancellation: dropping the future closes the connection.
    pub async fn spec(&self, transport: &Transport, model: &LocalModel) -> ModelSpec {
        let mut spec = ModelSpec {
            provider: self.provider.clone(),
            id: model.id.as_str().into(),
            name: model.id.as_str().into(),
            api: Api::Chat,
            base_url: format!("{}/v1", self.root),
            headers: Vec::new(),
            extra_body: Map::new(),
            context_window: model.context_window,
            max_output_tokens: 0,
            takes_images: false,
            thinking_levels: Vec::new(),
            prices: Prices::default(),
            quirks: Quirks {
                idle_timeout_ms: Some(IDLE_TIMEOUT_MS),
                ..Quirks::default()
            },
        };
        let asking = describe::complete(transport, self, &mut spec);
        // What is not said in time stays open.
        tokio::time::timeout(PATIENCE, asking).await.ok();
        spec
    }
}

/// A JSON value that a server answered with.
pub(crate) type Answer = Option<Value>;
