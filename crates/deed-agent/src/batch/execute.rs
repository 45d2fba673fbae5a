use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use deed_protocol::{EventBody, ToolResult};
use serde_json::json;
use tokio::task::{JoinError, JoinHandle};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::BatchRunner;
use super::answer::{Answered, aborted_result};
use super::preflight::Ready;
use crate::caught::{Caught, panic_text};
use crate::grace::{grace_over, within_grace};
use crate::{
    AuthorizedCall, BoxFuture, CallContext, CallOutcome, FrozenCall, Grant, OutcomeKind, ToolError,
    UpdateSink,
};

type Executing = BoxFuture<'static, Result<ToolResult, ToolError>>;

/// What a tool returned, and when.
type Returned = (Result<ToolResult, ToolError>, Instant);

impl BatchRunner {
    /// Starts a granted call: its synchronous part runs now, the returned future ends it.
    pub(super) fn start_call(
        &self,
        ready: Ready,
        grant: Grant,
        cancel: &CancellationToken,
    ) -> impl Future<Output = Answered> + Send + 'static {
        let (runner, cancel) = (self.clone(), cancel.clone());
        let updates = UpdateSink::new();
        let started = Instant::now();
        let executing = if cancel.is_cancelled() {
            drop(grant);
            None
        } else {
            let context = CallContext {
                call_id: ready.call.id.clone(),
                cancel: cancel.child_token(),
                updates: updates.clone(),
                redactor: self.seams.redactor.clone(),
                frozen: ready.frozen.clone(),
                authority: grant.authority().clone(),
                next_serial: self.next_serial.clone(),
            };
            let call = AuthorizedCall::new(ready.frozen.clone(), grant);
            let tool = ready.tool.clone();
            Some(catch_unwind(AssertUnwindSafe(|| {
                tool.execute(call, context)
            })))
        };
        async move {
            let ended = match executing {
                None => Ended::never_ran(),
                Some(Err(panic)) => Ended::panicked(&panic_text(panic.as_ref())),
                Some(Ok(executing)) => {
                    runner
                        .supervise(&ready.frozen, executing, &updates, &cancel)
                        .await
                }
            };
            runner.finalise(ready, ended, started, &cancel).await
        }
    }

    /// Passes updates on until the tool is done or is let go.
    async fn supervise(
        &self,
        call: &FrozenCall,
        executing: Executing,
        updates: &UpdateSink,
        cancel: &CancellationToken,
    ) -> Ended {
        let closing = updates.clone();
        // A task of its own: a panic or a poll that takes long is its own affair.
        let mut task = AbortOnDrop(tokio::spawn(async move {
            let returned = executing.await;
            // Here, since a slow sink may hold the loop below for long.
            closing.close();
            (returned, Instant::now())
        }));
        let grace = self.seams.limits.cancel_grace;
        let over = grace_over(cancel, grace);
        tokio::pin!(over);
        let joined = loop {
            tokio::select! {
                biased;
                joined = &mut task => break Some(joined),
                // Before the updates, of which there may be no end.
                () = &mut over => break None,
                update = updates.next() => self.tell_update(call, update).await,
            }
        };
        updates.close();
        while let Some(update) = updates.take() {
            self.tell_update(call, update).await;
        }
        match joined {
            Some(joined) => Ended::joined(joined),
            None => Ended::let_go(grace.as_secs_f64()),
        }
    }

    async fn tell_update(&self, frozen: &FrozenCall, mut partial: ToolResult) {
        self.seams.redactor.redact_result(&mut partial);
        // A gate that fails over a mere count must not end the call.
        catch_unwind(AssertUnwindSafe(|| {
            self.seams.gate.progress(frozen, &partial)
        }))
        .ok();
        let call = frozen.call();
        let event = EventBody::ToolExecutionUpdate {
            tool_call_id: call.id.clone(),
            tool_name: call.name.clone(),
            args: call.arguments.clone(),
            partial_result: Arc::new(partial),
        };
        self.seams.bus.emit(event).await;
    }

    /// Lets hooks see the result, brings it into form, records it and announces it.
    async fn finalise(
        &self,
        ready: Ready,
        ended: Ended,
        started: Instant,
        cancel: &CancellationToken,
    ) -> Answered {
        let Ended {
            kind,
            result,
            elapsed_at,
        } = ended;
        let elapsed = elapsed_at.saturating_duration_since(started);
        let hooked = match kind {
            OutcomeKind::NeverRan => result,
            _ => self.run_after_hooks(&ready, result, cancel).await,
        };
        let result = self.normalised(&ready.call.name, hooked, cancel).await;
        let outcome = CallOutcome {
            kind,
            result: &result,
            elapsed,
        };
        // The effect has happened: a gate that fails to record it must not hide the result.
        let recording = Caught::new(|| self.seams.gate.outcome(&ready.frozen, &outcome));
        within_grace(cancel, self.seams.limits.cancel_grace, recording).await;
        let elapsed = (kind != OutcomeKind::NeverRan).then_some(elapsed);
        let answered = Answered {
            result: Arc::new(result),
            elapsed,
        };
        self.tell_end(&ready.call, &answered).await;
        answered
    }

    async fn run_after_hooks(
        &self,
        ready: &Ready,
        mut result: ToolResult,
        cancel: &CancellationToken,
    ) -> ToolResult {
        for hook in &ready.hooks {
            let saying = Caught::new(|| hook.after_tool_call(&ready.hooked, &result, cancel));
            let said = within_grace(cancel, self.seams.limits.cancel_grace, saying).await;
            match said {
                Some(Ok(Ok(patch))) => patch.apply(&mut result),
                Some(Ok(Err(reason)) | Err(reason)) => return ToolResult::error(reason),
                // The hook might have taken something out of the result: better none than that.
                None => {
                    return ToolResult::error(format!(
                        "{} did not end after the abort, so the result of this call is not shown",
                        hook.name()
                    ));
                }
            }
        }
        result
    }
}

/// How a call came to its end.
struct Ended {
    kind: OutcomeKind,
    result: ToolResult,
    elapsed_at: Instant,
}

impl Ended {
    fn new(kind: OutcomeKind, result: ToolResult) -> Self {
        Self {
            kind,
            result,
            elapsed_at: Instant::now(),
        }
    }

    fn never_ran() -> Self {
        Self::new(OutcomeKind::NeverRan, aborted_result())
    }

    fn panicked(text: &str) -> Self {
        Self::new(
            OutcomeKind::Panicked,
            ToolResult::error(format!("The tool panicked: {text}")),
        )
    }

    fn joined(joined: Result<Returned, JoinError>) -> Self {
        match joined {
            Ok((returned, elapsed_at)) => Self {
                kind: OutcomeKind::Finished,
                result: returned.unwrap_or_else(|error| ToolResult::error(error.to_string())),
                elapsed_at,
            },
            Err(error) => match error.try_into_panic() {
                Ok(panic) => Self::panicked(&panic_text(panic.as_ref())),
                Err(_) => Self::panicked("its task was stopped"),
            },
        }
    }

    fn let_go(grace_seconds: f64) -> Self {
        let text = format!(
            "Operation aborted\n\nThe tool did not stop within {grace_seconds} s and was let go. \
             Its outcome is unknown: check what it changed before going on."
        );
        let result = ToolResult::error(text).with_details(json!({ "outcomeUnknown": true }));
        Self::new(OutcomeKind::Unknown, result)
    }
}

/// Stops its task when it is dropped.
pub(super) struct AbortOnDrop<T>(pub(super) JoinHandle<T>);

impl<T> Future for AbortOnDrop<T> {
    type Output = Result<T, JoinError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(context)
    }
}

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
