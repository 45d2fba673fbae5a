//! Programs.

mod child;

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use deed_agent::BoxFuture;
use deed_env::process::{Ending, ExitReport, OutputSink, OutputStream, ProcessSpec};
use deed_extensions::{ExecOptions, GuardWait};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::files::{from_base64, to_base64};
use super::{LogLevel, Op, OpContext, OpError, OpResult, Row, Scope, done, lock, read, say};
use crate::Access;

pub(super) use child::Children;

pub(super) const ROWS: &[Row] = &[
    ("exec", Op::Later(exec)),
    ("exec.cancel", Op::Now(cancel)),
    ("process.execSync", Op::Blocking(exec_sync)),
    ("process.spawn", Op::Now(child::spawn)),
    ("process.next", Op::Later(child::next)),
    ("process.write", Op::Later(child::write)),
    ("process.closeStdin", Op::Now(child::close_input)),
    ("process.kill", Op::Now(child::kill)),
    ("process.killPid", Op::Now(child::kill_number)),
    ("process.output", Op::Now(output)),
];

const FAMILY: &str = "exec";
/// As node has it for programs that are waited for.
const MAX_OUTPUT_BYTES: usize = 1024 * 1024;
/// As Pi has it.
const GRACE: Duration = Duration::from_secs(5);

/// Names of signals that a script may hear of.
const SIGNALS: &[(i32, &str)] = &[
    (1, "SIGHUP"),
    (2, "SIGINT"),
    (3, "SIGQUIT"),
    (4, "SIGILL"),
    (6, "SIGABRT"),
    (7, "SIGBUS"),
    (8, "SIGFPE"),
    (9, "SIGKILL"),
    (10, "SIGUSR1"),
    (11, "SIGSEGV"),
    (12, "SIGUSR2"),
    (13, "SIGPIPE"),
    (14, "SIGALRM"),
    (15, "SIGTERM"),
    (17, "SIGCHLD"),
    (18, "SIGCONT"),
    (19, "SIGSTOP"),
    (20, "SIGTSTP"),
    (21, "SIGTTIN"),
    (22, "SIGTTOU"),
    (28, "SIGWINCH"),
];
const SIGTERM: i32 = 15;
const MAX_SIGNAL: i32 = 31;

/// Reads a signal as scripts write it: its name, its number, or nothing for TERM.
fn signal_number(signal: &Value) -> Option<i32> {
    let number = match signal {
        Value::Null => Some(SIGTERM),
        Value::Number(number) => number
            .as_i64()
            .and_then(|number| i32::try_from(number).ok()),
        Value::String(name) => (SIGNALS.iter())
            .find(|(_, known)| known == name)
            .map(|(number, _)| *number)
            .or_else(|| name.parse().ok()),
        _ => None,
    };
    number.filter(|number| (0..=MAX_SIGNAL).contains(number))
}

fn signal_name(signal: i32) -> String {
    let row = SIGNALS.iter().find(|(number, _)| *number == signal);
    row.map_or_else(|| format!("SIG{signal}"), |(_, name)| (*name).to_owned())
}

/// Says how a program ended, as node does: a code or a signal.
fn ending(report: &ExitReport, killed_by: Option<String>) -> (Value, Value) {
    match &report.ending {
        Ending::Exited(code) => ((*code).into(), Value::Null),
        Ending::Signalled(signal) => (Value::Null, signal_name(*signal).into()),
        Ending::TimedOut { .. } | Ending::Cancelled => {
            let signal = killed_by.unwrap_or_else(|| "SIGTERM".to_owned());
            (Value::Null, signal.into())
        }
    }
}

/// Holds the clocks of the guards that a program is run for: that of the scope, or where the script
/// does not say, of all that are asked at the moment.
fn waits(context: &OpContext, scope: Option<&str>) -> Vec<GuardWait> {
    let scopes = match scope.and_then(|id| context.bridge.scope(id)) {
        Some(scope) => vec![scope],
        None => context.bridge.scopes(),
    };
    let guards = scopes.iter().filter_map(|scope| match scope {
        Scope::Guard(context, _) => Some(context.waiting()),
        _ => None,
    });
    guards.collect()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Exec {
    id: Option<Value>,
    command: String,
    #[serde(default)]
    args: Vec<String>,
    cwd: Option<PathBuf>,
    timeout_ms: Option<f64>,
    max_buffer: Option<f64>,
    scope: Option<String>,
}

fn exec(context: Arc<OpContext>, json: String) -> BoxFuture<'static, OpResult> {
    Box::pin(async move {
        let asked: Exec = read(&json)?;
        context.check(&Access::Run(&written(&asked.command, &asked.args)?))?;
        let program = program(&context, &asked.command);
        let api = context.api()?.clone();
        let id = asked.id.unwrap_or_default().to_string();
        let cancellable = context.cancellable(FAMILY, &id);
        let mut options = ExecOptions {
            timeout: duration(asked.timeout_ms),
            cwd: asked.cwd,
            cancel: Some(cancellable.token.clone()),
            ..ExecOptions::default()
        };
        if let Some(max) = asked.max_buffer.filter(|max| *max >= 0.0) {
            options.max_output_bytes = max as usize;
        }
        let _waiting = waits(&context, asked.scope.as_deref());
        let args: Vec<&str> = asked.args.iter().map(String::as_str).collect();
        let ran = api
            .exec(&program, &args, options)
            .await
            .map_err(OpError::failed)?;
        say(json!({
            "stdout": ran.stdout,
            "stderr": ran.stderr,
            "code": ran.code,
            "killed": ran.killed,
            "truncated": ran.truncated,
        }))
    })
}

/// Reads a time limit; none, or nought, is no limit.
fn duration(ms: Option<f64>) -> Option<Duration> {
    let ms = ms.filter(|ms| *ms > 0.0)?;
    Duration::try_from_secs_f64(ms / 1000.0).ok()
}

/// Returns the program that a name means: Pi's means this one, so that what starts agents by it does.
fn program<'a>(context: &'a OpContext, name: &'a str) -> Cow<'a, str> {
    match name {
        "pi" => context.bridge.options.program.to_string_lossy(),
        name => name.into(),
    }
}

/// Writes a program and its arguments as a shell would be given them.
///
/// Errors: no program can be given that.
fn written(command: &str, args: &[String]) -> Result<String, OpError> {
    let words = std::iter::once(command).chain(args.iter().map(String::as_str));
    shlex::try_join(words).map_err(|error| OpError::failed(format!("{command}: {error}")))
}

/// Puts a line together that a shell is given as it is, as node does.
fn shell_line(command: &str, args: &[String]) -> String {
    let args = args.iter().map(|arg| format!(" {arg}"));
    command.to_owned() + &args.collect::<String>()
}

#[derive(Deserialize)]
struct Id {
    id: Value,
}

fn cancel(context: &OpContext, json: &str) -> OpResult {
    let Id { id } = read(json)?;
    context.cancel(FAMILY, &id.to_string());
    done()
}

/// What a script wants run, in node's words.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Launch {
    command: String,
    #[serde(default)]
    args: Vec<String>,
    cwd: Option<PathBuf>,
    env: Option<Map<String, Value>>,
    #[serde(default)]
    shell: Value,
    timeout_ms: Option<f64>,
}

impl Launch {
    /// Errors: the extension may not, or there is no such program.
    fn spec(&self, context: &OpContext, stdin: Vec<u8>) -> Result<ProcessSpec, OpError> {
        let shell = match &self.shell {
            Value::Bool(true) => Some("sh"),
            Value::String(shell) => Some(shell.as_str()),
            _ => None,
        };
        let (program, args) = match shell {
            Some(shell) => {
                let line = shell_line(&self.command, &self.args);
                context.check(&Access::Run(&line))?;
                (shell.into(), vec!["-c".to_owned(), line])
            }
            None => {
                context.check(&Access::Run(&written(&self.command, &self.args)?))?;
                (program(context, &self.command), self.args.clone())
            }
        };
        let finding = context.api()?.find_program(&program);
        let found = context
            .bridge
            .runtime
            .block_on(finding)
            .map_err(OpError::failed)?;
        let Some(program) = found else {
            return Err(OpError::failed(format!("spawn {program} ENOENT")).with_code("ENOENT"));
        };
        let cwd = self.cwd.as_deref();
        Ok(ProcessSpec {
            program,
            args: args.into_iter().map(OsString::from).collect(),
            cwd: cwd.map_or_else(|| context.cwd().to_owned(), |cwd| context.cwd().join(cwd)),
            env: self.variables(context)?,
            timeout: duration(self.timeout_ms),
            stdin,
            grace: GRACE,
        })
    }
}

impl Launch {
    /// Returns the variables that the program gets besides those that all have.
    ///
    /// Errors: one that the script does not know and may not.
    fn variables(&self, context: &OpContext) -> Result<Vec<(OsString, OsString)>, OpError> {
        let mut variables = Vec::new();
        for (name, value) in self.env.iter().flatten() {
            let value = match value {
                Value::Null => continue,
                Value::String(value) => value.clone(),
                other => other.to_string(),
            };
            // A variable can make a program do something else than what was allowed to run.
            if context.bridge.options.env.get(name) != Some(&value) {
                context.check(&Access::Variable(name))?;
            }
            variables.push((OsString::from(name), OsString::from(value)));
        }
        Ok(variables)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ExecSync {
    #[serde(flatten)]
    launch: Launch,
    input_base64: Option<String>,
    max_buffer: Option<f64>,
    kill_signal: Option<Value>,
}

fn exec_sync(context: &OpContext, json: &str) -> OpResult {
    let asked: ExecSync = read(json)?;
    let input = asked.input_base64.as_deref().map(from_base64).transpose()?;
    let spec = match asked.launch.spec(context, input.unwrap_or_default()) {
        Ok(spec) => spec,
        // Node answers this, and its callers throw it.
        Err(error) if error.code.as_deref() == Some("ENOENT") => {
            let error = json!({ "code": "ENOENT", "message": error.message });
            return say(
                json!({ "pid": 0, "stdout": "", "stderr": "", "code": null, "signal": null, "error": error }),
            );
        }
        Err(error) => return Err(error),
    };
    let max_bytes = asked
        .max_buffer
        .map_or(MAX_OUTPUT_BYTES, |max| max as usize);
    let kept = Arc::new(Mutex::new(Kept::default()));
    let cancel = CancellationToken::new();
    let keeper = Keeper {
        kept: kept.clone(),
        max_bytes,
        cancel: cancel.clone(),
    };
    let _waiting = waits(context, None);
    let running = context.api()?.spawn(spec, Box::new(keeper), &cancel);
    let report = context
        .bridge
        .runtime
        .block_on(running)
        .map_err(OpError::failed)?;
    let kill_signal = asked
        .kill_signal
        .and_then(|signal| signal.as_str().map(str::to_owned));
    let (code, signal) = ending(&report, kill_signal);
    let kept = std::mem::take(&mut *lock(&kept));
    let error = match &report.ending {
        _ if kept.is_full => json!({ "code": "ENOBUFS", "message": "more output than maxBuffer" }),
        Ending::TimedOut { .. } => {
            json!({ "code": "ETIMEDOUT", "message": "it took longer than timeout" })
        }
        _ => Value::Null,
    };
    say(json!({
        "pid": 0,
        "stdout": to_base64(&kept.stdout),
        "stderr": to_base64(&kept.stderr),
        "code": code,
        "signal": signal,
        "error": error,
    }))
}

#[derive(Default)]
struct Kept {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    is_full: bool,
}

/// Keeps output up to a limit, and ends a program that has more.
struct Keeper {
    kept: Arc<Mutex<Kept>>,
    max_bytes: usize,
    cancel: CancellationToken,
}

impl OutputSink for Keeper {
    fn chunk(&mut self, stream: OutputStream, bytes: &[u8]) {
        let mut kept = lock(&self.kept);
        let into = match stream {
            OutputStream::Stdout => &mut kept.stdout,
            OutputStream::Stderr => &mut kept.stderr,
        };
        let room = self.max_bytes.saturating_sub(into.len()).min(bytes.len());
        into.extend(bytes.get(..room).unwrap_or_default());
        if room < bytes.len() {
            kept.is_full = true;
            self.cancel.cancel();
        }
    }
}

#[derive(Deserialize)]
struct Output {
    stream: Option<String>,
    text: String,
}

/// What a script writes to the program's own streams, which belong to the front end.
fn output(context: &OpContext, json: &str) -> OpResult {
    let Output { stream, text } = read(json)?;
    let level = match stream.as_deref() {
        Some("stderr") => LogLevel::Warning,
        _ => LogLevel::Info,
    };
    context.log(level, &text);
    done()
}
