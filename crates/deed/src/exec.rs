//! `deed exec`: tool calls in, results out, no model.

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use deed_env::{ExecutionEnv, LocalEnv};
use deed_guard::policy::PermissionMode;
use deed_harness::{AgentSession, SessionBuilder};
use deed_protocol::{AssistantMessage, Message, append_json_line};
use deed_sql::query_database;
use deed_tooling::DefaultTools;
use tokio::sync::mpsc;

use crate::cli::{ExecArgs, OutputFormat};
use crate::exit::{Ending, complain};
use crate::guard::{Guard, Surroundings, user};
use crate::places::Places;
use crate::signals::Stop;
use crate::terminal::Terminal;
use crate::text::{Look, Transcript};
use crate::writer::{Writer, WriterEnd, ending_of};
use crate::{runtime, settings, sql, wiring};

mod events;
mod input;
mod item;
mod lines;

use events::Lines;
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
    let (builder, guard, env) = match prepare(args, &places, &look) {
        Ok(prepared) => prepared,
        Err(error) => return usage(&error),
    };
    let session = builder.build()?;
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

/// Puts a session together as the settings for tools say, and under a guard: whoever writes the calls
/// is trusted, unless a mode or a policy says otherwise.
fn prepare(
    args: &ExecArgs,
    places: &Places,
    look: &Look,
) -> anyhow::Result<(SessionBuilder, Guard, LocalEnv)> {
    let cwd = wiring::working_folder(args.cwd.as_deref())?;
    let settings = settings::load(places, &cwd)?;
    let env = wiring::environment(cwd, places, settings.durability);
    let selection = wiring::selection(&args.selection, DefaultTools::AllBuiltIn)?;
    let databases = sql::databases(&sql::with_settings(&args.sql, &settings), env.cwd())?;
    let terminal = Arc::new(Terminal::new(look.clone(), user()));
    let mut secrets = sql::secrets(&databases);
    secrets.extend(settings.known_secrets());
    let guard = Guard::new(
        &args.guard.with_folders(&settings.add_dirs),
        Surroundings {
            places,
            cwd: env.cwd(),
            approver: terminal.clone(),
            default_mode: Some(PermissionMode::Bypass),
            secrets,
        },
    )?;
    let limits = guard.gate.policy().limits();
    let mut builder = wiring::session(&env, places)
        .settings(settings.apply_to_tools(wiring::tool_settings(&limits)))
        .selection(selection)
        .limits(settings.batch_limits())
        .ui(terminal)
        .guard(&guard.gate);
    if !databases.is_empty() {
        builder = builder.built_in_tool(query_database(databases, wiring::sql_limits(&limits)));
    }
    Ok((builder, guard, env))
}

fn usage(error: &anyhow::Error) -> anyhow::Result<Ending> {
    complain(&format!("{error:#}"));
    Ok(Ending::Usage)
}

/// Where calls come from.
struct Source {
    reader: Box<dyn Read + Send>,
    /// A person types them, who may also be asked something: nothing is read ahead.
    is_terminal: bool,
}

fn open(file: Option<&Path>) -> anyhow::Result<Source> {
    match file.filter(|file| *file != Path::new("-")) {
        None => {
            let stdin = io::stdin();
            if stdin.is_terminal() {
                complain("reading tool calls from the terminal; Ctrl-D ends the input");
            }
            Ok(Source {
                is_terminal: stdin.is_terminal(),
                reader: Box::new(stdin),
            })
        }
        Some(path) => {
            let cannot = || format!("cannot read {}", path.display());
            let file = File::open(path).with_context(cannot)?;
            anyhow::ensure!(
                !file.metadata().with_context(cannot)?.is_dir(),
                "{}: it is a folder",
                cannot()
            );
            Ok(Source {
                is_terminal: file.is_terminal(),
                reader: Box::new(file),
            })
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
            OutputFormat::Events => self.session.add_sink(Arc::new(Lines(writer.clone()))),
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
        let (mut items, wanted) = read_ahead(source);
        loop {
            wanted.send(()).ok();
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

type ReadItems = mpsc::Receiver<Result<AssistantMessage, InputError>>;

/// Reads items on a thread of its own, since reading standard input cannot be cancelled; from a
/// terminal, one for each word that one is wanted.
fn read_ahead(source: Source) -> (ReadItems, std::sync::mpsc::Sender<()>) {
    let (to, items) = mpsc::channel(READ_AHEAD);
    let (wanted, wants) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut reading = Items::new(source.reader);
        loop {
            if source.is_terminal && wants.recv().is_err() {
                return;
            }
            let Some(item) = reading.next() else { return };
            let is_last = item.is_err();
            if to.blocking_send(item).is_err() || is_last {
                return;
            }
        }
    });
    (items, wanted)
}

fn is_error(result: &Message) -> bool {
    result
        .as_tool_result()
        .is_some_and(|result| result.is_error)
}
