//! The shape of what comes, read as loosely as servers write it.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::wire::loose::{Count, Word, or_default};

/// One event, or a whole answer.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Chunk<'a> {
    #[serde(borrow)]
    pub(super) id: Word<'a>,
    #[serde(borrow)]
    pub(super) model: Word<'a>,
    #[serde(borrow)]
    pub(super) choices: Option<Vec<Choice<'a>>>,
    #[serde(borrow)]
    pub(super) usage: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
    /// `error` where the whole object is one.
    #[serde(borrow)]
    pub(super) object: Word<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Choice<'a> {
    #[serde(deserialize_with = "or_default")]
    pub(super) index: u64,
    #[serde(borrow)]
    pub(super) delta: Option<Delta<'a>>,
    /// In place of `delta` where the server does not stream.
    #[serde(borrow)]
    pub(super) message: Option<Delta<'a>>,
    #[serde(borrow)]
    pub(super) finish_reason: Word<'a>,
    #[serde(borrow)]
    pub(super) usage: Option<&'a RawValue>,
    /// OpenRouter's place for what went wrong behind it.
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Delta<'a> {
    #[serde(borrow)]
    pub(super) content: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) refusal: Word<'a>,
    #[serde(borrow)]
    pub(super) reasoning_content: Word<'a>,
    #[serde(borrow)]
    pub(super) reasoning: Word<'a>,
    #[serde(borrow)]
    pub(super) reasoning_text: Word<'a>,
    #[serde(borrow)]
    pub(super) reasoning_details: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) tool_calls: Option<Vec<ToolCall<'a>>>,
    #[serde(borrow)]
    pub(super) function_call: Option<Function<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ToolCall<'a> {
    pub(super) index: Option<u64>,
    #[serde(borrow)]
    pub(super) id: Word<'a>,
    #[serde(borrow)]
    pub(super) function: Option<Function<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Function<'a> {
    #[serde(borrow)]
    pub(super) name: Word<'a>,
    /// A text; an object from some.
    #[serde(borrow)]
    pub(super) arguments: Option<&'a RawValue>,
}

/// What an answer used.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Usage {
    pub(super) prompt_tokens: Count,
    pub(super) completion_tokens: Count,
    pub(super) total_tokens: Count,
    #[serde(deserialize_with = "or_default")]
    pub(super) prompt_tokens_details: PromptDetails,
    #[serde(deserialize_with = "or_default")]
    pub(super) completion_tokens_details: CompletionDetails,
    /// DeepSeek's word for cached tokens.
    pub(super) prompt_cache_hit_tokens: Count,
    /// Moonshot's.
    pub(super) cached_tokens: Count,
    /// OpenRouter's price of the answer, in US dollars.
    #[serde(deserialize_with = "or_default")]
    pub(super) cost: Option<f64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PromptDetails {
    pub(super) cached_tokens: Count,
    pub(super) cache_write_tokens: Count,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CompletionDetails {
    pub(super) reasoning_tokens: Count,
}
