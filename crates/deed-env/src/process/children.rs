//! The children of this process: those that we started, and those that it was given.
//!
//! Process numbers belong to the whole process, so this table is one for all spawners.

use std::collections::BTreeSet;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, WaitId, WaitIdOptions, WaitIdStatus};

use super::procfs::{self, Stat};

/// Numbers of the children that a [`super::Spawner`] started and has not collected yet.
static STARTED: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());
static SUBREAPER: AtomicBool = AtomicBool::new(false);

/// Makes this process the parent of every descendant whose own parent ends, so that a command's
/// strays can be found, ended and collected.
///
/// For the `main` of a program only: an embedding application may not expect children that it did
/// not start. Children that share this process's session are left to whoever started them.
///
/// Errors: what the system says; Linux allows it always.
///
/// Source: prctl(2), `PR_SET_CHILD_SUBREAPER`.
pub fn become_subreaper() -> io::Result<()> {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    SUBREAPER.store(true, Ordering::Release);
    Ok(())
}

/// Locks a mutex whether or not somebody panicked while holding it.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a child and notes it in one step, so that a sweep never takes it for a stray.
pub(super) fn start(spawn: impl FnOnce() -> io::Result<Pid>) -> io::Result<Pid> {
    let mut started = lock(&STARTED);
    let pid = spawn()?;
    started.insert(pid.as_raw_pid());
    Ok(pid)
}

/// Collects a child that has ended and forgets it in one step, before its number is used again.
pub(super) fn collect(pid: Pid, id: WaitId<'_>) -> io::Result<Option<WaitIdStatus>> {
    let mut started = lock(&STARTED);
    let status = rustix::process::waitid(id, WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
    if !matches!(status, Ok(None)) {
        started.remove(&pid.as_raw_pid());
    }
    Ok(status?)
}

/// Collects strays that have ended and returns those that still run; nothing unless this process
/// is a subreaper.
pub(super) fn sweep() -> Vec<Stat> {
    if !SUBREAPER.load(Ordering::Acquire) {
        return Vec::new();
    }
    let own_session = procfs::own_session();
    let started = lock(&STARTED);
    let adopted = procfs::own_children()
        .into_iter()
        .filter(|pid| !started.contains(pid))
        .filter_map(procfs::stat)
        // Our commands begin a session each, so a child in our own is another library's.
        .filter(|stat| stat.session != own_session);
    let (dead, running): (Vec<_>, Vec<_>) = adopted.partition(|stat| !stat.is_running());
    for pid in dead.iter().filter_map(|stat| Pid::from_raw(stat.pid)) {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
        rustix::process::waitid(WaitId::Pid(pid), options).ok();
    }
    running
}

/// Finds the other processes that have one of these pipes open, but for children of ours that are
/// about to start: until then each has a copy of everything that is open here.
pub(super) fn holders(pipe_inodes: &[u64]) -> Vec<Stat> {
    let own = rustix::process::getpid().as_raw_pid();
    let own_session = procfs::own_session();
    // Under the lock no spawner is between the two steps of a start; other libraries may be.
    let started = lock(&STARTED);
    let mut holders = procfs::holders(pipe_inodes);
    holders.retain(|stat| {
        let is_starting = stat.parent == own && stat.session == own_session;
        stat.pid != own && !is_starting && !started.contains(&stat.pid)
    });
    holders
}
