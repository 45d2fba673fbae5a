//! Benchmarks of whole runs: `deed -p` against a scripted model, beside a bare client that sends bodies
//! of the same sizes and reads the same answers.

use super::Bench;
use super::exec::peak_memory;
use super::measure::median;
use super::scripted::{Answer, Exchange, Server, bare_client};
use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

const READ_TURNS: usize = 20;
const BASH_TURNS: usize = 200;
const LONG_TURNS: usize = 2_000;
/// Turns over which the beginning and the end of a long run are measured.
const WINDOW: usize = 100;
/// The first turn that counts as a steady one.
const STEADY: usize = 20;
const DELTA_BYTES: usize = 12;
const WRITTEN_BYTES: usize = 100_000;

/// What a run was, from outside.
#[derive(Debug)]
pub(crate) struct Run {
    started: Instant,
    exchanges: Vec<Exchange>,
    /// At the last request.
    pub(crate) peak_memory: f64,
    /// Seconds of the processors, up to there.
    pub(crate) cpu: f64,
}

impl Run {
    /// Seconds from the end of each answer to the end of the next request.
    fn gaps(&self) -> Vec<f64> {
        let pairs = self.exchanges.windows(2);
        pairs
            .filter_map(|pair| match pair {
                [before, after] => Some((after.received - before.sent).as_secs_f64()),
                _ => None,
            })
            .collect()
    }

    fn first(&self) -> Result<&Exchange> {
        self.exchanges.first().context("no request came")
    }

    /// Seconds from the start to the first request.
    fn to_first_request(&self) -> Result<f64> {
        self.to_request(0)
    }

    /// Seconds from the start to a request.
    pub(crate) fn to_request(&self, index: usize) -> Result<f64> {
        let exchange = self
            .exchanges
            .get(index)
            .context("that request did not come")?;
        Ok((exchange.received - self.started).as_secs_f64())
    }

    /// Seconds from the first request to the end of the last answer.
    fn whole(&self) -> Result<f64> {
        let last = self.exchanges.last().context("no request came")?;
        Ok((last.sent - self.first()?.received).as_secs_f64())
    }
}

/// Runs the subject with these answers of the model.
fn run(bench: &Bench, answers: &[Answer]) -> Result<Run> {
    run_with(bench, &[], answers)
}

/// As [`run`], with these options.
pub(crate) fn run_with(bench: &Bench, options: &[OsString], answers: &[Answer]) -> Result<Run> {
    let mut server = Server::bind()?;
    let address = server.address()?;
    let mut command = subject(bench);
    command.args(["--base-url", &format!("http://{address}/v1")]);
    command.args(options).arg("Do the task.");
    let started = Instant::now();
    let mut child = Guarded(command.spawn().context("the subject does not start")?);
    let mut exchanges = Vec::with_capacity(answers.len());
    let (mut memory, mut cpu) = (0.0, 0.0);
    for (index, answer) in answers.iter().enumerate() {
        let (received, body_bytes) = server.request(|| child.is_alive())?;
        if index + 1 == answers.len() {
            memory = peak_memory(&child.0)?;
            cpu = cpu_time(&child.0)?;
        }
        let sent = server.answer(answer)?;
        exchanges.push(Exchange {
            received,
            sent,
            body_bytes,
        });
    }
    let status = child.0.wait()?;
    if !status.success() {
        bail!("the subject ended with {status}");
    }
    Ok(Run {
        started,
        exchanges,
        peak_memory: memory,
        cpu,
    })
}

/// Does the same exchanges with a client that does nothing else.
fn floor(answers: &[Answer], bodies: Vec<usize>) -> Result<Run> {
    let mut server = Server::bind()?;
    let address = server.address()?;
    let started = Instant::now();
    let client = std::thread::spawn(move || bare_client(address, &bodies));
    let mut exchanges = Vec::with_capacity(answers.len());
    for answer in answers {
        let (received, body_bytes) = server.request(|| !client.is_finished())?;
        let sent = server.answer(answer)?;
        exchanges.push(Exchange {
            received,
            sent,
            body_bytes,
        });
    }
    client.join().ok().context("the client panicked")??;
    Ok(Run {
        started,
        exchanges,
        peak_memory: 0.0,
        cpu: 0.0,
    })
}

fn subject(bench: &Bench) -> Command {
    let mut command = Command::new(&bench.subject);
    command
        .args([
            "-p",
            "--api",
            "chat",
            "--model",
            "bench",
            "--thinking",
            "off",
        ])
        .args([
            "--api-key",
            "a-key-of-the-benchmark",
            "--permission-mode",
            "bypass",
        ])
        .current_dir(&bench.fixtures.work)
        .env("HOME", &bench.fixtures.home)
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    for (variable, folder) in [
        ("XDG_STATE_HOME", "state"),
        ("XDG_CONFIG_HOME", "config"),
        ("XDG_DATA_HOME", "data"),
        ("XDG_CACHE_HOME", "cache"),
    ] {
        command.env(variable, bench.fixtures.home.join(folder));
    }
    command
}

/// A child that does not outlive a failure.
struct Guarded(Child);

impl Guarded {
    fn is_alive(&mut self) -> bool {
        matches!(self.0.try_wait(), Ok(None))
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// Returns what the threads of a program have used so far.
fn cpu_time(child: &Child) -> Result<f64> {
    let mut nanoseconds = 0_u64;
    for thread in std::fs::read_dir(format!("/proc/{}/task", child.id()))? {
        // One may have ended meanwhile.
        let text = std::fs::read_to_string(thread?.path().join("schedstat")).unwrap_or_default();
        let first = text.split_whitespace().next();
        nanoseconds += first.and_then(|word| word.parse().ok()).unwrap_or(0_u64);
    }
    Ok(nanoseconds as f64 / 1e9)
}

pub(crate) fn answered(turns: impl Iterator<Item = Answer>) -> Vec<Answer> {
    turns.chain([Answer::text("Done.")]).collect()
}

fn reads(bench: &Bench) -> Vec<Answer> {
    let files = bench.fixtures.small.iter().take(READ_TURNS).enumerate();
    answered(files.map(|(turn, path)| Answer::calls(turn, &[("read", json!({ "path": path }))])))
}

fn parallel_reads(bench: &Bench) -> Vec<Answer> {
    let files = bench.fixtures.small.iter().take(READ_TURNS);
    let calls: Vec<(&str, Value)> = files
        .map(|path| ("read", json!({ "path": path })))
        .collect();
    answered([Answer::calls(0, &calls)].into_iter())
}

/// No two in a row are the same, which would be told to the model.
fn commands(turns: usize) -> Vec<Answer> {
    let command = |turn| json!({ "command": format!("true # {turn}") });
    answered((0..turns).map(|turn| Answer::calls(turn, &[("bash", command(turn))])))
}

fn streamed() -> Vec<Answer> {
    let arguments = json!({ "path": "streamed.txt", "content": "x".repeat(WRITTEN_BYTES) });
    answered([Answer::streamed_call("write", &arguments, DELTA_BYTES)].into_iter())
}

pub(crate) fn to_first_request(bench: &Bench) -> Result<f64> {
    run(bench, &answered(std::iter::empty()))?.to_first_request()
}

pub(crate) fn first_request_bytes(bench: &Bench) -> Result<f64> {
    let run = run(bench, &answered(std::iter::empty()))?;
    Ok(run.first()?.body_bytes as f64)
}

/// What must be said at the least: the model and the prompt.
pub(crate) fn least_request_bytes(_: &Bench) -> Result<f64> {
    let least = json!({ "model": "bench", "stream": true,
        "messages": [{ "role": "user", "content": "Do the task." }] });
    Ok(least.to_string().len() as f64)
}

pub(crate) fn memory_without_tools(bench: &Bench) -> Result<f64> {
    Ok(run(bench, &answered(std::iter::empty()))?.peak_memory)
}

/// Bodies as large as those of reads of 10 KB, one more each turn.
fn growing_bodies() -> Vec<usize> {
    (0..=READ_TURNS).map(|turn| 4_500 + turn * 10_500).collect()
}

pub(crate) fn bare_first_turn(bench: &Bench) -> Result<f64> {
    let run = floor(&reads(bench), growing_bodies())?;
    run.gaps().first().copied().context("no turn")
}

pub(crate) fn first_tool_turn(bench: &Bench) -> Result<f64> {
    run(bench, &reads(bench))?
        .gaps()
        .first()
        .copied()
        .context("no turn")
}

pub(crate) fn bare_turn(bench: &Bench) -> Result<f64> {
    let run = floor(&reads(bench), growing_bodies())?;
    Ok(median(&mut run.gaps()))
}

pub(crate) fn read_turn(bench: &Bench) -> Result<f64> {
    Ok(median(&mut run(bench, &reads(bench))?.gaps()))
}

pub(crate) fn bare_parallel_turn(bench: &Bench) -> Result<f64> {
    let run = floor(&parallel_reads(bench), vec![4_500, 214_000])?;
    run.gaps().first().copied().context("no turn")
}

pub(crate) fn parallel_turn(bench: &Bench) -> Result<f64> {
    run(bench, &parallel_reads(bench))?
        .gaps()
        .first()
        .copied()
        .context("no turn")
}

pub(crate) fn bash_turn(bench: &Bench) -> Result<f64> {
    let mut gaps = run(bench, &commands(BASH_TURNS))?.gaps();
    Ok(median(gaps.get_mut(STEADY..).unwrap_or_default()))
}

pub(crate) fn bash_turns(bench: &Bench) -> Result<f64> {
    run(bench, &commands(BASH_TURNS))?.whole()
}

pub(crate) fn spawn_all(bench: &Bench) -> Result<f64> {
    Ok(super::calls::spawn_true(bench)? * BASH_TURNS as f64)
}

pub(crate) fn early_turn(bench: &Bench) -> Result<f64> {
    let mut gaps = run(bench, &commands(STEADY + WINDOW))?.gaps();
    Ok(median(gaps.get_mut(STEADY..).unwrap_or_default()))
}

pub(crate) fn late_turn(bench: &Bench) -> Result<f64> {
    let mut gaps = run(bench, &commands(LONG_TURNS))?.gaps();
    Ok(median(
        gaps.get_mut(LONG_TURNS - WINDOW..).unwrap_or_default(),
    ))
}

/// From the whole request to the whole next one, since the answer takes a good part of it.
fn around_the_answer(run: &Run) -> Result<f64> {
    match run.exchanges.as_slice() {
        [first, second, ..] => Ok((second.received - first.received).as_secs_f64()),
        _ => bail!("no second request"),
    }
}

pub(crate) fn bare_deltas(_: &Bench) -> Result<f64> {
    around_the_answer(&floor(&streamed(), vec![4_500, 105_000])?)
}

pub(crate) fn deltas(bench: &Bench) -> Result<f64> {
    around_the_answer(&run(bench, &streamed())?)
}
