//! The events of a stream, as far as they matter.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::wire::loose::{Count, Word, or_default};

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct Event<'a> {
    #[serde(rename = "type")]
    pub(super) kind: Word<'a>,
    pub(super) index: Count,
    #[serde(borrow)]
    pub(super) message: Option<&'a RawValue>,
    pub(super) content_block: Option<Block<'a>>,
    pub(super) delta: Option<Delta<'a>>,
    pub(super) usage: Option<Usage>,
}

/// An answer: its head in a stream, all of it where the server does not stream.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct Message<'a> {
    pub(super) id: Word<'a>,
    pub(super) model: Word<'a>,
    pub(super) content: Option<Vec<Block<'a>>>,
    pub(super) stop_reason: Word<'a>,
    pub(super) usage: Option<Usage>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct Block<'a> {
    #[serde(rename = "type")]
    pub(super) kind: Word<'a>,
    pub(super) id: Word<'a>,
    pub(super) name: Word<'a>,
    #[serde(borrow)]
    pub(super) input: Option<&'a RawValue>,
    pub(super) text: Word<'a>,
    pub(super) thinking: Word<'a>,
    pub(super) signature: Word<'a>,
    pub(super) data: Word<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct Delta<'a> {
    #[serde(rename = "type")]
    pub(super) kind: Word<'a>,
    pub(super) text: Word<'a>,
    pub(super) thinking: Word<'a>,
    pub(super) signature: Word<'a>,
    pub(super) partial_json: Word<'a>,
    pub(super) stop_reason: Word<'a>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub(super) struct Usage {
    pub(super) input_tokens: Count,
    pub(super) output_tokens: Count,
    pub(super) cache_read_input_tokens: Count,
    pub(super) cache_creation_input_tokens: Count,
    #[serde(deserialize_with = "or_default")]
    pub(super) cache_creation: CacheCreation,
    #[serde(deserialize_with = "or_default")]
    pub(super) output_tokens_details: OutputDetails,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub(super) struct CacheCreation {
    pub(super) ephemeral_1h_input_tokens: Count,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub(super) struct OutputDetails {
    pub(super) thinking_tokens: Count,
}
