//! `deed -p` and its kin: a run of the agent.

mod ground;
mod json;
mod prompt;
mod rpc;
mod text;
mod verbose;
mod warm;

use std::io::{IsTerminal, stdin};
use std::sync::Arc;

use anyhow::Context;
use deed_agent::RunEnd;
use deed_extensions::SessionStartEvent;
use deed_harness::{AgentSession, Resources, wall_clock_ms};

use crate::cli::{Mode, RunArgs};
use crate::exit::{Ending, complain};
use crate::places::Places;
use crate::signals::Stop;
use crate::text::Look;
use crate::{exec, runtime};
use ground::{Front, Ground};
use prompt::Said;

/// Runs the agent as the options say.
pub(crate) fn run(args: RunArgs) -> anyhow::Result<Ending> {
    let mode = match mode(&args) {
        Ok(mode) => mode,
        Err(error) => return usage(&error),
    };
    warm::validation();
    if mode == Mode::Rpc {
        return rpc::run(args);
    }
    let look = Look::of_stdout(args.look.color);
    let prepared = prepare(args, &look, mode);
    match prepared {
        Ok((ground, said)) => runtime::run(once(ground, said, look, mode))?,
        Err(error) => usage(&error),
    }
}

fn prepare(args: RunArgs, look: &Look, mode: Mode) -> anyhow::Result<(Ground, Said)> {
    let places = Places::find();
    let words = args.prompt.clone();
    let ground = Ground::prepare(args, places, Front::terminal(look, mode), None)?;
    let said = prompt::read(&words, &ground)?;
    let places = ground.places.clone();
    std::thread::spawn(move || places.remove_old_output());
    Ok((ground, said))
}

fn mode(args: &RunArgs) -> anyhow::Result<Mode> {
    match args.mode {
        Some(mode) => Ok(mode),
        None if args.print || !stdin().is_terminal() => Ok(Mode::Text),
        None => anyhow::bail!(
            "the terminal interface is not in this version; `deed -p \"…\"` runs once and prints \
             the answer, `deed --help` tells the rest"
        ),
    }
}

fn usage(error: &anyhow::Error) -> anyhow::Result<Ending> {
    complain(&format!("{error:#}"));
    Ok(Ending::Usage)
}

/// Prompts once and prints what comes of it.
async fn once(mut ground: Ground, said: Said, look: Look, mode: Mode) -> anyhow::Result<Ending> {
    let stop = exec::listen(&ground.env)?;
    let opened = async { ground.session(ground.record()?).await };
    let session = match opened.await {
        Ok(session) => session,
        Err(error) => return usage(&error),
    };
    let output = text::Output::begin(&session, &look, (mode, ground.args.cards), &stop).await?;
    listen_in(&session, &ground);
    stops_with(&session, &stop);
    begin(&session, &mut ground.resources).await;
    let ended = say(&session, said, &ground.resources).await;
    session.close().await;
    ground.env.spawner().end_all().await;
    let end = ended?;
    let written = output.end(&end).await;
    ground.guard.close();
    Ok(match written? {
        Ending::Done => ending(&session, &end, &stop),
        broken => broken,
    })
}

/// Tells extensions that the session starts, and takes in what they bring along.
async fn begin(session: &AgentSession, resources: &mut Resources) {
    let start = SessionStartEvent::default();
    let reason = start.reason;
    session.tell_start(start).await;
    session.discover_resources(resources, reason).await;
}

/// Prompts, or runs the command of an extension that the words name, and waits for all that comes of
/// it.
async fn say(session: &AgentSession, said: Said, resources: &Resources) -> anyhow::Result<RunEnd> {
    let words = said.words.clone();
    let (name, args) = words
        .split_once(char::is_whitespace)
        .unwrap_or((&words, ""));
    let name = name.strip_prefix('/').unwrap_or_default();
    let commands = session.commands();
    if !commands.iter().any(|command| command.invocation == name) {
        let message = said.message(resources, wall_clock_ms())?;
        let end = session.prompt(vec![message]).await.context("the session")?;
        session.idle().await;
        return Ok(end);
    }
    let before = session.agent().messages().len();
    let ran = session.run_command(name, args.trim()).await;
    session.idle().await;
    let messages = session.agent().messages();
    let messages: Vec<_> = messages.iter().skip(before).cloned().collect();
    let last = messages.iter().rev().find_map(|it| it.as_assistant());
    let failed = last.and_then(|answer| answer.error_message.clone());
    Ok(RunEnd {
        error: ran.err().map(|error| error.to_string()).or(failed),
        messages,
        ..RunEnd::default()
    })
}

/// Adds what hears of the run beside who prints it.
fn listen_in(session: &AgentSession, ground: &Ground) {
    warm::tools(session.registry().clone());
    if ground.args.verbose {
        let redactor = ground.guard.gate.redactor().clone();
        session.add_sink(Arc::new(verbose::Verbose::new(redactor)));
    }
}

fn stops_with(session: &AgentSession, stop: &Stop) {
    let (session, cancel) = (session.clone(), stop.cancel.clone());
    tokio::spawn(async move {
        cancel.cancelled().await;
        session.cancel();
    });
}

/// Says how the run ended, on standard error and by the exit code.
fn ending(session: &AgentSession, end: &RunEnd, stop: &Stop) -> Ending {
    if let Some(number) = stop.signal() {
        return Ending::Signal(number);
    }
    if let Some(error) = &end.error {
        complain(error);
        return Ending::Failed;
    }
    if end.aborted {
        complain("the run was stopped");
        return Ending::Signal(2);
    }
    match session.refused_calls() {
        0 => Ending::Done,
        count => {
            let calls = if count == 1 {
                "tool call was"
            } else {
                "tool calls were"
            };
            complain(&format!(
                "{count} {calls} refused; --permission-mode or a policy says what may run, `deed \
                 audit show --decision deny` tells what was refused and why"
            ));
            Ending::Refused
        }
    }
}
