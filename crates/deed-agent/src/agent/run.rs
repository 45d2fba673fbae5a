use std::sync::Arc;

use deed_protocol::{EventBody, Message, StopReason};
use tokio_util::sync::CancellationToken;

use super::{Agent, RunEnd};
use crate::{Batch, BatchOutcome, TurnEnding, TurnInputs};

/// One run as it goes on.
struct Run {
    inputs: TurnInputs,
    cancel: CancellationToken,
    end: RunEnd,
}

/// What a turn left to do.
struct TurnDone {
    /// Whether tool results wait for an answer.
    goes_on: bool,
    /// Whether the run must end here, whatever is queued.
    stops: bool,
}

impl Agent {
    pub(super) async fn run(&self, prompts: Vec<Arc<Message>>) -> RunEnd {
        let bus = &self.0.seams.bus;
        let (inputs, cancel) = {
            let state = self.lock();
            (state.inputs.clone(), state.cancel.clone())
        };
        let mut run = Run {
            inputs,
            cancel,
            end: RunEnd::default(),
        };
        bus.take_faults();
        bus.emit(EventBody::AgentStart).await;
        self.run_turns(&mut run, prompts).await;
        let messages = run.end.messages.clone();
        bus.emit(EventBody::AgentEnd {
            messages,
            will_retry: false,
        })
        .await;
        run.end
    }

    async fn run_turns(&self, run: &mut Run, prompts: Vec<Arc<Message>>) {
        let mut pending = prompts;
        for index in 0.. {
            if index > 0 {
                self.take_next_turn(run).await;
            }
            self.0.seams.bus.emit(EventBody::TurnStart).await;
            for message in pending.drain(..) {
                self.add_spoken(run, &message).await;
            }
            for message in self.take_steering().await {
                self.add_spoken(run, &message).await;
            }
            let turn = self.run_turn(run, index).await;
            if turn.stops {
                return;
            }
            pending = self.take_steering().await;
            if turn.goes_on || !pending.is_empty() {
                continue;
            }
            pending = self.take_follow_up().await;
            if pending.is_empty() {
                return;
            }
        }
    }

    /// One answer of the model and its batch.
    async fn run_turn(&self, run: &mut Run, index: usize) -> TurnDone {
        let seams = &self.0.seams;
        let answer = match self.take_fault() {
            None => self.answer(&run.inputs, &run.cancel).await,
            Some(fault) => self.give_up(run, fault).await,
        };
        self.add(run, &answer);
        let reason = answer
            .as_assistant()
            .map(|message| message.stop_reason.clone());
        let failed = matches!(reason, Some(StopReason::Error | StopReason::Aborted));
        let batch = if failed {
            BatchOutcome::default()
        } else {
            let batch = Batch {
                assistant: answer.clone(),
                tools: run.inputs.tools.clone(),
            };
            self.0.runner.run(&batch, &run.cancel).await
        };
        for result in &batch.results {
            self.add(run, result);
        }
        let ending = TurnEnding {
            message: answer.clone(),
            tool_results: batch.results.clone(),
            index,
        };
        let may_go_on = seams.hooks.finish_turn(&ending).await;
        let event = EventBody::TurnEnd {
            message: answer.clone(),
            tool_results: batch.results.clone(),
        };
        seams.bus.emit(event).await;
        if failed {
            run.end.aborted = reason == Some(StopReason::Aborted);
            run.end.error = answer
                .as_assistant()
                .filter(|message| message.stop_reason == StopReason::Error)
                .map(|message| {
                    message
                        .error_message
                        .clone()
                        .unwrap_or_else(|| "unknown error".to_owned())
                });
        }
        TurnDone {
            goes_on: !batch.results.is_empty() && !batch.terminate,
            stops: failed || !may_go_on,
        }
    }

    /// Lets the product change tools, prompt, model and transcript before a turn.
    async fn take_next_turn(&self, run: &mut Run) {
        run.inputs = self.inputs();
        let messages = self.messages();
        let plan = self.0.seams.hooks.next_turn(&messages).await;
        if let Some(inputs) = plan.inputs {
            run.inputs = inputs;
        }
        if let Some(messages) = plan.messages {
            self.lock().messages = messages;
        }
    }

    async fn take_steering(&self) -> Vec<Arc<Message>> {
        self.tell_if_any(self.0.steering.drain()).await
    }

    async fn take_follow_up(&self) -> Vec<Arc<Message>> {
        self.tell_if_any(self.0.follow_up.drain()).await
    }

    async fn tell_if_any(&self, messages: Vec<Arc<Message>>) -> Vec<Arc<Message>> {
        if !messages.is_empty() {
            self.tell_queues().await;
        }
        messages
    }

    async fn add_spoken(&self, run: &mut Run, message: &Arc<Message>) {
        let told = self.0.seams.tell_message(Message::clone(message)).await;
        self.add(run, &told);
    }

    fn add(&self, run: &mut Run, message: &Arc<Message>) {
        self.lock().messages.push(message.clone());
        run.end.messages.push(message.clone());
    }

    /// Answers in the model's place when a consumer of events could not go on.
    async fn give_up(&self, run: &Run, fault: String) -> Arc<Message> {
        let answer = if run.cancel.is_cancelled() {
            self.failed_answer(StopReason::Aborted, None)
        } else {
            self.failed_answer(StopReason::Error, Some(fault))
        };
        self.0.seams.tell_message(Message::Assistant(answer)).await
    }

    fn take_fault(&self) -> Option<String> {
        let faults = self.0.seams.bus.take_faults();
        faults.first().map(ToString::to_string)
    }
}
