//! The extensions of a session.

use std::path::Path;
use std::sync::Arc;

use deed_env::ExecutionEnv;
use deed_extensions::Extension;
use deed_harness::AgentSession;
use deed_harness::extension_files::FoundExtensions;
use deed_harness::settings::Settings;
use deed_tools::ToolSettings;

use super::Ground;
use crate::cli::{Mode, RunArgs};
use crate::exit::complain;
use crate::extensions::{self, Accepting, Scripts, Wanted, accept, ready};
use crate::places::Places;
use crate::settings::{settings_files, trust_store};

/// Finds the extensions that a run wants, and tells what was named and is none.
pub(super) fn found(
    args: &RunArgs,
    places: &Places,
    cwd: &Path,
    settings: (&Settings, bool),
) -> FoundExtensions {
    let wanted = Wanted {
        named: args.extensions.extension.clone(),
        only_named: args.extensions.no_extensions,
    };
    let found = extensions::find(&wanted, places, cwd, settings);
    for problem in &found.problems {
        complain(&format!("warning: {problem}"));
    }
    found
}

impl Ground {
    /// Makes the extensions that a person accepts.
    pub(super) async fn extensions(
        &self,
        tools: ToolSettings,
    ) -> anyhow::Result<Vec<Arc<dyn Extension>>> {
        let files = self.extensions.files.clone();
        if files.is_empty() {
            return Ok(Vec::new());
        }
        let accepting = Accepting {
            ui: self.front.early_ui.as_ref(),
            store: trust_store(&self.places),
        };
        let accepted = accept(files, &accepting).await?;
        let files = settings_files(&self.places, self.env.cwd());
        let shown = files.read(self.project_is_trusted);
        let scripts = Scripts {
            places: &self.places,
            cwd: self.env.cwd(),
            gate: &self.guard.gate,
            databases: &self.databases,
            transport: &self.transport,
            tools,
            settings: Arc::new(shown.shown()),
            mode: match self.front.mode {
                Mode::Text => "print",
                Mode::Json => "json",
                Mode::Rpc => "rpc",
            },
            is_verbose: self.args.verbose,
            project_is_trusted: self.project_is_trusted,
        };
        ready(accepted, &scripts)
    }

    /// Errors: an option that is neither Deed's nor a flag of an extension.
    pub(super) fn ensure_flags(&self, session: &AgentSession) -> anyhow::Result<()> {
        let flags = &self.args.extensions.flags;
        let known = session.extensions().flags();
        let is_known = |name: &str| known.iter().any(|flag| &*flag.name == name);
        let unknown = flags.given.iter().any(|(name, _)| !is_known(name));
        anyhow::ensure!(!unknown, "{}", flags.complaint.trim_end());
        Ok(())
    }
}
