use std::path::PathBuf;
use std::sync::Arc;

use deed_env::{LocalConfig, LocalEnv};
use deed_harness::{AgentSession, SessionBuilder};
use tempfile::TempDir;

/// A folder to work in and one for what is kept beside it, which nobody else uses.
#[derive(Debug)]
pub struct Workplace {
    env: LocalEnv,
    folders: [TempDir; 2],
}

impl Default for Workplace {
    fn default() -> Self {
        Self::new()
    }
}

impl Workplace {
    /// Makes the folders.
    pub fn new() -> Self {
        let folder = || tempfile::tempdir().expect("a folder");
        let folders = [folder(), folder()];
        let env = LocalEnv::new(LocalConfig {
            cwd: real(&folders[0]),
            output_folder: real(&folders[1]).join("output"),
            variables: vec![("PATH".into(), std::env::var_os("PATH").expect("a path"))],
            ..LocalConfig::default()
        });
        Self { env, folders }
    }

    /// Returns the environment that works there, with nothing of the test's own but the search path.
    pub fn env(&self) -> &LocalEnv {
        &self.env
    }

    /// Returns a path in the folder to work in.
    pub fn path(&self, name: &str) -> PathBuf {
        real(&self.folders[0]).join(name)
    }

    /// Returns a path in the folder beside it; saved output is in `output`.
    pub fn beside(&self, name: &str) -> PathBuf {
        real(&self.folders[1]).join(name)
    }

    /// Begins to put a session together that works there at the beginning of time.
    pub fn builder(&self) -> SessionBuilder {
        AgentSession::builder(Arc::new(self.env.clone())).clock(|| 0)
    }
}

fn real(folder: &TempDir) -> PathBuf {
    folder.path().canonicalize().expect("a folder")
}
