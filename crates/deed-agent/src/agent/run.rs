use std::sync::Arc;

use deed_protocol::{EventBody, Message, StopReason};
use tokio_util::sync::CancellationToken;

use super::{Agent, RunEnd};
use crate::caught::Caught;
use crate::{Batch, BatchOutcome, TurnEnding, TurnInputs, TurnPlan};

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
    /// Runs with messages that are spoken now and some that were taken from a queue.
    pub(super) async fn run(
        &self,
        prompts: Vec<Arc<Message>>,
        queued: Vec<Arc<Message>>,
    ) -> RunEnd {
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
        bus.emit(EventBody::TurnStart).await;
        for message in &prompts {
            self.add_spoken(&mut run, message).await;
        }
        self.run_turns(&mut run, queued).await;
        let messages = run.end.messages.clone();
        let will_retry = self.will_retry(&run.end).await;
        bus.emit(EventBody::AgentEnd {
            messages,
            will_retry,
        })
        .await;
        if run.end.error.is_none() {
            run.end.error = self.take_fault();
        }
        run.end
    }

    async fn run_turns(&self, run: &mut Run, mut queued: Vec<Arc<Message>>) {
        for index in 0.. {
            if index > 0 {
                self.take_next_turn(run).await;
            }
            if queued.is_empty() {
                queued = self.0.steering.drain();
            }
            if index > 0 {
                self.0.seams.bus.emit(EventBody::TurnStart).await;
            }
            self.deliver_queued(run, &queued).await;
            let turn = self.run_turn(run, index).await;
            if turn.stops {
                return;
            }
            queued = self.0.steering.drain();
            if turn.goes_on || !queued.is_empty() {
                continue;
            }
            queued = self.0.follow_up.drain();
            if queued.is_empty() {
                return;
            }
        }
    }

    async fn deliver_queued(&self, run: &mut Run, queued: &[Arc<Message>]) {
        if !queued.is_empty() {
            self.0.seams.bus.emit(self.queue_update()).await;
        }
        for message in queued {
            self.add_spoken(run, message).await;
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
        let finishing = Caught::new(|| seams.hooks.finish_turn(&ending));
        let may_go_on = finishing.await.unwrap_or_else(|panic| {
            seams.report_hook("finish_turn", &panic);
            false
        });
        let event = EventBody::TurnEnd {
            message: answer.clone(),
            tool_results: batch.results.clone(),
        };
        seams.bus.emit(event).await;
        if failed {
            run.end.aborted = reason == Some(StopReason::Aborted);
            run.end.error = error_of(&answer).or(run.end.error.take());
        }
        TurnDone {
            goes_on: !batch.results.is_empty() && !batch.terminate,
            stops: failed || !may_go_on,
        }
    }

    /// Lets the product change tools, prompt, model and transcript before a turn.
    async fn take_next_turn(&self, run: &mut Run) {
        run.inputs = self.inputs();
        let messages = self.transcript();
        let seams = &self.0.seams;
        let planning = Caught::new(|| seams.hooks.next_turn(&messages));
        let plan = planning.await.unwrap_or_else(|panic| {
            seams.report_hook("next_turn", &panic);
            TurnPlan::default()
        });
        if let Some(inputs) = plan.inputs {
            run.inputs = inputs;
        }
        if let Some(messages) = plan.messages {
            self.lock().messages = Arc::new(messages);
        }
    }

    async fn will_retry(&self, end: &RunEnd) -> bool {
        let seams = &self.0.seams;
        let asking = Caught::new(|| seams.hooks.will_retry(end));
        asking.await.unwrap_or_else(|panic| {
            seams.report_hook("will_retry", &panic);
            false
        })
    }

    async fn add_spoken(&self, run: &mut Run, message: &Arc<Message>) {
        let told = self.0.seams.tell_message(Message::clone(message)).await;
        self.add(run, &told);
    }

    fn add(&self, run: &mut Run, message: &Arc<Message>) {
        // Nobody holds the transcript between two requests, so nothing is copied.
        Arc::make_mut(&mut self.lock().messages).push(message.clone());
        run.end.messages.push(message.clone());
    }

    /// Answers in the model's place when a consumer of events could not go on.
    async fn give_up(&self, run: &mut Run, fault: String) -> Arc<Message> {
        let answer = if run.cancel.is_cancelled() {
            run.end.error = Some(fault);
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

fn error_of(answer: &Message) -> Option<String> {
    let answer = answer.as_assistant()?;
    let error = answer.error_message.as_deref().unwrap_or("unknown error");
    (answer.stop_reason == StopReason::Error).then(|| error.to_owned())
}
