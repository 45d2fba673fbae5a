//! Runs a command that prints a key.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use deed_env::ExecutionEnv;
use deed_env::process::{Ending, GRACE, OutputSink, OutputStream, ProcessSpec};
use tokio_util::sync::CancellationToken;

use super::error::CommandFault;

/// No key is longer.
const MAX_BYTES: usize = 64 * 1024;

/// Runs it by the shell of the system, away from the project, and returns what it printed.
///
/// Cancellation: if the future is dropped, the command is ended.
pub(crate) async fn output_of(
    command: &str,
    env: &dyn ExecutionEnv,
    timeout: Duration,
) -> Result<String, CommandFault> {
    let home = env.home().filter(|home| home.is_dir());
    let spec = ProcessSpec {
        program: PathBuf::from("/bin/sh"),
        args: vec!["-c".into(), command.into()],
        // In the project's folder, a name in it could stand in for a program that is meant.
        cwd: home.unwrap_or(Path::new("/")).to_owned(),
        env: Vec::new(),
        timeout: Some(timeout),
        stdin: Vec::new(),
        grace: GRACE,
    };
    let printed = Printed::default();
    let cancel = CancellationToken::new();
    let report = env
        .run(spec, Box::new(printed.clone()), &cancel)
        .await
        .map_err(|error| CommandFault::NotStarted(error.to_string()))?;
    match report.ending {
        Ending::Exited(0) => {}
        Ending::Exited(code) => return Err(CommandFault::Failed(code)),
        Ending::Signalled(signal) => return Err(CommandFault::Signalled(signal)),
        Ending::TimedOut { .. } | Ending::Cancelled => return Err(CommandFault::TimedOut(timeout)),
    }
    let bytes = printed.0.lock().unwrap_or_else(PoisonError::into_inner);
    if bytes.len() > MAX_BYTES {
        return Err(CommandFault::TooMuch);
    }
    Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
}

/// Standard output, as far as it may be a key.
#[derive(Clone, Default)]
struct Printed(Arc<Mutex<Vec<u8>>>);

impl OutputSink for Printed {
    fn chunk(&mut self, stream: OutputStream, bytes: &[u8]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // One byte too many tells that it is too much.
        let room = (MAX_BYTES + 1).saturating_sub(kept.len());
        if stream == OutputStream::Stdout {
            kept.extend(bytes.iter().take(room));
        }
    }
}
