use std::sync::Arc;
use std::sync::atomic::Ordering;

use deed_agent::{ModelRequest, RunEnd, ToolSet};
use deed_extensions::{CompactionReason, CompactionWish};
use deed_protocol::{
    AssistantMessage, ContentBlock, EventBody, Message, StopReason, ThinkingLevel,
};
use deed_session::compaction::{CompactionPlan, ContextEstimate, plan_compaction};
use deed_session::{NewCompaction, SessionError};
use serde_json::value::RawValue;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::hooks::{self, Why};
use super::{CompactionDone, CompactionError, prompt};
use crate::AgentSession;
use crate::journal::Journal;
use crate::prompting::join;
use crate::session::TurnSource;

/// A transcript that was compacted.
pub(super) struct Compacted {
    done: CompactionDone,
    messages: Vec<Arc<Message>>,
    /// The entry that holds the summary.
    pub(super) entry: Arc<RawValue>,
}

impl AgentSession {
    /// Lets the model summarise all but the recent part of the transcript, which goes on with the
    /// summary in its place. The record keeps everything.
    ///
    /// Errors: as [`CompactionError`]; the transcript is then as it was.
    ///
    /// Cancellation: by [`AgentSession::cancel`].
    pub async fn compact(
        &self,
        instructions: Option<&str>,
    ) -> Result<CompactionDone, CompactionError> {
        let _prompting = self.begin_prompt().ok_or(CompactionError::Busy)?;
        let cancel = self.source.batches.token();
        let why = Why {
            reason: CompactionReason::Manual,
            instructions,
        };
        let (done, messages) = self.source.compact(why, &cancel).await?;
        // The prompt is held, so no run is under way.
        self.agent.set_messages(messages).ok();
        Ok(done)
    }

    /// Sets whether the transcript is compacted by itself when it grows too large.
    pub fn set_auto_compaction(&self, enabled: bool) {
        self.source.compactor.set_enabled(enabled);
    }

    /// Tells whether the transcript is compacted by itself when it grows too large.
    pub fn auto_compaction(&self) -> bool {
        self.source.compactor.settings().enabled
    }

    /// Estimates how large the context is: what the last answer reports, and what came since.
    pub fn context_size(&self) -> ContextEstimate {
        self.source.compactor.estimate(&self.agent.messages())
    }

    /// Compacts between runs if it is time.
    pub(crate) async fn compact_if_due(&self, cancel: &CancellationToken) {
        let messages = self.agent.messages();
        if let Some(messages) = self.source.compacted_if_due(&messages, cancel).await {
            self.agent.set_messages(messages).ok();
        }
    }

    /// Compacts a transcript that did not fit and takes the run up again, once a prompt.
    pub(crate) async fn make_room(&self, mut end: RunEnd, cancel: &CancellationToken) -> RunEnd {
        let compactor = &self.source.compactor;
        compactor.made_room.store(true, Ordering::Release);
        self.forget_failed_answer().await;
        let why = Why {
            reason: CompactionReason::Overflow,
            instructions: None,
        };
        match self.source.compact(why, cancel).await {
            Ok((_, messages)) => {
                self.agent.set_messages(messages).ok();
            }
            Err(error) => {
                let overflow = end.error.take().unwrap_or_default();
                end.error = Some(format!("{overflow}; {error}"));
                return end;
            }
        }
        self.agent.set_inputs(self.source.inputs());
        match self.agent.continue_run().await {
            Ok(more) => join(&mut end, more),
            Err(error) => end.error = Some(error.to_string()),
        }
        end
    }
}

impl TurnSource {
    /// Compacts a transcript if it is time, and returns what goes on.
    pub(crate) async fn compacted_if_due(
        &self,
        messages: &[Arc<Message>],
        cancel: &CancellationToken,
    ) -> Option<Vec<Arc<Message>>> {
        let window = self.model.info().context_window;
        if self.journal.is_none() || !self.compactor.is_due(messages, window) {
            return None;
        }
        // That it did not work is told by its event; the run goes on as long as it fits.
        let why = Why {
            reason: CompactionReason::Threshold,
            instructions: None,
        };
        let compacted = self.compact(why, cancel).await.ok();
        compacted.map(|(_, messages)| messages)
    }

    /// Compacts and tells so; returns the transcript that goes on.
    async fn compact(
        &self,
        why: Why<'_>,
        cancel: &CancellationToken,
    ) -> Result<(CompactionDone, Vec<Arc<Message>>), CompactionError> {
        let journal = self.journal.as_ref().ok_or(CompactionError::NoRecord)?;
        let word = || why.reason.as_str().to_owned();
        self.bus.post(EventBody::CompactionStart { reason: word() });
        let made = self.make_summary(journal, why, cancel).await;
        let from_extension = made.as_ref().is_ok_and(|new| new.from_hook);
        let compacted = made.and_then(|new| self.write_down(journal, new));
        self.tell_extensions(&compacted, why, from_extension).await;
        let done = compacted.as_ref().ok().map(|compacted| &compacted.done);
        let error = compacted.as_ref().err();
        self.bus.post(EventBody::CompactionEnd {
            reason: word(),
            result: done.and_then(|done| serde_json::to_value(done).ok()),
            aborted: error.is_some_and(CompactionError::is_abort),
            will_retry: why.will_retry() && done.is_some(),
            error_message: error.map(ToString::to_string),
        });
        compacted.map(|compacted| (compacted.done, compacted.messages))
    }

    /// Makes a summary: that of an extension, or the model's.
    async fn make_summary(
        &self,
        journal: &Journal,
        why: Why<'_>,
        cancel: &CancellationToken,
    ) -> Result<NewCompaction, CompactionError> {
        let window = self.model.get().model.info().context_window;
        let settings = self.compactor.settings().within(window);
        let context = journal.with(|session| session.context());
        let context = context.ok_or(CompactionError::NoRecord)??;
        let plan = plan_compaction(&context, &settings).ok_or(CompactionError::NothingToDo)?;
        match self.wish_of_extensions(journal, &plan, why, cancel).await? {
            CompactionWish::Usual => {}
            CompactionWish::None => return Err(CompactionError::Refused),
            CompactionWish::Own(own) => return Ok(hooks::of_extension(*own)),
        }
        let answer = self.ask_for_summary(&plan, why.instructions, cancel);
        let answer = answer.await?;
        Ok(NewCompaction {
            summary: prompt::with_files(&text_of(&answer), &plan.files),
            details: serde_json::to_value(&plan.files).ok(),
            first_kept: Some(plan.first_kept),
            tokens_before: plan.tokens_before,
            usage: Some(answer.usage),
            from_hook: false,
            system_message: None,
        })
    }

    fn write_down(
        &self,
        journal: &Journal,
        new: NewCompaction,
    ) -> Result<Compacted, CompactionError> {
        let kept = new.first_kept.as_ref();
        let mut done = CompactionDone {
            summary: new.summary.clone(),
            first_kept_entry_id: kept.map(ToString::to_string).unwrap_or_default(),
            tokens_before: new.tokens_before,
            estimated_tokens_after: 0,
            usage: new.usage.clone(),
            details: new.details.clone(),
        };
        let written = journal.with(|session| {
            let id = session.append_compaction(new)?;
            let entry = session.view().raw_entry(&id)?;
            Ok::<_, SessionError>((entry, session.context()?))
        });
        let (entry, context) = written.ok_or(CompactionError::NoRecord)??;
        let counts_from = context.usage_counts_from;
        self.compactor
            .usage_counts_from
            .store(counts_from, Ordering::Release);
        let messages = context.messages();
        done.estimated_tokens_after = self.compactor.estimate(&messages).tokens;
        Ok(Compacted {
            done,
            messages,
            entry: entry.into(),
        })
    }

    async fn ask_for_summary(
        &self,
        plan: &CompactionPlan,
        instructions: Option<&str>,
        cancel: &CancellationToken,
    ) -> Result<AssistantMessage, CompactionError> {
        let model = self.model.get().model;
        let window = model.info().context_window;
        let reserve = self.compactor.settings().within(window).reserve_tokens;
        let room = window.saturating_sub(reserve);
        let request = ModelRequest {
            system: prompt::SYSTEM.into(),
            messages: Arc::new(vec![Arc::new(prompt::message(
                plan,
                instructions,
                room,
                (self.now_ms)(),
            ))]),
            tools: Arc::new(ToolSet::default()),
            thinking: ThinkingLevel::Off,
        };
        // Nobody watches a summary being written.
        let (deltas, _) = mpsc::channel(1);
        let answer = model.respond(&request, deltas, cancel).await;
        match answer.stop_reason {
            StopReason::Aborted => Err(CompactionError::Aborted),
            StopReason::Error => {
                let error = answer.error_message.unwrap_or_default();
                Err(CompactionError::Model(error))
            }
            _ if text_of(&answer).trim().is_empty() => {
                Err(CompactionError::Model("its answer was empty".to_owned()))
            }
            _ => Ok(answer),
        }
    }
}

fn text_of(answer: &AssistantMessage) -> String {
    let texts: Vec<&str> = answer
        .content
        .iter()
        .filter_map(ContentBlock::as_text)
        .collect();
    texts.join("\n")
}
