use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use deed_agent::ModelInfo;
use deed_extensions::{SessionShutdownEvent, SessionStartEvent};
use deed_harness::{AgentSession, Resources};
use deed_models::ModelSpec;
use serde_json::json;
use tokio::sync::{RwLock, RwLockReadGuard};
use tokio_util::sync::CancellationToken;

use crate::output::Outlet;
use crate::refusal::Refusal;
use crate::{DrainModes, EventSink, Hosted};

/// A session that the client acts on, and what goes on in it.
pub(crate) struct Attached {
    pub(crate) session: AgentSession,
    /// What is there to be expanded in prompts; extensions may add to it.
    resources: Mutex<Arc<Resources>>,
    /// Held while the client lets it be compacted.
    pub(crate) compaction: tokio::sync::Mutex<()>,
    sink: Arc<EventSink>,
    spec: Mutex<Option<Arc<ModelSpec>>>,
    drain_modes: Mutex<DrainModes>,
    /// Read by each command of an extension while it runs.
    commands: RwLock<()>,
    /// Read by each command of a person while it runs.
    shell: RwLock<()>,
    shell_cancel: Mutex<CancellationToken>,
    is_open: AtomicBool,
    end: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Attached {
    /// Begins to tell the client of a session.
    pub(super) fn new(hosted: Hosted, outlet: &Outlet, with_cards: bool) -> Self {
        let session = hosted.session;
        let mut sink = EventSink::new(Arc::new(outlet.clone()));
        if with_cards {
            sink = sink.with_cards_of(&session);
        }
        let sink = Arc::new(sink);
        session.add_sink(sink.clone());
        let tells = outlet.clone();
        session.extensions().on_error(move |failure| {
            tells.remark(&json!({
                "type": "extension_error",
                "extensionPath": failure.extension.path,
                "event": failure.event,
                "error": failure.error,
            }));
        });
        Self {
            session,
            resources: Mutex::new(hosted.resources),
            compaction: tokio::sync::Mutex::default(),
            sink,
            spec: Mutex::new(hosted.spec),
            drain_modes: Mutex::new(hosted.drain_modes),
            commands: RwLock::default(),
            shell: RwLock::default(),
            shell_cancel: Mutex::default(),
            is_open: AtomicBool::new(true),
            end: Mutex::new(Some(hosted.end)),
        }
    }

    /// Tells extensions that the session starts, and takes in what they bring along.
    pub(super) async fn begin(&self, start: SessionStartEvent) {
        let reason = start.reason;
        self.session.tell_start(start).await;
        let mut resources = Resources::clone(&self.resources());
        self.session
            .discover_resources(&mut resources, reason)
            .await;
        *lock(&self.resources) = Arc::new(resources);
    }

    /// Returns the skills and templates that prompts may name.
    pub(crate) fn resources(&self) -> Arc<Resources> {
        lock(&self.resources).clone()
    }

    /// Errors: another session took its place.
    pub(crate) fn ensure_open(&self) -> Result<(), Refusal> {
        match self.is_open.load(Ordering::Acquire) {
            true => Ok(()),
            false => Err(Refusal::Closed),
        }
    }

    /// Returns what is known of its model, if that is the model it had when it was last looked up.
    pub(crate) fn spec_of(&self, info: &ModelInfo) -> Option<Arc<ModelSpec>> {
        let spec = lock(&self.spec).clone()?;
        (spec.provider == info.provider && spec.id == info.id).then_some(spec)
    }

    pub(crate) fn set_spec(&self, spec: Option<Arc<ModelSpec>>) {
        *lock(&self.spec) = spec;
    }

    pub(crate) fn drain_modes(&self) -> DrainModes {
        *lock(&self.drain_modes)
    }

    pub(super) fn set_drain_modes(&self, modes: DrainModes) {
        *lock(&self.drain_modes) = modes;
        self.session
            .set_drain_modes(modes.steering, modes.follow_up);
    }

    pub(crate) fn is_compacting(&self) -> bool {
        self.sink.is_compacting()
    }

    /// Cancels the run, waiting for a retry and compaction, not commands of the person.
    pub(crate) fn cancel_run(&self) {
        self.session.abort_retry();
        self.session.cancel();
    }

    /// Waits until neither a prompt nor a compaction is under way.
    pub(crate) async fn idle(&self) {
        self.session.idle().await;
        drop(self.compaction.lock().await);
    }

    /// Lets a command of an extension begin; it has ended when the answer is dropped.
    pub(crate) async fn begin_command(&self) -> RwLockReadGuard<'_, ()> {
        self.commands.read().await
    }

    /// Waits until no command of an extension runs.
    pub(crate) async fn commands_over(&self) {
        drop(self.commands.write().await);
    }

    /// Lets a command of the person begin; it has ended when the first of the two is dropped.
    pub(crate) async fn begin_shell(
        &self,
    ) -> Result<(RwLockReadGuard<'_, ()>, CancellationToken), Refusal> {
        let running = self.shell.read().await;
        self.ensure_open()?;
        let cancel = lock(&self.shell_cancel).child_token();
        Ok((running, cancel))
    }

    /// Cancels the commands of the person that run now, not later ones.
    pub(crate) fn cancel_shell(&self) {
        std::mem::take(&mut *lock(&self.shell_cancel)).cancel();
    }

    /// Cancels all that goes on, and lets nothing more begin.
    pub(super) fn stop(&self) {
        self.is_open.store(false, Ordering::Release);
        self.cancel_run();
        self.cancel_shell();
    }

    /// Ends the session when what goes on in it has come to its end; extensions hear why.
    pub(crate) async fn close(&self, why: SessionShutdownEvent) {
        self.stop();
        self.idle().await;
        drop(self.shell.write().await);
        self.session.close_for(why).await;
        self.sink.mute();
        if let Some(end) = lock(&self.end).take() {
            end();
        }
    }
}
