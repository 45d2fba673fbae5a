//! Processes: what to run, what came of it, and who gets the output.
//!
//! [`Spawner`] starts all of them. A command leads a session of its own, so it has no terminal; it
//! inherits no descriptor but its three streams. Linux only: the system says through `/proc` and
//! process handles who descends from whom.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

mod children;
mod control;
mod environment;
mod exit;
mod family;
mod launch;
mod live;
mod procfs;
mod pump;
mod registry;
mod spawn;
mod spawner;
mod supervise;
mod tree;

pub use children::become_subreaper;
pub use environment::command_environment;
pub use live::LiveProcess;
pub use spawner::Spawner;
pub use tree::GRACE;

/// A program to run.
#[derive(Clone, Debug)]
pub struct ProcessSpec {
    /// The program, absolute or found on the search path.
    pub program: PathBuf,
    /// Its arguments, without the program's name.
    pub args: Vec<OsString>,
    /// Where it runs; `PWD` says so too.
    pub cwd: PathBuf,
    /// Variables that it gets besides the environment's own (which leaves out secrets), and before
    /// them where a name is in both.
    pub env: Vec<(OsString, OsString)>,
    /// How long it may take; `None` for no limit.
    pub timeout: Option<Duration>,
    /// What the program reads; empty means `/dev/null`.
    pub stdin: Vec<u8>,
    /// How long it and all that it started may go on after TERM, before KILL.
    pub grace: Duration,
}

/// Which pipe bytes came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputStream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Gets the output of a program, on the thread that reads it.
///
/// Must not block for long: the program waits when the pipe is full, and its time limit waits with
/// it. Order within a stream is exact, between the two it is as the reader saw it. A panic ends the
/// program and fails the call.
pub trait OutputSink: Send + 'static {
    /// Called once, before the first chunk, when the program runs: for who wants to feed it or to
    /// send it signals.
    fn started(&mut self, program: LiveProcess) {
        drop(program);
    }

    /// Says whether the program's input stays open for whoever [`OutputSink::started`] hands it to;
    /// `stdin` of the [`ProcessSpec`] counts for nothing then.
    fn feeds_input(&self) -> bool {
        false
    }

    /// Takes the next bytes.
    fn chunk(&mut self, stream: OutputStream, bytes: &[u8]);

    /// Called once, after the last chunk; not at all if the program could not be started.
    fn end(&mut self) {}
}

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By itself, with this code.
    Exited(i32),
    /// By a signal that was not ours.
    Signalled(i32),
    /// It ran out of time and was ended; the code it had already exited with, if it had and only
    /// others kept its output open.
    TimedOut {
        /// What the program itself had exited with (128 and the number for a signal), and how long
        /// after its start.
        exited_before: Option<(i32, Duration)>,
    },
    /// The call was cancelled and it was ended.
    Cancelled,
}

/// What came of running a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExitReport {
    /// How it ended.
    pub ending: Ending,
    /// How long the call took, with the wait for late output and the end of the tree.
    pub elapsed: Duration,
    /// Processes that it left running (after a normal end), that could not be ended, or that hold
    /// its output without descending from it; of a tree, its topmost one. Sorted by number.
    pub left_running: Vec<LeftProcess>,
}

/// A process that outlived the program that started it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftProcess {
    /// Its number.
    pub pid: u32,
    /// Its name, as the system shows it.
    pub name: String,
}
