use std::sync::Arc;

use deed_agent::BoxFuture;
use deed_protocol::ThinkingLevel;
use serde_json::{Map, Value};

use crate::Api;

/// Everything that is known of a model before it is asked.
#[derive(Clone, Debug)]
pub struct ModelSpec {
    /// Who runs it, such as `anthropic`.
    pub provider: Arc<str>,
    /// Its id, as the provider wants it.
    pub id: Arc<str>,
    /// Its name for people.
    pub name: Arc<str>,
    /// How it is reached.
    pub api: Api,
    /// Where it is reached, without the path of the interface and without a last slash.
    pub base_url: String,
    /// Header fields to send beside those of the interface; they win over them.
    pub headers: Vec<(String, String)>,
    /// Members of the request body beside those of the interface; they win over them.
    pub extra_body: Map<String, Value>,
    /// How large its context is.
    ///
    /// Units: tokens; 0 if unknown.
    pub context_window: u64,
    /// How much it may write at once.
    ///
    /// Units: tokens; 0 if unknown, and then no limit is sent where the interface allows that.
    pub max_output_tokens: u64,
    /// Whether it takes pictures.
    pub takes_images: bool,
    /// The thinking levels it knows beside `off`; empty if it does not think.
    pub thinking_levels: Vec<ThinkingLevel>,
    /// What it costs.
    pub prices: Prices,
    /// Where it differs from others of its interface.
    pub quirks: Quirks,
}

/// What a model costs.
///
/// Units: US dollars for a million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Prices {
    /// Tokens read without the cache.
    pub input: f64,
    /// Tokens written.
    pub output: f64,
    /// Tokens read from the cache.
    pub cache_read: f64,
    /// Tokens put into the cache.
    pub cache_write: f64,
}

/// Where a model or server differs from others of its interface; `None` is the way of the interface.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Quirks {
    /// Whether tools may be declared with strict schemas.
    pub strict_tools: Option<bool>,
    /// The member that limits the output of Chat Completions: `max_tokens` or
    /// `max_completion_tokens`.
    pub max_tokens_field: Option<String>,
    /// Whether Chat Completions take the role `developer` in place of `system`.
    pub developer_role: Option<bool>,
    /// Whether `stream_options.include_usage` is understood.
    pub usage_in_stream: Option<bool>,
    /// Whether `store` is understood.
    pub store: Option<bool>,
    /// Whether `reasoning_effort` is understood.
    pub reasoning_effort: Option<bool>,
    /// Whether tool results carry the name of the tool.
    pub tool_result_name: Option<bool>,
    /// Whether prompts are marked for the cache.
    pub cache_marks: Option<bool>,
    /// Whether ids of tool calls must be nine letters and digits (Mistral).
    pub short_call_ids: Option<bool>,
}

/// Where the key of a provider comes from.
pub trait KeySource: Send + Sync + 'static {
    /// Returns the key; `None` where the server wants none.
    ///
    /// Errors: the whole text for the person: what is missing, and what to do.
    fn key(&self) -> BoxFuture<'_, Result<Option<String>, String>>;
}

/// A key that is known, or none.
#[derive(Clone, Default)]
pub struct StaticKey(pub Option<String>);

impl KeySource for StaticKey {
    fn key(&self) -> BoxFuture<'_, Result<Option<String>, String>> {
        Box::pin(async { Ok(self.0.clone()) })
    }
}

impl std::fmt::Debug for StaticKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() {
            "StaticKey(…)"
        } else {
            "StaticKey(none)"
        })
    }
}
