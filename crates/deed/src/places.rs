use std::path::PathBuf;
use std::process;
use std::time::{Duration, SystemTime};

use etcetera::BaseStrategy;
use etcetera::base_strategy::Xdg;

/// How long saved output is kept.
const OUTPUT_KEPT: Duration = Duration::from_secs(7 * 24 * 3600);

/// The folders that this run uses.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    /// The home folder, if it is known.
    pub(crate) home: Option<PathBuf>,
    /// The name of this run among those that save output.
    pub(crate) session_id: String,
    /// Where this run saves output.
    pub(crate) output: PathBuf,
    /// Where settings, policy and keys are.
    pub(crate) config: Option<PathBuf>,
    /// Where sessions, trust and stored rules are.
    pub(crate) share: Option<PathBuf>,
    /// Where the audit log is.
    pub(crate) audit: Option<PathBuf>,
    /// Files and folders of skills that this run knows.
    pub(crate) skills: Vec<PathBuf>,
    /// Where all runs save output.
    outputs: PathBuf,
}

impl Places {
    /// Finds the folders by the XDG rules; without a home folder, saved output goes to the folder
    /// for temporary files.
    pub(crate) fn find() -> Self {
        let xdg = Xdg::new().ok();
        let state = xdg.as_ref().and_then(BaseStrategy::state_dir);
        let state = state.map(|state| state.join("deed"));
        let outputs = state
            .clone()
            .unwrap_or_else(|| std::env::temp_dir().join(format!("deed-{}", process::id())))
            .join("output");
        let session_id = format!("{:012x}-{:x}", deed_harness::wall_clock_ms(), process::id());
        let home = xdg.as_ref().map(|xdg| xdg.home_dir().to_owned());
        Self {
            config: xdg.as_ref().map(|xdg| xdg.config_dir().join("deed")),
            share: xdg.as_ref().map(|xdg| xdg.data_dir().join("deed")),
            audit: state.map(|state| state.join("audit")),
            home,
            output: outputs.join(&session_id),
            session_id,
            skills: Vec::new(),
            outputs,
        }
    }

    /// Removes saved output that is older than a week. What cannot be removed stays.
    pub(crate) fn remove_old_output(&self) {
        let Ok(folders) = std::fs::read_dir(&self.outputs) else {
            return;
        };
        let now = SystemTime::now();
        for folder in folders.flatten() {
            let modified = folder.metadata().and_then(|metadata| metadata.modified());
            let age = modified
                .ok()
                .and_then(|modified| now.duration_since(modified).ok());
            if age.is_some_and(|age| age > OUTPUT_KEPT) {
                std::fs::remove_dir_all(folder.path()).ok();
            }
        }
    }
}
