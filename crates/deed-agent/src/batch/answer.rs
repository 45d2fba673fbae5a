use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use deed_protocol::{EventBody, Extra, Message, ToolCall, ToolResult, ToolResultMessage};
use tokio_util::sync::CancellationToken;

use super::BatchRunner;
use super::early::Early;
use super::preflight::Ready;
use super::settle::Fate;
use crate::caught::Caught;
use crate::grace::within_grace;
use crate::{Refusal, TurnedAway};

/// The final result of a call.
pub(super) struct Answered {
    pub(super) result: Arc<ToolResult>,
    /// How long the tool itself took; `None` if it did not run.
    pub(super) elapsed: Option<Duration>,
}

impl Answered {
    pub(super) fn unrun(result: ToolResult) -> Self {
        Self {
            result: Arc::new(result),
            elapsed: None,
        }
    }

    fn duration_ms(&self) -> Option<u64> {
        self.elapsed
            .map(|elapsed| elapsed.as_millis().try_into().unwrap_or(u64::MAX))
    }
}

pub(super) fn aborted_result() -> ToolResult {
    ToolResult::error("Operation aborted")
}

pub(super) fn refused_result(refusal: Refusal) -> ToolResult {
    ToolResult::error(refusal.reason)
}

impl BatchRunner {
    /// Ends a call that did not run.
    pub(super) async fn answer_unrun(
        &self,
        call: &ToolCall,
        result: ToolResult,
        cancel: &CancellationToken,
    ) -> Answered {
        let result = self.normalised(&call.name, result, cancel).await;
        let answered = Answered::unrun(result);
        self.tell_end(call, &answered).await;
        answered
    }

    /// Ends a call that was not granted.
    pub(super) async fn answer_ungranted(
        &self,
        ready: &Ready,
        fate: Fate,
        cancel: &CancellationToken,
    ) -> Answered {
        // Allowed by rule and cancelled before the commit: the gate has nothing on record of it.
        if matches!(fate, Fate::Allowed(None)) {
            return self
                .answer_early(&ready.call, Early::cancelled(), cancel)
                .await;
        }
        let result = fate.into_result(cancel);
        self.answer_unrun(&ready.call, result, cancel).await
    }

    /// Takes secrets out of a result and brings it into form; a fault there becomes the result.
    ///
    /// In this order, so that no secret is cut in two and missed.
    pub(super) async fn normalised(
        &self,
        tool_name: &str,
        mut result: ToolResult,
        cancel: &CancellationToken,
    ) -> ToolResult {
        self.seams.redactor.redact_result(&mut result);
        let normalising = Caught::new(|| self.seams.normalise.normalise(tool_name, result));
        let fault = match within_grace(cancel, self.seams.limits.cancel_grace, normalising).await {
            Some(Ok(normalised)) => return normalised,
            Some(Err(panic)) => panic,
            None => "that did not end after the run was cancelled".to_owned(),
        };
        ToolResult::error(format!(
            "The result could not be brought into form: {fault}"
        ))
    }

    /// Ends a call that was never decided on, and lets the gate hear of it.
    pub(super) async fn answer_early(
        &self,
        call: &ToolCall,
        early: Early,
        cancel: &CancellationToken,
    ) -> Answered {
        let Early {
            stage,
            hook,
            result,
        } = early;
        let answered = self.answer_unrun(call, *result, cancel).await;
        let why = TurnedAway {
            stage,
            hook: hook.as_deref(),
            result: &answered.result,
        };
        // A gate that fails over a mere note must not end the batch.
        catch_unwind(AssertUnwindSafe(|| self.seams.gate.turned_away(call, &why))).ok();
        answered
    }

    pub(super) async fn tell_end(&self, call: &ToolCall, answered: &Answered) {
        let event = EventBody::ToolExecutionEnd {
            tool_call_id: call.id.clone(),
            tool_name: call.name.clone(),
            result: answered.result.clone(),
            is_error: answered.result.is_error,
            duration_ms: answered.duration_ms(),
        };
        self.seams.bus.emit(event).await;
    }

    pub(super) async fn tell_message(&self, call: &ToolCall, answered: Answered) -> Arc<Message> {
        let duration_ms = answered.duration_ms();
        let result = Arc::unwrap_or_clone(answered.result);
        let message = Message::ToolResult(ToolResultMessage {
            tool_call_id: call.id.clone(),
            tool_name: call.name.clone(),
            content: result.content,
            details: result.details,
            usage: result.usage,
            added_tool_names: result.added_tool_names,
            is_error: result.is_error,
            duration_ms,
            timestamp: (self.seams.now_ms)(),
            extra: Extra::new(),
        });
        self.seams.tell_message(message).await
    }
}
