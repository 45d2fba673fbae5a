//! The one place that starts processes.

use std::ffi::OsString;
use std::sync::Arc;
use std::thread::Builder;

use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::control::Control;
use super::registry::Registry;
use super::supervise::{Order, supervise};
use super::{ExitReport, LeftProcess, OutputSink, ProcessSpec};
use crate::EnvError;

/// Starts every process of an environment and answers for all of them until they have ended.
///
/// A command runs in a session of its own without a terminal. What it leaves running in the
/// background stays alive until the spawner ends it: [`Spawner::end_all`], which asks first, or
/// drop, which kills. A program must come to one of the two before it exits.
#[derive(Debug)]
pub struct Spawner {
    registry: Arc<Registry>,
}

impl Spawner {
    /// Makes a spawner whose commands get these variables, as
    /// [`command_environment`](super::command_environment) computes them.
    #[must_use]
    pub fn new(environment: Vec<(OsString, OsString)>) -> Self {
        Self {
            registry: Arc::new(Registry::new(environment)),
        }
    }

    /// Runs a program until it has ended, is cancelled or runs out of time.
    ///
    /// After the program's own end its output is awaited until nobody can write any more or none
    /// came for 100 ms; whoever still holds it is named in the report, goes on running, and writes
    /// into nowhere. At a time limit or cancellation the program and whatever descends from it get
    /// TERM, the grace of `spec`, and KILL, those that left its session or hold its output included.
    ///
    /// Needs no particular runtime: the work is done on a thread of its own.
    ///
    /// Errors: [`EnvError::WorkingFolder`], and [`EnvError::Spawn`] if nothing could be started;
    /// [`EnvError::Cancelled`] if it was cancelled before; [`EnvError::Io`] if the program was
    /// started but cannot be watched or the sink panicked; it is ended then.
    ///
    /// Cancellation: by the token. If the future is dropped, the tree is ended all the same.
    pub async fn run(
        &self,
        spec: ProcessSpec,
        sink: Box<dyn OutputSink>,
        cancel: &CancellationToken,
    ) -> Result<ExitReport, EnvError> {
        if cancel.is_cancelled() {
            return Err(EnvError::Cancelled);
        }
        let program = spec.program.clone();
        let fail = |source| EnvError::Spawn {
            program: program.display().to_string(),
            source,
        };
        let control = Arc::new(Control::new().map_err(fail)?);
        let guard = CancelOnDrop(Arc::clone(&control));
        let order = Order {
            spec,
            sink,
            control,
            registry: Arc::clone(&self.registry),
        };
        let (answer, mut report) = oneshot::channel();
        Builder::new()
            .name("deed-command".to_owned())
            .spawn(move || {
                supervise(order, |result| {
                    // Nobody listens if the future was dropped.
                    answer.send(result).ok();
                });
            })
            .map_err(fail)?;
        let result = match cancel.run_until_cancelled(&mut report).await {
            Some(result) => result,
            None => {
                guard.0.cancel();
                report.await
            }
        };
        result.unwrap_or_else(|_| {
            let source = std::io::Error::other("the receiver of its output panicked");
            Err(EnvError::io("supervise", program, source))
        })
    }

    /// Lists what runs: the programs of calls that have not ended, and what former ones left.
    #[must_use]
    pub fn running(&self) -> Vec<LeftProcess> {
        self.registry.running()
    }

    /// Ends everything that commands have running, calls and what they left: TERM, two seconds,
    /// KILL. Returns what could not be ended. More commands may be run afterwards.
    ///
    /// Cancellation: if the future is dropped, the work goes on.
    pub async fn end_all(&self) -> Vec<LeftProcess> {
        let registry = Arc::clone(&self.registry);
        let (answer, ended) = oneshot::channel();
        let thread = Builder::new().name("deed-end".to_owned()).spawn(move || {
            answer.send(registry.end(true)).ok();
        });
        match thread {
            Ok(_) => ended.await.unwrap_or_default(),
            // Without threads there is no better place than this one.
            Err(_) => self.registry.end(false),
        }
    }

    /// Ends everything that commands have running at once, without asking it to stop first.
    pub fn kill_all(&self) {
        self.registry.end(false);
    }
}

impl Drop for Spawner {
    fn drop(&mut self) {
        self.registry.end(false);
    }
}

/// Ends the command if the future that waits for it goes away; harmless after its end.
struct CancelOnDrop(Arc<Control>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
