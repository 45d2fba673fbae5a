//! Commands.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use deed_env::EnvError;
use deed_env::process::{Ending, ExitReport, OutputSink, OutputStream, ProcessSpec};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::super::super::lock;
use super::super::hook::{SPAWN_HOOK, hooked};
use super::super::run::{Calling, Fault};
use super::{CallbackEnv, text_of};

/// How Pi's functions say that they ended a command, and why.
const ABORTED: &str = "aborted";
const TIMED_OUT: &str = "timeout:";

impl CallbackEnv {
    /// Runs a command line as `exec` runs it; it is handed over without the shell.
    pub(super) async fn command(
        &self,
        spec: ProcessSpec,
        sink: Box<dyn OutputSink>,
        cancel: &CancellationToken,
    ) -> Result<ExitReport, EnvError> {
        if cancel.is_cancelled() {
            return Err(EnvError::Cancelled);
        }
        let begun = Instant::now();
        let line = spec.args.last().cloned().unwrap_or_default();
        let mut command = line.to_string_lossy().into_owned();
        let mut cwd = text_of(&spec.cwd)?.to_owned();
        let mut options = Map::new();
        if let Some(timeout) = spec.timeout.filter(|timeout| *timeout < Duration::MAX) {
            options.insert("timeout".to_owned(), timeout.as_secs_f64().into());
        }
        if self.has(SPAWN_HOOK) {
            let changed = hooked(&self.run, &command, &spec.cwd, cancel).await?;
            command = changed.command;
            cwd = changed.cwd.unwrap_or(cwd);
            options.insert("env".to_owned(), Value::Object(changed.env));
        }
        let sink = Arc::new(Mutex::new(sink));
        let taking = sink.clone();
        let taker = move |bytes: &[u8]| lock(&taking).chunk(OutputStream::Stdout, bytes);
        let args = json!([command, cwd, options]);
        let calling = self.run.call("exec", args, Some(Box::new(taker)));
        let ending = ended(calling, &spec, cancel).await;
        lock(&sink).end();
        Ok(ExitReport {
            ending: ending.map_err(|fault| fault.on("run a command in", &spec.cwd))?,
            elapsed: begun.elapsed(),
            left_running: Vec::new(),
        })
    }
}

/// Waits for the end of a command. One that is not wanted any more, or takes too long, is told so
/// and has the time of grace to end.
async fn ended(
    mut calling: Calling,
    spec: &ProcessSpec,
    cancel: &CancellationToken,
) -> Result<Ending, Fault> {
    let limit = spec.timeout.filter(|timeout| *timeout < Duration::MAX);
    let timed_out = Ending::TimedOut {
        exited_before: None,
    };
    let stopped = {
        let late = async {
            match limit {
                // The function has the limit too, and tells more when it keeps it itself.
                Some(limit) => tokio::time::sleep(limit.saturating_add(spec.grace)).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            answer = calling.answer() => return ending(answer, cancel, timed_out),
            () = cancel.cancelled() => Ending::Cancelled,
            () = late => timed_out,
        }
    };
    calling.abort();
    // What it says now does not change why it was ended.
    tokio::time::timeout(spec.grace, calling.answer())
        .await
        .ok();
    Ok(stopped)
}

fn ending(
    answer: Result<Value, Fault>,
    cancel: &CancellationToken,
    timed_out: Ending,
) -> Result<Ending, Fault> {
    match answer {
        _ if cancel.is_cancelled() => Ok(Ending::Cancelled),
        Ok(answer) => {
            let code = answer.get("exitCode").and_then(Value::as_i64);
            let code = code.and_then(|code| i32::try_from(code).ok());
            // Without a code it did not end well, as Pi has it.
            Ok(Ending::Exited(code.unwrap_or(1)))
        }
        Err(fault) if fault.message == ABORTED => Ok(Ending::Cancelled),
        Err(fault) if fault.message.starts_with(TIMED_OUT) => Ok(timed_out),
        Err(fault) => Err(fault),
    }
}
