//! Commands of people that run through functions of a script.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use deed_agent::BoxFuture;
use deed_extensions::{BashOperations, CommandOutput};
use serde::Deserialize;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::ops::lock;
use crate::running::Running;

/// Where the output of operations under way goes, by call.
#[derive(Default)]
pub(crate) struct Outputs {
    open: Mutex<HashMap<u64, CommandOutput>>,
    last: AtomicU64,
}

impl Outputs {
    /// Hands output on; none of a call that is over.
    pub(crate) fn take(&self, call: u64, bytes: &[u8]) {
        if let Some(output) = lock(&self.open).get_mut(&call) {
            output(bytes);
        }
    }

    fn open(&self, output: CommandOutput) -> u64 {
        let call = self.last.fetch_add(1, Ordering::Relaxed);
        lock(&self.open).insert(call, output);
        call
    }

    fn close(&self, call: u64) {
        lock(&self.open).remove(&call);
    }
}

/// Operations that a script keeps under a handle.
pub(crate) struct ScriptShell {
    running: Arc<Running>,
    handle: String,
}

impl ScriptShell {
    pub(crate) fn new(running: Arc<Running>, handle: String) -> Self {
        Self { running, handle }
    }
}

/// How a script says that a command ended.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Ended {
    exit_code: Option<i32>,
}

/// A call of an operation, until it is answered or let go.
struct Call<'a> {
    running: &'a Running,
    number: u64,
    is_over: bool,
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        self.running.bridge.outputs.close(self.number);
        if !self.is_over {
            let id = format!("op:{}", self.number);
            self.running.tell("abort", vec![id]);
        }
    }
}

impl BashOperations for ScriptShell {
    fn exec<'a>(
        &'a self,
        command: &'a str,
        cwd: &'a Path,
        output: CommandOutput,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Option<i32>, String>> {
        Box::pin(async move {
            let number = self.running.bridge.outputs.open(output);
            let mut call = Call {
                running: &self.running,
                number,
                is_over: false,
            };
            let args = json!({ "call": number, "args": [command, cwd, {}] });
            let asked = vec![self.handle.clone(), "exec".to_owned(), args.to_string()];
            let calling = self.running.call("operation", asked);
            tokio::pin!(calling);
            let answer = tokio::select! {
                biased;
                answer = &mut calling => answer,
                () = cancel.cancelled() => {
                    self.running.tell("abort", vec![format!("op:{number}")]);
                    // How long it may take to come to an end is the affair of whoever waits.
                    calling.await
                }
            };
            call.is_over = true;
            let answer = answer.map_err(|error| error.to_string())?;
            let ended: Result<Ended, _> = serde_json::from_str(answer.as_deref().unwrap_or("null"));
            let ended = ended.map_err(|error| {
                format!("`exec` of a user_bash handler must answer {{ exitCode }}: {error}")
            })?;
            Ok(ended.exit_code)
        })
    }
}
