use std::path::PathBuf;
use std::sync::Arc;

/// What a running tool may know of the session.
pub trait SessionView: Send + Sync + 'static {
    /// Returns its id; `None` if nothing is stored.
    fn id(&self) -> Option<Arc<str>> {
        None
    }

    /// Returns the name that a person gave it.
    fn name(&self) -> Option<Arc<str>> {
        None
    }

    /// Returns the file it is stored in.
    fn file(&self) -> Option<PathBuf> {
        None
    }

    /// Returns the folder for output that is too long for a result; the session may always read
    /// what lies there.
    fn output_folder(&self) -> Option<PathBuf> {
        None
    }
}

/// No session.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSession;

impl SessionView for NoSession {}
