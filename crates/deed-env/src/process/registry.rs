//! What one spawner has running and what its commands left behind.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use rustix::process::{Pid, Signal};

use super::LeftProcess;
use super::children::{self, lock};
use super::control::Control;
use super::family::{self, Family};
use super::procfs::{self, Stat, Target};
use super::tree::{GRACE, KILL_ROUNDS, kill_pause};

static SPAWNERS: AtomicU64 = AtomicU64::new(0);
/// How often to look who is left while a session has time to end by itself.
const SCAN_PAUSE: Duration = Duration::from_millis(20);
/// How long the threads of calls may take to finish once everything was ended.
const CALLS_PATIENCE: Duration = Duration::from_secs(1);

/// The books of one spawner.
#[derive(Debug)]
pub(super) struct Registry {
    environment: Vec<(OsString, OsString)>,
    prefix: String,
    calls_begun: AtomicU64,
    state: Mutex<State>,
    call_ended: Condvar,
}

#[derive(Debug, Default)]
struct State {
    calls: BTreeMap<u64, RunningCall>,
    left: HashSet<Target>,
}

#[derive(Debug)]
struct RunningCall {
    control: Arc<Control>,
    program: Option<LeftProcess>,
}

/// A call on the books; off them when dropped.
#[derive(Debug)]
pub(super) struct Enrolled {
    registry: Arc<Registry>,
    number: u64,
}

impl Registry {
    pub(super) fn new(environment: Vec<(OsString, OsString)>) -> Self {
        let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let nanos = since_epoch.map_or(0, |time| time.as_nanos());
        let spawner = SPAWNERS.fetch_add(1, Ordering::Relaxed);
        Self {
            environment,
            // Unique over processes, restarts and the spawners of one process.
            prefix: format!("{}-{nanos:x}-{spawner}", std::process::id()),
            calls_begun: AtomicU64::new(0),
            state: Mutex::default(),
            call_ended: Condvar::new(),
        }
    }

    pub(super) fn environment(&self) -> &[(OsString, OsString)] {
        &self.environment
    }

    /// What the markers of all calls begin with.
    pub(super) fn prefix(&self) -> &str {
        &self.prefix
    }

    pub(super) fn enrol(self: &Arc<Self>, control: &Arc<Control>) -> Enrolled {
        let number = self.calls_begun.fetch_add(1, Ordering::AcqRel);
        let call = RunningCall {
            control: Arc::clone(control),
            program: None,
        };
        lock(&self.state).calls.insert(number, call);
        Enrolled {
            registry: Arc::clone(self),
            number,
        }
    }

    /// Notes processes that go on running after their call.
    pub(super) fn keep(&self, members: &[Stat]) {
        lock(&self.state)
            .left
            .extend(members.iter().map(Stat::target));
    }

    /// Leaves out those that are noted already.
    pub(super) fn unknown(&self, mut strays: Vec<Stat>) -> Vec<Stat> {
        let state = lock(&self.state);
        strays.retain(|stat| !state.left.contains(&stat.target()));
        strays
    }

    /// Lists the programs of running calls and what former ones left and still runs.
    pub(super) fn running(&self) -> Vec<LeftProcess> {
        let (left, mut running) = {
            let state = lock(&self.state);
            let programs = state.calls.values().filter_map(|call| call.program.clone());
            (state.left.clone(), programs.collect::<Vec<_>>())
        };
        let alive: Vec<Stat> = left.into_iter().filter_map(procfs::running).collect();
        let targets: HashSet<Target> = alive.iter().map(Stat::target).collect();
        lock(&self.state)
            .left
            .retain(|target| targets.contains(target));
        running.extend(family::left_processes(alive.iter()));
        running.sort_by_key(|process| process.pid);
        running
    }

    /// Ends everything that commands of this spawner have running, waits for it, and says what
    /// could not be ended.
    pub(super) fn end(&self, politely: bool) -> Vec<LeftProcess> {
        if self.calls_begun.load(Ordering::Acquire) == 0 {
            return Vec::new();
        }
        let busy = self.stop_calls(politely);
        let mut left = self.left_family();
        if politely {
            ask_to_end(&mut left, &busy);
        }
        self.wait_for_calls();
        for round in 0..KILL_ROUNDS {
            let members = left.scan();
            children::sweep();
            if members.is_empty() {
                break;
            }
            signal_all(&members, Signal::KILL);
            std::thread::sleep(kill_pause(round));
        }
        let survivors = left.scan();
        lock(&self.state).left = survivors.iter().map(Stat::target).collect();
        family::left_processes(survivors.iter())
    }

    /// Tells the threads of the running calls to end them, and returns the programs' numbers.
    fn stop_calls(&self, politely: bool) -> HashSet<u32> {
        let state = lock(&self.state);
        for call in state.calls.values() {
            if politely {
                call.control.cancel();
            } else {
                call.control.kill();
            }
        }
        state
            .calls
            .values()
            .filter_map(|call| Some(call.program.as_ref()?.pid))
            .collect()
    }

    fn wait_for_calls(&self) {
        let state = lock(&self.state);
        let is_busy = |state: &mut State| !state.calls.is_empty();
        let waited = self
            .call_ended
            .wait_timeout_while(state, CALLS_PATIENCE, is_busy);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    fn left_family(&self) -> Family {
        let known = std::mem::take(&mut lock(&self.state).left);
        let mut family = Family::of_session(self.prefix.clone(), known);
        // At the end of a session nobody else can be meant by those that hide where they are from.
        family.remember(&family::unmarked(children::sweep()));
        family
    }
}

impl Enrolled {
    /// The number of the call, unique in its spawner.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Notes what runs.
    pub(super) fn started(&mut self, pid: Pid, program: &Path) {
        let name = program
            .file_name()
            .unwrap_or(program.as_os_str())
            .display()
            .to_string();
        let program = LeftProcess {
            pid: pid.as_raw_pid().unsigned_abs(),
            name,
        };
        if let Some(call) = lock(&self.registry.state).calls.get_mut(&self.number) {
            call.program = Some(program);
        }
    }
}

impl Drop for Enrolled {
    fn drop(&mut self) {
        lock(&self.registry.state).calls.remove(&self.number);
        self.registry.call_ended.notify_all();
    }
}

/// Asks those to end that no running call has asked already, and gives all of them time.
fn ask_to_end(left: &mut Family, busy: &HashSet<u32>) {
    let mut members = left.scan();
    members.retain(|stat| !busy.contains(&stat.session.unsigned_abs()));
    signal_all(&members, Signal::TERM);
    signal_all(&members, Signal::CONT);
    let until = Instant::now() + GRACE;
    while Instant::now() < until && !left.scan().is_empty() {
        std::thread::sleep(SCAN_PAUSE);
    }
}

fn signal_all(members: &[Stat], signal: Signal) {
    for member in members {
        procfs::signal(member.target(), signal);
    }
}
