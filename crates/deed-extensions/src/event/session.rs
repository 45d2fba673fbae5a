use super::told;

/// The session began, and all extensions are loaded.
#[derive(Clone, Copy, Debug)]
pub struct SessionStartEvent {
    /// Why.
    pub reason: StartReason,
}

/// Why a session began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartReason {
    /// The program started.
    Startup,
}

/// The session is about to end.
#[derive(Clone, Copy, Debug)]
pub struct SessionShutdownEvent {
    /// Why.
    pub reason: ShutdownReason,
}

/// Why a session ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShutdownReason {
    /// The program ends.
    Quit,
}

told! {
    SessionStartEvent = "session_start",
    SessionShutdownEvent = "session_shutdown",
}
