use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use deed_agent::Caught;
use deed_extensions::{ExtensionApi, ExtensionContext, ToolCallEvent};
use deed_tooling::{ToolContext, Ui};
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;

use super::{LogLevel, Op, OpError, OpResult, find};
use crate::bridge::Bridge;
use crate::isolate::Command;
use crate::{Access, Thrown};

/// For whom a script runs at the moment.
#[derive(Clone)]
pub(crate) enum Scope {
    /// A handler of an event, or a command.
    Handler(ExtensionContext),
    /// A handler of `tool_call`, whose clock stands still while it asks.
    Guard(ExtensionContext, ToolCallEvent),
    /// A running call.
    Tool(ToolContext),
}

impl Scope {
    /// Returns the way to a person.
    pub(crate) fn ui(&self) -> &dyn Ui {
        match self {
            Self::Handler(context) | Self::Guard(context, _) => context.ui(),
            Self::Tool(context) => context.ui(),
        }
    }
}

/// What operations of one engine work with.
pub(crate) struct OpContext {
    /// What outlives the engine.
    pub(crate) bridge: Arc<Bridge>,
    commands: Sender<Command>,
    running: Mutex<HashMap<u64, AbortHandle>>,
    /// What takes long and can be called off, by family and the script's id.
    cancels: Mutex<HashMap<String, CancellationToken>>,
    /// Events for which the script has handlers.
    wanted: Mutex<HashSet<String>>,
    pub(super) children: super::exec::Children,
    pub(super) descriptors: super::files::Descriptors,
    pub(super) watches: super::files::Watches,
    pub(super) runs: super::builtin::Runs,
    pub(super) stops: super::sql::Stops,
    pub(super) exchanges: super::fetch::Exchanges,
    pub(super) turns: super::queue::Turns,
}

impl OpContext {
    pub(crate) fn new(bridge: Arc<Bridge>, commands: Sender<Command>) -> Self {
        Self {
            bridge,
            commands,
            running: Mutex::default(),
            cancels: Mutex::default(),
            wanted: Mutex::default(),
            children: Default::default(),
            descriptors: Default::default(),
            watches: Default::default(),
            runs: Default::default(),
            stops: Default::default(),
            exchanges: Default::default(),
            turns: Default::default(),
        }
    }

    /// Runs an operation that the script waits for.
    pub(crate) fn run(&self, name: &str, json: &str) -> OpResult {
        match find(name)? {
            Op::Now(run) | Op::Blocking(run) => caught(|| run(self, json)),
            Op::Later(_) => Err(OpError::failed(format!(
                "'{name}' answers later; use opAsync"
            ))),
        }
    }

    /// Runs an operation whose answer comes as a command.
    pub(crate) fn start(self: &Arc<Self>, name: &str, json: String, id: u64) {
        let operation = match find(name) {
            Ok(operation) => operation,
            Err(error) => return self.settle(id, Err(error)),
        };
        let context = self.clone();
        let runtime = &self.bridge.runtime;
        let task = match operation {
            Op::Now(run) => return self.settle(id, caught(|| run(self, &json))),
            Op::Blocking(run) => runtime.spawn_blocking(move || {
                let result = caught(|| run(&context, &json));
                context.settle(id, result);
            }),
            Op::Later(run) => runtime.spawn(async move {
                let result = Caught::new(|| run(context.clone(), json)).await;
                context.settle(
                    id,
                    result.unwrap_or_else(|panic| Err(OpError::failed(panic))),
                );
            }),
        };
        lock(&self.running).insert(id, task.abort_handle());
        if task.is_finished() {
            lock(&self.running).remove(&id);
        }
    }

    fn settle(&self, id: u64, result: OpResult) {
        lock(&self.running).remove(&id);
        // An engine that is gone waits for nothing.
        self.commands.send(Command::Settle { id, result }).ok();
    }

    /// Ends everything that the script has under way.
    pub(crate) fn close(&self) {
        for (_, task) in lock(&self.running).drain() {
            task.abort();
        }
        for (_, cancel) in lock(&self.cancels).drain() {
            cancel.cancel();
        }
        self.children.end();
        self.watches.end();
        self.runs.end();
        self.exchanges.end();
        self.turns.end();
    }

    /// Returns what the extension acts through.
    ///
    /// Errors: the script runs outside of a session.
    pub(super) fn api(&self) -> Result<&ExtensionApi, OpError> {
        let api = self.bridge.api.get();
        api.ok_or_else(|| OpError::failed("there is no session yet"))
    }

    /// Returns for whom the script runs; without a known scope, for the session.
    pub(super) fn scope(&self, id: Option<&str>) -> Result<Scope, OpError> {
        if let Some(scope) = id.and_then(|id| self.bridge.scope(id)) {
            return Ok(scope);
        }
        let context = self.api()?.context().map_err(OpError::failed)?;
        Ok(Scope::Handler(context))
    }

    /// Makes a token for something that the script may call off by `family` and `id`; it counts
    /// until the answer is dropped.
    pub(super) fn cancellable(self: &Arc<Self>, family: &str, id: &str) -> Cancellable {
        let token = CancellationToken::new();
        let key = format!("{family} {id}");
        lock(&self.cancels).insert(key.clone(), token.clone());
        Cancellable {
            token,
            key,
            context: self.clone(),
        }
    }

    /// Calls off what runs under an id.
    pub(super) fn cancel(&self, family: &str, id: &str) {
        let token = lock(&self.cancels).remove(&format!("{family} {id}"));
        if let Some(token) = token {
            token.cancel();
        }
    }

    /// Notes that the script wants to hear of an event, or no longer.
    pub(super) fn want(&self, event: &str, is_wanted: bool) {
        let mut wanted = lock(&self.wanted);
        if is_wanted {
            wanted.insert(event.to_owned());
        } else {
            wanted.remove(event);
        }
    }

    pub(crate) fn wants(&self, event: &str) -> bool {
        lock(&self.wanted).contains(event)
    }

    /// Returns the real path that a script means.
    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.bridge.options.cwd.join(path)
    }

    /// Errors: the extension may not.
    pub(super) fn check(&self, access: &Access<'_>) -> Result<(), OpError> {
        let checked = self.bridge.options.permissions.check(access);
        checked.map_err(|reason| OpError::denied(access, &reason))
    }

    pub(super) fn readable(&self, path: &str) -> Result<PathBuf, OpError> {
        let path = self.path(path);
        self.check(&Access::Read(&path))?;
        Ok(path)
    }

    pub(super) fn writable(&self, path: &str) -> Result<PathBuf, OpError> {
        let path = self.path(path);
        self.check(&Access::Write(&path))?;
        Ok(path)
    }

    pub(crate) fn log(&self, level: LogLevel, text: &str) {
        self.bridge.notice(level, text.to_owned());
    }

    /// Tells of what was thrown where nobody waited for it.
    pub(crate) fn rejected(&self, thrown: &Thrown) {
        let place = thrown.stack.first().map(|frame| format!(" at {frame}"));
        let text = format!("nobody caught: {thrown}{}", place.unwrap_or_default());
        self.bridge.notice(LogLevel::Error, text);
    }

    pub(super) fn cwd(&self) -> &Path {
        &self.bridge.options.cwd
    }
}

/// Something that the script may call off.
pub(super) struct Cancellable {
    pub(super) token: CancellationToken,
    key: String,
    context: Arc<OpContext>,
}

impl Drop for Cancellable {
    fn drop(&mut self) {
        lock(&self.context.cancels).remove(&self.key);
    }
}

/// Runs an operation; a panic is an error of that operation.
fn caught(run: impl FnOnce() -> OpResult) -> OpResult {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Err(OpError::failed("the host failed")))
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
