use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use deed_agent::{Agent, ModelInfo};
use deed_tooling::{
    ActiveChange, ActiveChanged, ContextSource, HostActions, SessionView, ToolRegistry, Ui,
};
use tokio_util::sync::CancellationToken;

use crate::journal::Journal;
use crate::model_slot::ModelSlot;

/// What tools may know of the session and ask of it.
pub(crate) struct SessionContext {
    pub(crate) cwd: PathBuf,
    pub(crate) id: Arc<str>,
    pub(crate) journal: Option<Arc<Journal>>,
    pub(crate) output_folder: Option<PathBuf>,
    pub(crate) model: Arc<ModelSlot>,
    pub(crate) registry: Arc<ToolRegistry>,
    pub(crate) ui: Arc<dyn Ui>,
    /// Known once the agent is made; the agent holds this context, so it must not be held back.
    pub(crate) cancel: Mutex<Option<CancelRun>>,
    pub(crate) batches: Arc<BatchAbort>,
}

/// Cancels the run, whatever it is by then.
pub(crate) type CancelRun = Box<dyn Fn() + Send + Sync>;

impl SessionContext {
    pub(crate) fn cancels_with(&self, agent: &Agent) {
        let agent = agent.downgrade();
        let cancel: CancelRun = Box::new(move || {
            if let Some(agent) = agent.upgrade() {
                agent.cancel();
            }
        });
        *self.cancel.lock().unwrap_or_else(PoisonError::into_inner) = Some(cancel);
    }
}

/// Reaches the batches that no run of the agent started.
#[derive(Default)]
pub(crate) struct BatchAbort(Mutex<CancellationToken>);

impl BatchAbort {
    /// Returns what is cancelled by the next [`BatchAbort::abort`].
    pub(crate) fn token(&self) -> CancellationToken {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Cancels the batches of this moment, not later ones.
    fn abort(&self) {
        let mut token = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *token).cancel();
    }
}

impl ContextSource for SessionContext {
    fn cwd(&self) -> &Path {
        &self.cwd
    }

    fn model(&self) -> Option<ModelInfo> {
        Some(self.model.info())
    }

    fn session(&self) -> &dyn SessionView {
        self
    }

    fn ui(&self) -> &dyn Ui {
        self.ui.as_ref()
    }

    fn actions(&self) -> &dyn HostActions {
        self
    }
}

impl SessionView for SessionContext {
    fn id(&self) -> Option<Arc<str>> {
        let recorded = self.journal.as_ref();
        let recorded = recorded.and_then(|journal| journal.with(|session| session.id().into()));
        Some(recorded.unwrap_or_else(|| self.id.clone()))
    }

    fn name(&self) -> Option<Arc<str>> {
        let journal = self.journal.as_ref()?;
        journal.with(|session| session.view().name().map(Into::into))?
    }

    fn file(&self) -> Option<PathBuf> {
        let journal = self.journal.as_ref()?;
        journal.with(|session| session.path().map(Path::to_owned))?
    }

    fn output_folder(&self) -> Option<PathBuf> {
        self.output_folder.clone()
    }
}

impl HostActions for SessionContext {
    fn abort(&self) {
        if let Some(cancel) = &*self.cancel.lock().unwrap_or_else(PoisonError::into_inner) {
            cancel();
        }
        self.batches.abort();
    }

    fn active_tools(&self) -> Vec<Arc<str>> {
        self.registry.active_names()
    }

    fn change_active_tools(&self, change: &ActiveChange) -> ActiveChanged {
        self.registry.change_active_tools(change)
    }
}
