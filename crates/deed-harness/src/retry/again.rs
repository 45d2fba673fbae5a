//! Sends a failed request again, and says so.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use deed_agent::{BarrierSink, BoxFuture, RunEnd, WeakEventBus};
use deed_protocol::{AssistantMessage, Event, EventBody, Message, StopReason};
use tokio_util::sync::CancellationToken;

use super::RetryPolicy;
use crate::AgentSession;
use crate::prompting::join;

/// How far sending again has come.
pub(crate) struct Retries {
    policy: Mutex<RetryPolicy>,
    /// Attempts since the last answer that was whole.
    attempt: AtomicU32,
    /// Cancelled to wait no longer.
    wait: Mutex<CancellationToken>,
}

impl Retries {
    pub(crate) fn new(policy: RetryPolicy) -> Self {
        Self {
            policy: Mutex::new(policy),
            attempt: AtomicU32::new(0),
            wait: Mutex::default(),
        }
    }

    /// Returns how long to wait before the run that ended so is taken up again.
    pub(crate) fn delay(&self, end: &RunEnd) -> Option<Duration> {
        let answer = last_answer(end).filter(|_| !end.aborted)?;
        let attempt = self.attempt.load(Ordering::Acquire) + 1;
        self.policy().delay(answer, attempt)
    }

    pub(crate) fn policy(&self) -> RetryPolicy {
        *self.policy.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set_enabled(&self, enabled: bool) {
        let mut policy = self.policy.lock().unwrap_or_else(PoisonError::into_inner);
        policy.enabled = enabled;
    }

    pub(crate) fn stop_waiting(&self) {
        self.wait
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .cancel();
    }

    fn begin_wait(&self) -> CancellationToken {
        let token = CancellationToken::new();
        *self.wait.lock().unwrap_or_else(PoisonError::into_inner) = token.clone();
        token
    }

    /// Returns what to announce if sending again is over.
    fn end(&self, final_error: Option<String>) -> Option<EventBody> {
        let attempt = self.attempt.swap(0, Ordering::AcqRel);
        (attempt > 0).then_some(EventBody::AutoRetryEnd {
            success: final_error.is_none(),
            attempt,
            final_error,
        })
    }
}

impl AgentSession {
    /// Takes a failed run up again as often as the policy allows.
    pub(crate) async fn try_again(&self, mut end: RunEnd, cancel: &CancellationToken) -> RunEnd {
        while let Some(delay) = self.source.retries.delay(&end) {
            let attempt = self.source.retries.attempt.fetch_add(1, Ordering::AcqRel) + 1;
            let error_message = end.error.clone().unwrap_or_default();
            let event = EventBody::AutoRetryStart {
                attempt,
                max_attempts: self.source.retries.policy().max_retries,
                delay_ms: u64::try_from(delay.as_millis()).unwrap_or(u64::MAX),
                error_message,
            };
            self.bus.emit(event).await;
            if !self.wait(delay, cancel).await {
                break;
            }
            self.forget_failed_answer().await;
            self.agent.set_inputs(self.source.inputs());
            match self.agent.continue_run().await {
                Ok(more) => join(&mut end, more),
                Err(error) => end.error = Some(error.to_string()),
            }
        }
        if let Some(event) = self.source.retries.end(end.error.clone()) {
            self.bus.emit(event).await;
        }
        end
    }

    /// Waits; `false` if it was told to stop.
    async fn wait(&self, delay: Duration, cancel: &CancellationToken) -> bool {
        let stopped = self.source.retries.begin_wait();
        tokio::select! {
            biased;
            () = cancel.cancelled() => false,
            () = stopped.cancelled() => false,
            () = tokio::time::sleep(delay) => true,
        }
    }

    /// Takes the failed answer out of the transcript that goes on; the record keeps it.
    pub(crate) async fn forget_failed_answer(&self) {
        let mut messages = self.agent.messages();
        let failed = messages
            .last()
            .and_then(|message| message.as_assistant())
            .is_some_and(|answer| answer.stop_reason == StopReason::Error);
        if !failed {
            return;
        }
        messages.pop();
        self.omit_in_record().await;
        // No run is under way: this is called between two.
        self.agent.set_messages(messages).ok();
    }
}

impl AgentSession {
    async fn omit_in_record(&self) {
        let Some(journal) = &self.source.journal else {
            return;
        };
        // That the record cannot be written shows, and ends the run, with the next message.
        let entry = journal.omit_last_answer().ok().flatten();
        if let Some(entry) = entry.and_then(|raw| serde_json::from_str(raw.get()).ok()) {
            self.bus.emit(EventBody::EntryAppended { entry }).await;
        }
    }
}

/// Announces that an answer came after all, right behind it.
pub(crate) struct RetrySink {
    pub(crate) retries: Arc<Retries>,
    pub(crate) bus: WeakEventBus,
}

impl BarrierSink for RetrySink {
    fn name(&self) -> &str {
        "retries"
    }

    fn deliver<'a>(&'a self, event: &'a Arc<Event>) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            if let EventBody::MessageEnd { message } = &event.body
                && let Some(answer) = message.as_assistant()
                && !matches!(answer.stop_reason, StopReason::Error | StopReason::Aborted)
                && let Some(event) = self.retries.end(None)
            {
                self.bus.post(event);
            }
            Ok(())
        })
    }
}

fn last_answer(end: &RunEnd) -> Option<&AssistantMessage> {
    end.messages
        .iter()
        .rev()
        .find_map(|message| Message::as_assistant(message))
}
