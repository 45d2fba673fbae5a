//! Benchmarks of what may run and of its record, measured by an example of `deed-guard` on itself.

use super::Bench;
use anyhow::Result;

fn measured(bench: &Bench, what: &str) -> Result<f64> {
    bench.example("speed", what)
}

pub(crate) fn open(bench: &Bench) -> Result<f64> {
    measured(bench, "open")
}

pub(crate) fn gate(bench: &Bench) -> Result<f64> {
    measured(bench, "gate")
}

/// A call without a gate, and one record on the disk.
pub(crate) fn open_and_sync(bench: &Bench) -> Result<f64> {
    Ok(measured(bench, "open")? + measured(bench, "sync")?)
}

pub(crate) fn strict(bench: &Bench) -> Result<f64> {
    measured(bench, "strict")
}

pub(crate) fn read_command(bench: &Bench) -> Result<f64> {
    measured(bench, "read-command")
}

pub(crate) fn decide(bench: &Bench) -> Result<f64> {
    measured(bench, "decide")
}

pub(crate) fn verify(bench: &Bench) -> Result<f64> {
    measured(bench, "verify")
}
