//! Makes sessions from arguments and the environment of the program.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use deed_env::{LocalConfig, LocalEnv};
use deed_guard::policy::Limits;
use deed_harness::settings::Durability;
use deed_harness::{AgentSession, SessionBuilder};
use deed_sql::SqlLimits;
use deed_tooling::{DefaultTools, NamePattern, Selection, ToolList};
use deed_tools::ToolSettings;

use crate::cli::SelectionArgs;
use crate::exit::complain;
use crate::places::Places;

/// Makes the environment of this machine, whose tools work in this folder.
pub(crate) fn environment(cwd: PathBuf, places: &Places, durability: Durability) -> LocalEnv {
    LocalEnv::new(LocalConfig {
        cwd,
        home: places.home.clone(),
        output_folder: places.output.clone(),
        variables: std::env::vars_os().collect(),
        withheld_variables: Vec::new(),
        durable_writes: durability == Durability::Strict,
    })
}

/// Begins a session on this machine.
pub(crate) fn session(env: &LocalEnv, places: &Places) -> SessionBuilder {
    AgentSession::builder(Arc::new(env.clone()))
        .identity(&places.session_id, Some(places.output.clone()))
}

/// Makes the settings of the built-in tools under the limits of a policy.
pub(crate) fn tool_settings(limits: &Limits) -> ToolSettings {
    let settings = ToolSettings::default();
    let max = limits.bash_timeout.unwrap_or(Duration::MAX);
    ToolSettings {
        command_timeout: settings.command_timeout.min(max),
        max_command_timeout: max,
        ..settings
    }
}

/// Makes the limits of statements of those of a policy.
pub(crate) fn sql_limits(limits: &Limits) -> SqlLimits {
    SqlLimits {
        timeout: limits.sql_timeout,
        max_rows: usize::try_from(limits.sql_max_rows).unwrap_or(usize::MAX),
        max_bytes: usize::try_from(limits.sql_max_bytes).unwrap_or(usize::MAX),
    }
}

/// Makes a selection of the options, with these tools to begin with.
///
/// Errors: a list that makes no sense.
pub(crate) fn selection(args: &SelectionArgs, defaults: DefaultTools) -> anyhow::Result<Selection> {
    let tools = args.tools.as_deref().map(ToolList::from_str).transpose();
    Ok(Selection {
        defaults,
        tools: tools.context("--tools")?,
        no_tools: args.no_tools,
        no_builtin_tools: args.no_builtin_tools,
        exclude: args
            .exclude_tools
            .as_deref()
            .map(NamePattern::list)
            .unwrap_or_default(),
        ..Selection::default()
    })
}

/// Prints what in the selection names no tool.
pub(crate) fn warn_of_unmatched(session: &AgentSession) {
    for unmatched in session.registry().warnings() {
        complain(&format!("warning: {unmatched}"));
    }
}

/// Returns the real path of the folder that a run works in.
///
/// Errors: the folder does not exist or is none.
pub(crate) fn working_folder(cwd: Option<&Path>) -> anyhow::Result<PathBuf> {
    let Some(cwd) = cwd else {
        return std::env::current_dir().context("the current folder is gone; change to another");
    };
    let metadata = std::fs::metadata(cwd)
        .with_context(|| format!("--cwd {}: cannot use this folder", cwd.display()))?;
    anyhow::ensure!(
        metadata.is_dir(),
        "--cwd {}: this is not a folder",
        cwd.display()
    );
    cwd.canonicalize()
        .with_context(|| format!("--cwd {}", cwd.display()))
}
