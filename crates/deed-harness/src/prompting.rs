use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, MutexGuard};

use deed_agent::{AgentError, RunEnd};
use deed_extensions::{Delivery, InputSource};
use deed_protocol::{EventBody, Message};
use tokio_util::sync::CancellationToken;

use crate::AgentSession;
use crate::session::TurnSource;

impl AgentSession {
    /// As [`AgentSession::prompt`], and says who prompts.
    pub async fn prompt_as(
        &self,
        messages: Vec<Message>,
        from: InputSource,
    ) -> Result<RunEnd, AgentError> {
        self.prompt_accepted(messages, from, async {}).await
    }

    /// As [`AgentSession::prompt_as`]; `accepted` is waited for when no extension has dealt with the
    /// messages, before the run begins.
    pub async fn prompt_accepted(
        &self,
        messages: Vec<Message>,
        from: InputSource,
        accepted: impl Future<Output = ()> + Send,
    ) -> Result<RunEnd, AgentError> {
        let _under_way = UnderWay::begin(&self.source);
        // What cannot be written shows with the next message.
        self.take_in_commands().ok();
        let end = self.prompt_and_settle(messages, from, accepted).await;
        self.take_in_commands().ok();
        end
    }

    /// Tells whether a prompt is under way, also between its runs.
    pub fn is_prompting(&self) -> bool {
        *self.source.under_way.borrow() > 0 || self.agent.is_running()
    }

    /// Waits until no prompt is under way, and the end of the last one is told.
    pub async fn idle(&self) {
        let mut under_way = self.source.under_way.subscribe();
        // The sender is ours.
        under_way.wait_for(|count| *count == 0).await.ok();
    }

    async fn prompt_and_settle(
        &self,
        messages: Vec<Message>,
        from: InputSource,
        accepted: impl Future<Output = ()> + Send,
    ) -> Result<RunEnd, AgentError> {
        let prompting = self.begin_prompt().ok_or(AgentError::AlreadyRunning)?;
        let cancel = self.source.batches.token();
        let Some(messages) = self.taken_in(messages, from, &cancel).await else {
            return Ok(RunEnd::default());
        };
        if cancel.is_cancelled() {
            return Ok(RunEnd {
                aborted: true,
                ..RunEnd::default()
            });
        }
        accepted.await;
        self.answer_open_calls().await;
        self.source.watch.begin();
        self.source.compactor.begin();
        self.compact_if_due(&cancel).await;
        self.agent.set_inputs(self.source.inputs());
        let end = self.agent.prompt(messages).await?;
        let end = self.carry_on(end, &cancel).await;
        let mut end = self.run_queued(end, prompting, &cancel).await;
        if end.error.is_none() && !end.aborted {
            end.error = self.source.watch.ended_by();
        }
        if end.error.is_none() && !end.aborted {
            self.compact_if_due(&cancel).await;
        }
        let aborted = end.aborted;
        self.bus.emit(EventBody::AgentSettled { aborted }).await;
        Ok(end)
    }

    /// Takes a failed run up again where that may help: a little later, or with more room.
    async fn carry_on(&self, end: RunEnd, cancel: &CancellationToken) -> RunEnd {
        let end = self.try_again(end, cancel).await;
        if !self.source.compactor.may_make_room(&end) {
            return end;
        }
        let end = self.make_room(end, cancel).await;
        self.try_again(end, cancel).await
    }

    /// Shows a prompt to extensions; `None` if they dealt with it.
    async fn taken_in(
        &self,
        mut messages: Vec<Message>,
        from: InputSource,
        cancel: &CancellationToken,
    ) -> Option<Vec<Message>> {
        self.source.run_prompt().take();
        if !messages.is_empty() {
            messages = self.extensions.input(messages, from, cancel).await;
            if messages.is_empty() {
                return None;
            }
        }
        messages.append(&mut self.source.with_next_prompt());
        let system = || self.source.inputs().system;
        let changing = self
            .extensions
            .before_agent_start(&mut messages, system, cancel);
        let change = changing.await;
        *self.source.run_prompt() = change;
        Some(messages)
    }

    /// Goes on for as long as messages wait that came when the run had all but ended, such as from
    /// handlers of its end.
    async fn run_queued<'a>(
        &'a self,
        mut end: RunEnd,
        mut prompting: Prompting<'a>,
        cancel: &CancellationToken,
    ) -> RunEnd {
        let goes_on = |end: &RunEnd| {
            !end.aborted && end.error.is_none() && self.source.watch.ended_by().is_none()
        };
        loop {
            while goes_on(&end) && self.agent.has_queued() {
                self.agent.set_inputs(self.source.inputs());
                let Ok(more) = self.agent.continue_run().await else {
                    return end;
                };
                let more = self.carry_on(more, cancel).await;
                join(&mut end, more);
            }
            drop(prompting);
            // Who found a prompt under way just before may have queued a message just after.
            let more = self.agent.has_queued() && goes_on(&end);
            match more.then(|| self.begin_prompt()).flatten() {
                Some(again) => prompting = again,
                None => return end,
            }
        }
    }

    pub(crate) fn begin_prompt(&self) -> Option<Prompting<'_>> {
        self.begin_prompt_holding(&self.source.commands.waiting())
    }

    /// As [`AgentSession::begin_prompt`], for who keeps others from asking meanwhile.
    pub(crate) fn begin_prompt_holding(
        &self,
        _waiting: &MutexGuard<'_, Vec<Arc<Message>>>,
    ) -> Option<Prompting<'_>> {
        if self.agent.is_running() || self.source.prompting.swap(true, Ordering::AcqRel) {
            return None;
        }
        Some(Prompting(&self.source.prompting))
    }

    pub(crate) fn queue(&self, message: Message, delivery: Delivery) {
        match delivery {
            Delivery::Steer => self.agent.queue_steering(message),
            Delivery::FollowUp => self.agent.queue_follow_up(message),
            Delivery::NextTurn => self.source.with_next_prompt().push(message),
        }
    }
}

/// Lets a run go on in another.
pub(crate) fn join(end: &mut RunEnd, more: RunEnd) {
    end.messages.extend(more.messages);
    end.aborted = more.aborted;
    end.error = more.error;
}

/// Counts a prompt from its beginning until its end is told.
pub(crate) struct UnderWay(Arc<TurnSource>);

impl UnderWay {
    pub(crate) fn begin(source: &Arc<TurnSource>) -> Self {
        source.under_way.send_modify(|count| *count += 1);
        Self(source.clone())
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0
            .under_way
            .send_modify(|count| *count = count.saturating_sub(1));
    }
}

/// A prompt is under way.
pub(crate) struct Prompting<'a>(&'a AtomicBool);

impl Drop for Prompting<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}
