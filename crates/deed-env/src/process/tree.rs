//! A running program together with its family.

use std::io;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Pid, Signal};

use super::control::Control;
use super::exit::{Exit, ExitWatch};
use super::family::Family;
use super::procfs::{self, Stat};

/// How long a family may go on after it was asked to end, where nothing else is said.
pub const GRACE: Duration = Duration::from_secs(2);
/// How often a family is killed before the rest is reported instead.
pub(super) const KILL_ROUNDS: u32 = 20;

/// How long to wait for a kill to act: short at first, a third of a second over all rounds.
pub(super) fn kill_pause(round: u32) -> Duration {
    Duration::from_millis(1 << round.min(4))
}

/// A program and whoever descends from it. Dropped before the program was collected, it kills all
/// of them and waits.
#[derive(Debug)]
pub(super) struct Tree {
    watch: ExitWatch,
    family: Family,
}

impl Tree {
    pub(super) fn new(pid: Pid, family: Family, control: &Arc<Control>) -> io::Result<Self> {
        match ExitWatch::new(pid, control) {
            Ok(watch) => Ok(Self { watch, family }),
            Err(error) => {
                drop(Self {
                    watch: ExitWatch::unaided(pid),
                    family,
                });
                Err(error)
            }
        }
    }

    pub(super) fn readiness(&self) -> Option<BorrowedFd<'_>> {
        self.watch.readiness()
    }

    pub(super) fn look(&mut self) -> io::Result<Option<Exit>> {
        self.watch.look()
    }

    pub(super) fn exit(&self) -> Option<Exit> {
        self.watch.exit()
    }

    /// Collects the program if it has ended; from then on its number may mean another.
    pub(super) fn collect(&mut self) {
        self.watch.collect();
    }

    pub(super) fn is_collected(&self) -> bool {
        self.watch.is_collected()
    }

    /// Says whether anybody is in the program's group, dead or alive.
    pub(super) fn has_group(&self) -> bool {
        rustix::process::test_kill_process_group(self.watch.pid()) != Err(rustix::io::Errno::SRCH)
    }

    /// Finds the members that run now, without the program itself.
    pub(super) fn scan(&mut self) -> Vec<Stat> {
        self.family.scan()
    }

    pub(super) fn knows(&self, stat: &Stat) -> bool {
        self.family.knows(stat)
    }

    pub(super) fn may_descend(&self, stat: &Stat) -> bool {
        self.family.may_descend(stat)
    }

    pub(super) fn remember(&mut self, members: &[Stat]) {
        self.family.remember(members);
    }

    /// Signals every member and the program.
    pub(super) fn signal(&mut self, signal: Signal) {
        let members = self.family.scan();
        if !self.watch.is_collected() {
            rustix::process::kill_process_group(self.watch.pid(), signal).ok();
        }
        let group = self.watch.pid().as_raw_pid();
        for member in members.iter().filter(|member| member.group != group) {
            procfs::signal(member.target(), signal);
        }
    }

    /// Sends one signal to the program, or to its group.
    pub(super) fn send(&self, signal: i32, to_group: bool) {
        let (Some(signal), false) = (Signal::from_named_raw(signal), self.watch.is_collected())
        else {
            return;
        };
        // One that has ended meanwhile and is not collected takes it without effect.
        match to_group {
            true => rustix::process::kill_process_group(self.watch.pid(), signal).ok(),
            false => rustix::process::kill_process(self.watch.pid(), signal).ok(),
        };
    }

    /// The program itself, if it still runs.
    pub(super) fn unended_leader(&self) -> Option<Stat> {
        if self.watch.exit().is_some() {
            return None;
        }
        procfs::stat(self.watch.pid().as_raw_pid())
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        if self.watch.is_collected() {
            return;
        }
        for round in 0..KILL_ROUNDS {
            self.signal(Signal::KILL);
            std::thread::sleep(kill_pause(round));
            let has_ended = !matches!(self.watch.look(), Ok(None));
            if has_ended && self.family.scan().is_empty() {
                break;
            }
        }
        self.watch.wait_and_collect();
    }
}
