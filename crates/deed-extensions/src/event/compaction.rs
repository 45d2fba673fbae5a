use std::sync::Arc;

use deed_protocol::{Message, Usage};
use serde_json::Value;
use serde_json::value::RawValue;

use super::{ExtensionEvent, told};

/// Why a transcript is compacted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompactionReason {
    /// Somebody asked for it.
    Manual,
    /// The context has grown near the size of the window.
    Threshold,
    /// A request did not fit.
    Overflow,
}

impl CompactionReason {
    /// Returns the word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Manual => "manual",
            Self::Threshold => "threshold",
            Self::Overflow => "overflow",
        }
    }
}

/// A summary is about to take the place of the older part of the transcript.
///
/// The token of the handler's context is cancelled with the compaction.
#[derive(Clone, Debug)]
pub struct SessionBeforeCompactEvent {
    /// What it would do.
    pub preparation: Arc<CompactionPreparation>,
    /// The entries of the branch, as the record has them.
    pub branch_entries: Arc<[Box<RawValue>]>,
    /// What the summary is to heed.
    pub custom_instructions: Option<Arc<str>>,
    /// Why.
    pub reason: CompactionReason,
    /// Whether the request that did not fit is sent again afterwards.
    pub will_retry: bool,
}

/// What a compaction would do.
#[derive(Clone, Debug)]
pub struct CompactionPreparation {
    /// The first entry that would stay as it is.
    pub first_kept_entry_id: Arc<str>,
    /// What the summary would stand for.
    pub messages_to_summarize: Vec<Arc<Message>>,
    /// The beginning of a turn that would be cut in two; empty if none would.
    pub turn_prefix_messages: Vec<Arc<Message>>,
    /// The summary that stands before all this.
    pub previous_summary: Option<String>,
    /// How large the context is.
    ///
    /// Units: tokens.
    pub tokens_before: u64,
    /// The files that were only read in what would be summarised.
    pub read_files: Vec<String>,
    /// The files that were changed in it.
    pub modified_files: Vec<String>,
}

/// What becomes of a compaction.
#[derive(Clone, Debug, Default)]
pub enum BeforeCompactReply {
    /// It goes on; the model writes the summary.
    #[default]
    Continue,
    /// It does not take place; no further handler is asked.
    Cancel,
    /// This summary stands; handlers behind may give another one.
    Compaction(Box<OwnCompaction>),
}

/// A summary that an extension made.
#[derive(Clone, Debug)]
pub struct OwnCompaction {
    /// The summary.
    pub summary: String,
    /// The first entry that stays as it is; it must be on the branch.
    pub first_kept_entry_id: Arc<str>,
    /// How large the context was.
    ///
    /// Units: tokens.
    pub tokens_before: u64,
    /// What making it used.
    pub usage: Option<Usage>,
    /// What the maker adds.
    pub details: Option<Value>,
}

impl ExtensionEvent for SessionBeforeCompactEvent {
    const NAME: &'static str = "session_before_compact";
    type Reply = BeforeCompactReply;
}

/// A summary has taken the place of the older part of the transcript.
#[derive(Clone, Debug)]
pub struct SessionCompactEvent {
    /// The entry that holds it, as the record has it.
    pub compaction_entry: Arc<RawValue>,
    /// Whether an extension made it.
    pub from_extension: bool,
    /// Why.
    pub reason: CompactionReason,
    /// Whether the request that did not fit is sent again now.
    pub will_retry: bool,
}

/// A transcript was not compacted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionCompactFailedEvent {
    /// Why it was to be.
    pub reason: CompactionReason,
    /// What went wrong.
    pub error_message: Option<Arc<str>>,
    /// Whether it was stopped.
    pub aborted: bool,
    /// Whether the request that did not fit is sent again all the same.
    pub will_retry: bool,
    /// Whether the summary was that of an extension.
    pub from_extension: bool,
}

told! {
    SessionCompactEvent = "session_compact",
    SessionCompactFailedEvent = "session_compact_failed",
}
