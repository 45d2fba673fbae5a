//! Benchmarks of starting and of running commands.

use super::Bench;
use super::exec::{Exec, call, must_contain, peak_memory, whole_run};
use super::measure::timed;
use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use std::fs;
use std::io::Read as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

const OUTPUT_BYTES: u64 = 200_000_000;
const SPAWNS: u32 = 100;
const SLEEPS: usize = 16;

fn small(bench: &Bench) -> Result<&PathBuf> {
    bench.fixtures.small.first().context("no small file")
}

pub(crate) fn cat(bench: &Bench) -> Result<f64> {
    let path = small(bench)?;
    let (seconds, output) = timed(|| Ok(Command::new("cat").arg(path).output()?))?;
    if output.stdout.len() != 10_000 {
        bail!("cat gave {} bytes", output.stdout.len());
    }
    Ok(seconds)
}

pub(crate) fn exec_read(bench: &Bench) -> Result<f64> {
    let item = read_small(bench)?;
    let (seconds, results) = timed(|| whole_run(bench, item))?;
    check_small(bench, results.first().context("no result")?)?;
    Ok(seconds)
}

/// The first query on SQLite, in a process of its own; an empty file is a database without tables.
pub(crate) fn first_query(bench: &Bench) -> Result<f64> {
    fs::write(bench.fixtures.work.join("empty.db"), "")?;
    let item = call("query_database", json!({ "sql": "SELECT 'found' AS word" }));
    let (seconds, result) = timed(|| {
        let mut exec = Exec::start_with(bench, &["--sql", "db=sqlite:empty.db"])?;
        let result = exec.run_one(item.clone())?;
        exec.finish()?;
        Ok(result)
    })?;
    must_contain(&result, "found")?;
    Ok(seconds)
}

fn read_small(bench: &Bench) -> Result<Value> {
    Ok(call("read", json!({ "path": small(bench)? })))
}

fn check_small(bench: &Bench, result: &Value) -> Result<()> {
    must_contain(result, fs::read_to_string(small(bench)?)?.trim_end())
}

/// `cat` of the file and then of its input, which stays open so that its memory can be read.
pub(crate) fn cat_memory(bench: &Bench) -> Result<f64> {
    let mut child = Command::new("cat")
        .arg(small(bench)?)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut output = vec![0_u8; 10_000];
    child
        .stdout
        .as_mut()
        .context("no output")?
        .read_exact(&mut output)?;
    let peak = peak_memory(&child);
    drop(child.stdin.take());
    child.wait()?;
    peak
}

pub(crate) fn exec_read_memory(bench: &Bench) -> Result<f64> {
    let mut exec = Exec::start(bench)?;
    let result = exec.run_one(read_small(bench)?)?;
    check_small(bench, &result)?;
    let peak = exec.peak_memory()?;
    exec.finish()?;
    Ok(peak)
}

/// The first 200 MB of the long file: as fast as a command can print.
fn output_command(bench: &Bench) -> String {
    format!("head -c {OUTPUT_BYTES} '{}'", bench.fixtures.long.display())
}

pub(crate) fn tee(bench: &Bench) -> Result<f64> {
    let copy = bench.fixtures.work.join("tee.out");
    let command = format!(
        "{} | tee '{}' >/dev/null",
        output_command(bench),
        copy.display()
    );
    let (seconds, status) = timed(|| Ok(Command::new("bash").args(["-c", &command]).status()?))?;
    let length = fs::metadata(&copy)?.len();
    fs::remove_file(&copy)?;
    if !status.success() || length != OUTPUT_BYTES {
        bail!("tee wrote {length} bytes, {status}");
    }
    Ok(seconds)
}

pub(crate) fn bash_output(bench: &Bench) -> Result<f64> {
    let item = call("bash", json!({ "command": output_command(bench) }));
    let (seconds, results) = timed(|| whole_run(bench, item))?;
    check_output(bench, results.first().context("no result")?)?;
    Ok(seconds)
}

pub(crate) fn bash_output_memory(bench: &Bench) -> Result<f64> {
    let mut exec = Exec::start(bench)?;
    let result = exec.run_one(call("bash", json!({ "command": output_command(bench) })))?;
    let peak = exec.peak_memory()?;
    exec.finish()?;
    check_output(bench, &result)?;
    Ok(peak)
}

/// The last line is shown, and the saved output is whole; then it is removed.
fn check_output(bench: &Bench, result: &Value) -> Result<()> {
    must_contain(result, "04000000 ")?;
    let path = result
        .pointer("/details/fullOutputPath")
        .and_then(Value::as_str)
        .context("no full output path")?;
    let length = fs::metadata(path)
        .with_context(|| format!("the saved output {path}"))?
        .len();
    if length != OUTPUT_BYTES {
        bail!("the saved output {path} has {length} bytes");
    }
    if PathBuf::from(path).starts_with(&bench.fixtures.home) {
        fs::remove_file(path)?;
    }
    Ok(())
}

fn bash_true_item() -> Value {
    call("bash", json!({ "command": "true" }))
}

pub(crate) fn bash_true_memory(bench: &Bench) -> Result<f64> {
    let mut exec = Exec::start(bench)?;
    exec.run_one(bash_true_item())?;
    let peak = exec.peak_memory()?;
    exec.finish()?;
    Ok(peak)
}

pub(crate) fn spawn_true(_bench: &Bench) -> Result<f64> {
    let (seconds, ()) = timed(|| {
        for _ in 0..SPAWNS {
            let output = Command::new("bash")
                .args(["-c", "true"])
                .stdin(Stdio::null())
                .output()?;
            if !output.status.success() {
                bail!("bash -c true ended with {}", output.status);
            }
        }
        Ok(())
    })?;
    Ok(seconds / f64::from(SPAWNS))
}

/// All calls are written before the first result is read, so that this program's turns cost nothing.
pub(crate) fn bash_true(bench: &Bench) -> Result<f64> {
    let mut exec = Exec::start(bench)?;
    exec.run_one(bash_true_item())?;
    let items: Vec<Value> = (0..SPAWNS).map(|_| bash_true_item()).collect();
    let (seconds, _) = timed(|| exec.run(&items))?;
    exec.finish()?;
    Ok(seconds / f64::from(SPAWNS))
}

pub(crate) fn spawn_sleeps(_bench: &Bench) -> Result<f64> {
    let (seconds, ()) = timed(|| {
        let spawn = |_| {
            Command::new("bash")
                .args(["-c", "sleep 1"])
                .stdin(Stdio::null())
                .spawn()
        };
        let children = (0..SLEEPS)
            .map(spawn)
            .collect::<std::io::Result<Vec<_>>>()?;
        for mut child in children {
            child.wait()?;
        }
        Ok(())
    })?;
    Ok(seconds)
}

pub(crate) fn sleeps(bench: &Bench) -> Result<f64> {
    let batch: Vec<Value> = (0..SLEEPS)
        .map(|_| call("bash", json!({ "command": "sleep 1" })))
        .collect();
    let (seconds, results) = timed(|| whole_run(bench, Value::Array(batch)))?;
    if results.len() != SLEEPS || seconds < 1.0 {
        bail!("{} results after {seconds:.3} s", results.len());
    }
    Ok(seconds)
}
