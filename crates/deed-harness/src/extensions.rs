use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use deed_agent::{Agent, BoxFuture, EventBus, Model, WeakAgent};
use deed_env::ExecutionEnv;
use deed_extensions::{
    CommandError, CommandInfo, ContextUsage, Delivery, Diagnostic, DiscoveredResources, Extension,
    ExtensionError, ExtensionHost, ExtensionSession, ForkPosition, HostOptions, InputSource,
    MadeModel, ModelSelectSource, ModelSource, Navigated, ResourcesDiscoverEvent, SessionControl,
    SessionRecord, SessionShutdownEvent, SessionStartEvent, StartReason, SwitchReason,
    WeakExtensionHost,
};
use deed_protocol::{EventBody, Message, ThinkingLevel};
use deed_tooling::{ContextSource, ToolRegistry};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use crate::prompting::UnderWay;
use crate::session::TurnSource;
use crate::{AgentSession, Resources, SessionBuilder, SessionError};

impl SessionBuilder {
    /// Adds an extension, behind those that are there.
    pub fn extension(mut self, extension: Arc<dyn Extension>) -> Self {
        self.extensions.push(extension);
        self
    }

    /// Sets values of flags and the time of guards.
    pub fn extension_options(mut self, options: HostOptions) -> Self {
        self.extension_options = options;
        self
    }

    /// Puts the session together and lets its extensions register, which takes time and may go
    /// wrong: [`AgentSession::diagnostics`] tells. Nobody has the session before all are loaded, so
    /// no call can slip past a guard.
    ///
    /// Errors: as [`SessionBuilder::build`]; an extension that fails is none.
    pub async fn build_with_extensions(self) -> Result<AgentSession, SessionError> {
        let session = self.build_to_start().await?;
        session.tell_start(SessionStartEvent::default()).await;
        Ok(session)
    }

    /// As [`SessionBuilder::build_with_extensions`], but extensions do not hear yet that the session
    /// starts: for who has to listen first, and calls [`AgentSession::tell_start`] then.
    ///
    /// Errors: as [`SessionBuilder::build_with_extensions`].
    pub async fn build_to_start(self) -> Result<AgentSession, SessionError> {
        let extensions = self.extensions.clone();
        let session = self.assemble()?;
        session.extensions.load(&extensions).await;
        Ok(session)
    }
}

impl AgentSession {
    /// Returns the extensions.
    pub fn extensions(&self) -> &ExtensionHost {
        &self.extensions
    }

    /// Returns what went wrong with extensions.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        self.extensions.diagnostics()
    }

    /// Returns the commands of extensions.
    pub fn commands(&self) -> Vec<CommandInfo> {
        self.extensions.commands()
    }

    /// Runs a command of an extension.
    ///
    /// Errors: there is none of that name, or it failed.
    pub async fn run_command(&self, name: &str, args: &str) -> Result<(), CommandError> {
        self.extensions.run_command(name, args).await
    }

    /// Tells extensions that the session starts, and why; they have not heard so only if it was made
    /// by [`SessionBuilder::build_to_start`].
    ///
    /// Cancellation: by [`AgentSession::cancel`], for handlers that take long.
    pub async fn tell_start(&self, event: SessionStartEvent) {
        self.extensions.start(event).await;
    }

    /// Asks extensions for skills, templates and themes that they bring, and has the skills in the
    /// system prompt from the next turn on, behind those that are there. What of it can be used is
    /// returned: templates are for who expands prompts.
    ///
    /// Cancellation: as [`AgentSession::may_switch`].
    pub async fn discover_resources(
        &self,
        resources: &mut Resources,
        reason: StartReason,
    ) -> DiscoveredResources {
        if !self.extensions.listens_to::<ResourcesDiscoverEvent>() {
            return DiscoveredResources::default();
        }
        let cwd = self.env.cwd();
        let found = self.extensions.discover_resources(cwd, reason).await;
        resources.extend(&found.skill_paths, &found.prompt_paths);
        self.source.set_skills(resources.skills.clone());
        found
    }

    /// Asks extensions whether another session may take the place of this one.
    ///
    /// Cancellation: by [`AgentSession::cancel`]; it counts as a yes.
    pub async fn may_switch(&self, reason: SwitchReason, target: Option<PathBuf>) -> bool {
        let cancel = self.source.batches.token();
        self.extensions.may_switch(reason, target, &cancel).await
    }

    /// Asks extensions whether a part of this session may become one of its own.
    ///
    /// Cancellation: as [`AgentSession::may_switch`].
    pub async fn may_fork(&self, entry_id: &str, position: ForkPosition) -> bool {
        let cancel = self.source.batches.token();
        let asking = self.extensions.may_fork(entry_id.into(), position, &cancel);
        asking.await
    }

    /// Ends the session: extensions hear of it, and what they hold of it is stale afterwards; its record
    /// is open to others.
    pub async fn close(&self) {
        self.close_for(SessionShutdownEvent::default()).await;
    }

    /// As [`AgentSession::close`], and tells extensions why.
    pub async fn close_for(&self, event: SessionShutdownEvent) {
        self.extensions.close(event).await;
        if let Some(journal) = &self.source.journal {
            journal.close();
        }
    }
}

/// The session as extensions see it.
pub(crate) struct ExtensionSide {
    pub(crate) source: Arc<TurnSource>,
    env: Arc<dyn ExecutionEnv>,
    outside: Outside,
    /// Where runs begin that extensions start, from whatever thread.
    runtime: Option<Handle>,
    /// Known once the session is made, which holds this.
    session: OnceLock<WeakSession>,
}

/// What extensions may use of the program round the session.
#[derive(Clone, Default)]
pub(crate) struct Outside {
    pub(crate) models: Option<Arc<dyn ModelSource>>,
    pub(crate) control: Option<Arc<dyn SessionControl>>,
}

/// A session that is not kept alive.
struct WeakSession {
    agent: WeakAgent,
    bus: EventBus,
    extensions: WeakExtensionHost,
}

impl ExtensionSide {
    pub(crate) fn new(
        source: &Arc<TurnSource>,
        env: &Arc<dyn ExecutionEnv>,
        outside: Outside,
    ) -> Self {
        Self {
            source: source.clone(),
            env: env.clone(),
            outside,
            runtime: Handle::try_current().ok(),
            session: OnceLock::new(),
        }
    }

    pub(crate) fn belongs_to(&self, session: &AgentSession) {
        self.session.get_or_init(|| WeakSession {
            agent: session.agent.downgrade(),
            bus: session.bus.clone(),
            extensions: session.extensions.downgrade(),
        });
    }

    fn agent(&self) -> Option<Agent> {
        self.session.get()?.agent.upgrade()
    }

    /// Tells an event and waits for nobody, from whatever thread.
    pub(crate) fn tell(&self, event: EventBody) {
        let _entered = self.runtime.as_ref().map(Handle::enter);
        if self.runtime.is_some() {
            self.source.bus.post(event);
        }
    }

    fn session(&self) -> Option<AgentSession> {
        let session = self.session.get()?;
        Some(AgentSession {
            agent: session.agent.upgrade()?,
            bus: session.bus.clone(),
            source: self.source.clone(),
            env: self.env.clone(),
            extensions: session.extensions.upgrade()?,
        })
    }
}

impl ExtensionSession for ExtensionSide {
    fn context(&self) -> &dyn ContextSource {
        self.source.context.as_ref()
    }

    fn env(&self) -> &Arc<dyn ExecutionEnv> {
        &self.env
    }

    fn registry(&self) -> &ToolRegistry {
        &self.source.registry
    }

    fn record(&self) -> Option<&dyn SessionRecord> {
        Some(self)
    }

    fn is_idle(&self) -> bool {
        self.agent().is_none_or(|agent| !agent.is_running())
    }

    fn cancellation(&self) -> CancellationToken {
        match self.agent().filter(Agent::is_running) {
            Some(agent) => agent.cancellation(),
            None => self.source.batches.token(),
        }
    }

    fn system_prompt(&self) -> Arc<str> {
        self.source.inputs().system
    }

    fn has_pending_messages(&self) -> bool {
        self.agent().is_some_and(|agent| agent.has_queued())
            || !self.source.with_next_prompt().is_empty()
    }

    fn thinking(&self) -> ThinkingLevel {
        self.source.model.get().thinking
    }

    fn context_usage(&self) -> Option<ContextUsage> {
        let context_window = self.source.model.info().context_window;
        let agent = self.agent().filter(|_| context_window > 0)?;
        let estimate = self.source.compactor.estimate(&agent.messages());
        Some(ContextUsage {
            tokens: estimate.tokens,
            context_window,
        })
    }

    fn now_ms(&self) -> i64 {
        (self.source.now_ms)()
    }

    fn send(&self, message: Message, delivery: Delivery) {
        let (Some(session), Some(runtime)) = (self.session(), &self.runtime) else {
            return;
        };
        if delivery == Delivery::NextTurn {
            session.source.with_next_prompt().push(message);
            return;
        }
        // Who sends may be on any thread, and queueing is told.
        let _entered = runtime.enter();
        if session.source.prompting.load(Ordering::Acquire) || session.agent.is_running() {
            session.queue(message, delivery);
            return;
        }
        // From now on, so that nobody who waits for the end of all prompts misses this one.
        let under_way = UnderWay::begin(&session.source);
        runtime.spawn(async move {
            let _under_way = under_way;
            let prompting = session.prompt_as(vec![message.clone()], InputSource::Extension);
            if prompting.await.is_err() {
                session.queue(message, delivery);
            }
        });
    }

    fn models(&self) -> Option<Arc<dyn ModelSource>> {
        self.outside.models.clone()
    }

    fn model(&self) -> Option<Arc<dyn Model>> {
        Some(self.source.model.get().model)
    }

    fn set_model<'a>(&'a self, made: MadeModel) -> BoxFuture<'a, Result<(), ExtensionError>> {
        Box::pin(async move {
            let session = self.session().ok_or_else(gone)?;
            let taken = session.set_model(made.model, ModelSelectSource::Set).await;
            taken.map_err(ExtensionError::new)?;
            let thinks = session.set_thinking(made.thinking).await;
            thinks.map_err(ExtensionError::new)
        })
    }

    fn set_thinking(&self, level: ThinkingLevel) {
        let (Some(session), Some(runtime)) = (self.session(), &self.runtime) else {
            return;
        };
        let Some(changed) = session.change_thinking(level) else {
            return;
        };
        runtime.spawn(async move {
            // What cannot be written shows with the next message.
            session.tell_thinking(level, changed).await.ok();
        });
    }

    fn control(&self) -> Option<Arc<dyn SessionControl>> {
        self.outside.control.clone()
    }

    fn idle<'a>(&'a self) -> BoxFuture<'a, ()> {
        Box::pin(async {
            if let Some(session) = self.session() {
                session.idle().await;
            }
        })
    }

    fn navigate<'a>(
        &'a self,
        entry_id: &'a str,
    ) -> BoxFuture<'a, Result<Navigated, ExtensionError>> {
        Box::pin(async move {
            let session = self.session().ok_or_else(gone)?;
            let navigated = session.navigate(entry_id).await;
            navigated.map_err(ExtensionError::new)
        })
    }
}

fn gone() -> ExtensionError {
    ExtensionError::new("the session has ended")
}
