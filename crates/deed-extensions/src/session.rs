use std::sync::Arc;

use deed_agent::{BoxFuture, Model};
use deed_env::ExecutionEnv;
use deed_protocol::{Message, ThinkingLevel};
use deed_tooling::{ContextSource, ToolRegistry};
use tokio_util::sync::CancellationToken;

use crate::{ExtensionError, MadeModel, ModelSource, Navigated, SessionControl, SessionRecord};

/// The session that extensions are loaded into, as far as they may use it.
///
/// It is held for as long as anything of an extension runs, so it must not hold the host back.
pub trait ExtensionSession: Send + Sync + 'static {
    /// Returns folder, model, session view, way to a person, and actions.
    fn context(&self) -> &dyn ContextSource;

    /// Returns where tools act and programs run.
    fn env(&self) -> &Arc<dyn ExecutionEnv>;

    /// Returns all tools.
    fn registry(&self) -> &ToolRegistry;

    /// Returns what is written down of the session; `None` if the host keeps no record at all.
    fn record(&self) -> Option<&dyn SessionRecord> {
        None
    }

    /// Tells whether no run is under way.
    fn is_idle(&self) -> bool;

    /// Returns what tells that the run is cancelled; without a run, that the session is told to.
    fn cancellation(&self) -> CancellationToken;

    /// Returns the system prompt of the next turn.
    fn system_prompt(&self) -> Arc<str>;

    /// Tells whether messages wait for the run that is under way, or for the next one.
    fn has_pending_messages(&self) -> bool {
        false
    }

    /// Returns how much the model thinks.
    fn thinking(&self) -> ThinkingLevel {
        ThinkingLevel::Off
    }

    /// Returns how full the context is; `None` if that is not known.
    fn context_usage(&self) -> Option<ContextUsage> {
        None
    }

    /// Returns the time of day.
    ///
    /// Units: milliseconds since 1970.
    fn now_ms(&self) -> i64;

    /// Takes a message for the model: into a run that is under way as `delivery` says, otherwise
    /// as the prompt of a new one. Does not wait.
    fn send(&self, message: Message, delivery: Delivery);

    /// Returns the models that extensions may use; `None` if there are no others than the session's.
    fn models(&self) -> Option<Arc<dyn ModelSource>> {
        None
    }

    /// Returns the model that answers.
    fn model(&self) -> Option<Arc<dyn Model>>;

    /// Lets another model answer from the next turn on.
    ///
    /// Errors: the record cannot be written.
    fn set_model<'a>(&'a self, made: MadeModel) -> BoxFuture<'a, Result<(), ExtensionError>>;

    /// Sets how much the model thinks, from the next turn on. Does not wait for who hears of it.
    fn set_thinking(&self, level: ThinkingLevel);

    /// Returns what the program round the session does for extensions.
    fn control(&self) -> Option<Arc<dyn SessionControl>> {
        None
    }

    /// Waits until no prompt is under way.
    fn idle<'a>(&'a self) -> BoxFuture<'a, ()>;

    /// Goes to another place in the tree of the session.
    ///
    /// Errors: a run is under way, there is no such entry, or no record.
    fn navigate<'a>(
        &'a self,
        entry_id: &'a str,
    ) -> BoxFuture<'a, Result<Navigated, ExtensionError>>;
}

/// How full the context of the model is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextUsage {
    /// How large it is, by what the last answer reports and an estimate of what came since.
    ///
    /// Units: tokens.
    pub tokens: u64,
    /// How large it may be.
    ///
    /// Units: tokens.
    pub context_window: u64,
}

/// When a message reaches a run that is under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Delivery {
    /// Before the next request, after the batch.
    #[default]
    Steer,
    /// When the run would end.
    FollowUp,
    /// Behind the next prompt, which it does not begin; a run that is under way goes on without it.
    NextTurn,
}
