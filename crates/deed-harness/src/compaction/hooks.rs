//! What extensions are asked and told of a compaction.

use std::sync::Arc;

use deed_extensions::{
    CompactionPreparation, CompactionReason, CompactionWish, OwnCompaction,
    SessionBeforeCompactEvent, SessionCompactEvent, SessionCompactFailedEvent,
};
use deed_session::compaction::CompactionPlan;
use deed_session::{NewCompaction, Session, SessionError};
use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;

use super::CompactionError;
use super::run::Compacted;
use crate::journal::Journal;
use crate::session::TurnSource;

/// Why a transcript is compacted, and what the summary is to heed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Why<'a> {
    pub(super) reason: CompactionReason,
    pub(super) instructions: Option<&'a str>,
}

impl Why<'_> {
    /// Tells whether the request that did not fit is sent again once there is room.
    pub(super) fn will_retry(self) -> bool {
        self.reason == CompactionReason::Overflow
    }
}

impl TurnSource {
    /// Asks extensions what is to become of a compaction.
    pub(super) async fn wish_of_extensions(
        &self,
        journal: &Journal,
        plan: &CompactionPlan,
        why: Why<'_>,
        cancel: &CancellationToken,
    ) -> Result<CompactionWish, CompactionError> {
        let extensions = self.extensions();
        let asked = extensions.filter(|all| all.listens_to::<SessionBeforeCompactEvent>());
        let Some(extensions) = asked else {
            return Ok(CompactionWish::Usual);
        };
        let branch = journal.with(|session| branch_entries(session));
        let event = SessionBeforeCompactEvent {
            preparation: Arc::new(prepared(plan)),
            branch_entries: branch.ok_or(CompactionError::NoRecord)??.into(),
            custom_instructions: why.instructions.map(Into::into),
            reason: why.reason,
            will_retry: why.will_retry(),
        };
        let wish = extensions.before_compact(event, cancel).await;
        match cancel.is_cancelled() {
            true => Err(CompactionError::Aborted),
            false => Ok(wish),
        }
    }

    /// Tells extensions what became of a compaction.
    pub(super) async fn tell_extensions(
        &self,
        compacted: &Result<Compacted, CompactionError>,
        why: Why<'_>,
        from_extension: bool,
    ) {
        let Some(extensions) = self.extensions() else {
            return;
        };
        match compacted {
            Ok(compacted) => {
                let event = SessionCompactEvent {
                    compaction_entry: compacted.entry.clone(),
                    from_extension,
                    reason: why.reason,
                    will_retry: why.will_retry(),
                };
                extensions.compacted(event).await;
            }
            Err(error) => {
                let event = SessionCompactFailedEvent {
                    reason: why.reason,
                    error_message: Some(error.to_string().into()),
                    aborted: error.is_abort(),
                    will_retry: false,
                    from_extension,
                };
                extensions.not_compacted(event).await;
            }
        }
    }
}

fn branch_entries(session: &Session) -> Result<Vec<Box<RawValue>>, SessionError> {
    let Some(leaf) = session.leaf() else {
        return Ok(Vec::new());
    };
    let view = session.view();
    let branch = view.branch(leaf)?;
    branch.iter().map(|id| view.raw_entry(id)).collect()
}

fn prepared(plan: &CompactionPlan) -> CompactionPreparation {
    CompactionPreparation {
        first_kept_entry_id: (*plan.first_kept).into(),
        messages_to_summarize: plan.to_summarise.clone(),
        turn_prefix_messages: plan.turn_prefix.clone(),
        previous_summary: plan.previous_summary.clone(),
        tokens_before: plan.tokens_before,
        read_files: plan.files.read_files.clone(),
        modified_files: plan.files.modified_files.clone(),
    }
}

/// Makes an entry of the summary of an extension; whether it fits the branch is found out when it is
/// written.
pub(super) fn of_extension(own: OwnCompaction) -> NewCompaction {
    NewCompaction {
        summary: own.summary,
        first_kept: Some((*own.first_kept_entry_id).into()),
        tokens_before: own.tokens_before,
        details: own.details,
        usage: own.usage,
        from_hook: true,
        system_message: None,
    }
}
