//! What Deed adds to a session: `custom` entries, which Pi keeps and skips.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::tree::EntryId;

/// The custom types of Deed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OwnKind {
    /// A call is about to run.
    Started,
    /// The context was repaired.
    Repaired,
    /// Which tools are active.
    ActiveTools,
    /// Somebody else's.
    Foreign,
}

pub(crate) const STARTED: &str = "deed.started";
pub(crate) const REPAIRED: &str = "deed.repaired";
pub(crate) const ACTIVE_TOOLS: &str = "deed.active_tools";

const WORDS: &[(&str, OwnKind)] = &[
    (STARTED, OwnKind::Started),
    (REPAIRED, OwnKind::Repaired),
    (ACTIVE_TOOLS, OwnKind::ActiveTools),
];

impl OwnKind {
    pub(crate) fn of_word(word: &str) -> Self {
        WORDS
            .iter()
            .find(|(known, _)| *known == word)
            .map_or(Self::Foreign, |(_, kind)| *kind)
    }
}

/// A call that is about to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartedCall {
    /// The id of the call.
    pub tool_call_id: Arc<str>,
    /// Which call of the answer it is, from 0; `None` takes the first with this id that has not
    /// started.
    pub call_index: Option<usize>,
    /// The hash of the arguments it runs with.
    pub args_sha256: String,
}

/// The data of a `deed.started` entry.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StartedNote {
    pub(crate) tool_call_id: Arc<str>,
    pub(crate) call_index: usize,
    pub(crate) message_entry_id: EntryId,
    #[serde(default)]
    pub(crate) args_sha256: String,
}

/// The data of a `deed.repaired` entry.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RepairedNote {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) calls: Vec<RepairedCall>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) results: Vec<RepairedResult>,
}

/// A call that got a result.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RepairedCall {
    pub(crate) message_entry_id: EntryId,
    pub(crate) call_index: usize,
    pub(crate) tool_call_id: String,
}

/// A result that was left out.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RepairedResult {
    pub(crate) entry_id: EntryId,
    pub(crate) tool_call_id: String,
}

/// The data of a `deed.active_tools` entry.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ActiveToolsNote {
    pub(crate) names: Vec<Arc<str>>,
}
