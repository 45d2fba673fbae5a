//! Benchmarks of session files, measured by an example of `deed-session` on itself.

use super::Bench;
use anyhow::Result;

const EXAMPLE: &str = "session_speed";

pub(crate) fn read_lines(bench: &Bench) -> Result<f64> {
    bench.example(EXAMPLE, "lines")
}

pub(crate) fn open(bench: &Bench) -> Result<f64> {
    bench.example(EXAMPLE, "open")
}

pub(crate) fn open_with_context(bench: &Bench) -> Result<f64> {
    bench.example(EXAMPLE, "open-context")
}
