//! Ending a command and its family: asked first, killed when the grace is over.

use std::io;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::Call;
use crate::process::tree::{KILL_ROUNDS, kill_pause};
use crate::process::{LeftProcess, children, family};

/// How often to look who is left while the family has time to end by itself.
const SCAN_PAUSE: Duration = Duration::from_millis(50);
/// How long the last bytes may take once nobody is left to write any.
const LAST_BYTES: Duration = Duration::from_millis(50);

impl Call {
    /// Ends the whole family and says who could not be ended.
    ///
    /// Output is handed on meanwhile. Whoever holds the pipes but is older than the command is not
    /// its descendant: named, and left alone.
    pub(super) fn end_tree(&mut self) -> io::Result<Vec<LeftProcess>> {
        if !self.control.is_killed() {
            self.ask_to_end()?;
        }
        self.kill_until_gone()?;
        let mut survivors = self.tree.scan();
        survivors.extend(self.tree.unended_leader());
        survivors.extend(family::unmarked(self.registry.unknown(children::sweep())));
        self.registry.keep(&survivors);
        let (_, others) = self.holders();
        Ok(family::left_processes(survivors.iter().chain(&others)))
    }

    fn ask_to_end(&mut self) -> io::Result<()> {
        // Before the signal, because it may take the parents by which the others are found.
        self.tree.signal(Signal::TERM);
        self.tree.signal(Signal::CONT);
        let until = Instant::now() + self.spec.grace;
        let mut next_scan = Instant::now() + SCAN_PAUSE;
        let mut was_done = false;
        while Instant::now() < until && !self.control.is_killed() {
            self.turn(Some(until.min(next_scan)))?;
            let has_ended = self.tree.exit().is_some();
            let is_done = has_ended && self.pump.is_closed();
            let scan_is_due = Instant::now() >= next_scan || is_done && !was_done;
            was_done = is_done;
            if scan_is_due {
                next_scan = Instant::now() + SCAN_PAUSE;
                if has_ended && self.tree.scan().is_empty() {
                    break;
                }
            }
        }
        Ok(())
    }

    fn kill_until_gone(&mut self) -> io::Result<()> {
        for round in 0..KILL_ROUNDS {
            let members = self.tree.scan();
            children::sweep();
            if self.tree.exit().is_some() && members.is_empty() {
                self.pump_for(LAST_BYTES)?;
                let (holders, _) = self.holders();
                if holders.is_empty() {
                    break;
                }
                self.tree.remember(&holders);
            }
            self.tree.signal(Signal::KILL);
            self.pump_for(kill_pause(round))?;
        }
        Ok(())
    }

    /// Hands on output for a while, or until program and output have ended.
    fn pump_for(&mut self, time: Duration) -> io::Result<()> {
        let until = Instant::now() + time;
        while Instant::now() < until && !(self.tree.exit().is_some() && self.pump.is_closed()) {
            self.turn(Some(until))?;
        }
        Ok(())
    }
}
