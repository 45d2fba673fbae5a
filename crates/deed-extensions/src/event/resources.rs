use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{ExtensionEvent, StartReason};

/// Skills, templates and themes are looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourcesDiscoverEvent {
    /// The folder that the session works in.
    pub cwd: Arc<Path>,
    /// Why: the program started, or extensions were loaded anew.
    pub reason: StartReason,
}

/// What an extension adds to what is found.
///
/// Shape: files or folders; relative ones start from the folder of the session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiscoveredResources {
    /// Skills, or folders of them.
    pub skill_paths: Vec<PathBuf>,
    /// Prompt templates, or folders of them.
    pub prompt_paths: Vec<PathBuf>,
    /// Themes, or folders of them.
    pub theme_paths: Vec<PathBuf>,
}

impl DiscoveredResources {
    /// Adds what another one found, with relative paths made absolute.
    pub(crate) fn append(&mut self, more: Self, cwd: &Path) {
        let lists = [
            (&mut self.skill_paths, more.skill_paths),
            (&mut self.prompt_paths, more.prompt_paths),
            (&mut self.theme_paths, more.theme_paths),
        ];
        for (all, more) in lists {
            all.extend(more.into_iter().map(|path| cwd.join(path)));
        }
    }
}

impl ExtensionEvent for ResourcesDiscoverEvent {
    const NAME: &'static str = "resources_discover";
    type Reply = DiscoveredResources;
}

/// It is to be decided whether what a project brings is loaded.
///
/// Asked before anything of the project is, of extensions that people named themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectTrustEvent {
    /// The project.
    pub cwd: Arc<Path>,
}

/// What an extension says of a project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProjectTrustReply {
    /// Nothing: the next one is asked.
    #[default]
    Undecided,
    /// This, and nobody else is asked.
    Decided(TrustAnswer),
}

/// Whether a project is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrustAnswer {
    /// Whether it is.
    pub is_trusted: bool,
    /// Whether that holds for good.
    pub remember: bool,
}

impl ExtensionEvent for ProjectTrustEvent {
    const NAME: &'static str = "project_trust";
    type Reply = ProjectTrustReply;
}
