//! `cargo xtask docs`: the documents that derive from code, and the API documentation of every crate.

use crate::workspace::{cargo, root};
use anyhow::{Context as _, Result, bail};
use std::path::Path;

/// Documents that derive from code: the file, and what prints it, in words of `cargo run`. A test of the
/// crate that they derive from fails while they differ.
const DERIVED: &[(&str, &[&str])] = &[
    (
        "docs/settings.md",
        &["-p", "deed", "--", "config", "schema", "--markdown"],
    ),
    (
        "docs/settings.schema.json",
        &["-p", "deed", "--", "config", "schema"],
    ),
    (
        "docs/extensions.md",
        &["-p", "deed-typescript", "--example", "extensions-doc"],
    ),
];

/// Writes derived documents anew and builds the documentation; options are handed on to `cargo doc`.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if arguments
        .iter()
        .any(|argument| argument == "--help" || argument == "-h")
    {
        println!(
            "usage: cargo xtask docs [CARGO DOC OPTIONS]\n\nWrites docs/settings.md, its schema and docs/extensions.md anew. `--open` shows the API documentation in a browser."
        );
        return Ok(());
    }
    let root = root()?;
    for (path, print) in DERIVED {
        derive(&root.join(path), print)?;
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

fn derive(path: &Path, print: &[&str]) -> Result<()> {
    let printed = cargo().args(["run", "--quiet"]).args(print).output()?;
    if !printed.status.success() {
        let told = String::from_utf8_lossy(&printed.stderr);
        bail!("`cargo run {}` failed: {told}", print.join(" "));
    }
    // A file that is not there is written like one that differs.
    if std::fs::read(path).is_ok_and(|before| before == printed.stdout) {
        return Ok(());
    }
    std::fs::write(path, &printed.stdout)
        .with_context(|| format!("cannot write {}", path.display()))?;
    println!("wrote {}", path.display());
    Ok(())
}
