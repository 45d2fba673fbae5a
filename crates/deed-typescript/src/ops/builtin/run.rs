use std::collections::{HashMap, VecDeque};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use deed_env::EnvError;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::{Notify, oneshot};
use tokio_util::sync::CancellationToken;

use super::super::error::code_kind;
use super::super::lock;

/// A tool of the host that runs for a script, and the functions of the script that it calls.
#[derive(Default)]
pub(super) struct Run {
    events: Mutex<VecDeque<Value>>,
    changed: Notify,
    pub(super) cancel: CancellationToken,
    open: Mutex<HashMap<u64, Open>>,
    last: AtomicU64,
}

/// Takes what a function of the script gives bit by bit.
pub(super) type Taker = Box<dyn FnMut(&[u8]) + Send>;

/// A function of the script that has not answered yet.
struct Open {
    answer: oneshot::Sender<Result<Value, Fault>>,
    taker: Option<Arc<Mutex<Taker>>>,
}

/// Why a function of the script failed.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Fault {
    #[serde(default)]
    pub(super) message: String,
    /// Such as `ENOENT`; anything but a text counts as none.
    #[serde(default)]
    code: Value,
}

impl Fault {
    fn gone() -> Self {
        Self {
            message: "Operation aborted".to_owned(),
            code: Value::Null,
        }
    }

    /// Makes it a failure of the environment, whose kind its code tells.
    pub(super) fn on(self, operation: &'static str, path: &Path) -> EnvError {
        let kind = self.code.as_str().map(code_kind);
        let kind = kind.unwrap_or(io::ErrorKind::Other);
        EnvError::io(operation, path, io::Error::new(kind, self.message))
    }
}

impl Run {
    pub(super) fn say(&self, event: Value) {
        let is_update = |event: &Value| event.get("type").is_some_and(|kind| kind == "update");
        let mut events = lock(&self.events);
        match events.back_mut() {
            // Each shows all there is, so one that nobody has seen is old.
            Some(last) if is_update(last) && is_update(&event) => *last = event,
            _ => events.push_back(event),
        }
        drop(events);
        self.changed.notify_one();
    }

    /// Returns the next event.
    pub(super) async fn next(&self) -> Value {
        loop {
            if let Some(event) = lock(&self.events).pop_front() {
                return event;
            }
            self.changed.notified().await;
        }
    }

    /// Calls a function of the script.
    ///
    /// Cancellation: the script is told; what it answers then is dropped.
    pub(super) fn call(
        self: &Arc<Self>,
        method: &str,
        args: Value,
        taker: Option<Taker>,
    ) -> Calling {
        let id = self.last.fetch_add(1, Ordering::Relaxed);
        let (answer, answered) = oneshot::channel();
        let taker = taker.map(|taker| Arc::new(Mutex::new(taker)));
        lock(&self.open).insert(id, Open { answer, taker });
        self.say(json!({ "type": "operation", "id": id, "method": method, "args": args }));
        Calling {
            run: self.clone(),
            id,
            answered,
        }
    }

    /// Takes what a function answered.
    pub(super) fn answer(&self, id: u64, answer: Result<Value, Fault>) {
        let open = lock(&self.open).remove(&id);
        if let Some(open) = open {
            // Who asked may not wait any more.
            open.answer.send(answer).ok();
        }
    }

    /// Takes a piece of what a function gives bit by bit.
    pub(super) fn data(&self, id: u64, bytes: &[u8]) {
        let taker = lock(&self.open)
            .get(&id)
            .and_then(|open| open.taker.clone());
        if let Some(taker) = taker {
            lock(&taker)(bytes);
        }
    }

    pub(super) fn is_waiting(&self) -> bool {
        !lock(&self.open).is_empty()
    }

    /// Ends it with its engine: no function answers any more.
    pub(super) fn end(&self) {
        self.cancel.cancel();
        lock(&self.open).clear();
    }
}

/// A call of a function of the script.
pub(super) struct Calling {
    run: Arc<Run>,
    id: u64,
    answered: oneshot::Receiver<Result<Value, Fault>>,
}

impl Calling {
    /// Waits for the answer.
    pub(super) async fn answer(&mut self) -> Result<Value, Fault> {
        let answered = (&mut self.answered).await;
        answered.unwrap_or_else(|_| Err(Fault::gone()))
    }

    /// Waits for the answer for as long as it is wanted.
    ///
    /// Errors: the outer one says that it is not wanted any more.
    pub(super) async fn answer_unless(
        mut self,
        cancel: &CancellationToken,
    ) -> Result<Result<Value, Fault>, EnvError> {
        let answer = cancel.run_until_cancelled(self.answer()).await;
        answer.ok_or(EnvError::Cancelled)
    }

    /// Tells the script that the answer is not wanted any more.
    pub(super) fn abort(&self) {
        self.run.say(json!({ "type": "abort", "id": self.id }));
    }
}

impl Drop for Calling {
    fn drop(&mut self) {
        let was_open = lock(&self.run.open).remove(&self.id).is_some();
        if was_open {
            self.abort();
        }
    }
}
