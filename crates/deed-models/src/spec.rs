use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use deed_agent::BoxFuture;
use deed_protocol::ThinkingLevel;
use reqwest::Url;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::http::is_this_machine;
use crate::{Api, Prices};

/// Everything that is known of a model before it is asked.
#[derive(Clone)]
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
    ///
    /// Shape: a query behind it goes with every request; messages never show it.
    pub base_url: String,
    /// Header fields to send beside those of the interface; they win over them.
    ///
    /// Shape: names and values. What looks like a secret by its name is kept out of messages.
    pub headers: Vec<(String, String)>,
    /// Members of the request body beside those of the interface; they win over them.
    ///
    /// Shape: objects are merged into objects, and `null` takes a member away.
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

/// Parts of the names of header fields whose values are secrets.
const SECRET_WORDS: &[&str] = &["auth", "key", "token", "secret", "cookie", "password"];

impl ModelSpec {
    /// Returns the level that the model knows and that comes nearest: the next higher one, or the
    /// highest.
    pub fn fitted(&self, level: ThinkingLevel) -> ThinkingLevel {
        if level == ThinkingLevel::Off {
            return level;
        }
        let known = || self.thinking_levels.iter().copied();
        let higher = known().filter(|known| *known >= level).min();
        higher.or_else(|| known().max()).unwrap_or_default()
    }

    /// Tells whether the server runs on this machine.
    pub(crate) fn is_here(&self) -> bool {
        Url::parse(&self.base_url).is_ok_and(|url| is_this_machine(&url))
    }

    /// Returns the host that is asked; empty if the address has none.
    pub(crate) fn host(&self) -> &str {
        let (_, rest) = self.base_url.split_once("://").unwrap_or_default();
        rest.split(['/', ':']).next().unwrap_or_default()
    }

    /// Returns the values of header fields that must not be shown.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = &str> {
        let is_secret = |name: &str| {
            let name = name.to_ascii_lowercase();
            SECRET_WORDS.iter().any(|word| name.contains(word))
        };
        self.headers
            .iter()
            .filter(move |(name, _)| is_secret(name))
            .flat_map(|(_, value)| {
                // `Bearer KEY` holds the key, which may stand alone in what a provider says.
                let (_, bare) = value.split_once(' ').unwrap_or_default();
                [value.as_str(), bare]
            })
    }
}

impl fmt::Debug for ModelSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header_names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("ModelSpec")
            .field("provider", &self.provider)
            .field("id", &self.id)
            .field("api", &self.api)
            .field("header_names", &header_names)
            .field("quirks", &self.quirks)
            .finish_non_exhaustive()
    }
}

/// Where a model or server differs from others of its interface.
///
/// `None` is the way of the interface: at the vendor that made it what that vendor wants, elsewhere
/// what most servers understand.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Quirks {
    /// Whether tools may be declared with strict schemas.
    pub strict_tools: Option<bool>,
    /// Whether Responses take tools that are called with a text that follows a grammar.
    pub grammar_tools: Option<bool>,
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
    /// How Chat Completions are told how much to think.
    pub thinking_style: Option<ThinkingStyle>,
    /// What thinking levels are called, where not by their own names; one for `off` says so aloud.
    pub thinking_words: BTreeMap<ThinkingLevel, String>,
    /// The member in which Chat Completions take back what a model thought, such as
    /// `reasoning_content`; without it thoughts stay here.
    pub thinking_replay: Option<String>,
    /// Whether an answer of calls alone goes back to Chat Completions with an empty text, not with
    /// none: so it does on this machine, where templates write what is none as a word, or refuse it.
    pub empty_content: Option<bool>,
    /// Whether `prompt_cache_key` is understood.
    pub cache_key: Option<bool>,
    /// Whether tool results carry the name of the tool.
    pub tool_result_name: Option<bool>,
    /// How long nothing may come, in place of what holds for all: a local server may read a long
    /// transcript for minutes.
    ///
    /// Units: milliseconds.
    pub idle_timeout_ms: Option<u64>,
    /// Whether prompts are marked for the cache.
    pub cache_marks: Option<bool>,
    /// Whether Anthropic Messages and Gemini are told how much effort to make, not how many tokens to
    /// think.
    pub adaptive_thinking: Option<bool>,
    /// Whether ids of tool calls must be nine letters and digits (Mistral).
    pub short_call_ids: Option<bool>,
}

/// How Chat Completions are told how much to think.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ThinkingStyle {
    /// By `reasoning_effort`, as OpenAI has it.
    Effort,
    /// By `reasoning.effort`, as OpenRouter has it.
    Nested,
    /// By `thinking.type`, on or off, as DeepSeek and z.ai have it.
    Toggle,
    /// By `enable_thinking`, on or off, as Qwen has it.
    Enable,
    /// By `chat_template_kwargs.enable_thinking`, as servers of open models have it.
    Template,
}

/// Where the key of a provider comes from.
pub trait KeySource: Send + Sync + 'static {
    /// Returns the key; `None` where the server wants none.
    ///
    /// Errors: the whole text for the person: what is missing, and what to do.
    ///
    /// Cancellation: dropping the future gives up; nothing is sent then.
    fn key(&self) -> BoxFuture<'_, Result<Option<String>, String>>;

    /// Says how the person sets another key; stands behind a semicolon.
    fn how_to_set(&self) -> String {
        "check it, or set another with `deed auth`".to_owned()
    }
}

/// A key that is known, or none.
#[derive(Clone, Default)]
pub struct StaticKey(pub Option<String>);

impl KeySource for StaticKey {
    fn key(&self) -> BoxFuture<'_, Result<Option<String>, String>> {
        Box::pin(async { Ok(self.0.clone()) })
    }
}

impl fmt::Debug for StaticKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() {
            "StaticKey(…)"
        } else {
            "StaticKey(none)"
        })
    }
}
