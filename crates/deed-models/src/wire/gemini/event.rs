//! The pieces of a stream, as far as they matter.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::wire::loose::{Count, Word, or_default};

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", bound(deserialize = "'de: 'a"))]
pub(super) struct Chunk<'a> {
    pub(super) candidates: Option<Vec<Candidate<'a>>>,
    pub(super) prompt_feedback: Option<Feedback<'a>>,
    #[serde(deserialize_with = "or_default")]
    pub(super) usage_metadata: Option<Usage>,
    pub(super) model_version: Word<'a>,
    pub(super) response_id: Word<'a>,
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", bound(deserialize = "'de: 'a"))]
pub(super) struct Candidate<'a> {
    pub(super) content: Option<Content<'a>>,
    pub(super) finish_reason: Word<'a>,
    pub(super) finish_message: Word<'a>,
    pub(super) index: Count,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct Content<'a> {
    pub(super) parts: Option<Vec<Part<'a>>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", bound(deserialize = "'de: 'a"))]
pub(super) struct Part<'a> {
    pub(super) text: Option<Word<'a>>,
    #[serde(deserialize_with = "or_default")]
    pub(super) thought: bool,
    #[serde(alias = "thought_signature")]
    pub(super) thought_signature: Word<'a>,
    pub(super) function_call: Option<FunctionCall<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct FunctionCall<'a> {
    pub(super) id: Word<'a>,
    pub(super) name: Word<'a>,
    #[serde(borrow)]
    pub(super) args: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", bound(deserialize = "'de: 'a"))]
pub(super) struct Feedback<'a> {
    pub(super) block_reason: Word<'a>,
    pub(super) block_reason_message: Word<'a>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Usage {
    pub(super) prompt_token_count: Count,
    pub(super) tool_use_prompt_token_count: Count,
    pub(super) cached_content_token_count: Count,
    pub(super) candidates_token_count: Count,
    pub(super) thoughts_token_count: Count,
    pub(super) total_token_count: Count,
}
