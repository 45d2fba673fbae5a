//! `deed demo`: a whole run with a scripted model, in a scratch folder.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use deed_agent::RunEnd;
use deed_env::LocalEnv;
use deed_harness::{AgentSession, SessionStats, wall_clock_ms};
use deed_models::{Script, ScriptedModel};
use deed_protocol::Message;
use tempfile::TempDir;

use crate::cli::DemoArgs;
use crate::exit::{Ending, complain};
use crate::places::Places;
use crate::text::{Look, Transcript};
use crate::writer::{Writer, ending_of};
use crate::{exec, runtime, wiring};

/// The project that the demo works on: names and contents of its files.
const PROJECT: &[(&str, &str)] = &[
    ("README.md", include_str!("demo/project/README.md")),
    ("discount.sh", include_str!("demo/project/discount.sh")),
    ("test.sh", include_str!("demo/project/test.sh")),
];
const SCRIPT: &str = include_str!("demo/script.json");
const PROMPT: &str = "The tests fail. Please find out why, mend it, and add a change log.";

/// Runs the demo.
pub(crate) fn run(args: &DemoArgs) -> anyhow::Result<Ending> {
    let scratch = tempfile::Builder::new()
        .prefix("deed-demo-")
        .tempdir()
        .context("cannot make a scratch folder; is the folder for temporary files writable?")?;
    lay_out(scratch.path())?;
    let mut places = Places::find();
    // Saved output belongs to the scratch folder too, so that nothing outside is touched.
    places.output = scratch.path().join(".output");
    let project = scratch.path().join("project");
    let env = wiring::environment(Some(&project), &places)?;
    let script = Script::parse(SCRIPT).context("the script of the demo")?;
    let session = wiring::session(&env, &places)
        .model(Arc::new(ScriptedModel::new(script, wall_clock_ms)))
        .build()?;
    let demo = Demo {
        session,
        env,
        look: Look::of_stdout(args.look.color),
        project,
    };
    let ended = runtime::run(demo.run())?;
    if args.keep {
        let kept = scratch.keep();
        complain(&format!("the scratch folder is {}", kept.display()));
    } else {
        remove(scratch);
    }
    ended
}

struct Demo {
    session: AgentSession,
    env: LocalEnv,
    look: Look,
    project: PathBuf,
}

impl Demo {
    async fn run(self) -> anyhow::Result<Ending> {
        let stop = exec::listen(&self.env)?;
        let (writer, end) = Writer::start(stop.cancel.clone())?;
        let transcript = Transcript::new(self.session.clone(), writer.clone(), self.look.clone());
        self.session.add_sink(Arc::new(transcript));
        let session = self.session.clone();
        let cancel = stop.cancel.clone();
        tokio::spawn(async move {
            cancel.cancelled().await;
            session.cancel();
        });
        let began = Instant::now();
        let prompt = vec![Message::user(PROMPT, wall_clock_ms())];
        let done = self
            .session
            .prompt(prompt)
            .await
            .context("the run could not begin")?;
        let took = began.elapsed();
        self.env.spawner().end_all().await;
        if done.error.is_none() && !done.aborted {
            writer.text(self.summary(took)).await;
        }
        let written = ending_of(end.wait().await)?;
        Ok(match (stop.signal(), written) {
            (Some(number), _) => Ending::Signal(number),
            (None, Ending::Done) => ending_of_run(&done),
            (None, broken) => broken,
        })
    }

    fn summary(&self, took: Duration) -> String {
        let SessionStats {
            assistant_messages,
            tool_calls,
            tool_errors,
            ..
        } = self.session.stats();
        let mut text = format!(
            "{assistant_messages} answers of a scripted model, {tool_calls} tool calls \
             ({tool_errors} failed, as planned), {:.2} s\n",
            took.as_secs_f64()
        );
        for name in changed_files(&self.project) {
            writeln!(text, "  changed: {name}").ok();
        }
        text
    }
}

fn ending_of_run(done: &RunEnd) -> Ending {
    if done.error.is_some() {
        Ending::Failed
    } else {
        Ending::Done
    }
}

fn lay_out(scratch: &Path) -> anyhow::Result<()> {
    let project = scratch.join("project");
    std::fs::create_dir(&project).context("cannot make the project of the demo")?;
    for (name, content) in PROJECT {
        std::fs::write(project.join(name), content)
            .with_context(|| format!("cannot write {name} of the demo"))?;
    }
    Ok(())
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

fn remove(scratch: TempDir) {
    let path = scratch.path().to_owned();
    if let Err(error) = scratch.close() {
        complain(&format!("cannot remove {}: {error}", path.display()));
    }
}
