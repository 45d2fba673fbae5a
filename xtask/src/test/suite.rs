//! The suites of `cargo xtask test`, one row each.

use super::count::{self, Counts};
use super::need::answers;
use super::postgres::{self, Postgres};
use crate::workspace::{self, Workspace};
use anyhow::{Context as _, Result};
use std::io::{BufRead as _, BufReader, IsTerminal as _, Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// What was asked for, and where.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) root: PathBuf,
    pub(crate) is_ci: bool,
    /// Suites; empty means all.
    pub(crate) only: Vec<String>,
    /// Crates; empty means all.
    pub(crate) crates: Vec<String>,
}

/// A named set of checks.
pub(crate) struct Suite {
    pub(crate) name: &'static str,
    pub(crate) doc: &'static str,
    pub(crate) counts_tests: bool,
    pub(crate) run: fn(&Run) -> Result<Outcome>,
}

/// How a suite ended.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) passed: bool,
    /// What stands beside the time in the table.
    pub(crate) note: String,
    pub(crate) counts: Option<Counts>,
}

pub(crate) const SUITES: &[Suite] = &[
    Suite {
        name: "fmt",
        doc: "formatting",
        counts_tests: false,
        run: fmt,
    },
    Suite {
        name: "clippy",
        doc: "lints, warnings as errors",
        counts_tests: false,
        run: clippy,
    },
    Suite {
        name: "tidy",
        doc: "rules that no compiler checks",
        counts_tests: false,
        run: tidy,
    },
    Suite {
        name: "tests",
        doc: "unit and integration tests",
        counts_tests: true,
        run: tests,
    },
    Suite {
        name: "pi-extensions",
        doc: "Pi's own example extensions, in sessions",
        counts_tests: false,
        run: pi_extensions,
    },
    Suite {
        name: "doctests",
        doc: "the examples in the documentation",
        counts_tests: true,
        run: doctests,
    },
    Suite {
        name: "docs",
        doc: "the documentation itself, warnings as errors",
        counts_tests: false,
        run: docs,
    },
];

impl Outcome {
    fn from_status(passed: bool) -> Self {
        Self {
            passed,
            ..Self::default()
        }
    }

    /// A failure with its reason for the table.
    pub(crate) fn failed(note: String) -> Self {
        Self {
            note,
            ..Self::default()
        }
    }
}

impl Run {
    pub(crate) fn selects(&self, suite: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == suite)
    }

    /// Cargo in the workspace; under CI without incremental files, which cost time and disk in a clean clone.
    fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = workspace::cargo();
        command
            .current_dir(&self.root)
            .args(arguments)
            .stdin(Stdio::null());
        if self.is_ci {
            command.env("CARGO_INCREMENTAL", "0");
        }
        command
    }

    /// The same for the selected crates.
    fn cargo_on_crates(&self, arguments: &[&str]) -> Command {
        let mut command = self.cargo(arguments);
        if self.crates.is_empty() {
            command.arg("--workspace");
        }
        for name in &self.crates {
            command.args(["-p", name]);
        }
        command
    }
}

fn fmt(run: &Run) -> Result<Outcome> {
    let mut command = run.cargo(&["fmt", "--check"]);
    if run.crates.is_empty() {
        command.arg("--all");
    }
    for name in &run.crates {
        command.args(["-p", name]);
    }
    let mut outcome = ended(&mut command)?;
    if !outcome.passed {
        outcome.note = "`cargo fmt --all` repairs it".to_owned();
    }
    Ok(outcome)
}

fn clippy(run: &Run) -> Result<Outcome> {
    ended(
        run.cargo_on_crates(&["clippy", "--all-targets"])
            .args(["--", "-D", "warnings"]),
    )
}

/// All of them, also where only some crates are tested: they are one table.
fn pi_extensions(_: &Run) -> Result<Outcome> {
    crate::pi_extensions::run(&[])?;
    Ok(Outcome::from_status(true))
}

fn tidy(run: &Run) -> Result<Outcome> {
    let report = crate::tidy::check(&run.root)?;
    for fault in &report.faults {
        println!("{fault}");
    }
    println!("{}", report.sizes);
    let passed = report.faults.is_empty();
    let note = if passed {
        String::new()
    } else {
        format!("{} faults", report.faults.len())
    };
    Ok(Outcome {
        passed,
        note,
        ..Outcome::default()
    })
}

/// Runs to the end even when a test fails, so that the counts are whole.
fn tests(run: &Run) -> Result<Outcome> {
    let server = Postgres::start(run)?;
    if server.is_none() {
        println!("PostgreSQL is not on this machine: what needs it says that it was left out");
    }
    let url = server.as_ref().map(Postgres::url);
    let with_server = |command: &mut Command| {
        command.envs(url.iter().map(|url| (postgres::VARIABLE, url)));
    };
    if answers("cargo-nextest", &["--version"]) {
        let mut command = run.cargo_on_crates(&["nextest", "run", "--no-fail-fast"]);
        with_server(&mut command);
        let (passed, output) = overheard(command.stdout(Stdio::inherit()), Stream::Error)?;
        let (note, counts) = count::of_nextest(&output).unzip();
        return Ok(counted(passed, note.unwrap_or_default(), counts));
    }
    println!("cargo-nextest is not here: `cargo test` runs the tests");
    let mut command = run.cargo_on_crates(&["test", "--all-targets", "--no-fail-fast"]);
    with_server(&mut command);
    let (passed, output) = overheard(&mut command, Stream::Output)?;
    Ok(counted(passed, String::new(), count::of_libtest(&output)))
}

fn doctests(run: &Run) -> Result<Outcome> {
    if !run.crates.is_empty() && !any_library(run)? {
        let note = "the selected crates have no library".to_owned();
        return Ok(Outcome {
            passed: true,
            note,
            counts: None,
        });
    }
    let (passed, output) = overheard(
        &mut run.cargo_on_crates(&["test", "--doc", "--no-fail-fast"]),
        Stream::Output,
    )?;
    Ok(counted(passed, String::new(), count::of_libtest(&output)))
}

fn docs(run: &Run) -> Result<Outcome> {
    ended(
        run.cargo_on_crates(&["doc", "--no-deps"])
            .env("RUSTDOCFLAGS", "-D warnings"),
    )
}

/// Whether one of the selected crates has examples that can run; `cargo test --doc` refuses a lone binary.
fn any_library(run: &Run) -> Result<bool> {
    let workspace = Workspace::load(&run.root)?;
    let mut selected = workspace
        .packages
        .iter()
        .filter(|package| run.crates.contains(&package.name));
    Ok(selected.any(|package| package.folder.join("src/lib.rs").is_file()))
}

/// A run that failed without a failed test (a crate does not compile) has counts that are not whole: they are dropped.
fn counted(passed: bool, note: String, counts: Option<Counts>) -> Outcome {
    let counts = counts.filter(|counts| passed || counts.failed > 0);
    let note = if note.is_empty() {
        counts.map(|counts| counts.to_string()).unwrap_or_default()
    } else {
        note
    };
    Outcome {
        passed,
        note,
        counts,
    }
}

fn ended(command: &mut Command) -> Result<Outcome> {
    let status = command
        .status()
        .with_context(|| format!("cannot start {:?}", command.get_program()))?;
    Ok(Outcome::from_status(status.success()))
}

enum Stream {
    Output,
    Error,
}

/// Runs the command with one stream shown as it comes and also kept.
fn overheard(command: &mut Command, stream: Stream) -> Result<(bool, String)> {
    if std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none() {
        command.env("CARGO_TERM_COLOR", "always");
    }
    match stream {
        Stream::Output => command.stdout(Stdio::piped()),
        Stream::Error => command.stderr(Stdio::piped()),
    };
    let mut child = command
        .spawn()
        .with_context(|| format!("cannot start {:?}", command.get_program()))?;
    let kept = match stream {
        Stream::Output => {
            shown_and_kept(child.stdout.take().context("no output")?, std::io::stdout())?
        }
        Stream::Error => {
            shown_and_kept(child.stderr.take().context("no output")?, std::io::stderr())?
        }
    };
    Ok((child.wait()?.success(), kept))
}

fn shown_and_kept(from: impl Read, mut to: impl Write) -> Result<String> {
    let mut kept = String::new();
    let mut reader = BufReader::new(from);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line)? > 0 {
        to.write_all(&line)?;
        to.flush()?;
        kept.push_str(&String::from_utf8_lossy(&line));
        line.clear();
    }
    Ok(kept)
}
