//! The loop: a prompt, the model's answer, its batch, and so on until nothing is left to do.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use deed_protocol::{AssistantMessage, EventBody, Message, StopReason};
use tokio_util::sync::CancellationToken;

use crate::bus::Watch;
use crate::{AgentError, BatchRunner, DrainMode, MessageQueue, Seams, TurnInputs};

mod answer;
mod run;

/// A transcript with a model that answers it and tools that do what the model asks for.
///
/// Cheap to clone; all clones are one agent.
#[derive(Clone)]
pub struct Agent(Arc<Inner>);

struct Inner {
    seams: Seams,
    runner: BatchRunner,
    state: Mutex<State>,
    is_running: AtomicBool,
    steering: MessageQueue,
    follow_up: MessageQueue,
}

struct State {
    inputs: TurnInputs,
    messages: Arc<Vec<Arc<Message>>>,
    cancel: CancellationToken,
    /// By `cancel`, sinks that hang are given up, also after the run.
    watch: Option<Watch>,
}

/// How a run ended.
#[derive(Clone, Debug, Default)]
pub struct RunEnd {
    /// Messages of this run, prompts included.
    pub messages: Vec<Arc<Message>>,
    /// Whether it was cancelled.
    pub aborted: bool,
    /// What went wrong with the model or the harness.
    pub error: Option<String>,
}

impl Agent {
    /// Makes an agent with a transcript to go on from.
    pub fn new(seams: Seams, inputs: TurnInputs, messages: Vec<Arc<Message>>) -> Self {
        let runner = BatchRunner::new(seams.clone());
        let state = State {
            inputs,
            messages: Arc::new(messages),
            cancel: CancellationToken::new(),
            watch: None,
        };
        Self(Arc::new(Inner {
            seams,
            runner,
            state: Mutex::new(state),
            is_running: AtomicBool::new(false),
            steering: MessageQueue::default(),
            follow_up: MessageQueue::default(),
        }))
    }

    /// Adds messages to the transcript and runs until nothing is left to do.
    ///
    /// Errors: [`AgentError::AlreadyRunning`]. A fault of a tool is a result, a fault of the model
    /// ends the run and is in [`RunEnd::error`].
    ///
    /// Cancellation: by [`Agent::cancel`]; the transcript then ends with an aborted answer. Dropping
    /// the future stops its calls too, but leaves them without results.
    pub async fn prompt(&self, prompts: Vec<Message>) -> Result<RunEnd, AgentError> {
        let _busy = self.begin()?;
        let prompts = prompts.into_iter().map(Arc::new).collect();
        Ok(self.run(prompts, Vec::new()).await)
    }

    /// Goes on from the transcript as it is: answers a user message or tool results again, or
    /// delivers what waits in the queues.
    ///
    /// Errors: [`AgentError::NothingToContinue`] if there is neither.
    pub async fn continue_run(&self) -> Result<RunEnd, AgentError> {
        let _busy = self.begin()?;
        let tail = self
            .lock()
            .messages
            .iter()
            .rev()
            .find(|message| is_spoken(message))
            .cloned();
        let queued = match tail.as_deref() {
            None => return Err(AgentError::NothingToContinue),
            Some(Message::Assistant(_)) => self.next_queued(),
            Some(_) => return Ok(self.run(Vec::new(), Vec::new()).await),
        };
        if queued.is_empty() {
            return Err(AgentError::NothingToContinue);
        }
        Ok(self.run(Vec::new(), queued).await)
    }

    /// Queues a message for delivery before the next request; never interrupts a batch.
    pub async fn steer(&self, message: Message) {
        self.queue_steering(message);
    }

    /// Queues a message for delivery when the run would end.
    pub async fn follow_up(&self, message: Message) {
        self.queue_follow_up(message);
    }

    /// As [`Agent::steer`], for those who cannot wait.
    pub fn queue_steering(&self, message: Message) {
        self.0.steering.push(message);
        self.0.seams.bus.post(self.queue_update());
    }

    /// As [`Agent::follow_up`], for those who cannot wait.
    pub fn queue_follow_up(&self, message: Message) {
        self.0.follow_up.push(message);
        self.0.seams.bus.post(self.queue_update());
    }

    /// Empties both queues and returns what was in them: steering, then follow-up.
    pub async fn clear_queues(&self) -> (Vec<Arc<Message>>, Vec<Arc<Message>>) {
        let cleared = (self.0.steering.clear(), self.0.follow_up.clear());
        self.0.seams.bus.post(self.queue_update());
        cleared
    }

    /// Sets how much of each queue is delivered at once.
    pub fn set_drain_modes(&self, steering: DrainMode, follow_up: DrainMode) {
        self.0.steering.set_mode(steering);
        self.0.follow_up.set_mode(follow_up);
    }

    /// Cancels the run; every running call still gets its result.
    pub fn cancel(&self) {
        self.lock().cancel.cancel();
    }

    /// Returns what tells that the run is cancelled; without a run, the last one.
    pub fn cancellation(&self) -> CancellationToken {
        self.lock().cancel.clone()
    }

    /// Tells whether messages wait to be delivered.
    pub fn has_queued(&self) -> bool {
        !(self.0.steering.is_empty() && self.0.follow_up.is_empty())
    }

    /// Returns how many messages wait to be delivered.
    pub fn queued(&self) -> usize {
        self.0.steering.len() + self.0.follow_up.len()
    }

    /// Tells whether a run is under way.
    pub fn is_running(&self) -> bool {
        self.0.is_running.load(Ordering::Acquire)
    }

    /// Returns the transcript.
    pub fn messages(&self) -> Vec<Arc<Message>> {
        self.transcript().to_vec()
    }

    /// As [`Agent::messages`], without a copy.
    fn transcript(&self) -> Arc<Vec<Arc<Message>>> {
        self.lock().messages.clone()
    }

    /// Goes on from another transcript, such as a compacted one or that of another branch.
    ///
    /// Errors: [`AgentError::AlreadyRunning`]; a run changes its transcript by
    /// [`TurnPlan`](crate::TurnPlan).
    pub fn set_messages(&self, messages: Vec<Arc<Message>>) -> Result<(), AgentError> {
        let mut state = self.lock();
        if self.is_running() {
            return Err(AgentError::AlreadyRunning);
        }
        state.messages = Arc::new(messages);
        Ok(())
    }

    /// Sets tools, prompt and model from the next turn on.
    pub fn set_inputs(&self, inputs: TurnInputs) {
        self.lock().inputs = inputs;
    }

    /// Returns tools, prompt and model of the next turn.
    pub fn inputs(&self) -> TurnInputs {
        self.lock().inputs.clone()
    }

    /// Returns a handle that does not keep the agent alive.
    pub fn downgrade(&self) -> WeakAgent {
        WeakAgent(Arc::downgrade(&self.0))
    }

    /// Returns what runs batches, for calls that no model made.
    pub fn runner(&self) -> &BatchRunner {
        &self.0.runner
    }

    fn begin(&self) -> Result<Busy<'_>, AgentError> {
        // Under the lock, so that who sees the run can cancel it.
        let mut state = self.lock();
        if self.0.is_running.swap(true, Ordering::AcqRel) {
            return Err(AgentError::AlreadyRunning);
        }
        state.cancel = CancellationToken::new();
        state.watch = Some(self.0.seams.bus.watch(state.cancel.clone()));
        Ok(Busy(&self.0.is_running))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next_queued(&self) -> Vec<Arc<Message>> {
        let steering = self.0.steering.drain();
        if steering.is_empty() {
            self.0.follow_up.drain()
        } else {
            steering
        }
    }

    fn queue_update(&self) -> EventBody {
        EventBody::QueueUpdate {
            steering: self.0.steering.texts(),
            follow_up: self.0.follow_up.texts(),
        }
    }

    fn failed_answer(&self, reason: StopReason, error: Option<String>) -> AssistantMessage {
        let mut message = AssistantMessage::new(reason, (self.0.seams.now_ms)());
        message.error_message = error;
        message
    }
}

/// A handle that does not keep its agent alive.
#[derive(Clone)]
pub struct WeakAgent(Weak<Inner>);

impl WeakAgent {
    /// Returns the agent, if it still is.
    pub fn upgrade(&self) -> Option<Agent> {
        self.0.upgrade().map(Agent)
    }
}

impl fmt::Debug for WeakAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WeakAgent")
    }
}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent")
            .field("is_running", &self.is_running())
            .finish_non_exhaustive()
    }
}

/// Marks the agent idle again, also when the run was dropped or panicked.
struct Busy<'a>(&'a AtomicBool);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

fn is_spoken(message: &Message) -> bool {
    !matches!(message, Message::System(_) | Message::Unknown(_))
}
