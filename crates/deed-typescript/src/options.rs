use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use deed_models::Transport;
use deed_tools::ToolSettings;
use serde_json::{Map, Value};

use crate::{Limits, LogLevel, Permissions, ScriptBus, ScriptSql};

/// Decides whether a file may be loaded, by its real path and what stands in it.
pub type Admits = Arc<dyn Fn(&Path, &[u8]) -> Result<(), String> + Send + Sync>;

/// What scripts of a session are told and given.
#[derive(Clone)]
pub struct ScriptOptions {
    /// What each may use.
    pub limits: Limits,
    /// What they may do outside of their engines.
    pub permissions: Arc<dyn Permissions>,
    /// The folder that relative paths start from.
    pub cwd: PathBuf,
    /// The person's own folder.
    pub home: PathBuf,
    /// Where files for a while go.
    pub temp: PathBuf,
    /// Where the person's extensions and settings lie.
    pub agent_dir: PathBuf,
    /// Decides whether a file may be loaded, by its real path and what stands in it; the text says
    /// why not and what to do.
    pub admits: Admits,
    /// Variables of the environment that they may know.
    pub env: BTreeMap<String, String>,
    /// How the program is used: `tui`, `rpc`, `json` or `print`.
    pub mode: String,
    /// The databases that they may ask through `deed/sql`; without it there are none.
    pub sql: Option<ScriptSql>,
    /// Whether what the project brings is trusted, which scripts may ask; by default it is not.
    pub is_project_trusted: bool,
    /// How built-in tools act that scripts make with options of their own.
    pub tools: Arc<ToolSettings>,
    /// How they reach the web.
    pub transport: Transport,
    /// The program itself, which they may run; they know it as `pi`, too.
    pub program: PathBuf,
    /// What they are told of the program's settings: an object, without secrets.
    pub settings: Arc<Map<String, Value>>,
    /// What they tell each other.
    pub bus: ScriptBus,
    /// Hears what scripts have to say beside their work.
    pub notices: Arc<dyn Fn(&ScriptNotice) + Send + Sync>,
}

impl ScriptOptions {
    /// Allows everything, loads every file, knows no variable and no database, and drops notices.
    pub fn new(cwd: impl Into<PathBuf>) -> Self {
        let cwd = cwd.into();
        Self {
            limits: Limits::default(),
            permissions: Arc::new(crate::AllowAll),
            home: cwd.clone(),
            temp: cwd.clone(),
            agent_dir: cwd.join(".deed"),
            cwd,
            admits: Arc::new(|_, _| Ok(())),
            env: BTreeMap::new(),
            mode: "rpc".to_owned(),
            program: PathBuf::from("deed"),
            sql: None,
            is_project_trusted: false,
            tools: Arc::default(),
            transport: Transport::default(),
            settings: Arc::default(),
            bus: ScriptBus::new(),
            notices: Arc::new(|_| {}),
        }
    }
}

impl fmt::Debug for ScriptOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptOptions")
            .field("limits", &self.limits)
            .field("cwd", &self.cwd)
            .finish_non_exhaustive()
    }
}

/// Something that a script, or its engine, has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptNotice {
    /// The extension's file.
    pub file: PathBuf,
    /// How much it matters.
    pub level: LogLevel,
    /// The text.
    pub text: String,
}
