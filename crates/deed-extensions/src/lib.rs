//! The extension API: what a session lets others add to it.
//!
//! An [`Extension`] registers tools, handlers of events, commands and flags through its
//! [`ExtensionApi`]. The [`ExtensionHost`] loads extensions in order and stands between them and the
//! loop: handlers of `tool_call` and `tool_result` are links of the chain of
//! [`deed_agent::ToolHook`], handlers of `context` and `message_end` are
//! [`deed_agent::AgentHooks`], all others hear of events through a [`deed_agent::BarrierSink`] in
//! front of all other consumers.
//!
//! Every handler is asynchronous and may be remote. One that fails is reported and has no effect;
//! a guard, which is a handler of `tool_call`, blocks the call instead. A guard can say no more
//! than "no objection": it never skips a rule.
//!
//! This crate draws nothing and knows no tool by what it does.

mod api;
mod command;
mod context;
mod control;
mod diagnostic;
mod drawing;
mod error;
mod event;
mod exec;
mod extension;
mod failure;
mod flag;
mod growing;
mod handler;
mod hooks;
mod host;
mod link;
mod models;
mod record;
mod scope;
mod session;
mod shortcut;
mod sink;
mod tool;
mod ui;

pub use api::ExtensionApi;
pub use command::{CommandError, CommandInfo};
pub use context::{ExtensionContext, GuardWait};
pub use control::{ControlError, Navigated, NoControl, OneSession, Replacement, SessionControl};
pub use diagnostic::{Diagnostic, Problem};
pub use drawing::{Drawable, DrawnCall, Draws, Renderer};
pub use error::ExtensionError;
pub use event::{
    AfterProviderResponseEvent, AgentEndEvent, AgentSettledEvent, AgentStartEvent, BashOperations,
    BeforeAgentStartEvent, BeforeAgentStartReply, BeforeCompactReply, BeforeProviderHeadersEvent,
    BeforeProviderRequestEvent, CommandOutput, CompactionPreparation, CompactionReason, Consent,
    ContextEvent, DiscoveredResources, ExtensionEvent, ForkPosition, InputEvent, InputReply,
    InputSource, MessageEndEvent, MessageStartEvent, MessageUpdateEvent, ModelSelectEvent,
    ModelSelectSource, OwnCompaction, ProjectTrustEvent, ProjectTrustReply, ResourcesDiscoverEvent,
    SessionBeforeCompactEvent, SessionBeforeForkEvent, SessionBeforeSwitchEvent,
    SessionCompactEvent, SessionCompactFailedEvent, SessionInfoChangedEvent, SessionShutdownEvent,
    SessionStartEvent, ShutdownReason, StartReason, SwitchReason, ThinkingLevelSelectEvent,
    ToolCallEvent, ToolCallReply, ToolExecutionEndEvent, ToolExecutionStartEvent,
    ToolExecutionUpdateEvent, ToolResultEvent, TrustAnswer, TurnEndEvent, TurnStartEvent,
    UiPromptEndEvent, UiPromptKind, UiPromptStartEvent, UserBashEvent, UserBashReply,
    UserBashResult,
};
pub use exec::{ExecOptions, ExecOutput};
pub use extension::Extension;
pub use failure::{Failure, FailureKind};
pub use flag::{FlagInfo, FlagKind, FlagValue};
pub use handler::Subscription;
pub use host::{
    CompactionWish, DrawnResult, ExtensionHost, HostOptions, PromptChange, WeakExtensionHost,
};
pub use models::{KnownModel, MadeModel, ModelSource};
pub use record::{RecordedEntries, SessionRecord};
pub use session::{ContextUsage, Delivery, ExtensionSession};
pub use shortcut::ShortcutInfo;

pub(crate) use event::InputCell;
