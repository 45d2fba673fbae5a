use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

use deed_agent::{
    Agent, AgentError, BarrierSink, Batch, BatchOutcome, EventBus, Observer, Redactor, RunEnd,
    ToolSet, TurnInputs, WeakEventBus,
};
use deed_env::ExecutionEnv;
use deed_extensions::{ExtensionHost, InputSource, PromptChange, WeakExtensionHost};
use deed_protocol::{AssistantMessage, Message};
use deed_session::Recovery;
use deed_tooling::{ContextSource, ImageLimits, ToolRegistry};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::bash::PersonCommands;
use crate::compaction::Compactor;
use crate::context::BatchAbort;
use crate::journal::Journal;
use crate::model_slot::{ChosenModel, ModelSlot};
use crate::retry::Retries;
use crate::run_limits::RunWatch;
use crate::stream::Streams;
use crate::{SessionBuilder, SessionStats, Skill, SystemPrompt};

/// One agent with its tools, environment and transcript.
///
/// Cheap to clone; all clones are one session.
#[derive(Clone)]
pub struct AgentSession {
    pub(crate) agent: Agent,
    pub(crate) bus: EventBus,
    pub(crate) source: Arc<TurnSource>,
    pub(crate) env: Arc<dyn ExecutionEnv>,
    pub(crate) extensions: ExtensionHost,
}

/// Where the tools, prompt and model of a turn come from.
pub(crate) struct TurnSource {
    pub(crate) registry: Arc<ToolRegistry>,
    pub(crate) context: Arc<dyn ContextSource>,
    pub(crate) model: Arc<ModelSlot>,
    pub(crate) watch: Arc<RunWatch>,
    pub(crate) retries: Arc<Retries>,
    pub(crate) compactor: Compactor,
    pub(crate) streams: Arc<Streams>,
    pub(crate) bus: WeakEventBus,
    pub(crate) prompt: RwLock<SystemPrompt>,
    /// The tools of the last turn and what the prompt says with them: what is made of both for a
    /// provider stays good for as long as they are the same.
    pub(crate) outfit: Mutex<Option<Outfit>>,
    pub(crate) batches: Arc<BatchAbort>,
    /// How many calls a rule or a person refused.
    pub(crate) refused: Arc<AtomicUsize>,
    pub(crate) journal: Option<Arc<Journal>>,
    /// Calls that were open when the session was opened, until they are answered.
    pub(crate) recovery: Mutex<Option<Recovery>>,
    pub(crate) now_ms: fn() -> i64,
    /// Whether a prompt is under way, from before its run to the end of it.
    pub(crate) prompting: AtomicBool,
    /// How many prompts have not told their end yet.
    pub(crate) under_way: watch::Sender<usize>,
    /// How large pictures may be; `None` if they stay as they are.
    pub(crate) image_limits: Option<ImageLimits>,
    /// Known once the session is made; extensions hold what leads here, so it must not hold them.
    pub(crate) extensions: OnceLock<WeakExtensionHost>,
    /// Commands of people.
    pub(crate) commands: PersonCommands,
    /// Takes known secrets out.
    pub(crate) redactor: Arc<dyn Redactor>,
    /// What extensions said that goes along with the next prompt.
    pub(crate) with_next_prompt: Mutex<Vec<Message>>,
    /// What extensions made of the system prompt of this run.
    pub(crate) run_prompt: Mutex<Option<PromptChange>>,
}

/// The tools of a turn, and the system prompt for these.
#[derive(Clone)]
pub(crate) struct Outfit {
    revision: u64,
    tools: Arc<ToolSet>,
    system: Arc<str>,
}

impl TurnSource {
    /// Takes tools and prompt from one snapshot, so that they cannot differ.
    pub(crate) fn inputs(&self) -> TurnInputs {
        let Outfit {
            tools, mut system, ..
        } = self.outfit();
        if let Some(change) = &*self.run_prompt() {
            system = change.apply(&system);
        }
        let ChosenModel { model, thinking } = self.model.get();
        TurnInputs {
            tools,
            system,
            model,
            thinking,
        }
    }

    fn outfit(&self) -> Outfit {
        let mut kept = self.outfit.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(outfit) = &*kept
            && outfit.revision == self.registry.revision()
        {
            return outfit.clone();
        }
        let snapshot = self.registry.snapshot(&self.context);
        let prompt = self.prompt.read().unwrap_or_else(PoisonError::into_inner);
        let system = prompt.assemble(&snapshot.prompt, self.context.cwd());
        kept.insert(Outfit {
            revision: snapshot.revision,
            tools: snapshot.tools,
            system: system.into(),
        })
        .clone()
    }

    /// Has other skills in the system prompt from the next turn on.
    pub(crate) fn set_skills(&self, skills: Vec<Skill>) {
        let prompt = self.prompt.write();
        prompt.unwrap_or_else(PoisonError::into_inner).skills = skills;
        *self.outfit.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Returns the extensions, as long as the session is there.
    pub(crate) fn extensions(&self) -> Option<ExtensionHost> {
        self.extensions.get()?.upgrade()
    }

    pub(crate) fn with_next_prompt(&self) -> MutexGuard<'_, Vec<Message>> {
        self.with_next_prompt
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn take_recovery(&self) -> Option<Recovery> {
        self.recovery
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    pub(crate) fn run_prompt(&self) -> MutexGuard<'_, Option<PromptChange>> {
        self.run_prompt
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl AgentSession {
    /// Begins to put a session together that acts in `env`.
    pub fn builder(env: Arc<dyn ExecutionEnv>) -> SessionBuilder {
        SessionBuilder::new(env)
    }

    pub(crate) fn new(
        agent: Agent,
        bus: EventBus,
        source: Arc<TurnSource>,
        env: Arc<dyn ExecutionEnv>,
        extensions: ExtensionHost,
    ) -> Self {
        Self {
            agent,
            bus,
            source,
            env,
            extensions,
        }
    }

    /// Prompts the model and runs until nothing is left to do.
    ///
    /// Extensions see the messages first; if they deal with all of them there is no run, and its
    /// end is empty.
    ///
    /// Errors: a run is under way.
    ///
    /// Cancellation: by [`AgentSession::cancel`].
    pub async fn prompt(&self, messages: Vec<Message>) -> Result<RunEnd, AgentError> {
        self.prompt_as(messages, InputSource::Interactive).await
    }

    /// Runs the calls of one message that no model of this session wrote, as one batch.
    ///
    /// The transcript stays as it is.
    ///
    /// Cancellation: by `cancel`, by [`AgentSession::cancel`] or by a tool that aborts.
    pub async fn run_calls(
        &self,
        message: AssistantMessage,
        cancel: &CancellationToken,
    ) -> BatchOutcome {
        let assistant = Arc::new(Message::Assistant(message));
        let batch = Batch {
            assistant,
            tools: self.source.inputs().tools,
        };
        let (aborted, cancel) = (self.source.batches.token(), cancel.child_token());
        let running = self.agent.runner().run(&batch, &cancel);
        tokio::pin!(running);
        tokio::select! {
            biased;
            outcome = &mut running => outcome,
            () = aborted.cancelled() => {
                cancel.cancel();
                running.await
            }
        }
    }

    /// Cancels the run and batches of [`AgentSession::run_calls`]; every running call still gets
    /// its result.
    pub fn cancel(&self) {
        self.source.context.actions().abort();
    }

    /// Returns the agent, to steer it and to look at its transcript.
    pub fn agent(&self) -> &Agent {
        &self.agent
    }

    /// Returns the tools.
    pub fn registry(&self) -> &Arc<ToolRegistry> {
        &self.source.registry
    }

    /// Returns the system prompt of the next turn.
    pub fn system_prompt(&self) -> Arc<str> {
        self.source.inputs().system
    }

    /// Returns the folder that relative paths start from.
    pub fn cwd(&self) -> &Path {
        self.env.cwd()
    }

    /// Adds a consumer of events that is waited for.
    pub fn add_sink(&self, sink: Arc<dyn BarrierSink>) {
        self.bus.add_sink(sink);
    }

    /// Adds a consumer of events that nobody waits for.
    ///
    /// Errors: its thread could not be started.
    pub fn add_observer(&self, observer: Arc<dyn Observer>) -> std::io::Result<()> {
        self.bus.add_observer(observer)
    }

    /// Returns how many calls a rule, a mode or a person refused so far.
    pub fn refused_calls(&self) -> usize {
        self.source.refused.load(Ordering::Relaxed)
    }

    /// Sums the transcript up.
    pub fn stats(&self) -> SessionStats {
        SessionStats::of(&self.agent.messages())
    }
}

impl fmt::Debug for AgentSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentSession")
            .field("agent", &self.agent)
            .finish_non_exhaustive()
    }
}
