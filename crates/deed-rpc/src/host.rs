//! What the program round the server does for it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use deed_agent::{BoxFuture, DrainMode, Model};
use deed_harness::{AgentSession, Resources};
use deed_models::ModelSpec;
use deed_session::Session;

/// Makes sessions, knows models, and writes exports.
pub trait SessionHost: Send + Sync + 'static {
    /// Opens another session; the present one goes on if that fails.
    ///
    /// Errors: the text for the client: what is wrong, and what to do.
    fn open<'a>(&'a self, wanted: Wanted) -> BoxFuture<'a, Result<Hosted, HostError>>;

    /// Lists the models that can be asked as things are.
    fn models<'a>(&'a self) -> BoxFuture<'a, Vec<ModelSpec>>;

    /// Makes a model for a session.
    ///
    /// Errors: as [`SessionHost::open`].
    fn make_model(
        &self,
        spec: ModelSpec,
        session: &AgentSession,
    ) -> Result<Arc<dyn Model>, HostError>;

    /// Writes a session as an HTML page, where the client says or where the host thinks best, and
    /// returns the file.
    ///
    /// Errors: as [`SessionHost::open`].
    fn export<'a>(
        &'a self,
        session: &'a AgentSession,
        to: Option<&'a Path>,
    ) -> BoxFuture<'a, Result<PathBuf, HostError>>;

    /// Hears of an answer to an approval that came when it no longer stood.
    fn late_answer(&self, approval_id: &str, answer: &str) {
        let _ = (approval_id, answer);
    }
}

/// Which session is to be opened.
#[derive(Debug)]
pub enum Wanted {
    /// A new one, which came from the session of another file if one is named.
    New {
        /// The file.
        parent: Option<PathBuf>,
    },
    /// The one in a file.
    File(PathBuf),
    /// One that goes on with this record.
    Record(Box<Session>),
}

/// A session that was opened, and what belongs to it.
pub struct Hosted {
    /// The session; extensions hear that it starts when the client hears of it, if it was made by
    /// [`SessionBuilder::build_to_start`](deed_harness::SessionBuilder::build_to_start).
    pub session: AgentSession,
    /// Its skills and templates.
    pub resources: Arc<Resources>,
    /// What is known of its model; nothing of a scripted one.
    pub spec: Option<Arc<ModelSpec>>,
    /// How much of its queues is delivered at once, as it was set.
    pub drain_modes: DrainModes,
    /// Called when it is closed.
    pub end: Box<dyn FnOnce() + Send>,
}

impl Hosted {
    /// A session alone.
    pub fn new(session: AgentSession) -> Self {
        Self {
            session,
            resources: Arc::default(),
            spec: None,
            drain_modes: DrainModes::default(),
            end: Box::new(|| {}),
        }
    }
}

impl fmt::Debug for Hosted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hosted")
            .field("session", &self.session)
            .finish_non_exhaustive()
    }
}

/// How much of each queue is delivered at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DrainModes {
    /// Of messages that wait for the end of the batch.
    pub steering: DrainMode,
    /// Of messages that wait for the end of the run.
    pub follow_up: DrainMode,
}

/// What a host could not do, in words for the client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct HostError(pub String);
