//! Programs that a script follows while they run.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use deed_agent::BoxFuture;
use deed_env::process::{OutputSink, OutputStream};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::super::files::{from_base64, to_base64};
use super::super::{OpContext, OpError, OpResult, done, lock, read, say};
use super::{Launch, ending};

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
}

/// One program.
#[derive(Default)]
struct Child {
    state: Mutex<State>,
    changed: Notify,
    cancel: CancellationToken,
}

#[derive(Default)]
struct State {
    events: VecDeque<Value>,
    waiting_bytes: usize,
    input: Vec<u8>,
    is_input_whole: bool,
    has_started: bool,
    killed_by: Option<String>,
}

/// How much output may wait for the script before the program has to.
const MAX_WAITING_BYTES: usize = 16 * 1024 * 1024;
const WAIT: Duration = Duration::from_millis(5);
/// How long a program that was given no input is held back for some.
const INPUT_WAIT: Duration = Duration::from_millis(10);

impl Child {
    fn say(&self, event: Value) {
        lock(&self.state).events.push_back(event);
        self.changed.notify_one();
    }

    /// Waits until the input is whole, or none comes.
    async fn input(&self) -> Vec<u8> {
        let mut waits_since = tokio::time::Instant::now();
        loop {
            {
                let mut state = lock(&self.state);
                let none_comes = state.input.is_empty() && waits_since.elapsed() >= INPUT_WAIT;
                if state.is_input_whole || none_comes || self.cancel.is_cancelled() {
                    state.has_started = true;
                    return std::mem::take(&mut state.input);
                }
                if !state.input.is_empty() {
                    waits_since = tokio::time::Instant::now();
                }
            }
            tokio::time::sleep(INPUT_WAIT / 5).await;
        }
    }
}

struct Feeder(Arc<Child>);

impl OutputSink for Feeder {
    fn chunk(&mut self, stream: OutputStream, bytes: &[u8]) {
        while lock(&self.0.state).waiting_bytes > MAX_WAITING_BYTES && !self.0.cancel.is_cancelled()
        {
            // The script is slow; so is the program then.
            std::thread::sleep(WAIT);
        }
        let name = match stream {
            OutputStream::Stdout => "stdout",
            OutputStream::Stderr => "stderr",
        };
        lock(&self.0.state).waiting_bytes += bytes.len();
        self.0
            .say(json!({ "type": name, "base64": to_base64(bytes), "size": bytes.len() }));
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

pub(super) fn spawn(context: &OpContext, json: &str) -> OpResult {
    let asked: Spawn = read(json)?;
    let mut spec = asked.launch.spec(context, Vec::new())?;
    let child = Arc::new(Child::default());
    if asked.stdio.first().is_some_and(|stdin| stdin != "pipe") {
        lock(&child.state).is_input_whole = true;
    }
    lock(&context.children.0).insert(asked.id.to_string(), child.clone());
    let api = context.api()?.clone();
    context.bridge.runtime.spawn(async move {
        spec.stdin = child.input().await;
        let ran = api
            .spawn(spec, Box::new(Feeder(child.clone())), &child.cancel)
            .await;
        let killed_by = lock(&child.state).killed_by.clone();
        let (code, signal) = match &ran {
            Ok(report) => ending(report, killed_by),
            // It was not wanted any more before it had started.
            Err(_) if killed_by.is_some() => (Value::Null, killed_by.into()),
            Err(error) => {
                let text = format!("{error}\n");
                child.say(
                    json!({ "type": "stderr", "base64": to_base64(text.as_bytes()), "size": 0 }),
                );
                (127.into(), Value::Null)
            }
        };
        child.say(json!({ "type": "exit", "code": code, "signal": signal }));
        child.say(json!({ "type": "close" }));
    });
    // The spawner keeps the number to itself.
    say(json!({ "pid": null }))
}

#[derive(Deserialize)]
struct Of {
    id: Value,
}

fn child(context: &OpContext, id: &Value) -> Option<Arc<Child>> {
    lock(&context.children.0).get(&id.to_string()).cloned()
}

pub(super) fn next(context: Arc<OpContext>, json: String) -> BoxFuture<'static, OpResult> {
    Box::pin(async move {
        let Of { id } = read(&json)?;
        let Some(child) = child(&context, &id) else {
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

pub(super) fn write(context: &OpContext, json: &str) -> OpResult {
    let Write { id, base64 } = read(json)?;
    let bytes = from_base64(&base64)?;
    if let Some(child) = child(context, &id) {
        let mut state = lock(&child.state);
        if state.has_started {
            let text = "a program of an extension gets its input whole, when it starts";
            return Err(OpError::failed(text).with_code("EPIPE"));
        }
        state.input.extend(bytes);
    }
    done()
}

pub(super) fn close_input(context: &OpContext, json: &str) -> OpResult {
    let Of { id } = read(json)?;
    if let Some(child) = child(context, &id) {
        lock(&child.state).is_input_whole = true;
    }
    done()
}

#[derive(Deserialize)]
struct Kill {
    id: Value,
    signal: Option<Value>,
}

pub(super) fn kill(context: &OpContext, json: &str) -> OpResult {
    let Kill { id, signal } = read(json)?;
    let Some(child) = child(context, &id) else {
        return say(json!({ "sent": false }));
    };
    let signal = signal.and_then(|signal| signal.as_str().map(str::to_owned));
    lock(&child.state).killed_by = signal;
    child.cancel.cancel();
    say(json!({ "sent": true }))
}
