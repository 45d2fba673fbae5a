//! An agent mends a small project.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use deed_env::LocalEnv;
use deed_guard::approval::NoApprover;
use deed_guard::policy::PermissionMode;
use deed_harness::{AgentSession, SessionStats, wall_clock_ms};
use deed_models::{Script, ScriptedModel};
use deed_protocol::Message;

use super::{Stage, ending_of_run};
use crate::cli::GuardArgs;
use crate::exit::Ending;
use crate::guard::{Guard, Surroundings};
use crate::places::Places;
use crate::wiring;

/// The project: names and contents of its files.
const PROJECT: &[(&str, &str)] = &[
    ("README.md", include_str!("project/README.md")),
    ("discount.sh", include_str!("project/discount.sh")),
    ("test.sh", include_str!("project/test.sh")),
];
const SCRIPT: &str = include_str!("script.json");
const PROMPT: &str = "The tests fail. Please find out why, mend it, and add a change log.";

/// Returns where the project is.
pub(super) fn folder(scratch: &Path) -> PathBuf {
    scratch.join("project")
}

/// Makes the project.
pub(super) fn lay_out(scratch: &Path) -> anyhow::Result<()> {
    let project = folder(scratch);
    std::fs::create_dir(&project).context("cannot make the project of the demo")?;
    for (name, content) in PROJECT {
        std::fs::write(project.join(name), content)
            .with_context(|| format!("cannot write {name} of the demo"))?;
    }
    Ok(())
}

/// Runs the agent on the project.
pub(super) async fn play(stage: &Stage, places: &Places, env: &LocalEnv) -> anyhow::Result<Ending> {
    let guard = guard(stage, places)?;
    let script = Script::parse(SCRIPT).context("the script of the demo")?;
    let session = wiring::session(env, places)
        .model(Arc::new(ScriptedModel::new(script, wall_clock_ms)))
        .guard(&guard.gate)
        .build()?;
    stage.show(&session);
    let began = Instant::now();
    let prompt = vec![Message::user(PROMPT, wall_clock_ms())];
    let prompting = session.prompt(prompt).await;
    let done = prompting.context("the run could not begin")?;
    let took = began.elapsed();
    env.spawner().end_all().await;
    guard.close();
    if done.error.is_none() && !done.aborted {
        stage.writer.text(summary(stage, &session, took)).await;
    }
    Ok(ending_of_run(&done))
}

/// Nothing is asked: what the agent may change is a scratch folder. All of it is on record.
fn guard(stage: &Stage, places: &Places) -> anyhow::Result<Guard> {
    let args = GuardArgs {
        audit: Some(stage.scratch.join("audit")),
        ..GuardArgs::default()
    };
    let around = Surroundings {
        places,
        cwd: &folder(&stage.scratch),
        approver: Arc::new(NoApprover),
        default_mode: Some(PermissionMode::Bypass),
        secrets: Vec::new(),
    };
    Guard::new(&args, around)
}

fn summary(stage: &Stage, session: &AgentSession, took: Duration) -> String {
    let SessionStats {
        assistant_messages,
        tool_calls,
        tool_errors,
        ..
    } = session.stats();
    let mut text = format!(
        "{assistant_messages} answers of a scripted model, {tool_calls} tool calls \
         ({tool_errors} failed, as planned), {:.2} s\n",
        took.as_secs_f64()
    );
    for name in changed_files(&folder(&stage.scratch)) {
        writeln!(text, "  changed: {name}").ok();
    }
    text
}

/// Returns the files that are not as they were laid out, by name.
fn changed_files(project: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(project) else {
        return Vec::new();
    };
    let mut changed: Vec<String> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| {
            let laid_out = PROJECT.iter().find(|(laid_out, _)| laid_out == name);
            let now = std::fs::read_to_string(project.join(name)).unwrap_or_default();
            laid_out.is_none_or(|(_, content)| *content != now)
        })
        .collect();
    changed.sort();
    changed
}
