use deed_protocol::Message;

use super::estimate::estimate_tokens;
use crate::context::ContextMessage;

/// Where a history is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// Up to where whole turns are summarised.
    pub(super) history_end: usize,
    /// The first message that stays; what is between is the beginning of a turn that is cut in two.
    pub(super) first_kept: usize,
}

/// Finds the last place to cut that keeps enough.
///
/// A call and its results stay together. Where that would keep more than twice what is wanted,
/// because of one huge batch or message, the cut is behind it: else the context would not shrink.
pub(super) fn find(entries: &[ContextMessage], keep_tokens: u64) -> Option<Cut> {
    let mut kept_tokens: u64 = 0;
    let mut next = None;
    let mut first_kept = None;
    for (at, entry) in entries.iter().enumerate().rev() {
        kept_tokens += estimate_tokens(&entry.message);
        if !is_cut_point(entry) {
            continue;
        }
        if kept_tokens >= keep_tokens {
            let is_too_much = kept_tokens > keep_tokens.saturating_mul(2);
            first_kept = next.filter(|_| is_too_much).or(Some(at));
            break;
        }
        next = Some(at);
    }
    let first_kept = first_kept?;
    let before = entries.get(..=first_kept).unwrap_or_default();
    let turn_start = before.iter().rposition(|entry| begins_turn(&entry.message));
    Some(Cut {
        history_end: turn_start.unwrap_or(first_kept),
        first_kept,
    })
}

fn is_cut_point(entry: &ContextMessage) -> bool {
    entry.entry.is_some()
        && (begins_turn(&entry.message) || matches!(&*entry.message, Message::Assistant(_)))
}

fn begins_turn(message: &Message) -> bool {
    matches!(
        message,
        Message::User(_)
            | Message::BashExecution(_)
            | Message::Custom(_)
            | Message::BranchSummary(_)
            | Message::CompactionSummary(_)
    )
}
