use std::fmt;
use std::path::Path;
use std::sync::Arc;

use deed_agent::ModelInfo;
use deed_protocol::ThinkingLevel;
use deed_tooling::{SessionView, Ui};
use tokio_util::sync::CancellationToken;

use crate::scope::{GuardScope, OpenWait};
use crate::ui::HandlerUi;
use crate::{ContextUsage, ExtensionSession};

/// What a handler or command may know and do; each answer is that of the moment.
#[derive(Clone)]
pub struct ExtensionContext {
    ui: HandlerUi,
}

impl ExtensionContext {
    pub(crate) fn new(
        session: Arc<dyn ExtensionSession>,
        cancel: CancellationToken,
        guard: Option<Arc<GuardScope>>,
    ) -> Self {
        Self {
            ui: HandlerUi {
                session,
                cancel,
                guard,
            },
        }
    }

    /// Returns the way to a person.
    ///
    /// With nobody there, and when the run is cancelled, every question is answered no. Time that a
    /// guard waits here is not its own.
    pub fn ui(&self) -> &dyn Ui {
        &self.ui
    }

    /// Tells whether somebody can answer.
    pub fn has_ui(&self) -> bool {
        self.ui.has_ui()
    }

    /// Returns the folder that relative paths start from.
    pub fn cwd(&self) -> &Path {
        self.host().context().cwd()
    }

    /// Returns the model.
    pub fn model(&self) -> Option<ModelInfo> {
        self.host().context().model()
    }

    /// Returns what may be known of the session.
    pub fn session(&self) -> &dyn SessionView {
        self.host().context().session()
    }

    /// Returns what tells the handler to stop: the token of the run or call.
    pub fn cancel(&self) -> &CancellationToken {
        &self.ui.cancel
    }

    /// Tells whether no run is under way.
    pub fn is_idle(&self) -> bool {
        self.host().is_idle()
    }

    /// Tells whether messages wait for the run that is under way, or for the next one.
    pub fn has_pending_messages(&self) -> bool {
        self.host().has_pending_messages()
    }

    /// Returns how much the model thinks.
    pub fn thinking_level(&self) -> ThinkingLevel {
        self.host().thinking()
    }

    /// Returns how full the context is; `None` if that is not known.
    pub fn context_usage(&self) -> Option<ContextUsage> {
        self.host().context_usage()
    }

    /// Cancels the run.
    pub fn abort(&self) {
        self.host().context().actions().abort();
    }

    /// Compacts the transcript when the run has ended.
    pub fn compact(&self, instructions: Option<&str>) {
        self.host().context().actions().compact(instructions);
    }

    /// Returns the system prompt of the next turn.
    pub fn system_prompt(&self) -> Arc<str> {
        self.host().system_prompt()
    }

    /// Stops the clock of a guard for as long as the answer is held: it waits for somebody else.
    /// Outside of guards it does nothing.
    pub fn waiting(&self) -> GuardWait {
        GuardWait {
            _wait: self.ui.guard.as_ref().map(GuardScope::wait),
        }
    }

    fn host(&self) -> &dyn ExtensionSession {
        self.ui.session.as_ref()
    }
}

impl fmt::Debug for ExtensionContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExtensionContext")
            .field("cwd", &self.cwd())
            .finish_non_exhaustive()
    }
}

/// A guard waits for a person or a program, and its clock stands still.
#[derive(Debug)]
#[must_use = "the clock goes on when this is dropped"]
pub struct GuardWait {
    _wait: Option<OpenWait>,
}
