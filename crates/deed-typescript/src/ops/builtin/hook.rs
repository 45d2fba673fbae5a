//! The function of a script that may change a command before it runs.

use std::path::Path;
use std::sync::Arc;

use deed_env::EnvError;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::run::Run;

/// Its name; all others stand for an environment.
pub(super) const SPAWN_HOOK: &str = "spawnHook";

/// What a command became.
pub(super) struct Hooked {
    pub(super) command: String,
    /// Another folder, if there is one.
    pub(super) cwd: Option<String>,
    /// Variables besides the usual ones; each is a text.
    pub(super) env: Map<String, Value>,
}

/// Lets the script change a command, its folder and its variables.
pub(super) async fn hooked(
    run: &Arc<Run>,
    command: &str,
    cwd: &Path,
    cancel: &CancellationToken,
) -> Result<Hooked, EnvError> {
    let asked = json!([{ "command": command, "cwd": cwd, "env": {} }]);
    let answer = run.call(SPAWN_HOOK, asked, None).answer_unless(cancel);
    let mut answer = answer.await?.map_err(|fault| fault.on(SPAWN_HOOK, cwd))?;
    let env = answer.get_mut("env").map(Value::take).unwrap_or_default();
    let mut hooked = Hooked {
        command: command.to_owned(),
        cwd: None,
        env: Map::new(),
    };
    if let Some(command) = answer.get("command").and_then(Value::as_str) {
        hooked.command = command.to_owned();
    }
    let other = answer.get("cwd").and_then(Value::as_str);
    hooked.cwd = other
        .filter(|other| Path::new(other) != cwd)
        .map(str::to_owned);
    if let Value::Object(env) = env {
        let named = |name: &str| {
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            !name.is_empty() && name.chars().all(is_name)
        };
        hooked.env = env
            .into_iter()
            .filter(|(name, value)| named(name) && value.is_string())
            .collect();
    }
    Ok(hooked)
}

impl Hooked {
    /// Writes it as one command line for the session's own shell.
    pub(super) fn into_line(self) -> String {
        let mut line = String::new();
        for (name, value) in &self.env {
            let value = value.as_str().unwrap_or_default();
            line += &format!("export {name}={}\n", quoted(value));
        }
        if let Some(cwd) = &self.cwd {
            line += &format!("cd {} || exit\n", quoted(cwd));
        }
        line + &self.command
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
