//! `deed exec` as a child: items in on its standard input, `toolResult` messages out, one a line.

use super::Bench;
use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A running `deed exec`.
#[derive(Debug)]
pub(crate) struct Exec {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

/// A tool call as `deed exec` reads it.
pub(crate) fn call(name: &str, arguments: Value) -> Value {
    json!({ "name": name, "arguments": arguments })
}

impl Exec {
    /// Starts the subject with folders of its own for state and settings, so that neither decides a figure.
    pub(crate) fn start(bench: &Bench) -> Result<Self> {
        Self::start_with(bench, &[])
    }

    /// Starts it with these options.
    pub(crate) fn start_with(bench: &Bench, options: &[&str]) -> Result<Self> {
        let mut command = Command::new(&bench.subject);
        command
            .arg("exec")
            .args(options)
            // Known secrets are looked for in all that leaves, as on any machine of a developer.
            .env("BENCH_API_TOKEN", "one-that-no-fixture-has-4711")
            .env("BENCH_DB_PASSWORD", "another-that-none-has-0815")
            .current_dir(&bench.fixtures.work);
        for (variable, folder) in [
            ("XDG_STATE_HOME", "state"),
            ("XDG_CONFIG_HOME", "config"),
            ("XDG_DATA_HOME", "data"),
            ("XDG_CACHE_HOME", "cache"),
        ] {
            command.env(variable, bench.fixtures.home.join(folder));
        }
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", bench.subject.display()))?;
        let output = BufReader::new(child.stdout.take().context("no output of the subject")?);
        let input = Some(child.stdin.take().context("no input of the subject")?);
        Ok(Self {
            child,
            input,
            output,
        })
    }

    /// Runs `items` one after the other and gives the results of all their calls, in order.
    ///
    /// Errors: a result that is an error, and output that is not a result.
    pub(crate) fn run(&mut self, items: &[Value]) -> Result<Vec<Value>> {
        let mut text = String::new();
        let mut expected = 0;
        for item in items {
            expected += item.as_array().map_or(1, Vec::len);
            text.push_str(&item.to_string());
            text.push('\n');
        }
        let input = self.input.as_mut().context("the input is closed")?;
        input
            .write_all(text.as_bytes())
            .context("the subject does not read its input")?;
        input.flush()?;
        (0..expected).map(|_| self.result()).collect()
    }

    /// Runs one call and gives its result.
    pub(crate) fn run_one(&mut self, item: Value) -> Result<Value> {
        self.run(&[item])?.pop().context("no result")
    }

    /// Closes the input and waits for the end.
    pub(crate) fn finish(mut self) -> Result<()> {
        drop(self.input.take());
        let status = self.child.wait()?;
        if !status.success() {
            bail!("the subject ended with {status}");
        }
        Ok(())
    }

    /// The highest memory in bytes that the subject has held so far; it still runs, waiting for input.
    pub(crate) fn peak_memory(&self) -> Result<f64> {
        peak_memory(&self.child)
    }

    fn result(&mut self) -> Result<Value> {
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            bail!(
                "the subject ended before it gave a result: {}",
                self.child.wait()?
            );
        }
        let value: Value =
            serde_json::from_str(&line).with_context(|| format!("not JSON: {line}"))?;
        if value.get("role").and_then(Value::as_str) != Some("toolResult") {
            bail!("not a tool result: {line}");
        }
        if value.get("isError").and_then(Value::as_bool) != Some(false) {
            bail!("an error result: {line}");
        }
        Ok(value)
    }
}

impl Drop for Exec {
    /// After a wrong result the subject may still run.
    fn drop(&mut self) {
        drop(self.input.take());
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// One call in a process of its own, from start to end.
pub(crate) fn whole_run(bench: &Bench, item: Value) -> Result<Vec<Value>> {
    let mut exec = Exec::start(bench)?;
    let results = exec.run(&[item])?;
    exec.finish()?;
    Ok(results)
}

/// The text of a result, all blocks joined.
pub(crate) fn text_of(result: &Value) -> String {
    let blocks = result
        .get("content")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    blocks
        .filter_map(|block| block.get("text").and_then(Value::as_str))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Refuses a result whose text lacks `part`.
pub(crate) fn must_contain(result: &Value, part: &str) -> Result<()> {
    let text = text_of(result);
    if !text.contains(part) {
        let shown: String = text.chars().take(300).collect();
        bail!("{part:?} is not in the result: {shown}");
    }
    Ok(())
}

/// The highest memory in bytes that a running child has held, as the system counts it.
///
/// Source: `VmHWM` in proc(5); it is gone once the child has ended, so read it while the child waits for input.
pub(crate) fn peak_memory(child: &Child) -> Result<f64> {
    let path = format!("/proc/{}/status", child.id());
    let status =
        std::fs::read_to_string(&path).with_context(|| format!("{path} cannot be read"))?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .with_context(|| format!("no VmHWM in {path}"))?;
    let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kilobytes * 1024.0)
}
