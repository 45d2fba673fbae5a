//! What extensions can listen to, one type an event.

mod bash;
mod compaction;
pub(crate) mod input;
mod prompt;
mod provider;
mod resources;
mod run;
mod session;
mod tool;

pub use bash::{BashOperations, CommandOutput, UserBashEvent, UserBashReply, UserBashResult};
pub use compaction::{
    BeforeCompactReply, CompactionPreparation, CompactionReason, OwnCompaction,
    SessionBeforeCompactEvent, SessionCompactEvent, SessionCompactFailedEvent,
};
pub use input::{
    BeforeAgentStartEvent, BeforeAgentStartReply, InputEvent, InputReply, InputSource,
};
pub use prompt::{UiPromptEndEvent, UiPromptKind, UiPromptStartEvent};
pub use provider::{
    AfterProviderResponseEvent, BeforeProviderHeadersEvent, BeforeProviderRequestEvent,
};
pub use resources::{
    DiscoveredResources, ProjectTrustEvent, ProjectTrustReply, ResourcesDiscoverEvent, TrustAnswer,
};
pub use run::{
    AgentEndEvent, AgentSettledEvent, AgentStartEvent, ContextEvent, MessageEndEvent,
    MessageStartEvent, MessageUpdateEvent, TurnEndEvent, TurnStartEvent,
};
pub use session::{
    Consent, ForkPosition, ModelSelectEvent, ModelSelectSource, SessionBeforeForkEvent,
    SessionBeforeSwitchEvent, SessionInfoChangedEvent, SessionShutdownEvent, SessionStartEvent,
    ShutdownReason, StartReason, SwitchReason, ThinkingLevelSelectEvent,
};
pub use tool::{
    ToolCallEvent, ToolCallReply, ToolExecutionEndEvent, ToolExecutionStartEvent,
    ToolExecutionUpdateEvent, ToolResultEvent,
};

pub(crate) use tool::InputCell;

/// Something that extensions can listen to.
///
/// Handlers run in the order in which extensions were loaded, then in that of registration, one
/// after the other; who listens is settled when the event begins. Each sees what the one before it
/// left, in place or by its reply. One that fails is reported, what it changed is undone, and the
/// next runs; only [`ToolCallEvent`] differs.
pub trait ExtensionEvent: Clone + Send + 'static {
    /// Its name, as on the wire.
    const NAME: &'static str;

    /// What a handler may answer; the default changes nothing.
    type Reply: Default + Send + 'static;
}

/// Names events whose handlers have nothing to answer.
macro_rules! told {
    ($($event:ident = $name:literal),+ $(,)?) => {
        $(impl crate::ExtensionEvent for $event {
            const NAME: &'static str = $name;
            type Reply = ();
        })+
    };
}

pub(crate) use told;
