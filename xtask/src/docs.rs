//! `cargo xtask docs`: the API documentation of every crate.

use crate::workspace::cargo;
use anyhow::{Result, bail};

/// Builds the documentation; options are handed on to `cargo doc`.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if arguments
        .iter()
        .any(|argument| argument == "--help" || argument == "-h")
    {
        println!(
            "usage: cargo xtask docs [CARGO DOC OPTIONS]\n\n`--open` shows the result in a browser."
        );
        return Ok(());
    }
    let status = cargo()
        .args(["doc", "--workspace", "--no-deps"])
        .args(arguments)
        .env("RUSTDOCFLAGS", "-D warnings")
        .status()?;
    if !status.success() {
        bail!("the documentation has faults; they stand above");
    }
    Ok(())
}
