//! Programs that a script follows while they run.

use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{self, Write as _};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use deed_agent::BoxFuture;
use deed_env::process::{LiveProcess, OutputSink, OutputStream};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::{Notify, oneshot};
use tokio_util::sync::CancellationToken;

use super::super::files::{from_base64, to_base64};
use super::super::{OpContext, OpError, OpResult, done, lock, read, say};
use super::{Launch, ending, signal_number};
use crate::Access;

/// Programs of a script, by its ids.
#[derive(Default)]
pub(crate) struct Children(Mutex<HashMap<String, Arc<Child>>>);

impl Children {
    /// Ends all.
    pub(crate) fn end(&self) {
        for (_, child) in lock(&self.0).drain() {
            child.cancel.cancel();
        }
    }

    fn find(&self, id: &Value) -> Option<Arc<Child>> {
        lock(&self.0).get(&id.to_string()).cloned()
    }

    fn of_number(&self, pid: u32) -> Option<Arc<Child>> {
        let children = lock(&self.0);
        let found = children.values().find(|child| child.pid() == Some(pid));
        found.cloned()
    }
}

/// One program.
#[derive(Default)]
struct Child {
    state: Mutex<State>,
    changed: Notify,
    cancel: CancellationToken,
    /// Held while something is written.
    input: Mutex<Option<File>>,
}

#[derive(Default)]
struct State {
    events: VecDeque<Value>,
    waiting_bytes: usize,
    live: Option<LiveProcess>,
    has_ended: bool,
}

/// How much output may wait for the script before the program has to.
const MAX_WAITING_BYTES: usize = 16 * 1024 * 1024;
const WAIT: Duration = Duration::from_millis(5);

impl Child {
    fn say(&self, event: Value) {
        lock(&self.state).events.push_back(event);
        self.changed.notify_one();
    }

    fn pid(&self) -> Option<u32> {
        let state = lock(&self.state);
        let live = state.live.as_ref().filter(|_| !state.has_ended);
        live.map(LiveProcess::pid)
    }

    /// Sends a signal; tells whether there was somebody to send it to.
    fn signal(&self, signal: i32, to_group: bool) -> bool {
        let state = lock(&self.state);
        let Some(live) = state.live.as_ref().filter(|_| !state.has_ended) else {
            return false;
        };
        // Nought only asks whether it is there.
        if signal > 0 {
            live.signal(signal, to_group);
        }
        true
    }

    fn end(&self, code: Value, signal: Value) {
        lock(&self.state).has_ended = true;
        self.say(json!({ "type": "exit", "code": code, "signal": signal }));
        self.say(json!({ "type": "close" }));
    }
}

/// Hands output on, and says when the program runs.
struct Follower {
    child: Arc<Child>,
    is_fed: bool,
    started: Option<oneshot::Sender<u32>>,
}

impl OutputSink for Follower {
    fn started(&mut self, mut program: LiveProcess) {
        *lock(&self.child.input) = program.take_input();
        let pid = program.pid();
        lock(&self.child.state).live = Some(program);
        if let Some(started) = self.started.take() {
            started.send(pid).ok();
        }
    }

    fn feeds_input(&self) -> bool {
        self.is_fed
    }

    fn chunk(&mut self, stream: OutputStream, bytes: &[u8]) {
        let child = &self.child;
        while lock(&child.state).waiting_bytes > MAX_WAITING_BYTES && !child.cancel.is_cancelled() {
            // The script is slow; so is the program then.
            std::thread::sleep(WAIT);
        }
        let name = match stream {
            OutputStream::Stdout => "stdout",
            OutputStream::Stderr => "stderr",
        };
        lock(&child.state).waiting_bytes += bytes.len();
        child.say(json!({ "type": name, "base64": to_base64(bytes), "size": bytes.len() }));
    }
}

#[derive(Deserialize)]
struct Spawn {
    id: Value,
    #[serde(flatten)]
    launch: Launch,
    #[serde(default)]
    stdio: Vec<Value>,
}

/// Starts a program, and waits until it runs.
pub(super) fn spawn(context: &OpContext, json: &str) -> OpResult {
    let asked: Spawn = read(json)?;
    let spec = asked.launch.spec(context, Vec::new())?;
    let child = Arc::new(Child::default());
    let (started, runs) = oneshot::channel();
    let follower = Follower {
        child: child.clone(),
        is_fed: asked.stdio.first().is_none_or(|stdin| stdin == "pipe"),
        started: Some(started),
    };
    let id = asked.id.to_string();
    lock(&context.children.0).insert(id.clone(), child.clone());
    let (api, following) = (context.api()?.clone(), child.clone());
    let (failed, failure) = oneshot::channel();
    context.bridge.runtime.spawn(async move {
        let ran = api.spawn(spec, Box::new(follower), &following.cancel).await;
        match &ran {
            Ok(report) => {
                let (code, signal) = ending(report, None);
                following.end(code, signal);
            }
            Err(error) => {
                following.end(Value::Null, "SIGKILL".into());
                failed.send(error.to_string()).ok();
            }
        }
    });
    if let Ok(pid) = context.bridge.runtime.block_on(runs) {
        return say(json!({ "pid": pid }));
    }
    lock(&context.children.0).remove(&id);
    let why = context.bridge.runtime.block_on(failure);
    let why = why.unwrap_or_else(|_| "it could not be started".to_owned());
    Err(OpError::failed(format!("spawn {}: {why}", asked.launch.command)).with_code(code_of(&why)))
}

/// Returns node's name for why a program could not be started.
fn code_of(why: &str) -> &'static str {
    match why {
        why if why.contains("permission denied") || why.contains("cannot be entered") => "EACCES",
        why if why.contains("too long for the system") => "E2BIG",
        why if why.contains("limit of processes") => "EAGAIN",
        why if why.contains("NUL byte") => "ERR_INVALID_ARG_VALUE",
        why if why.contains("is no folder") => "ENOTDIR",
        _ => "ENOENT",
    }
}

#[derive(Deserialize)]
struct Of {
    id: Value,
}

pub(super) fn next(context: Arc<OpContext>, json: String) -> BoxFuture<'static, OpResult> {
    Box::pin(async move {
        let Of { id } = read(&json)?;
        let Some(child) = context.children.find(&id) else {
            return say(json!({ "type": "close" }));
        };
        loop {
            let event = {
                let mut state = lock(&child.state);
                let event = state.events.pop_front();
                let size = event.as_ref().and_then(|event| event.get("size")?.as_u64());
                let size = usize::try_from(size.unwrap_or(0)).unwrap_or(0);
                state.waiting_bytes = state.waiting_bytes.saturating_sub(size);
                event
            };
            if let Some(event) = event {
                if event.get("type").is_some_and(|kind| kind == "close") {
                    lock(&context.children.0).remove(&id.to_string());
                }
                return say(event);
            }
            child.changed.notified().await;
        }
    })
}

#[derive(Deserialize)]
struct Write {
    id: Value,
    base64: String,
}

/// Writes to the input of a program, which may not read it for long: on a thread of its own.
pub(super) fn write(context: Arc<OpContext>, json: String) -> BoxFuture<'static, OpResult> {
    Box::pin(async move {
        let Write { id, base64 } = read(&json)?;
        let bytes = from_base64(&base64)?;
        let closed = || OpError::from(io::Error::from_raw_os_error(EPIPE));
        let child = context.children.find(&id).ok_or_else(closed)?;
        let writing = tokio::task::spawn_blocking(move || match lock(&child.input).as_mut() {
            Some(input) => input.write_all(&bytes).map_err(OpError::from),
            None => Err(closed()),
        });
        writing.await.map_err(OpError::failed)??;
        done()
    })
}

const EPIPE: i32 = 32;

/// Ends the input, after what is being written.
pub(super) fn close_input(context: &OpContext, json: &str) -> OpResult {
    let Of { id } = read(json)?;
    let Some(child) = context.children.find(&id) else {
        return done();
    };
    if let Ok(mut input) = child.input.try_lock() {
        input.take();
        return done();
    }
    context
        .bridge
        .runtime
        .spawn_blocking(move || drop(lock(&child.input).take()));
    done()
}

#[derive(Deserialize)]
struct Kill {
    id: Value,
    #[serde(default)]
    signal: Value,
}

pub(super) fn kill(context: &OpContext, json: &str) -> OpResult {
    let Kill { id, signal } = read(json)?;
    let signal = known_signal(&signal)?;
    let child = context.children.find(&id);
    let sent = child.is_some_and(|child| child.signal(signal, false));
    say(json!({ "sent": sent }))
}

fn known_signal(signal: &Value) -> Result<i32, OpError> {
    signal_number(signal).ok_or_else(|| {
        OpError::failed(format!("Unknown signal: {signal}")).with_code("ERR_UNKNOWN_SIGNAL")
    })
}

#[derive(Deserialize)]
struct KillNumber {
    pid: i64,
    #[serde(default)]
    signal: Value,
}

/// Signals a program by its number: one of this script's, or its group by the negative number;
/// others by permission, and never this one.
pub(super) fn kill_number(context: &OpContext, json: &str) -> OpResult {
    let KillNumber { pid, signal } = read(json)?;
    let signal = known_signal(&signal)?;
    let number = u32::try_from(pid.unsigned_abs()).unwrap_or(0);
    if let Some(child) = context.children.of_number(number).filter(|_| number > 0)
        && child.signal(signal, pid < 0)
    {
        return say(json!({ "sent": true }));
    }
    let me = std::process::id();
    if number == me && pid > 0 && signal == 0 {
        return say(json!({ "sent": true }));
    }
    if number <= 1 || number == me {
        return Err(OpError::denied(
            format!("signal {pid}"),
            "it is not its own program",
        ));
    }
    context.check(&Access::Run(&format!("kill -{signal} {pid}")))?;
    send(pid, signal)?;
    say(json!({ "sent": true }))
}

fn send(pid: i64, signal: i32) -> Result<(), OpError> {
    use rustix::process::{self, Pid, Signal};
    let gone = || OpError::from(io::Error::from_raw_os_error(ESRCH));
    let number = i32::try_from(pid.abs()).ok().and_then(Pid::from_raw);
    let number = number.ok_or_else(gone)?;
    let sent = match (Signal::from_named_raw(signal), pid < 0) {
        (Some(signal), false) => process::kill_process(number, signal),
        (Some(signal), true) => process::kill_process_group(number, signal),
        (None, false) => process::test_kill_process(number),
        (None, true) => process::test_kill_process_group(number),
    };
    sent.map_err(|error| io::Error::from(error).into())
}

const ESRCH: i32 = 3;
