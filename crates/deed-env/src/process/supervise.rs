//! The life of one command, on a thread of its own: start, output, end, and the end of its family.
//!
//! One thread does all of it, so that time limits, cancellation, output and exit are seen in one
//! order and nothing depends on how busy the asynchronous threads are.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::control::Control;
use super::exit::Exit;
use super::family::{self, Family};
use super::launch::{Launched, launch};
use super::pump::{Pump, wait_readable};
use super::registry::{Enrolled, Registry};
use super::tree::Tree;
use super::{Ending, ExitReport, LeftProcess, LiveProcess, OutputSink, OutputStream, ProcessSpec};
use super::{children, procfs};
use crate::EnvError;

mod end;

/// Output after the program's own end is waited for until it pauses this long.
const QUIET: Duration = Duration::from_millis(100);

/// What to run, for whom.
pub(super) struct Order {
    pub(super) spec: ProcessSpec,
    pub(super) sink: Box<dyn OutputSink>,
    pub(super) control: Arc<Control>,
    pub(super) registry: Arc<Registry>,
}

/// Runs a command and answers when it has ended, then looks after what it left behind.
pub(super) fn supervise(order: Order, answer: impl FnOnce(Result<ExitReport, EnvError>)) {
    let (result, left_behind) = match Call::start(order) {
        Ok(call) => call.complete(),
        Err(error) => (Err(error), None),
    };
    answer(result);
    if let Some(left_behind) = left_behind {
        left_behind.pump.drain();
        drop(left_behind.tree);
        children::sweep();
    }
}

/// What still needs a thread after the answer: pipes that others hold, or a program that even
/// KILL has not ended yet.
struct LeftBehind {
    pump: Pump,
    tree: Tree,
}

/// Why the program is no longer waited for.
enum Stop {
    Ended(Exit),
    TimedOut,
    Cancelled,
}

/// A command that was started.
struct Call {
    spec: ProcessSpec,
    sink: Box<dyn OutputSink>,
    control: Arc<Control>,
    registry: Arc<Registry>,
    pump: Pump,
    tree: Tree,
    started: Instant,
    deadline: Option<Instant>,
    exited_at: Option<Instant>,
    /// Keeps the call on the books.
    _enrolled: Enrolled,
}

impl Call {
    fn start(order: Order) -> Result<Self, EnvError> {
        let Order {
            spec,
            mut sink,
            control,
            registry,
        } = order;
        let mut enrolled = registry.enrol(&control);
        if control.is_cancelled() {
            return Err(EnvError::Cancelled);
        }
        let marker = family::call_marker(registry.prefix(), enrolled.number());
        let started = Instant::now();
        let Launched {
            pid,
            stdout,
            stderr,
            input,
        } = launch(&spec, sink.feeds_input(), registry.environment(), &marker)?;
        enrolled.started(pid, &spec.program);
        let tree = Tree::new(pid, Family::of_call(pid, marker), &control)
            .map_err(|source| EnvError::io("watch", &spec.program, source))?;
        let number = u32::try_from(pid.as_raw_pid()).unwrap_or_default();
        sink.started(LiveProcess::new(number, Arc::clone(&control), input));
        Ok(Self {
            // A limit beyond what the clock can count is none.
            deadline: spec.timeout.and_then(|limit| started.checked_add(limit)),
            pump: Pump::new(stdout, stderr),
            exited_at: None,
            _enrolled: enrolled,
            spec,
            sink,
            control,
            registry,
            tree,
            started,
        })
    }

    /// Sees the command to its end. When this returns the call is off the books and, unless
    /// something is left behind, has no descriptor open.
    fn complete(mut self) -> (Result<ExitReport, EnvError>, Option<LeftBehind>) {
        let result = self
            .run()
            .map_err(|error| EnvError::io("supervise", &self.spec.program, error));
        let Self {
            pump,
            mut tree,
            mut sink,
            ..
        } = self;
        sink.end();
        tree.collect();
        let done = result.is_err() || (pump.is_closed() && tree.is_collected());
        let left_behind = (!done).then_some(LeftBehind { pump, tree });
        (result, left_behind)
    }

    fn run(&mut self) -> io::Result<ExitReport> {
        let (ending, left_running) = match self.until_stop()? {
            Stop::Ended(exit) => (Ending::from(exit), self.left_after_end()),
            Stop::TimedOut => {
                let exited_before = self.exited_before();
                (Ending::TimedOut { exited_before }, self.end_tree()?)
            }
            Stop::Cancelled => (Ending::Cancelled, self.end_tree()?),
        };
        Ok(ExitReport {
            ending,
            elapsed: self.started.elapsed(),
            left_running,
        })
    }

    fn until_stop(&mut self) -> io::Result<Stop> {
        loop {
            let quiet_at = self.quiet_at();
            if let Some(stop) = self.stop(quiet_at) {
                return Ok(stop);
            }
            self.turn(self.deadline.into_iter().chain(quiet_at).min())?;
        }
    }

    fn stop(&self, quiet_at: Option<Instant>) -> Option<Stop> {
        let now = Instant::now();
        let has_come = |moment: Option<Instant>| moment.is_some_and(|moment| moment <= now);
        if self.control.is_cancelled() {
            return Some(Stop::Cancelled);
        }
        match self.tree.exit() {
            Some(exit) if self.pump.is_closed() || has_come(quiet_at) => Some(Stop::Ended(exit)),
            _ => has_come(self.deadline).then_some(Stop::TimedOut),
        }
    }

    /// When the output counts as complete although somebody still holds the pipes.
    fn quiet_at(&self) -> Option<Instant> {
        let exited_at = self.exited_at?;
        let since = self
            .pump
            .last_output()
            .map_or(exited_at, |last| last.max(exited_at));
        Some(since + QUIET)
    }

    fn exited_before(&self) -> Option<(i32, Duration)> {
        let code = match self.tree.exit()? {
            Exit::Code(code) => code,
            Exit::Signal(signal) => SIGNAL_CODE_BASE + signal,
        };
        Some((code, self.exited_at?.duration_since(self.started)))
    }

    /// Waits for whatever comes first, not beyond `until`, and deals with it.
    fn turn(&mut self, until: Option<Instant>) -> io::Result<()> {
        let descriptors = [
            Some(self.control.readiness()),
            self.tree.readiness(),
            self.pump.readiness(OutputStream::Stdout),
            self.pump.readiness(OutputStream::Stderr),
        ];
        let [woken, ended, stdout, stderr] = wait_readable(descriptors, until);
        if woken {
            self.control.acknowledge();
            for (signal, to_group) in self.control.take_signals() {
                self.tree.send(signal, to_group);
            }
        }
        for (readable, stream) in [
            (stdout, OutputStream::Stdout),
            (stderr, OutputStream::Stderr),
        ] {
            if readable {
                self.pump
                    .read(stream, |bytes| self.sink.chunk(stream, bytes));
            }
        }
        if (woken || ended) && self.tree.look()?.is_some() && self.exited_at.is_none() {
            self.exited_at = Some(Instant::now());
        }
        Ok(())
    }

    /// Finds and keeps account of what goes on running after a normal end.
    fn left_after_end(&mut self) -> Vec<LeftProcess> {
        self.tree.collect();
        let strays = self.registry.unknown(children::sweep());
        // The common case, decided by two cheap questions instead of a walk over all processes.
        if self.pump.is_closed() && strays.is_empty() && !self.tree.has_group() {
            return Vec::new();
        }
        let mut members = self.tree.scan();
        let (holders, others) = self.holders();
        members.extend(holders);
        members.extend(family::unmarked(strays));
        self.registry.keep(&members);
        family::left_processes(members.iter().chain(&others))
    }

    /// Finds who holds the pipes, besides known members: descendants of the command and others.
    fn holders(&self) -> (Vec<procfs::Stat>, Vec<procfs::Stat>) {
        if self.pump.is_closed() {
            return (Vec::new(), Vec::new());
        }
        let holders = children::holders(&self.pump.inodes());
        let unknown = holders.into_iter().filter(|stat| !self.tree.knows(stat));
        unknown.partition(|stat| self.tree.may_descend(stat))
    }
}

/// What shells add to a signal's number to make a code of it.
const SIGNAL_CODE_BASE: i32 = 128;

impl From<Exit> for Ending {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Code(code) => Self::Exited(code),
            Exit::Signal(signal) => Self::Signalled(signal),
        }
    }
}
