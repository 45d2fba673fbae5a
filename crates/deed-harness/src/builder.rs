use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock, RwLock};

use deed_agent::{
    Agent, AgentHooks, AllowAll, EventBus, Gate, KeepAll, Limits, Model, NoHooks, Redactor, Seams,
};
use deed_env::ExecutionEnv;
use deed_extensions::{Extension, ExtensionHost, HostOptions, ModelSource, SessionControl};
use deed_guard::GuardGate;
use deed_protocol::{Message, SourceInfo, ThinkingLevel};
use deed_session::Session;
use deed_session::compaction::CompactionSettings;
use deed_tooling::{
    ContextSource, ImageLimits, Layer, NoUi, ProductNormalise, RegisterError, RegisteredTool,
    Selection, ToolDefinition, Ui,
};
use deed_tools::{PersonShell, ToolBasis, ToolSettings, create_all_tool_definitions};
use tokio::sync::watch;

use crate::bash::PersonCommands;
use crate::compaction::Compactor;
use crate::context::{BatchAbort, SessionContext};
use crate::extensions::{ExtensionSide, Outside};
use crate::guard::{guarded_registry, record_failures};
use crate::hooks::SessionHooks;
use crate::journal::JournalSink;
use crate::journaling::Opened;
use crate::model_slot::{ChosenModel, ModelSlot};
use crate::no_model::NoModel;
use crate::retry::{Retries, RetrySink};
use crate::run_limits::RunWatch;
use crate::saved_text::SavedText;
use crate::session::TurnSource;
use crate::session_gate::SessionGate;
use crate::stream::{StreamSink, Streams};
use crate::ui_prompts::PromptingUi;
use crate::{AgentSession, RetryPolicy, RunLimits, SystemPrompt, wall_clock_ms};

/// Puts a session together.
pub struct SessionBuilder {
    env: Arc<dyn ExecutionEnv>,
    settings: ToolSettings,
    selection: Selection,
    built_in_tools: Vec<Arc<dyn ToolDefinition>>,
    custom_tools: Vec<Arc<dyn ToolDefinition>>,
    model: Arc<dyn Model>,
    prompt: SystemPrompt,
    messages: Vec<Arc<Message>>,
    record: Option<Session>,
    id: Arc<str>,
    output_folder: Option<PathBuf>,
    ui: Arc<dyn Ui>,
    hooks: Arc<dyn AgentHooks>,
    gate: Arc<dyn Gate>,
    guard: Option<GuardGate>,
    redactor: Arc<dyn Redactor>,
    limits: Limits,
    run_limits: RunLimits,
    retry: RetryPolicy,
    compaction: CompactionSettings,
    thinking: ThinkingLevel,
    now_ms: fn() -> i64,
    pub(crate) extensions: Vec<Arc<dyn Extension>>,
    pub(crate) extension_options: HostOptions,
    outside: Outside,
}

/// Why a session could not be put together.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// A tool cannot be registered.
    #[error(transparent)]
    Register(#[from] RegisterError),
    /// The record of the session cannot be read.
    #[error(transparent)]
    Record(#[from] deed_session::SessionError),
    /// There are extensions, and they would not have been loaded.
    #[error("a session with extensions must load them: build it with `build_with_extensions`")]
    ExtensionsNotLoaded,
}

impl SessionBuilder {
    pub(crate) fn new(env: Arc<dyn ExecutionEnv>) -> Self {
        Self {
            env,
            settings: ToolSettings::default(),
            selection: Selection::default(),
            built_in_tools: Vec::new(),
            custom_tools: Vec::new(),
            model: Arc::new(NoModel::default()),
            prompt: SystemPrompt::default(),
            messages: Vec::new(),
            record: None,
            id: "session".into(),
            output_folder: None,
            ui: Arc::new(NoUi),
            hooks: Arc::new(NoHooks),
            gate: Arc::new(AllowAll),
            guard: None,
            redactor: Arc::new(KeepAll),
            limits: Limits::default(),
            run_limits: RunLimits::default(),
            retry: RetryPolicy::default(),
            compaction: CompactionSettings::default(),
            thinking: ThinkingLevel::Off,
            now_ms: wall_clock_ms,
            extensions: Vec::new(),
            extension_options: HostOptions::default(),
            outside: Outside::default(),
        }
    }

    /// Sets how the built-in tools act.
    pub fn settings(mut self, settings: ToolSettings) -> Self {
        self.settings = settings;
        self
    }

    /// Sets which tools are known and active.
    pub fn selection(mut self, selection: Selection) -> Self {
        self.selection = selection;
        self
    }

    /// Adds a tool of the host; it takes the place of a built-in one of its name.
    pub fn tool(mut self, definition: Arc<dyn ToolDefinition>) -> Self {
        self.custom_tools.push(definition);
        self
    }

    /// Sets the model.
    pub fn model(mut self, model: Arc<dyn Model>) -> Self {
        self.model = model;
        self
    }

    /// Sets how the system prompt is put together.
    pub fn system_prompt(mut self, prompt: SystemPrompt) -> Self {
        self.prompt = prompt;
        self
    }

    /// Sets the transcript to go on from.
    pub fn messages(mut self, messages: Vec<Arc<Message>>) -> Self {
        self.messages = messages;
        self
    }

    /// Writes the session down in this record, and goes on from what stands in it.
    pub fn record(mut self, session: Session) -> Self {
        self.record = Some(session);
        self
    }

    /// Sets the name of the session and where the saved output of its calls is.
    pub fn identity(mut self, id: &str, output_folder: Option<PathBuf>) -> Self {
        self.id = id.into();
        self.output_folder = output_folder;
        self
    }

    /// Sets the way to a person.
    pub fn ui(mut self, ui: Arc<dyn Ui>) -> Self {
        self.ui = ui;
        self
    }

    /// Sets the hooks.
    pub fn hooks(mut self, hooks: Arc<dyn AgentHooks>) -> Self {
        self.hooks = hooks;
        self
    }

    /// Sets the gate; without one everything is allowed.
    pub fn gate(mut self, gate: Arc<dyn Gate>) -> Self {
        self.gate = gate;
        self
    }

    /// Adds a tool that Deed ships but that is not among the built-in ones of every session.
    pub fn built_in_tool(mut self, definition: Arc<dyn ToolDefinition>) -> Self {
        self.built_in_tools.push(definition);
        self
    }

    /// Puts the session under a guard: it decides, records and takes secrets out, and what it
    /// denies whole is not declared.
    pub fn guard(mut self, guard: &GuardGate) -> Self {
        self.redactor = guard.redactor().clone();
        self.gate = Arc::new(guard.clone());
        self.guard = Some(guard.clone());
        self
    }

    /// Sets what takes secrets out.
    pub fn redactor(mut self, redactor: Arc<dyn Redactor>) -> Self {
        self.redactor = redactor;
        self
    }

    /// Sets the bounds of a batch.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the bounds of what a prompt may set off.
    pub fn run_limits(mut self, limits: RunLimits) -> Self {
        self.run_limits = limits;
        self
    }

    /// Sets whether and when failed requests are sent again.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.retry = policy;
        self
    }

    /// Sets when the transcript is compacted and how much of it stays.
    pub fn compaction(mut self, settings: CompactionSettings) -> Self {
        self.compaction = settings;
        self
    }

    /// Sets how much the model thinks.
    pub fn thinking(mut self, level: ThinkingLevel) -> Self {
        self.thinking = level;
        self
    }

    /// Sets the clock of message timestamps.
    ///
    /// Units: milliseconds since 1970.
    pub fn clock(mut self, now_ms: fn() -> i64) -> Self {
        self.now_ms = now_ms;
        self
    }

    /// Sets the models that extensions may use beside the session's.
    pub fn models(mut self, models: Arc<dyn ModelSource>) -> Self {
        self.outside.models = Some(models);
        self
    }

    /// Sets what the program does for extensions: other sessions, and its own end.
    pub fn control(mut self, control: Arc<dyn SessionControl>) -> Self {
        self.outside.control = Some(control);
        self
    }

    /// Puts the session together.
    ///
    /// Errors: a tool that cannot be registered; the error names it and its owner. Extensions, whose
    /// guards would be missing: they need [`SessionBuilder::build_with_extensions`].
    pub fn build(self) -> Result<AgentSession, SessionError> {
        if self.extensions.is_empty() {
            self.assemble()
        } else {
            Err(SessionError::ExtensionsNotLoaded)
        }
    }

    /// Wires everything; extensions are known but not loaded.
    pub(crate) fn assemble(self) -> Result<AgentSession, SessionError> {
        let registry = guarded_registry(self.selection, self.guard.as_ref());
        let auto_resize = self.settings.images_auto_resize;
        let basis = ToolBasis {
            env: self.env.clone(),
            settings: Arc::new(self.settings),
        };
        let commands = PersonShell::new(basis.clone(), self.redactor.clone());
        let commands = PersonCommands::new(commands, self.guard.clone());
        let built_in = create_all_tool_definitions(&basis);
        for definition in built_in.into_iter().chain(self.built_in_tools) {
            registry.register(RegisteredTool::built_in(definition))?;
        }
        for definition in self.custom_tools {
            let source = Arc::new(SourceInfo::sdk(&definition.spec().name));
            registry.register(RegisteredTool::new(Layer::Sdk, source, definition))?;
        }
        let redactor = self.redactor.clone();
        let chosen = ChosenModel {
            model: self.model,
            thinking: self.thinking,
        };
        let Opened {
            journal,
            messages,
            recovery,
            usage_counts_from,
        } = Opened::of(self.record, self.messages, &registry, (redactor, &chosen))?;
        let bus = EventBus::new();
        let batches = Arc::new(BatchAbort::default());
        let model = Arc::new(ModelSlot::new(chosen));
        let retries = Arc::new(Retries::new(self.retry));
        let streams = Arc::new(Streams::default());
        let prompting = Arc::new(PromptingUi::new(self.ui));
        let context = Arc::new(SessionContext {
            cwd: self.env.cwd().to_owned(),
            id: self.id,
            journal: journal.clone(),
            output_folder: self.output_folder,
            model: model.clone(),
            registry: registry.clone(),
            ui: prompting.clone(),
            cancel: Mutex::new(None),
            batches: batches.clone(),
        });
        let source = Arc::new(TurnSource {
            registry,
            context: context.clone() as Arc<dyn ContextSource>,
            model,
            watch: Arc::new(RunWatch::new(self.run_limits, self.now_ms)),
            retries: retries.clone(),
            streams: streams.clone(),
            compactor: Compactor::new(self.compaction, usage_counts_from),
            bus: bus.downgrade(),
            prompt: RwLock::new(self.prompt),
            batches,
            refused: Arc::default(),
            journal,
            recovery: Mutex::new(recovery),
            now_ms: self.now_ms,
            outfit: Mutex::default(),
            prompting: AtomicBool::new(false),
            under_way: watch::Sender::new(0),
            image_limits: auto_resize.then(ImageLimits::default),
            extensions: OnceLock::new(),
            commands,
            redactor: self.redactor.clone(),
            with_next_prompt: Mutex::default(),
            run_prompt: Mutex::default(),
        });
        let output = Arc::new(SavedText {
            env: self.env.clone(),
            redactor: self.redactor.clone(),
        });
        bus.add_sink(Arc::new(RetrySink {
            retries,
            bus: bus.downgrade(),
        }));
        if let Some(journal) = &source.journal {
            bus.add_sink(Arc::new(JournalSink(journal.clone())));
        }
        bus.add_sink(Arc::new(StreamSink(streams)));
        let side = Arc::new(ExtensionSide::new(&source, &self.env, self.outside));
        let extensions = ExtensionHost::new(side.clone(), self.extension_options);
        source.extensions.get_or_init(|| extensions.downgrade());
        prompting.extensions.get_or_init(|| extensions.downgrade());
        if let Some(guard) = &self.guard {
            record_failures(guard, &extensions);
        }
        let hooks = if self.extensions.is_empty() {
            self.hooks
        } else {
            bus.add_sink(extensions.sink());
            extensions.hooks(self.hooks)
        };
        let seams = Seams {
            hooks: Arc::new(SessionHooks {
                source: source.clone(),
                inner: hooks,
            }),
            gate: Arc::new(SessionGate {
                inner: self.gate,
                journal: source.journal.clone(),
                refused: source.refused.clone(),
            }),
            normalise: Arc::new(ProductNormalise::new(auto_resize).saving_to(output)),
            redactor: self.redactor,
            bus: bus.clone(),
            limits: self.limits,
            now_ms: self.now_ms,
        };
        let agent = Agent::new(seams, source.inputs(), messages);
        context.cancels_with(&agent);
        source.watch.watches(agent.downgrade());
        let session = AgentSession::new(agent, bus, source, self.env, extensions);
        side.belongs_to(&session);
        Ok(session)
    }
}

impl fmt::Debug for SessionBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionBuilder")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}
