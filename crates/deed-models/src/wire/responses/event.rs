//! The shape of what comes.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::wire::loose::{Count, Word, or_default};

/// One event, or a whole answer.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Event<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Word<'a>,
    #[serde(borrow)]
    pub(super) object: Word<'a>,
    pub(super) output_index: Option<u64>,
    pub(super) summary_index: Option<u64>,
    #[serde(borrow)]
    pub(super) delta: Word<'a>,
    #[serde(borrow)]
    pub(super) arguments: Word<'a>,
    #[serde(borrow)]
    pub(super) input: Word<'a>,
    #[serde(borrow)]
    pub(super) item: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) response: Option<&'a RawValue>,
}

/// The state of an answer as a whole.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Response<'a> {
    #[serde(borrow)]
    pub(super) id: Word<'a>,
    #[serde(borrow)]
    pub(super) model: Word<'a>,
    #[serde(borrow)]
    pub(super) status: Word<'a>,
    #[serde(borrow)]
    pub(super) incomplete_details: Option<Incomplete<'a>>,
    #[serde(borrow)]
    pub(super) output: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
    #[serde(deserialize_with = "or_default")]
    pub(super) usage: Option<Usage>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Incomplete<'a> {
    #[serde(borrow)]
    pub(super) reason: Word<'a>,
}

/// A thought, a message or a call.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Item<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Word<'a>,
    #[serde(borrow)]
    pub(super) id: Word<'a>,
    #[serde(borrow)]
    pub(super) call_id: Word<'a>,
    #[serde(borrow)]
    pub(super) name: Word<'a>,
    #[serde(borrow)]
    pub(super) arguments: Word<'a>,
    #[serde(borrow)]
    pub(super) input: Word<'a>,
    #[serde(borrow)]
    pub(super) phase: Word<'a>,
    #[serde(borrow)]
    pub(super) encrypted_content: Word<'a>,
    #[serde(borrow)]
    pub(super) summary: Option<Vec<Piece<'a>>>,
    #[serde(borrow)]
    pub(super) content: Option<Vec<Piece<'a>>>,
}

/// A piece of a message or of a thought.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Piece<'a> {
    #[serde(borrow)]
    pub(super) text: Word<'a>,
    #[serde(borrow)]
    pub(super) refusal: Word<'a>,
}

/// What an answer used.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Usage {
    pub(super) input_tokens: Count,
    #[serde(deserialize_with = "or_default")]
    pub(super) input_tokens_details: InputDetails,
    pub(super) output_tokens: Count,
    #[serde(deserialize_with = "or_default")]
    pub(super) output_tokens_details: OutputDetails,
    pub(super) total_tokens: Count,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct InputDetails {
    pub(super) cached_tokens: Count,
    pub(super) cache_write_tokens: Count,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct OutputDetails {
    pub(super) reasoning_tokens: Count,
}
