//! Benchmarks of reading, editing and searching.

use super::Bench;
use super::exec::{Exec, call, must_contain, text_of, whole_run};
use super::fixture::{
    COMMON, LONG_LINES, NEEDLE, NEEDLES, NEW_WORD, SMALL_FILES, TREE_FILES, WORD,
};
use super::measure::timed;
use super::row::{FD, RIPGREP};
use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::Read as _;
use std::path::PathBuf;
use std::process::{Command, Output};

const DEEP_LINE_1BASED: usize = 1_000_000;
const DEEP_LIMIT: usize = 10;
/// One hit in each of the 200 folders of the tree.
const GLOB: &str = "file42.*";

pub(crate) fn read_through(bench: &Bench) -> Result<f64> {
    let (seconds, length) = timed(|| {
        let mut file = File::open(&bench.fixtures.long)?;
        let mut buffer = vec![0_u8; 256 * 1024];
        let mut length = 0;
        loop {
            match file.read(&mut buffer)? {
                0 => return Ok(length),
                count => length += count,
            }
        }
    })?;
    if length != LONG_LINES * 50 {
        bail!("the long file has {length} bytes");
    }
    Ok(seconds)
}

pub(crate) fn read_deep(bench: &Bench) -> Result<f64> {
    let mut exec = warm(bench)?;
    let arguments =
        json!({ "path": bench.fixtures.long, "offset": DEEP_LINE_1BASED, "limit": DEEP_LIMIT });
    let (seconds, result) = timed(|| exec.run_one(call("read", arguments)))?;
    exec.finish()?;
    must_contain(&result, &format!("{DEEP_LINE_1BASED:08} "))?;
    let told = result.to_string().replace(',', "");
    let left = LONG_LINES + 1 - DEEP_LINE_1BASED - DEEP_LIMIT;
    if !told.contains(&LONG_LINES.to_string()) && !told.contains(&left.to_string()) {
        bail!("neither the {LONG_LINES} lines nor the {left} left are told: {told}");
    }
    Ok(seconds)
}

/// A process that has read a file, so that what is measured is the call and not the start.
fn warm(bench: &Bench) -> Result<Exec> {
    let mut exec = Exec::start(bench)?;
    exec.run_one(call(
        "read",
        json!({ "path": bench.fixtures.small.last().context("no small file")? }),
    ))?;
    Ok(exec)
}

fn read_files(paths: &[PathBuf]) -> Result<f64> {
    let (seconds, ()) = timed(|| {
        for path in paths {
            if fs::read(path)?.len() != 10_000 {
                bail!("{} has not 10 KB", path.display());
            }
        }
        Ok(())
    })?;
    Ok(seconds)
}

fn read_batch(bench: &Bench, paths: &[PathBuf]) -> Result<f64> {
    let mut exec = warm(bench)?;
    let batch: Vec<Value> = paths
        .iter()
        .map(|path| call("read", json!({ "path": path })))
        .collect();
    let (seconds, results) = timed(|| exec.run(&[Value::Array(batch)]))?;
    exec.finish()?;
    for (result, path) in results.iter().zip(paths) {
        must_contain(result, fs::read_to_string(path)?.trim_end())?;
    }
    Ok(seconds)
}

fn first_20(bench: &Bench) -> &[PathBuf] {
    bench.fixtures.small.get(..20).unwrap_or_default()
}

pub(crate) fn read_20_files(bench: &Bench) -> Result<f64> {
    read_files(first_20(bench))
}

pub(crate) fn read_20(bench: &Bench) -> Result<f64> {
    read_batch(bench, first_20(bench))
}

pub(crate) fn read_1000_files(bench: &Bench) -> Result<f64> {
    Ok(read_files(&bench.fixtures.small)? / SMALL_FILES as f64)
}

pub(crate) fn read_1000(bench: &Bench) -> Result<f64> {
    Ok(read_batch(bench, &bench.fixtures.small)? / SMALL_FILES as f64)
}

/// A fresh copy of the 5 MB file, not counted.
fn fresh_copy(bench: &Bench, name: &str) -> Result<PathBuf> {
    let path = bench.fixtures.work.join(name);
    fs::copy(&bench.fixtures.medium, &path)?;
    Ok(path)
}

pub(crate) fn replace_word(bench: &Bench) -> Result<f64> {
    let path = fresh_copy(bench, "floor.txt")?;
    let beside = bench.fixtures.work.join("floor.txt.new");
    let (seconds, ()) = timed(|| {
        let mut text = fs::read_to_string(&path)?;
        // The word begins with the file's only tilde: this is a search for one byte.
        let at = text.find('~').context("the word is not there")?;
        text.replace_range(at..at + WORD.len(), NEW_WORD);
        fs::write(&beside, &text)?;
        fs::rename(&beside, &path)?;
        Ok(())
    })?;
    check_edited(bench, &path)?;
    Ok(seconds)
}

pub(crate) fn edit_word(bench: &Bench) -> Result<f64> {
    let path = fresh_copy(bench, "subject.txt")?;
    let mut exec = warm(bench)?;
    let arguments = json!({ "path": path, "edits": [{ "oldText": WORD, "newText": NEW_WORD }] });
    let (seconds, _) = timed(|| exec.run_one(call("edit", arguments)))?;
    exec.finish()?;
    check_edited(bench, &path)?;
    Ok(seconds)
}

fn check_edited(bench: &Bench, path: &PathBuf) -> Result<()> {
    if fs::read_to_string(path)?
        != fs::read_to_string(&bench.fixtures.medium)?.replace(WORD, NEW_WORD)
    {
        bail!("{} has not just the one word changed", path.display());
    }
    Ok(())
}

/// Seconds of a command that must end well and print `lines` lines.
fn listing(mut command: Command, lines: usize) -> Result<f64> {
    let (seconds, output): (f64, Output) = timed(|| Ok(command.output()?))?;
    let found = output.stdout.iter().filter(|byte| **byte == b'\n').count();
    if !output.status.success() || found != lines {
        bail!(
            "{:?} gave {found} lines of {lines}, {}",
            command.get_program(),
            output.status
        );
    }
    Ok(seconds)
}

pub(crate) fn rg(bench: &Bench) -> Result<f64> {
    let mut command = Command::new(RIPGREP.program().context("no rg")?);
    command
        .args([
            "--no-config",
            "--hidden",
            "--line-number",
            "--sort",
            "path",
            NEEDLE,
        ])
        .arg(&bench.fixtures.tree);
    listing(command, NEEDLES)
}

fn hits(result: &Value, mark: &str) -> usize {
    text_of(result)
        .lines()
        .filter(|line| line.contains(mark))
        .count()
}

pub(crate) fn grep(bench: &Bench) -> Result<f64> {
    let item = call(
        "grep",
        json!({ "pattern": NEEDLE, "path": bench.fixtures.tree }),
    );
    let (seconds, results) = timed(|| whole_run(bench, item))?;
    let found = hits(results.first().context("no result")?, NEEDLE);
    if found != NEEDLES {
        bail!("{found} matches of {NEEDLES}");
    }
    Ok(seconds)
}

pub(crate) fn grep_limit(bench: &Bench) -> Result<f64> {
    let item = call(
        "grep",
        json!({ "pattern": COMMON, "path": bench.fixtures.tree, "limit": 100 }),
    );
    let (seconds, results) = timed(|| whole_run(bench, item))?;
    let found = hits(
        results.first().context("no result")?,
        &format!(": {COMMON}"),
    );
    if found != 100 {
        bail!("{found} matches of 100");
    }
    Ok(seconds)
}

pub(crate) fn fd(bench: &Bench) -> Result<f64> {
    let program = FD.program().context("no fd")?;
    let mut command = Command::new("bash");
    let script = format!(
        "{program} --hidden --glob '{GLOB}' '{}' | sort",
        bench.fixtures.tree.display()
    );
    command.args(["-c", &script]);
    listing(command, TREE_FILES / 100)
}

pub(crate) fn find(bench: &Bench) -> Result<f64> {
    let item = call(
        "find",
        json!({ "pattern": GLOB, "path": bench.fixtures.tree }),
    );
    let (seconds, results) = timed(|| whole_run(bench, item))?;
    let found = hits(results.first().context("no result")?, "file42.");
    if found != TREE_FILES / 100 {
        bail!("{found} files of {}", TREE_FILES / 100);
    }
    Ok(seconds)
}
