use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use deed_agent::{CallContext, ModelInfo};

use crate::{HostActions, NoActions, NoSession, NoUi, SessionView, Ui};

/// Where the context of calls comes from: one for each session.
pub trait ContextSource: Send + Sync + 'static {
    /// Returns the folder that relative paths start from.
    fn cwd(&self) -> &Path;

    /// Returns the model of this moment.
    fn model(&self) -> Option<ModelInfo> {
        None
    }

    /// Returns what may be known of the session.
    fn session(&self) -> &dyn SessionView {
        &NoSession
    }

    /// Returns the way to a person.
    fn ui(&self) -> &dyn Ui {
        &NoUi
    }

    /// Returns what the host can do.
    fn actions(&self) -> &dyn HostActions {
        &NoActions
    }
}

/// What a running call of a [`crate::ToolDefinition`] may use.
#[derive(Clone)]
pub struct ToolContext {
    /// Call id, cancellation, updates and redaction.
    pub call: CallContext,
    source: Arc<dyn ContextSource>,
    actions: Option<Arc<dyn HostActions>>,
}

impl ToolContext {
    /// Makes the context of one call.
    pub fn new(call: CallContext, source: Arc<dyn ContextSource>) -> Self {
        Self {
            call,
            source,
            actions: None,
        }
    }

    /// Puts other actions in front of those of the source.
    pub(crate) fn with_actions(mut self, actions: Arc<dyn HostActions>) -> Self {
        self.actions = Some(actions);
        self
    }

    /// Returns the folder that relative paths start from.
    pub fn cwd(&self) -> &Path {
        self.source.cwd()
    }

    /// Returns the model of this moment.
    pub fn model(&self) -> Option<ModelInfo> {
        self.source.model()
    }

    /// Returns what may be known of the session.
    pub fn session(&self) -> &dyn SessionView {
        self.source.session()
    }

    /// Returns the way to a person.
    pub fn ui(&self) -> &dyn Ui {
        self.source.ui()
    }

    /// Returns what the host can do.
    pub fn actions(&self) -> &dyn HostActions {
        match &self.actions {
            Some(actions) => actions.as_ref(),
            None => self.source.actions(),
        }
    }
}

impl fmt::Debug for ToolContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolContext")
            .field("call", &self.call)
            .field("cwd", &self.cwd())
            .finish_non_exhaustive()
    }
}

/// A context that has a folder and nothing else.
#[derive(Clone, Debug)]
pub struct FixedContext {
    cwd: PathBuf,
}

impl FixedContext {
    /// Makes a context of a folder.
    pub fn new(cwd: impl Into<PathBuf>) -> Self {
        Self { cwd: cwd.into() }
    }
}

impl ContextSource for FixedContext {
    fn cwd(&self) -> &Path {
        &self.cwd
    }
}
