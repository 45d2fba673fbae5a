use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use deed_env::process::{Ending, OutputSink, OutputStream, ProcessSpec};
use deed_env::{EnvError, ExecutionEnv};
use tokio_util::sync::CancellationToken;

const DEFAULT_MAX_OUTPUT_BYTES: usize = 256 * 1024 * 1024;
/// Longer than that of commands of a model: a program of an extension may have to clean up.
///
/// Source: Pi's `exec`.
const GRACE: Duration = Duration::from_secs(5);
/// What shells add to a signal's number to make a code of it.
const SIGNAL_CODE_BASE: i32 = 128;
const SIGTERM: i32 = 15;

/// How a program runs.
#[derive(Clone, Debug)]
pub struct ExecOptions {
    /// How long it may take; `None` for no limit.
    pub timeout: Option<Duration>,
    /// Where it runs, if not in the session's folder.
    pub cwd: Option<PathBuf>,
    /// Ends it.
    pub cancel: Option<CancellationToken>,
    /// How much of each stream is kept; the rest is read and dropped.
    pub max_output_bytes: usize,
}

impl Default for ExecOptions {
    fn default() -> Self {
        Self {
            timeout: None,
            cwd: None,
            cancel: None,
            max_output_bytes: DEFAULT_MAX_OUTPUT_BYTES,
        }
    }
}

/// What came of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecOutput {
    /// What it printed; bytes that are not UTF-8 are replaced.
    pub stdout: String,
    /// What it printed as errors.
    pub stderr: String,
    /// What it exited with: 128 and the number for a signal; that of TERM if it was ended here.
    pub code: i32,
    /// Whether it was ended here, by its time limit or its token.
    pub killed: bool,
    /// Whether output was dropped.
    pub truncated: bool,
}

/// Runs a program without a shell.
pub(crate) async fn exec(
    env: &dyn ExecutionEnv,
    program: &str,
    args: &[&str],
    options: ExecOptions,
) -> Result<ExecOutput, EnvError> {
    let spec = ProcessSpec {
        program: program.into(),
        args: args.iter().map(Into::into).collect(),
        cwd: match options.cwd {
            Some(cwd) => env.cwd().join(cwd),
            None => env.cwd().to_owned(),
        },
        env: Vec::new(),
        timeout: options.timeout,
        stdin: Vec::new(),
        grace: GRACE,
    };
    let kept = Arc::new(Mutex::new(Kept::default()));
    let keeper = Keeper {
        kept: kept.clone(),
        max_bytes: options.max_output_bytes,
    };
    let cancel = options.cancel.unwrap_or_default();
    let report = env.run(spec, Box::new(keeper), &cancel).await?;
    let (code, killed) = match report.ending {
        Ending::Exited(code) => (code, false),
        Ending::Signalled(signal) => (SIGNAL_CODE_BASE + signal, false),
        Ending::TimedOut {
            exited_before: Some((code, _)),
        } => (code, true),
        Ending::TimedOut {
            exited_before: None,
        }
        | Ending::Cancelled => (SIGNAL_CODE_BASE + SIGTERM, true),
    };
    let kept = std::mem::take(&mut *kept.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(ExecOutput {
        stdout: String::from_utf8_lossy(&kept.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&kept.stderr).into_owned(),
        code,
        killed,
        truncated: kept.truncated,
    })
}

#[derive(Default)]
struct Kept {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    truncated: bool,
}

struct Keeper {
    kept: Arc<Mutex<Kept>>,
    max_bytes: usize,
}

impl OutputSink for Keeper {
    fn chunk(&mut self, stream: OutputStream, bytes: &[u8]) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let into = match stream {
            OutputStream::Stdout => &mut kept.stdout,
            OutputStream::Stderr => &mut kept.stderr,
        };
        let room = self.max_bytes.saturating_sub(into.len()).min(bytes.len());
        into.extend(bytes.get(..room).unwrap_or_default());
        kept.truncated |= room < bytes.len();
    }
}
