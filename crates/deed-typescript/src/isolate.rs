//! One engine on a thread of its own.
//!
//! The thread is a plain loop: take a command, run the script until it has nothing left to do, wait
//! for the next command or timer. Nothing of the engine leaves the thread; what crosses is JSON
//! text. Asynchronous work of the host runs where the session runs, and comes back as a command.

mod commonjs;
mod engine;
mod fault;
mod inside;
mod loader;
mod native;
mod timers;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Instant;

use tokio::sync::oneshot;

use crate::handle::Handle;
use crate::health::Health;
use crate::ops::{OpContext, OpError};
use crate::{Death, Limits, ScriptError};

use engine::Engine;

/// Where the answer of a script goes: JSON text, or nothing.
pub(crate) type Reply = oneshot::Sender<Result<Option<String>, ScriptError>>;

/// What the thread is asked to do.
pub(crate) enum Command {
    /// Import a file and let its factory register.
    Load {
        path: PathBuf,
        info: String,
        reply: Reply,
    },
    /// Call a function of the JavaScript host, and answer when its promise is settled.
    Call {
        function: &'static str,
        args: Vec<String>,
        reply: Reply,
    },
    /// Call a function of the JavaScript host and forget about it.
    Tell {
        function: &'static str,
        args: Vec<String>,
    },
    /// An asynchronous operation is done.
    Settle {
        id: u64,
        result: Result<String, OpError>,
    },
    /// Nobody holds the handle any more.
    Stop,
}

/// Starts an engine; it is ready when it takes its first command.
///
/// `operations` is given the way back to the thread, for operations that answer later.
pub(crate) fn start(
    name: &str,
    limits: Limits,
    operations: impl FnOnce(Sender<Command>) -> Arc<OpContext>,
) -> (Handle, Arc<OpContext>) {
    let health = Arc::new(Health::new(limits.slice));
    let (commands, queue) = channel();
    let operations = operations(commands.clone());
    let handle = Handle::new(commands, health.clone());
    let run_health = health.clone();
    let started = std::thread::Builder::new()
        .name(format!("ts {name}"))
        .stack_size(limits.thread_stack_bytes())
        .spawn({
            let operations = operations.clone();
            move || run(&queue, limits, run_health, operations)
        });
    if let Err(error) = started {
        health.die(Death::Start(error.to_string()));
    }
    (handle, operations)
}

fn run(queue: &Receiver<Command>, limits: Limits, health: Arc<Health>, operations: Arc<OpContext>) {
    let engine = match Engine::boot(limits, health.clone(), operations) {
        Ok(engine) => engine,
        Err(error) => return health.die(Death::Start(error.to_string())),
    };
    while health.death().is_none() {
        let command = match engine.next_timer() {
            None => queue.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(at) => queue.recv_timeout(at.saturating_duration_since(Instant::now())),
        };
        match command {
            Ok(Command::Stop) | Err(RecvTimeoutError::Disconnected) => break,
            Ok(command) => engine.handle(command),
            Err(RecvTimeoutError::Timeout) => {}
        }
        engine.fire_timers();
    }
    health.die(Death::Closed);
    engine.close();
}
