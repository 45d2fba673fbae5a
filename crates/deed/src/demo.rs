//! `deed demo`: whole runs with a scripted model, in a scratch folder.

mod database;
mod project;

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use deed_agent::RunEnd;
use deed_harness::AgentSession;
use deed_harness::settings::Durability;
use tempfile::TempDir;

use crate::cli::{DemoArgs, DemoPart};
use crate::exit::{Ending, complain};
use crate::places::Places;
use crate::signals::Stop;
use crate::text::{Look, Transcript};
use crate::writer::{Writer, ending_of};
use crate::{exec, runtime, wiring};

/// Runs the demo.
pub(crate) fn run(args: &DemoArgs) -> anyhow::Result<Ending> {
    let scratch = tempfile::Builder::new()
        .prefix("deed-demo-")
        .tempdir()
        .context("cannot make a scratch folder; is the folder for temporary files writable?")?;
    // Real, for the folders of a policy are compared with real paths.
    let folder = scratch.path().canonicalize()?;
    let look = Look::of_stdout(args.look.color);
    let ended = runtime::run(play(folder, look, (args.part, args.ask)))?;
    if args.keep {
        let kept = scratch.keep();
        complain(&format!("the scratch folder is {}", kept.display()));
    } else {
        remove(scratch);
    }
    ended
}

/// What all parts of the demo share.
struct Stage {
    scratch: PathBuf,
    look: Look,
    stop: Stop,
    writer: Writer,
}

impl Stage {
    /// Tells a session's run while it happens, and stops it when the demo is to stop.
    fn show(&self, session: &AgentSession) {
        let transcript = Transcript::new(session.clone(), self.writer.clone(), self.look.clone());
        session.add_sink(Arc::new(transcript));
        let (session, cancel) = (session.clone(), self.stop.cancel.clone());
        tokio::spawn(async move {
            cancel.cancelled().await;
            session.cancel();
        });
    }
}

async fn play(
    scratch: PathBuf,
    look: Look,
    (part, asks): (Option<DemoPart>, bool),
) -> anyhow::Result<Ending> {
    let mut places = Places::find();
    // Saved output belongs to the scratch folder too, so that nothing outside is touched.
    places.output = scratch.join(".output");
    project::lay_out(&scratch)?;
    let env = wiring::environment(
        wiring::working_folder(Some(&project::folder(&scratch)))?,
        &places,
        Durability::Normal,
    );
    let stop = exec::listen(&env)?;
    let (writer, end) = Writer::start(stop.cancel.clone())?;
    let stage = Stage {
        scratch,
        look,
        stop,
        writer,
    };
    let wants = |one| part.is_none_or(|part| part == one);
    let mut ending = Ending::Done;
    if wants(DemoPart::Project) {
        ending = project::play(&stage, &places, &env).await?;
    }
    let goes_on = ending == Ending::Done && !stage.stop.cancel.is_cancelled();
    if goes_on && wants(DemoPart::Database) {
        ending = database::play(&stage, asks).await?;
    }
    let written = ending_of(end.wait().await)?;
    Ok(match (stage.stop.signal(), written) {
        (Some(number), _) => Ending::Signal(number),
        (None, Ending::Done) => ending,
        (None, broken) => broken,
    })
}

fn ending_of_run(done: &RunEnd) -> Ending {
    if done.error.is_some() {
        Ending::Failed
    } else {
        Ending::Done
    }
}

fn remove(scratch: TempDir) {
    let path = scratch.path().to_owned();
    if let Err(error) = scratch.close() {
        complain(&format!("cannot remove {}: {error}", path.display()));
    }
}
