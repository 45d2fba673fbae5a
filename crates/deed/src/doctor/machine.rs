//! Programs and the terminal.

use std::io::{IsTerminal, stderr, stdin, stdout};
use std::path::{Path, PathBuf};
use std::time::Duration;

use deed_env::ExecutionEnv;
use deed_env::process::{Ending, GRACE, OutputSink, OutputStream, ProcessSpec};
use deed_harness::settings::Durability;
use tokio_util::sync::CancellationToken;

use super::Patient;
use super::check::Check;
use crate::wiring;

/// A shell that takes longer than this hangs.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) fn version() -> Check {
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    Check::ok(
        "deed",
        format!("{} on {os} {arch}", env!("CARGO_PKG_VERSION")),
    )
}

/// Looks for the programs that tools need.
pub(super) async fn programs(patient: &Patient) -> Vec<Check> {
    let env = match wiring::working_folder(Some(&patient.cwd)) {
        Ok(cwd) => wiring::environment(cwd, &patient.places, Durability::Normal),
        Err(error) => {
            return vec![Check::fail(
                "folder",
                format!("{error:#}"),
                "change to another",
            )];
        }
    };
    let named = patient.settings.shell_path.clone();
    let name = named.as_deref().unwrap_or("bash");
    let shell = match env.find_program(name).await {
        Some(path) => works(&env, &path).await,
        None => {
            let told = format!("there is no {name}, so the tool bash does not work");
            let remedy = match named {
                Some(_) => "name another one (setting shellPath)",
                None => "install bash, or name a shell (setting shellPath)",
            };
            Check::fail("shell", told, remedy)
        }
    };
    let git = match env.find_program("git").await {
        Some(path) => Check::ok("git", path.display().to_string()),
        None => Check::warn(
            "git",
            "there is none; an agent can use it to undo",
            "install git",
        ),
    };
    vec![shell, git]
}

/// Runs the least that a shell can do.
async fn works(env: &dyn ExecutionEnv, path: &Path) -> Check {
    let spec = ProcessSpec {
        program: PathBuf::from(path),
        args: vec!["-c".into(), "exit 0".into()],
        cwd: env.cwd().to_owned(),
        env: Vec::new(),
        timeout: Some(PATIENCE),
        stdin: Vec::new(),
        grace: GRACE,
    };
    let cancel = CancellationToken::new();
    let told = match env.run(spec, Box::new(Unread), &cancel).await {
        Ok(report) => match report.ending {
            Ending::Exited(0) => return Check::ok("shell", path.display().to_string()),
            Ending::TimedOut { .. } => format!("{} hangs", path.display()),
            ending => format!("{} does not run a command ({ending:?})", path.display()),
        },
        Err(error) => error.to_string(),
    };
    Check::fail("shell", told, "name another one (setting shellPath)")
}

struct Unread;

impl OutputSink for Unread {
    fn chunk(&mut self, _: OutputStream, _: &[u8]) {}
}

pub(super) fn terminal() -> Check {
    let streams = [
        ("input", stdin().is_terminal()),
        ("output", stdout().is_terminal()),
        ("errors", stderr().is_terminal()),
    ];
    let of_terminal = streams.iter().filter(|(_, is)| *is).map(|(name, _)| *name);
    let of_terminal: Vec<&str> = of_terminal.collect();
    let kind = std::env::var("TERM").unwrap_or_default();
    if of_terminal.is_empty() {
        return Check::ok("terminal", "none, so nobody can be asked in this run");
    }
    let streams = of_terminal.join(", ");
    if kind.is_empty() || kind == "dumb" {
        let told = format!("{streams}; TERM says nothing of what it can");
        return Check::warn("terminal", told, "set TERM, such as xterm-256color");
    }
    Check::ok("terminal", format!("{kind} for {streams}"))
}

pub(super) fn sandbox() -> Check {
    Check::warn(
        "sandbox",
        "not in this version: commands run with your rights",
        "let a policy and your answers decide what runs, or run deed in a container",
    )
}
