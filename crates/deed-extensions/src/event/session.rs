use std::path::PathBuf;
use std::sync::Arc;

use deed_agent::ModelInfo;
use deed_protocol::ThinkingLevel;

use super::{ExtensionEvent, told};

/// The session began, and all extensions are loaded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionStartEvent {
    /// Why.
    pub reason: StartReason,
    /// The file of the session that was left for it.
    pub previous_session_file: Option<PathBuf>,
}

/// Why a session began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StartReason {
    /// The program started.
    #[default]
    Startup,
    /// Extensions were loaded anew.
    Reload,
    /// Somebody wanted a new session.
    New,
    /// Somebody went back to it.
    Resume,
    /// It goes on from a part of another one.
    Fork,
}

impl StartReason {
    /// Returns the word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Startup => "startup",
            Self::Reload => "reload",
            Self::New => "new",
            Self::Resume => "resume",
            Self::Fork => "fork",
        }
    }
}

/// The session is about to end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionShutdownEvent {
    /// Why.
    pub reason: ShutdownReason,
    /// The file of the session that takes its place.
    pub target_session_file: Option<PathBuf>,
}

/// Why a session ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShutdownReason {
    /// The program ends.
    #[default]
    Quit,
    /// Extensions are loaded anew.
    Reload,
    /// A new session takes its place.
    New,
    /// Another session takes its place.
    Resume,
    /// A session that goes on from a part of it takes its place.
    Fork,
}

impl ShutdownReason {
    /// Returns the word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Quit => "quit",
            Self::Reload => "reload",
            Self::New => "new",
            Self::Resume => "resume",
            Self::Fork => "fork",
        }
    }
}

/// Whether something is to happen that a handler was asked about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Consent {
    /// It may, as far as this handler is concerned.
    #[default]
    Agree,
    /// It must not; no further handler is asked.
    Cancel,
}

/// Another session is about to take the place of this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionBeforeSwitchEvent {
    /// Why.
    pub reason: SwitchReason,
    /// The file of the other one, if it has one yet.
    pub target_session_file: Option<PathBuf>,
}

/// Why another session takes the place of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwitchReason {
    /// Somebody wants a new one.
    New,
    /// Somebody goes back to an earlier one.
    Resume,
}

impl ExtensionEvent for SessionBeforeSwitchEvent {
    const NAME: &'static str = "session_before_switch";
    type Reply = Consent;
}

/// A part of this session is about to become one of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionBeforeForkEvent {
    /// The entry that it is cut at.
    pub entry_id: Arc<str>,
    /// Whether that entry goes along.
    pub position: ForkPosition,
}

/// Which side of an entry a session is cut on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForkPosition {
    /// Before it: it does not go along.
    Before,
    /// Behind it: it goes along.
    At,
}

impl ExtensionEvent for SessionBeforeForkEvent {
    const NAME: &'static str = "session_before_fork";
    type Reply = Consent;
}

/// The session has another name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionInfoChangedEvent {
    /// The name; `None` if it has none any more.
    pub name: Option<Arc<str>>,
}

/// Another model answers from the next turn on.
#[derive(Clone, Debug)]
pub struct ModelSelectEvent {
    /// The model.
    pub model: ModelInfo,
    /// The one before it.
    pub previous_model: Option<ModelInfo>,
    /// How it came to that.
    pub source: ModelSelectSource,
}

/// How it came to another model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ModelSelectSource {
    /// It was named.
    #[default]
    Set,
    /// It was the next one.
    Cycle,
    /// The session had it before.
    Restore,
}

/// The model thinks more or less from the next turn on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThinkingLevelSelectEvent {
    /// How much.
    pub level: ThinkingLevel,
    /// How much before.
    pub previous_level: ThinkingLevel,
}

told! {
    SessionStartEvent = "session_start",
    SessionShutdownEvent = "session_shutdown",
    SessionInfoChangedEvent = "session_info_changed",
    ModelSelectEvent = "model_select",
    ThinkingLevelSelectEvent = "thinking_level_select",
}
