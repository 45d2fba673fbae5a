//! What `/proc` says about processes. Where there is none, every answer is empty.

use std::fs;
use std::os::unix::ffi::OsStrExt;

use rustix::process::{Pid, PidfdFlags, Signal};

/// One process at one moment.
#[derive(Clone, Debug)]
pub(super) struct Stat {
    pub(super) pid: i32,
    pub(super) name: String,
    pub(super) parent: i32,
    pub(super) group: i32,
    pub(super) session: i32,
    /// When it started, in the system's ticks since boot; with the number it means one process
    /// for ever.
    pub(super) start_ticks: u64,
    has_ended: bool,
}

/// Set for a process from the moment it begins to end, before its descriptors close.
///
/// Source: `include/linux/sched.h`, `PF_EXITING`; the value has never changed.
const EXITING: u32 = 0x4;

/// One process for ever: a number is used again, the pair is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Target {
    pub(super) pid: i32,
    pub(super) start_ticks: u64,
}

impl Stat {
    pub(super) fn target(&self) -> Target {
        Target {
            pid: self.pid,
            start_ticks: self.start_ticks,
        }
    }

    /// Says whether it still runs; one that is ending or only waits to be collected does not.
    pub(super) fn is_running(&self) -> bool {
        !self.has_ended
    }
}

/// Looks at one process.
///
/// Source: `proc_pid_stat(5)`; the name may hold blanks and brackets, so fields count from the last
/// bracket.
pub(super) fn stat(pid: i32) -> Option<Stat> {
    let text = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let text = String::from_utf8_lossy(&text);
    let (head, tail) = text.rsplit_once(')')?;
    let (_, name) = head.split_once('(')?;
    let fields: Vec<&str> = tail.split_ascii_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse::<i32>().ok();
    let is_ending = fields.get(6)?.parse::<u32>().ok()? & EXITING != 0;
    Some(Stat {
        pid,
        name: name.to_owned(),
        has_ended: is_ending || matches!(*fields.first()?, "Z" | "X"),
        parent: number(1)?,
        group: number(2)?,
        session: number(3)?,
        start_ticks: fields.get(19)?.parse().ok()?,
    })
}

/// Looks at one process if it still runs.
pub(super) fn running(target: Target) -> Option<Stat> {
    stat(target.pid).filter(|stat| stat.is_running() && stat.target() == target)
}

/// The session of this process; 0 where its leader lives outside our PID namespace, as in a
/// container that was entered from a terminal (`getsid` of rustix takes that for impossible).
pub(super) fn own_session() -> i32 {
    stat(rustix::process::getpid().as_raw_pid()).map_or(0, |own| own.session)
}

/// Looks at every process that runs.
pub(super) fn all() -> Vec<Stat> {
    numbers("/proc")
        .into_iter()
        .filter_map(stat)
        .filter(Stat::is_running)
        .collect()
}

/// Reads one variable that a process was started with.
pub(super) fn variable(pid: i32, name: &str) -> Option<Vec<u8>> {
    let block = fs::read(format!("/proc/{pid}/environ")).ok()?;
    block.split(|byte| *byte == 0).find_map(|entry| {
        let value = entry.strip_prefix(name.as_bytes())?.strip_prefix(b"=")?;
        Some(value.to_vec())
    })
}

/// Returns the numbers of this process's children, of whichever thread.
pub(super) fn own_children() -> Vec<i32> {
    let own = rustix::process::getpid().as_raw_pid();
    let per_thread: Option<Vec<String>> = numbers("/proc/self/task")
        .into_iter()
        .map(|thread| fs::read_to_string(format!("/proc/self/task/{thread}/children")).ok())
        .collect();
    match per_thread {
        Some(lists) => lists
            .iter()
            .flat_map(|list| list.split_ascii_whitespace())
            .filter_map(|pid| pid.parse().ok())
            .collect(),
        // Not every kernel has that file, and a thread may end while we look.
        None => numbers("/proc")
            .into_iter()
            .filter(|pid| stat(*pid).is_some_and(|stat| stat.parent == own))
            .collect(),
    }
}

/// Finds the processes that have one of these pipes open.
pub(super) fn holders(pipe_inodes: &[u64]) -> Vec<Stat> {
    let wanted: Vec<String> = pipe_inodes
        .iter()
        .map(|inode| format!("pipe:[{inode}]"))
        .collect();
    let holds = |pid: &i32| {
        let Ok(descriptors) = fs::read_dir(format!("/proc/{pid}/fd")) else {
            return false;
        };
        descriptors.flatten().any(|entry| {
            fs::read_link(entry.path())
                .is_ok_and(|link| wanted.iter().any(|pipe| link.as_os_str() == pipe.as_str()))
        })
    };
    let holders = numbers("/proc").into_iter().filter(holds);
    holders.filter_map(stat).filter(Stat::is_running).collect()
}

/// Sends a signal to exactly this process, never to a later one with its number.
pub(super) fn signal(target: Target, signal: Signal) {
    let Some(pid) = Pid::from_raw(target.pid) else {
        return;
    };
    let handle = rustix::process::pidfd_open(pid, PidfdFlags::empty());
    if stat(target.pid).is_none_or(|stat| stat.target() != target) {
        return;
    }
    match handle {
        Ok(handle) => rustix::process::pidfd_send_signal(handle, signal).ok(),
        Err(rustix::io::Errno::SRCH) => None,
        Err(_) => rustix::process::kill_process(pid, signal).ok(),
    };
}

fn numbers(folder: &str) -> Vec<i32> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| {
            std::str::from_utf8(entry.file_name().as_bytes())
                .ok()?
                .parse()
                .ok()
        })
        .collect()
}
