use std::path::Path;

use deed_session::{Finding, Layout, SessionStore, SessionSummary, StoreConfig};

use super::{Action, ImportKind, Plan};

impl Plan<'_> {
    /// Copies sessions as they are: their format is the same, and older ones are read all the same.
    pub(super) fn sessions(&mut self) {
        if let Some(folder) = &self.places.pi_sessions {
            self.pi_sessions.clone_from(folder);
        }
        let ours = SessionStore::new(StoreConfig::new(&self.places.sessions));
        for layout in [Layout::FolderPerCwd, Layout::Flat] {
            let theirs = SessionStore::new(StoreConfig {
                layout,
                ..StoreConfig::new(&self.pi_sessions)
            });
            let mut listing = theirs.list_all();
            listing.sessions.sort_by(|a, b| a.path.cmp(&b.path));
            for session in &listing.sessions {
                self.session(session, &ours);
            }
            for diagnostic in listing.diagnostics {
                // What is wrong inside a session is told when it is opened.
                if let (Some(path), Finding::NoSession { .. }) =
                    (&diagnostic.path, &diagnostic.what)
                {
                    let (name, reason) = (self.below_pi(path), diagnostic.what.to_string());
                    self.skip(ImportKind::Session, name, reason);
                }
            }
        }
    }

    fn session(&mut self, session: &SessionSummary, ours: &SessionStore) {
        let name = self.below_pi(&session.path);
        let folder = ours.folder(Path::new(&session.cwd));
        let to = folder.join(session.path.file_name().unwrap_or_default());
        if to.symlink_metadata().is_ok() {
            return self.skip(ImportKind::Session, name, "it is there already");
        }
        let from = session.path.clone();
        self.take(ImportKind::Session, name, to, Action::PrivateCopy(from));
    }

    fn below_pi(&self, path: &Path) -> String {
        let below = path.strip_prefix(&self.places.pi).unwrap_or(path);
        below.display().to_string()
    }
}
