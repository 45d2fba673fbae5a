//! Context files, skills, templates and system prompts, read from real folders.

mod context_files;
mod front_matter;
mod skills;
mod system_files;
mod templates;

use std::fs;
use std::path::PathBuf;

use deed_harness::{ResourcePlaces, Resources};
use tempfile::TempDir;

/// A home and a project, `ROOT/home` and `ROOT/work/app`.
pub(crate) struct Folders {
    root: TempDir,
}

impl Folders {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for folder in ["home/deed", "home/.agents", "work/app"] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        Self { root }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(name)
    }

    /// Writes a file and the folders above it.
    pub(crate) fn put(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    /// The places of a trusted project.
    pub(crate) fn places(&self) -> ResourcePlaces {
        ResourcePlaces {
            shared: Some(self.path("home/.agents")),
            project_is_trusted: true,
            ..ResourcePlaces::new(self.path("work/app"), Some(self.path("home/deed")))
        }
    }

    pub(crate) fn load(&self) -> Resources {
        Resources::load(&self.places())
    }

    /// Puts `ROOT` in place of the folder that all others are in.
    pub(crate) fn steady(&self, text: &str) -> String {
        text.replace(&self.path("").display().to_string(), "ROOT/")
    }

    pub(crate) fn diagnostics(&self, resources: &Resources) -> Vec<String> {
        let texts = resources.diagnostics.iter().map(ToString::to_string);
        texts.map(|text| self.steady(&text)).collect()
    }
}
