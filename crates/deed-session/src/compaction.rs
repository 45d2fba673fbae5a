//! When and where to cut a history that grows too long, and what of it to summarise. All of it is
//! pure: a model writes the summary elsewhere, [`Session::append_compaction`] keeps it.
//!
//! [`Session::append_compaction`]: crate::Session::append_compaction

use std::sync::Arc;

use deed_protocol::Message;

use crate::context::{Context, ContextMessage};
use crate::tree::EntryId;

mod cut;
mod estimate;
mod files;
mod text;

pub use estimate::{
    ContextEstimate, estimate_context, estimate_messages, estimate_messages_from, estimate_tokens,
};
pub use files::FileLists;
pub use text::conversation_text;

/// When to compact and how much to keep.
///
/// Units: tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompactionSettings {
    /// Whether it happens by itself.
    pub enabled: bool,
    /// How much of the window stays free for the answer.
    pub reserve_tokens: u64,
    /// How much of what was said last stays as it is, at least.
    pub keep_recent_tokens: u64,
}

impl Default for CompactionSettings {
    /// Source: Pi's defaults.
    fn default() -> Self {
        Self {
            enabled: true,
            reserve_tokens: 16_384,
            keep_recent_tokens: 20_000,
        }
    }
}

impl CompactionSettings {
    /// Returns what of them fits a window: at most half of it stays free, and at most half of the rest
    /// stays as it is, so that there is always something to summarise.
    ///
    /// Units: `context_window` is tokens; 0 if unknown, which changes nothing.
    #[must_use]
    pub fn within(mut self, context_window: u64) -> Self {
        if context_window > 0 {
            self.reserve_tokens = self.reserve_tokens.min(context_window / 2);
            let rest = context_window - self.reserve_tokens;
            self.keep_recent_tokens = self.keep_recent_tokens.min(rest / 2);
        }
        self
    }
}

/// Whether a context has grown so large that it should be compacted.
///
/// Units: tokens.
pub fn should_compact(
    context_tokens: u64,
    context_window: u64,
    settings: &CompactionSettings,
) -> bool {
    settings.enabled && context_tokens > context_window.saturating_sub(settings.reserve_tokens)
}

/// What a compaction is about to do.
#[derive(Clone, Debug)]
pub struct CompactionPlan {
    /// The first entry that stays.
    pub first_kept: EntryId,
    /// What the summary is to stand for.
    pub to_summarise: Vec<Arc<Message>>,
    /// The beginning of a turn that is cut in two: what was asked and what was done before the part
    /// that stays.
    pub turn_prefix: Vec<Arc<Message>>,
    /// The summary that stands before all this, to be carried on.
    pub previous_summary: Option<String>,
    /// Size of the context now.
    pub tokens_before: u64,
    /// The files that were read and changed in all that is summarised, now and earlier.
    pub files: FileLists,
}

/// Plans to summarise all but the end of a context.
///
/// Shape: `None` if there is nothing to summarise.
pub fn plan_compaction(context: &Context, settings: &CompactionSettings) -> Option<CompactionPlan> {
    let start = after_summary(context);
    let entries = context.entries.get(start..)?;
    let cut = cut::find(entries, settings.keep_recent_tokens)?;
    let to_summarise = messages_of(entries.get(..cut.history_end)?);
    let turn_prefix = messages_of(entries.get(cut.history_end..cut.first_kept)?);
    if to_summarise.is_empty() && turn_prefix.is_empty() {
        return None;
    }
    let previous = context.compaction.as_deref();
    let summarised = to_summarise.iter().chain(&turn_prefix);
    let files = FileLists::of(summarised.map(|message| &**message), previous);
    Some(CompactionPlan {
        first_kept: entries.get(cut.first_kept)?.entry.clone()?,
        to_summarise,
        turn_prefix,
        previous_summary: previous.map(|entry| entry.summary.clone()),
        tokens_before: estimate_context(context).tokens,
        files,
    })
}

/// Where the messages begin that the summary in force does not stand for.
fn after_summary(context: &Context) -> usize {
    let Some(compaction) = &context.compaction else {
        return 0;
    };
    let own = &compaction.base.id;
    let of_it = |entry: &&ContextMessage| entry.entry.as_ref() == Some(own);
    context.entries.iter().take_while(of_it).count()
}

/// System messages are state of the prompt, not conversation.
fn messages_of(entries: &[ContextMessage]) -> Vec<Arc<Message>> {
    let messages = entries.iter().map(|entry| &entry.message);
    messages
        .filter(|message| !matches!(&***message, Message::System(_)))
        .cloned()
        .collect()
}
