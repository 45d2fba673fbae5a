//! Settings: what two files come to.

mod documents;
mod faults;
mod layers;

use std::fs;
use std::path::PathBuf;

use deed_harness::settings::{LoadedSettings, Settings, SettingsFiles, SettingsReport};
use tempfile::TempDir;

/// A home and a project in it.
struct Place {
    root: TempDir,
}

impl Place {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("home/.config/deed")).unwrap();
        fs::create_dir_all(root.path().join("project/.deed")).unwrap();
        Self { root }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn user(self, text: impl AsRef<[u8]>) -> Self {
        fs::write(self.path("home/.config/deed/settings.json"), text).unwrap();
        self
    }

    fn project(self, text: impl AsRef<[u8]>) -> Self {
        fs::write(self.path("project/.deed/settings.json"), text).unwrap();
        self
    }

    fn files(&self) -> SettingsFiles {
        SettingsFiles {
            user: Some(self.path("home/.config/deed/settings.json")),
            project: Some(self.path("project")),
            home: Some(self.path("home")),
        }
    }

    fn read(&self) -> SettingsReport {
        self.files().read(true)
    }

    #[track_caller]
    fn load(&self) -> LoadedSettings {
        self.files().load(true).unwrap()
    }

    /// Loads what is sound throughout.
    #[track_caller]
    fn settings(&self) -> Settings {
        let loaded = self.load();
        assert_eq!(loaded.ignored, []);
        loaded.settings
    }

    /// What is not as it should be, one a line.
    fn findings(&self) -> String {
        let findings = self.read().findings;
        let lines: Vec<String> = findings
            .iter()
            .map(|finding| self.steady(finding))
            .collect();
        lines.join("\n")
    }

    fn steady(&self, text: impl ToString) -> String {
        let root = self.root.path().display().to_string();
        text.to_string().replace(&root, "ROOT")
    }
}
