use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

use tokio::sync::oneshot;

use crate::health::Health;
use crate::isolate::{Command, Reply};
use crate::{Death, ScriptError};

/// How often somebody who waits looks whether the engine still reacts.
const STUCK_CHECK: Duration = Duration::from_secs(1);

/// The way to an engine from any thread; with the last clone, the engine ends.
#[derive(Clone)]
pub(crate) struct Handle(Arc<Inner>);

struct Inner {
    commands: Sender<Command>,
    health: Arc<Health>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        // Stops a script that runs; the command wakes a thread that waits.
        self.health.die(Death::Closed);
        self.commands.send(Command::Stop).ok();
    }
}

impl Handle {
    pub(crate) fn new(commands: Sender<Command>, health: Arc<Health>) -> Self {
        Self(Arc::new(Inner { commands, health }))
    }

    /// Tells why the engine is not to be used, if it is not.
    pub(crate) fn death(&self) -> Option<Death> {
        self.0.health.death().cloned()
    }

    /// Ends the engine for a reason.
    pub(crate) fn kill(&self, death: Death) {
        self.0.health.die(death);
        self.0.commands.send(Command::Stop).ok();
    }

    /// Imports a file and lets its factory register.
    ///
    /// Cancellation: the factory goes on.
    pub(crate) async fn load(&self, path: &Path, info: String) -> Result<(), ScriptError> {
        let load = |reply| Command::Load {
            path: path.to_owned(),
            info,
            reply,
        };
        self.ask(load).await.map(drop)
    }

    /// Calls a function of the JavaScript host; `None` if it answers nothing.
    ///
    /// Cancellation: the function goes on, and its answer is dropped.
    pub(crate) async fn call(
        &self,
        function: &'static str,
        args: Vec<String>,
    ) -> Result<Option<String>, ScriptError> {
        self.ask(|reply| Command::Call {
            function,
            args,
            reply,
        })
        .await
    }

    /// Calls a function of the JavaScript host and does not wait.
    pub(crate) fn tell(&self, function: &'static str, args: Vec<String>) {
        // An engine that is gone has nothing to be told.
        self.0.commands.send(Command::Tell { function, args }).ok();
    }

    async fn ask(
        &self,
        command: impl FnOnce(Reply) -> Command,
    ) -> Result<Option<String>, ScriptError> {
        let health = &self.0.health;
        let (reply, answer) = oneshot::channel();
        self.0.commands.send(command(reply)).ok();
        tokio::pin!(answer);
        let died = health.died();
        tokio::pin!(died);
        loop {
            tokio::select! {
                biased;
                answer = &mut answer => return match answer {
                    Ok(answer) => answer,
                    Err(_) => Err(ScriptError::Dead(health.died().await)),
                },
                death = &mut died => return Err(ScriptError::Dead(death)),
                () = tokio::time::sleep(STUCK_CHECK) => health.check_stuck(),
            }
        }
    }
}
