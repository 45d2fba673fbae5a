//! Puts the session of a run together.

use std::sync::Arc;

use anyhow::Context;
use deed_agent::Model;
use deed_env::{ExecutionEnv, LocalEnv};
use deed_harness::{AgentSession, RunLimits, wall_clock_ms};
use deed_models::{Script, ScriptedModel};
use deed_protocol::ThinkingLevel;
use deed_sql::query_database;
use deed_tooling::{DefaultTools, Preset};

use crate::cli::RunArgs;
use crate::guard::{Guard, Surroundings, user};
use crate::places::Places;
use crate::terminal::Terminal;
use crate::text::Look;
use crate::{sql, wiring};

/// Puts a session together as options and files say.
///
/// Errors: whatever of them is wrong; nothing has run.
pub(super) fn session(
    args: &RunArgs,
    places: &Places,
    env: &LocalEnv,
    look: &Look,
) -> anyhow::Result<(AgentSession, Guard)> {
    let selection = wiring::selection(
        &args.selection,
        DefaultTools::from_setting::<&str>(Preset::Coding, &[]),
    )?;
    let databases = sql::databases(&args.sql, env.cwd())?;
    let terminal = Arc::new(Terminal::new(look.clone(), user()));
    let around = Surroundings {
        places,
        cwd: env.cwd(),
        approver: terminal.clone(),
        default_mode: None,
        secrets: sql::secrets(&databases),
    };
    let guard = Guard::new(&args.guard, around)?;
    let limits = guard.gate.policy().limits();
    let mut builder = wiring::session(env, places)
        .settings(wiring::tool_settings(&limits))
        .selection(selection)
        .model(model(args)?)
        .thinking(args.model.thinking.unwrap_or(ThinkingLevel::Off))
        .run_limits(run_limits(args))
        .ui(terminal)
        .guard(&guard.gate);
    if !databases.is_empty() {
        builder = builder.built_in_tool(query_database(databases, wiring::sql_limits(&limits)));
    }
    let session = builder.build()?;
    wiring::warn_of_unmatched(&session);
    Ok((session, guard))
}

fn run_limits(args: &RunArgs) -> RunLimits {
    RunLimits {
        max_turns: args.max_turns,
        max_cost_usd: args.max_cost,
        ..RunLimits::default()
    }
}

fn model(args: &RunArgs) -> anyhow::Result<Arc<dyn Model>> {
    let named = args.model.model.as_deref().unwrap_or_default();
    let path = named
        .strip_prefix("script:")
        .context("name a model: --model script:FILE")?;
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {path}"))?;
    let script = Script::parse(&text).with_context(|| path.to_owned())?;
    Ok(Arc::new(ScriptedModel::new(script, wall_clock_ms)))
}
