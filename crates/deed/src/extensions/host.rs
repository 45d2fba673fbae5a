use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use deed_extensions::Extension;
use deed_guard::GuardGate;
use deed_guard::policy::ExtensionAct;
use deed_models::Transport;
use deed_sql::Database;
use deed_tools::ToolSettings;
use deed_typescript::{
    LogLevel, ScriptBus, ScriptExtension, ScriptNotice, ScriptOptions, ScriptSql,
};
use serde_json::{Map, Value};

use super::accept::Accepted;
use super::permissions::Permitted;
use crate::exit::complain;
use crate::places::Places;
use crate::wiring;

/// Variables of the environment that every extension may know; those ending in `*` by their beginning.
const KNOWN_VARIABLES: [&str; 17] = [
    "COLORTERM",
    "EDITOR",
    "HOME",
    "LANG",
    "LC_*",
    "LOGNAME",
    "NO_COLOR",
    "PATH",
    "PWD",
    "SHELL",
    "TERM",
    "TERM_PROGRAM",
    "TMPDIR",
    "TZ",
    "USER",
    "VISUAL",
    "XDG_*",
];

/// What all scripts of a session have in common.
pub(crate) struct Scripts<'a> {
    pub(crate) places: &'a Places,
    pub(crate) cwd: &'a Path,
    pub(crate) gate: &'a GuardGate,
    pub(crate) databases: &'a [Database],
    pub(crate) transport: &'a Transport,
    pub(crate) tools: ToolSettings,
    /// What they are told of the settings.
    pub(crate) settings: Arc<Map<String, Value>>,
    /// How the program is used, in Pi's words.
    pub(crate) mode: &'static str,
    pub(crate) is_verbose: bool,
    pub(crate) project_is_trusted: bool,
}

/// Makes extensions of files that were accepted; their engines start at once.
///
/// Errors: what was granted to one cannot be read.
pub(crate) fn ready(
    accepted: Vec<Accepted>,
    scripts: &Scripts<'_>,
) -> anyhow::Result<Vec<Arc<dyn Extension>>> {
    let bus = ScriptBus::new();
    let make = |accepted: Accepted| {
        let source = accepted.file.source();
        let path = accepted.file.path.clone();
        let options = scripts.options(accepted, &bus)?;
        let extension = ScriptExtension::new(path, options).with_source(source);
        Ok(Arc::new(extension) as Arc<dyn Extension>)
    };
    accepted.into_iter().map(make).collect()
}

impl Scripts<'_> {
    fn options(&self, accepted: Accepted, bus: &ScriptBus) -> anyhow::Result<ScriptOptions> {
        let name = accepted.file.name();
        let permit = self
            .gate
            .policy()
            .permit_extension((&name, &accepted.file.path), &accepted.grants)
            .map_err(anyhow::Error::msg)
            .with_context(|| format!("what was granted to {}", accepted.file.path.display()))?;
        let may_know =
            |name: &str| is_known(name) || permit.decide(&ExtensionAct::Know(name)).is_ok();
        let env: BTreeMap<_, _> = std::env::vars()
            .filter(|(name, _)| may_know(name))
            .collect();
        let mut options = ScriptOptions::new(self.cwd);
        options.env = env;
        options.mode = self.mode.to_owned();
        options.is_project_trusted = self.project_is_trusted;
        options.bus = bus.clone();
        options.temp = std::env::temp_dir();
        options.admits = accepted.admits;
        options.transport = self.transport.clone();
        options.tools = Arc::new(self.tools.clone());
        options.settings = self.settings.clone();
        if let Ok(program) = std::env::current_exe() {
            options.program = program;
        }
        if !self.databases.is_empty() {
            let limits = wiring::sql_limits(&self.gate.policy().limits());
            let gate = Arc::new(self.gate.clone());
            options.sql = Some(ScriptSql::new(self.databases.iter().cloned(), limits, gate));
        }
        if let Some(home) = &self.places.home {
            options.home = home.clone();
        }
        if let Some(config) = &self.places.config {
            options.agent_dir = config.clone();
        }
        let is_verbose = self.is_verbose;
        options.notices = Arc::new(move |notice| tell(notice, is_verbose));
        options.permissions = Arc::new(Permitted {
            name,
            permit,
            gate: self.gate.clone(),
        });
        Ok(options)
    }
}

fn is_known(name: &str) -> bool {
    KNOWN_VARIABLES
        .iter()
        .any(|own| match own.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => *own == name,
        })
}

/// Prints what an extension has to say: what is wrong with it always, the rest on demand.
fn tell(notice: &ScriptNotice, is_verbose: bool) {
    let word = match notice.level {
        LogLevel::Error => "error",
        LogLevel::Warning => "warning",
        LogLevel::Info | LogLevel::Debug if !is_verbose => return,
        LogLevel::Info => "info",
        LogLevel::Debug => "debug",
    };
    complain(&format!(
        "{word}: {}: {}",
        notice.file.display(),
        notice.text
    ));
}
