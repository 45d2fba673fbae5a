//! Compaction: a model writes a summary that stands for the older part of the transcript.

mod hooks;
mod prompt;
mod run;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use deed_agent::RunEnd;
use deed_protocol::{ErrorKind, Message, Usage};
use deed_session::SessionError;
use deed_session::compaction::{
    CompactionSettings, ContextEstimate, estimate_messages_from, should_compact,
};
use serde::Serialize;
use serde_json::Value;

/// What came of a compaction.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CompactionDone {
    /// The summary.
    pub summary: String,
    /// The first entry that stays as it is.
    pub first_kept_entry_id: String,
    /// Size of the context before.
    ///
    /// Units: tokens.
    pub tokens_before: u64,
    /// Size of what goes on, by an estimate.
    ///
    /// Units: tokens.
    pub estimated_tokens_after: u64,
    /// What writing the summary used; an extension need not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Which files the summarised part read and changed, or what an extension adds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
}

/// Why a transcript was not compacted.
#[derive(Debug, thiserror::Error)]
pub enum CompactionError {
    /// A run is under way.
    #[error("a run is under way; stop it or wait for its end, then compact")]
    Busy,
    /// The session keeps no record.
    #[error("this session keeps no record, and only a recorded session can be compacted")]
    NoRecord,
    /// All of it is recent.
    #[error("there is nothing to compact: all of the transcript is recent")]
    NothingToDo,
    /// The model gave no summary.
    #[error("the model wrote no summary: {0}")]
    Model(String),
    /// An extension does not want it.
    #[error("an extension cancelled the compaction; the transcript is as it was")]
    Refused,
    /// It was cancelled.
    #[error("the compaction was stopped; the transcript is as it was")]
    Aborted,
    /// The record cannot be read or written.
    #[error(transparent)]
    Record(#[from] SessionError),
}

impl CompactionError {
    /// Tells whether somebody stopped it.
    fn is_abort(&self) -> bool {
        matches!(self, Self::Aborted | Self::Refused)
    }
}

/// When a session compacts, and what it must remember of that.
pub(crate) struct Compactor {
    settings: Mutex<CompactionSettings>,
    /// From which message on the usage that answers report is that of the present context.
    pub(crate) usage_counts_from: AtomicUsize,
    /// Whether the present prompt has been compacted because it did not fit.
    made_room: AtomicBool,
}

impl Compactor {
    pub(crate) fn new(settings: CompactionSettings, usage_counts_from: usize) -> Self {
        Self {
            settings: Mutex::new(settings),
            usage_counts_from: AtomicUsize::new(usage_counts_from),
            made_room: AtomicBool::new(false),
        }
    }

    pub(crate) fn settings(&self) -> CompactionSettings {
        *self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set_enabled(&self, enabled: bool) {
        let mut settings = self.settings.lock().unwrap_or_else(PoisonError::into_inner);
        settings.enabled = enabled;
    }

    /// Begins a prompt, which may be compacted once because it does not fit.
    pub(crate) fn begin(&self) {
        self.made_room.store(false, Ordering::Release);
    }

    pub(crate) fn estimate(&self, messages: &[Arc<Message>]) -> ContextEstimate {
        let from = self.usage_counts_from.load(Ordering::Acquire);
        estimate_messages_from(messages, from)
    }

    /// Tells whether a transcript has grown so large that it should be compacted now.
    ///
    /// Units: `window` is tokens, 0 if unknown.
    fn is_due(&self, messages: &[Arc<Message>], window: u64) -> bool {
        let settings = self.settings().within(window);
        settings.enabled
            && window > 0
            && should_compact(self.estimate(messages).tokens, window, &settings)
    }

    /// Tells whether a run ended because its context does not fit, and making room may help.
    pub(crate) fn may_make_room(&self, end: &RunEnd) -> bool {
        let kind = end
            .messages
            .iter()
            .rev()
            .find_map(|message| Message::as_assistant(message))
            .and_then(|answer| answer.error_kind);
        self.settings().enabled
            && !end.aborted
            && kind == Some(ErrorKind::ContextOverflow)
            && !self.made_room.load(Ordering::Acquire)
    }
}
