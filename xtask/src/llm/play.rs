//! A scratch folder in which deed runs, with a home of its own.

use super::server::NAME;
use anyhow::{Context as _, Result, bail};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What only the file says.
pub(super) const SECRET: &str = "grey heron 4711";

/// The provider that must call `read` in each of its answers.
pub(super) const CALLS: &str = "calls";

/// The provider that may not call.
pub(super) const WORDS: &str = "words";

/// How long a run may take: on a busy machine a small model is slow too.
const PATIENCE: Duration = Duration::from_secs(600);

/// Where deed runs.
pub(super) struct Play {
    deed: PathBuf,
    folder: PathBuf,
}

/// What came of a run.
pub(super) struct Ran {
    pub(super) code: Option<i32>,
    /// The events, one JSON text a line.
    pub(super) events: String,
    pub(super) complaints: String,
}

impl Play {
    /// Makes the folder anew.
    pub(super) fn new(folder: &Path, deed: PathBuf, port: u16) -> Result<Self> {
        let folder = folder.join("play");
        std::fs::remove_dir_all(&folder).ok();
        let settings = folder.join("home/.config/deed");
        std::fs::create_dir_all(&settings)?;
        std::fs::create_dir_all(folder.join("work"))?;
        std::fs::write(folder.join("work/notes.txt"), format!("{SECRET}\n"))?;
        std::fs::write(settings.join("settings.json"), settings_of(port))?;
        Ok(Self { deed, folder })
    }

    /// Runs deed once.
    pub(super) fn run(&self, provider: &str, arguments: &[&str]) -> Result<Ran> {
        let (out, err) = (self.folder.join("events"), self.folder.join("complaints"));
        let mut child = Command::new(&self.deed)
            .args(["-p", "--mode", "json", "--tools", "read"])
            .args(["--provider", provider, "--model", NAME])
            // Short: each word costs the model time.
            .args(["--system-prompt", "You read files.", "--no-context-files"])
            .args(arguments)
            .current_dir(self.folder.join("work"))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.folder.join("home"))
            .stdin(Stdio::null())
            .stdout(std::fs::File::create(&out)?)
            .stderr(std::fs::File::create(&err)?)
            .spawn()
            .with_context(|| format!("cannot start {}", self.deed.display()))?;
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if begun.elapsed() > PATIENCE {
                child.kill()?;
                child.wait()?;
                bail!("deed did not end within {PATIENCE:?}");
            }
            std::thread::sleep(Duration::from_millis(50));
        };
        Ok(Ran {
            code: status.code(),
            events: std::fs::read_to_string(out)?,
            complaints: std::fs::read_to_string(err)?,
        })
    }

    /// Returns the text of the only session.
    pub(super) fn session(&self) -> Result<String> {
        let sessions = self.folder.join("home/.local/share/deed/sessions");
        let mut folders = vec![sessions.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder)?.flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|ext| ext == "jsonl") {
                    return Ok(std::fs::read_to_string(path)?);
                }
            }
        }
        bail!("no session is in {}", sessions.display())
    }
}

/// Writes the settings: two providers at one address, which differ in what the model must do.
fn settings_of(port: u16) -> String {
    let provider = |tool_choice| {
        let body = json!({ "temperature": 0, "tool_choice": tool_choice });
        json!({
            "api": "chat",
            "baseUrl": format!("http://127.0.0.1:{port}/v1"),
            "isLocal": true,
            "models": [{ "id": NAME, "maxTokens": 64, "extraBody": body }],
        })
    };
    let must_read = json!({ "type": "function", "function": { "name": "read" } });
    let settings = json!({
        "providers": { CALLS: provider(must_read), WORDS: provider(json!("none")) },
    });
    format!("{settings:#}\n")
}
