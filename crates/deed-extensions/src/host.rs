//! All extensions of a session.

mod commands;
mod dispatch;
mod draw;
mod flags;
mod load;
mod loaded;
mod outside;
mod prompt;
mod session;
mod shortcuts;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};
use std::time::Duration;

use deed_agent::{AgentHooks, BarrierSink};
use deed_protocol::SourceInfo;
use tokio_util::sync::CancellationToken;

use crate::failure::{FailureListeners, Hears};
use crate::hooks::{ExtensionHooks, MessagesBegun};
use crate::sink::ExtensionSink;
use crate::{Diagnostic, ExtensionSession, Failure, FlagValue, Problem};

pub use draw::DrawnResult;
pub(crate) use loaded::Loaded;
pub use prompt::PromptChange;
pub use session::CompactionWish;

/// How long a guard may take of its own time where nothing else is said.
const GUARD_TIME: Duration = Duration::from_secs(10);

/// All extensions of a session, and what happens between them and it.
///
/// Cheap to clone; all clones are one host. It goes with the session: whoever holds the session's
/// side of it ([`ExtensionHost::hooks`]) keeps it alive, extensions do not.
#[derive(Clone)]
pub struct ExtensionHost(pub(crate) Arc<Core>);

/// A handle that does not keep its host alive.
#[derive(Clone)]
pub struct WeakExtensionHost(Weak<Core>);

impl WeakExtensionHost {
    /// Returns the host, if it still is.
    pub fn upgrade(&self) -> Option<ExtensionHost> {
        self.0.upgrade().map(ExtensionHost)
    }
}

impl fmt::Debug for WeakExtensionHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WeakExtensionHost")
    }
}

/// What a host is told.
#[derive(Clone, Debug)]
pub struct HostOptions {
    /// How long a guard, which is a handler of `tool_call`, may take of its own time. Waiting for a
    /// person or a program is not its own.
    pub guard_time: Duration,
    /// Values of flags, by name.
    pub flags: HashMap<String, FlagValue>,
}

impl Default for HostOptions {
    fn default() -> Self {
        Self {
            guard_time: GUARD_TIME,
            flags: HashMap::new(),
        }
    }
}

/// How far the session is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Loading,
    Live,
    /// Extensions are told of the end; they may still act.
    Closing,
    Closed,
}

pub(crate) struct Core {
    pub(crate) session: Arc<dyn ExtensionSession>,
    pub(crate) options: HostOptions,
    pub(crate) messages_begun: Mutex<MessagesBegun>,
    phase: RwLock<Phase>,
    extensions: RwLock<Vec<Arc<Loaded>>>,
    diagnostics: Mutex<Vec<Diagnostic>>,
    failures: FailureListeners,
    partials: draw::Partials,
}

impl ExtensionHost {
    /// Makes a host without extensions.
    pub fn new(session: Arc<dyn ExtensionSession>, options: HostOptions) -> Self {
        Self(Arc::new(Core {
            session,
            options,
            messages_begun: Mutex::default(),
            phase: RwLock::new(Phase::Loading),
            extensions: RwLock::default(),
            diagnostics: Mutex::default(),
            failures: FailureListeners::default(),
            partials: draw::Partials::default(),
        }))
    }

    /// Returns what takes part in the loop for the extensions, in front of `inner`.
    pub fn hooks(&self, inner: Arc<dyn AgentHooks>) -> Arc<dyn AgentHooks> {
        Arc::new(ExtensionHooks {
            host: self.clone(),
            inner,
        })
    }

    /// Returns what hears events for the extensions; it must be the first sink of its bus.
    pub fn sink(&self) -> Arc<dyn BarrierSink> {
        Arc::new(ExtensionSink::new(Arc::downgrade(&self.0)))
    }

    /// Returns a handle that does not keep the host alive.
    pub fn downgrade(&self) -> WeakExtensionHost {
        WeakExtensionHost(Arc::downgrade(&self.0))
    }

    /// Returns the extensions that were loaded, in order.
    pub fn extensions(&self) -> Vec<Arc<SourceInfo>> {
        let extensions = self.0.extensions();
        extensions.iter().map(|one| one.source.clone()).collect()
    }

    /// Returns what went wrong with extensions, in the order in which it did.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let diagnostics = self.0.diagnostics.lock();
        diagnostics.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Calls `listener` for every handler that failed without effect on anything else.
    ///
    /// Guards that failed are not among them: their calls were blocked.
    pub fn on_error(&self, listener: impl Fn(&Failure) + Send + Sync + 'static) {
        self.0.failures.add(Hears::Isolated, Arc::new(listener));
    }

    /// Calls `listener` for every handler that failed, guards included.
    pub fn on_failure(&self, listener: impl Fn(&Failure) + Send + Sync + 'static) {
        self.0.failures.add(Hears::All, Arc::new(listener));
    }
}

impl Core {
    pub(crate) fn extensions(&self) -> RwLockReadGuard<'_, Vec<Arc<Loaded>>> {
        let extensions = self.extensions.read();
        extensions.unwrap_or_else(PoisonError::into_inner)
    }

    fn extensions_mut(&self) -> RwLockWriteGuard<'_, Vec<Arc<Loaded>>> {
        let extensions = self.extensions.write();
        extensions.unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn phase(&self) -> Phase {
        *self.phase.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self, phase: Phase) {
        *self.phase.write().unwrap_or_else(PoisonError::into_inner) = phase;
    }

    /// Begins the session; not if it has begun.
    fn begin(&self) -> bool {
        let mut phase = self.phase.write().unwrap_or_else(PoisonError::into_inner);
        let begins = *phase == Phase::Loading;
        if begins {
            *phase = Phase::Live;
        }
        begins
    }

    /// Begins the end of the session; not if it has begun.
    fn begin_closing(&self) -> bool {
        let mut phase = self.phase.write().unwrap_or_else(PoisonError::into_inner);
        let begins = matches!(*phase, Phase::Loading | Phase::Live);
        if begins {
            *phase = Phase::Closing;
        }
        begins
    }

    /// Notes what went wrong with an extension.
    pub(crate) fn note(&self, extension: &Arc<SourceInfo>, problem: Problem) {
        let diagnostics = self.diagnostics.lock();
        diagnostics
            .unwrap_or_else(PoisonError::into_inner)
            .push(Diagnostic {
                extension: extension.clone(),
                problem,
            });
    }

    pub(crate) fn tell(&self, failure: &Failure) {
        self.failures.tell(failure);
    }

    /// Returns the token of the run, or that of the session while none is under way.
    pub(crate) fn cancellation(&self) -> CancellationToken {
        self.session.cancellation()
    }
}

impl fmt::Debug for ExtensionHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExtensionHost")
            .field("extensions", &self.extensions())
            .field("phase", &self.0.phase())
            .finish_non_exhaustive()
    }
}
