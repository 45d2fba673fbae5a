//! Which processes a command, or a whole session of commands, has brought into the world.

use std::collections::HashSet;

use rustix::process::Pid;

use super::LeftProcess;
use super::procfs::{self, Stat, Target};

/// The variable that every command carries; its value is a `/`-separated list of markers.
pub(super) const MARKER_VARIABLE: &str = "DEED_CALL";

/// Separates what a spawner's markers share from the number of the call.
const CALL_SEPARATOR: char = '.';

/// A process and what descends from it, however far it has gone.
///
/// A member is in the session or group of the leader, carries the marker, descends from a member,
/// or was seen to be one before it lost its parents.
#[derive(Debug)]
pub(super) struct Family {
    leader: Option<Pid>,
    marker: String,
    /// Nobody who is older than the command descends from it.
    since_ticks: u64,
    known: HashSet<Target>,
}

impl Family {
    /// The family of one command, whose number must not have been collected yet.
    pub(super) fn of_call(leader: Pid, marker: String) -> Self {
        let since_ticks = procfs::stat(leader.as_raw_pid()).map_or(0, |stat| stat.start_ticks);
        Self {
            leader: Some(leader),
            marker,
            since_ticks,
            known: HashSet::new(),
        }
    }

    /// Everything that commands with markers of this prefix left, and what is known besides.
    pub(super) fn of_session(prefix: String, known: HashSet<Target>) -> Self {
        Self {
            leader: None,
            marker: prefix,
            since_ticks: 0,
            known,
        }
    }

    /// Finds the members that run now, without the leader, and remembers them.
    pub(super) fn scan(&mut self) -> Vec<Stat> {
        let leader = self.leader.map(Pid::as_raw_pid);
        let own = rustix::process::getpid().as_raw_pid();
        let mut others: Vec<Stat> = procfs::all();
        others.retain(|stat| {
            stat.start_ticks >= self.since_ticks && stat.pid != own && Some(stat.pid) != leader
        });
        let (mut members, mut others): (Vec<_>, Vec<_>) =
            others.into_iter().partition(|stat| self.has_sign(stat));
        let mut parents: HashSet<i32> = members.iter().map(|stat| stat.pid).chain(leader).collect();
        loop {
            let (children, rest): (Vec<_>, Vec<_>) = others
                .into_iter()
                .partition(|stat| parents.contains(&stat.parent));
            if children.is_empty() {
                break;
            }
            parents.extend(children.iter().map(|stat| stat.pid));
            members.extend(children);
            others = rest;
        }
        self.remember(&members);
        members
    }

    /// Takes these for members from now on.
    pub(super) fn remember(&mut self, members: &[Stat]) {
        self.known.extend(members.iter().map(Stat::target));
    }

    /// Says whether this one was seen to be a member.
    pub(super) fn knows(&self, stat: &Stat) -> bool {
        self.known.contains(&stat.target())
    }

    /// Says whether this process can be a descendant at all, going by its age.
    pub(super) fn may_descend(&self, stat: &Stat) -> bool {
        stat.start_ticks >= self.since_ticks
    }

    fn has_sign(&self, stat: &Stat) -> bool {
        let in_group = self.leader.is_some_and(|leader| {
            stat.session == leader.as_raw_pid() || stat.group == leader.as_raw_pid()
        });
        in_group || self.known.contains(&stat.target()) || self.is_marked(stat.pid)
    }

    fn is_marked(&self, pid: i32) -> bool {
        procfs::variable(pid, MARKER_VARIABLE).is_some_and(|value| self.has_marker(&value))
    }

    fn has_marker(&self, value: &[u8]) -> bool {
        let Ok(value) = std::str::from_utf8(value) else {
            return false;
        };
        value.split('/').any(|marker| {
            marker == self.marker
                || (self.leader.is_none()
                    && marker
                        .strip_prefix(&self.marker)
                        .is_some_and(|call| call.starts_with(CALL_SEPARATOR)))
        })
    }
}

/// Makes the marker of one call.
pub(super) fn call_marker(prefix: &str, number: u64) -> String {
    format!("{prefix}{CALL_SEPARATOR}{number}")
}

/// Keeps those of which no call can be told, because they threw their variables away.
pub(super) fn unmarked(mut strays: Vec<Stat>) -> Vec<Stat> {
    strays.retain(|stat| procfs::variable(stat.pid, MARKER_VARIABLE).is_none());
    strays
}

/// What to tell of these: those whose parent is not among them.
pub(super) fn left_processes<'a>(
    members: impl Iterator<Item = &'a Stat> + Clone,
) -> Vec<LeftProcess> {
    let numbers: HashSet<i32> = members.clone().map(|stat| stat.pid).collect();
    let mut told = HashSet::new();
    let mut left: Vec<_> = members
        .filter(|stat| !numbers.contains(&stat.parent) && told.insert(stat.pid))
        .filter_map(|stat| {
            Some(LeftProcess {
                pid: u32::try_from(stat.pid).ok()?,
                name: stat.name.clone(),
            })
        })
        .collect();
    left.sort_by_key(|process| process.pid);
    left
}
