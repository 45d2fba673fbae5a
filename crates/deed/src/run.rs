//! `deed -p` and its kin: a run of the agent.

mod prompt;
mod setup;
mod text;
mod warm;

use std::io::{IsTerminal, stdin};
use std::sync::Arc;

use anyhow::Context;
use deed_agent::RunEnd;
use deed_env::{ExecutionEnv, LocalEnv};
use deed_harness::{AgentSession, wall_clock_ms};
use deed_protocol::Message;

use crate::cli::{Mode, RunArgs};
use crate::exit::{Ending, complain};
use crate::guard::Guard;
use crate::places::Places;
use crate::signals::Stop;
use crate::text::Look;
use crate::{exec, runtime, wiring};

/// A session that is ready to be prompted, and what ends with it.
struct Run {
    session: AgentSession,
    env: LocalEnv,
    guard: Guard,
    look: Look,
}

/// Runs the agent as the options say.
pub(crate) fn run(args: &RunArgs) -> anyhow::Result<Ending> {
    let mode = match mode(args) {
        Ok(mode) => mode,
        Err(error) => return usage(&error),
    };
    let places = Places::find();
    let look = Look::of_stdout(args.look.color);
    let prepared = wiring::environment(None, &places).and_then(|env| {
        let message = prompt::message(&args.prompt, env.cwd(), wall_clock_ms())?;
        Ok((setup::session(args, &places, &env, &look)?, env, message))
    });
    let ((session, guard), env, message) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => return usage(&error),
    };
    std::thread::spawn(move || places.remove_old_output());
    let run = Run {
        session,
        env,
        guard,
        look,
    };
    runtime::run(run.prompt_once(message, mode))?
}

fn mode(args: &RunArgs) -> anyhow::Result<Mode> {
    match args.mode {
        Some(Mode::Rpc) => anyhow::bail!("--mode rpc is not in this version"),
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

impl Run {
    async fn prompt_once(self, message: Message, mode: Mode) -> anyhow::Result<Ending> {
        let stop = exec::listen(&self.env)?;
        let output = text::Output::begin(&self.session, &self.look, mode, &stop)?;
        self.session.add_sink(Arc::new(warm::WarmUp::default()));
        self.stops_with(&stop);
        let ended = self.session.prompt(vec![message]).await;
        self.session.close().await;
        self.env.spawner().end_all().await;
        let end = ended.context("the session")?;
        let written = output.end(&end).await;
        self.guard.close();
        Ok(match written? {
            Ending::Done => self.ending(&end, &stop),
            broken => broken,
        })
    }

    fn stops_with(&self, stop: &Stop) {
        let (session, cancel) = (self.session.clone(), stop.cancel.clone());
        tokio::spawn(async move {
            cancel.cancelled().await;
            session.cancel();
        });
    }

    /// Says how the run ended, on standard error and by the exit code.
    fn ending(&self, end: &RunEnd, stop: &Stop) -> Ending {
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
        match self.session.refused_calls() {
            0 => Ending::Done,
            count => {
                let calls = if count == 1 {
                    "tool call was"
                } else {
                    "tool calls were"
                };
                complain(&format!(
                    "{count} {calls} refused; --permission-mode or a policy says what may \
                     run, `deed audit show --decision deny` tells what was refused and why"
                ));
                Ending::Refused
            }
        }
    }
}
