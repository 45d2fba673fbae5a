//! Runs the tool calls of one assistant message.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use deed_protocol::{EventBody, Message, ToolCall};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::{CallContext, ExecutionMode, Seams, ToolSet};

mod answer;
mod early;
mod execute;
mod hooked;
mod preflight;
mod settle;

use answer::{Answered, aborted_result};
use preflight::Preflight;
use settle::{Decided, Fate};

/// The calls of one assistant message, and the tools it was given.
#[derive(Clone, Debug)]
pub struct Batch {
    /// The message.
    pub assistant: Arc<Message>,
    /// The tools of this turn.
    pub tools: Arc<ToolSet>,
}

/// What came of a batch.
#[derive(Clone, Debug, Default)]
pub struct BatchOutcome {
    /// One result message for each call, in call order.
    pub results: Vec<Arc<Message>>,
    /// Whether every result asks to end the run.
    pub terminate: bool,
}

/// Takes tool calls through the whole pipeline.
#[derive(Clone, Debug)]
pub struct BatchRunner {
    seams: Seams,
    next_serial: Arc<AtomicU64>,
}

/// A call, its place in the batch, and what it belongs to.
struct Slot {
    index: usize,
    call: Arc<ToolCall>,
}

impl BatchRunner {
    /// Makes a runner.
    pub fn new(seams: Seams) -> Self {
        Self {
            seams,
            next_serial: Arc::new(AtomicU64::new(1)),
        }
    }

    /// Makes a runner for calls that a running call makes, which are numbered with those of its own
    /// runner: so one gate can tell them all apart.
    pub fn within(seams: Seams, outer: &CallContext) -> Self {
        Self {
            seams,
            next_serial: outer.next_serial.clone(),
        }
    }

    /// Answers every call of a batch.
    ///
    /// Start events come in call order, end events in order of completion, result messages in call
    /// order. A message that was cut at the output limit runs nothing.
    ///
    /// Cancellation: reaches every running call; every call still gets its result.
    pub async fn run(&self, batch: &Batch, cancel: &CancellationToken) -> BatchOutcome {
        let Some(assistant) = batch.assistant.as_assistant() else {
            return BatchOutcome::default();
        };
        let _watch = self.seams.bus.watch(cancel.clone());
        let calls = assistant.tool_calls().cloned().map(Arc::new);
        let slots: Vec<Slot> = calls
            .enumerate()
            .map(|(index, call)| Slot { index, call })
            .collect();
        if self.is_sequential(batch, &slots) {
            self.run_sequential(batch, slots, cancel).await
        } else {
            self.run_parallel(batch, slots, cancel).await
        }
    }

    fn is_sequential(&self, batch: &Batch, slots: &[Slot]) -> bool {
        self.seams.limits.execution_mode == ExecutionMode::Sequential
            || slots.iter().any(|slot| {
                batch
                    .tools
                    .get(&slot.call.name)
                    .and_then(|tool| tool.spec().execution_mode)
                    == Some(ExecutionMode::Sequential)
            })
    }

    async fn run_sequential(
        &self,
        batch: &Batch,
        slots: Vec<Slot>,
        cancel: &CancellationToken,
    ) -> BatchOutcome {
        let mut results = Vec::with_capacity(slots.len());
        let mut terminate = !slots.is_empty();
        for slot in slots {
            let answered = self.run_one(batch, &slot, cancel).await;
            terminate &= answered.result.terminate;
            results.push(self.tell_message(&slot.call, answered).await);
        }
        BatchOutcome { results, terminate }
    }

    async fn run_one(&self, batch: &Batch, slot: &Slot, cancel: &CancellationToken) -> Answered {
        self.tell_start(&slot.call).await;
        let ready = match self.preflight(batch, slot, None, cancel).await {
            Preflight::Early(early) => return self.answer_early(&slot.call, early, cancel).await,
            Preflight::Ready(ready) => ready,
        };
        let mut decided = self.ask_all(vec![*ready], cancel).await;
        self.commit_all(&mut decided, cancel).await;
        match decided.pop() {
            Some(Decided {
                ready,
                fate: Fate::Granted(grant),
            }) => self.start_call(ready, grant, cancel).await,
            Some(Decided { ready, fate }) => self.answer_ungranted(&ready, fate, cancel).await,
            None => {
                self.answer_unrun(&slot.call, aborted_result(), cancel)
                    .await
            }
        }
    }

    async fn run_parallel(
        &self,
        batch: &Batch,
        slots: Vec<Slot>,
        cancel: &CancellationToken,
    ) -> BatchOutcome {
        let mut answers: Vec<Option<Answered>> = Vec::new();
        answers.resize_with(slots.len(), || None);
        let mut waiting = Vec::new();
        let planned_ahead = self.plan_ahead(batch, &slots);
        for (slot, ahead) in slots.iter().zip(planned_ahead) {
            self.tell_start(&slot.call).await;
            match self.preflight(batch, slot, ahead, cancel).await {
                Preflight::Early(early) => {
                    let answered = self.answer_early(&slot.call, early, cancel).await;
                    put(&mut answers, slot.index, answered);
                }
                Preflight::Ready(ready) => waiting.push(*ready),
            }
        }
        let mut decided = self.ask_all(waiting, cancel).await;
        self.commit_all(&mut decided, cancel).await;
        self.execute_all(decided, &mut answers, cancel).await;
        let mut outcome = BatchOutcome {
            results: Vec::new(),
            terminate: !slots.is_empty(),
        };
        for (slot, answered) in slots.iter().zip(answers) {
            let answered = answered.unwrap_or_else(|| Answered::unrun(aborted_result()));
            outcome.terminate &= answered.result.terminate;
            outcome
                .results
                .push(self.tell_message(&slot.call, answered).await);
        }
        outcome
    }

    /// Starts granted calls in call order, as many at once as the limits allow.
    async fn execute_all(
        &self,
        decided: Vec<Decided>,
        answers: &mut [Option<Answered>],
        cancel: &CancellationToken,
    ) {
        let mut running = JoinSet::new();
        for Decided { ready, fate } in decided {
            let index = ready.index;
            let Fate::Granted(grant) = fate else {
                let answered = self.answer_ungranted(&ready, fate, cancel).await;
                put(answers, index, answered);
                continue;
            };
            while running.len() >= self.seams.limits.max_concurrent_calls.max(1) {
                collect(running.join_next().await, answers);
            }
            let finishing = self.start_call(ready, grant, cancel);
            running.spawn(async move { (index, finishing.await) });
        }
        while !running.is_empty() {
            collect(running.join_next().await, answers);
        }
    }

    async fn tell_start(&self, call: &ToolCall) {
        let event = EventBody::ToolExecutionStart {
            tool_call_id: call.id.clone(),
            tool_name: call.name.clone(),
            args: call.arguments.clone(),
        };
        self.seams.bus.emit(event).await;
    }

    fn serial(&self) -> u64 {
        self.next_serial.fetch_add(1, Ordering::Relaxed)
    }
}

type Joined = Option<Result<(usize, Answered), tokio::task::JoinError>>;

fn collect(joined: Joined, answers: &mut [Option<Answered>]) {
    if let Some(Ok((index, answered))) = joined {
        put(answers, index, answered);
    }
}

fn put(answers: &mut [Option<Answered>], index: usize, answered: Answered) {
    if let Some(slot) = answers.get_mut(index) {
        *slot = Some(answered);
    }
}
