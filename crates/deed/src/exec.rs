//! `deed exec`: tool calls in, results out, no model.

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use deed_env::{ExecutionEnv, LocalEnv};
use deed_guard::policy::PermissionMode;
use deed_harness::AgentSession;
use deed_protocol::{AssistantMessage, Message, append_json_line};
use deed_tooling::DefaultTools;
use tokio::sync::mpsc;

use crate::cli::{ExecArgs, OutputFormat};
use crate::exit::{Ending, complain};
use crate::guard::{Guard, Surroundings, user};
use crate::places::Places;
use crate::signals::Stop;
use crate::terminal::TerminalApprover;
use crate::text::{Look, Transcript};
use crate::writer::{Writer, WriterEnd, ending_of};
use crate::{runtime, wiring};

mod events;
mod input;
mod item;
mod lines;

use input::{InputError, Items};

/// How much output is handed over at once.
const PIECE_BYTES: usize = 64 * 1024;
/// Items that may be read ahead of the one that runs.
const READ_AHEAD: usize = 4;

/// Runs tool calls.
pub(crate) fn run(args: &ExecArgs) -> anyhow::Result<Ending> {
    // The first validation loads the schemas of schemas; meanwhile the session is put together.
    std::thread::spawn(deed_schema::warm_up);
    let source = match open(args.file.as_deref()) {
        Ok(source) => source,
        Err(error) => return usage(&error),
    };
    let places = Places::find();
    let look = Look::of_stdout(args.look.color);
    let prepared = wiring::environment(args.cwd.as_deref(), &places).and_then(|env| {
        let selection = wiring::selection(&args.selection, DefaultTools::AllBuiltIn)?;
        let guard = guard(args, &places, &env, &look)?;
        Ok((env, selection, guard))
    });
    let (env, selection, guard) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => return usage(&error),
    };
    let session = wiring::session(&env, &places)
        .selection(selection)
        .guard(&guard.gate)
        .build()?;
    wiring::warn_of_unmatched(&session);
    let exec = Exec {
        session,
        env,
        output: args.output,
        look,
        fail_on_error: args.fail_on_error,
    };
    std::thread::spawn(move || places.remove_old_output());
    let ended = runtime::run(exec.run(source))?;
    guard.close();
    ended
}

/// Makes the guard: whoever writes the calls is trusted, unless a mode or a policy says otherwise.
fn guard(args: &ExecArgs, places: &Places, env: &LocalEnv, look: &Look) -> anyhow::Result<Guard> {
    Guard::new(
        &args.guard,
        Surroundings {
            places,
            cwd: env.cwd(),
            approver: Arc::new(TerminalApprover::new(look.clone(), user())),
            default_mode: Some(PermissionMode::Bypass),
            secrets: Vec::new(),
        },
    )
}

fn usage(error: &anyhow::Error) -> anyhow::Result<Ending> {
    complain(&format!("{error:#}"));
    Ok(Ending::Usage)
}

type Source = Box<dyn Read + Send>;

fn open(file: Option<&Path>) -> anyhow::Result<Source> {
    match file.filter(|file| *file != Path::new("-")) {
        None => {
            let stdin = io::stdin();
            if stdin.is_terminal() {
                complain("reading tool calls from the terminal; Ctrl-D ends the input");
            }
            Ok(Box::new(stdin))
        }
        Some(path) => {
            let cannot = || format!("cannot read {}", path.display());
            let file = File::open(path).with_context(cannot)?;
            anyhow::ensure!(
                !file.metadata().with_context(cannot)?.is_dir(),
                "{}: it is a folder",
                cannot()
            );
            Ok(Box::new(file))
        }
    }
}

struct Exec {
    session: AgentSession,
    env: LocalEnv,
    output: OutputFormat,
    look: Look,
    fail_on_error: bool,
}

impl Exec {
    async fn run(self, source: Source) -> anyhow::Result<Ending> {
        let stop = listen(&self.env)?;
        let (writer, end) = Writer::start(stop.cancel.clone())?;
        match self.output {
            OutputFormat::Results => {}
            OutputFormat::Events => self
                .session
                .add_sink(Arc::new(events::Lines(writer.clone()))),
            OutputFormat::Text => {
                let transcript =
                    Transcript::new(self.session.clone(), writer.clone(), self.look.clone());
                self.session.add_sink(Arc::new(transcript));
            }
        }
        let ran = self.run_items(source, &stop, &writer).await;
        self.env.spawner().end_all().await;
        let ending = finish(ran.as_ref().map_or(Ending::Usage, |ran| *ran), &stop, end).await;
        if let Err(error) = ran {
            // After the results before it, where both go to the same terminal.
            complain(&error.to_string());
        }
        ending
    }

    /// Runs item after item until the input ends, an item is no tool call, or a signal comes.
    async fn run_items(
        &self,
        source: Source,
        stop: &Stop,
        writer: &Writer,
    ) -> Result<Ending, InputError> {
        let mut ending = Ending::Done;
        let mut items = read_ahead(source);
        loop {
            let item = tokio::select! {
                biased;
                () = stop.cancel.cancelled() => return Ok(ending),
                item = items.recv() => item,
            };
            let Some(message) = item.transpose()? else {
                return Ok(ending);
            };
            let outcome = self.session.run_calls(message, &stop.cancel).await;
            if self.fail_on_error && outcome.results.iter().any(|result| is_error(result)) {
                ending = Ending::Failed;
            }
            if self.output == OutputFormat::Results {
                write_results(&outcome.results, writer).await;
            }
        }
    }
}

/// Writes result lines in pieces that are worth a write each.
async fn write_results(results: &[Arc<Message>], writer: &Writer) {
    let mut piece = Vec::new();
    for result in results {
        // Every message serialises: its maps have string keys and its numbers are finite.
        append_json_line(&mut piece, result.as_ref()).ok();
        if piece.len() >= PIECE_BYTES {
            writer.text(std::mem::take(&mut piece)).await;
            piece.reserve(2 * PIECE_BYTES);
        }
    }
    writer.text(piece).await;
}

/// Stops on signals; the second one ends every child before the program.
pub(crate) fn listen(env: &LocalEnv) -> anyhow::Result<Stop> {
    let env = env.clone();
    Stop::listen(move || env.spawner().kill_all())
}

/// Waits for the output and says how the command ends.
async fn finish(ran: Ending, stop: &Stop, end: WriterEnd) -> anyhow::Result<Ending> {
    let written = ending_of(end.wait().await)?;
    Ok(match (stop.signal(), written) {
        (Some(number), _) => Ending::Signal(number),
        (None, Ending::Done) => ran,
        (None, broken) => broken,
    })
}

/// Reads items on a thread of its own, since reading standard input cannot be cancelled.
fn read_ahead(source: Source) -> mpsc::Receiver<Result<AssistantMessage, InputError>> {
    let (to, items) = mpsc::channel(READ_AHEAD);
    std::thread::spawn(move || {
        for item in Items::new(source) {
            let is_last = item.is_err();
            if to.blocking_send(item).is_err() || is_last {
                return;
            }
        }
    });
    items
}

fn is_error(result: &Message) -> bool {
    result
        .as_tool_result()
        .is_some_and(|result| result.is_error)
}
