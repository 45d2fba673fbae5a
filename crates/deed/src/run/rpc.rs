//! `--mode rpc`: a program drives the agent over standard input and output.

mod export;
mod host;

use std::io::{ErrorKind, stdin};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use deed_rpc::{Client, Lines, ServeOptions, serve};
use deed_tooling::NoUi;

use super::Front;
use super::json::ToWriter;
use crate::cli::{Mode, RunArgs};
use crate::exit::{Ending, complain};
use crate::places::Places;
use crate::runtime;
use crate::signals::Stop;
use crate::writer::{Writer, ending_of};
use host::{Environments, Host};

/// How long a client that has closed its end of the input may take to read what is left.
const READER_GRACE: Duration = Duration::from_secs(10);

/// Serves the program on the other end until its input ends.
pub(super) fn run(args: RunArgs) -> anyhow::Result<Ending> {
    if !args.prompt.is_empty() {
        complain("--mode rpc takes no prompt; the client sends it with the command `prompt`");
        return Ok(Ending::Usage);
    }
    std::thread::spawn(|| Places::find().remove_old_output());
    runtime::run(talk(args))?
}

async fn talk(mut args: RunArgs) -> anyhow::Result<Ending> {
    let environments = Environments::default();
    let all = environments.clone();
    let stop = Stop::listen(move || all.kill_all())?;
    let (writer, end) = Writer::start(stop.cancel.clone())?;
    let client = Client::new(Arc::new(ToWriter(writer)));
    let front = Front {
        mode: Mode::Rpc,
        // Answers are read only when a session is there.
        early_ui: Arc::new(NoUi),
        ui: Arc::new(client.ui()),
        approver: Arc::new(client.approver()),
        control: Some(Arc::new(client.control())),
    };
    let options = ServeOptions {
        with_cards: args.cards,
        stop: stop.cancel.clone(),
    };
    if let Ok(start) = std::env::current_dir() {
        anchor(&mut args, &start);
    }
    let host = Arc::new(Host::new(args, front, environments.clone()));
    let first = tokio::select! {
        first = host.first() => first,
        // Looking for a model may take a while.
        () = stop.cancel.cancelled() => {
            return Ok(stop.signal().map_or(Ending::ClosedPipe, Ending::Signal));
        }
    };
    let first = match first {
        Ok(first) => first,
        Err(error) => {
            complain(&format!("{error:#}"));
            return Ok(Ending::Usage);
        }
    };
    let lines = Lines::read(stdin())?;
    serve(client, lines, host, first, options).await;
    environments.end_all().await;
    let written = tokio::time::timeout(READER_GRACE, end.wait()).await;
    let written = ending_of(written.unwrap_or_else(|_| Err(ErrorKind::TimedOut.into())))?;
    Ok(match stop.signal() {
        Some(number) => Ending::Signal(number),
        None => written,
    })
}

/// Makes paths of options mean the same in whatever folder a session runs.
fn anchor(args: &mut RunArgs, start: &Path) {
    let anchored = |path: &mut PathBuf| *path = start.join(&*path);
    let single = [&mut args.guard.policy, &mut args.guard.audit];
    single.into_iter().flatten().for_each(anchored);
    args.session.session_dir.iter_mut().for_each(anchored);
    args.guard.add_dir.iter_mut().for_each(anchored);
    args.extensions.extension.iter_mut().for_each(anchored);
    args.resources.skill.iter_mut().for_each(anchored);
    args.resources.prompt_template.iter_mut().for_each(anchored);
    if let Some(model) = &mut args.model.model
        && let Some(script) = model.strip_prefix("script:")
    {
        *model = format!("script:{}", start.join(script).display());
    }
}
