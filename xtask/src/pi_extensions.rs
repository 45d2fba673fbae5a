//! `cargo xtask test-pi-extensions`: Pi's published example extensions run in sessions of Deed.
//!
//! It installs Pi from its registry into `target/extensions`, once.

use crate::workspace::{self, Workspace};
use crate::{npm, pi_answers};
use anyhow::{Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// What is installed: the examples are in it.
const PACKAGE: &str = "@earendil-works/pi-coding-agent";
const VERSION: &str = "1.6.0";

/// What is expected of each, as the driver reads it.
const TABLE: &str = "crates/deed-typescript/examples/pi-examples/table.json";

/// Returns the folder of Pi's package, which is installed if it is not there.
fn package(target: &Path) -> Result<PathBuf> {
    let folder = folder(target);
    if !npm::has(&folder, PACKAGE) {
        npm::install(&folder, &[&format!("{PACKAGE}@{VERSION}")])?;
    }
    Ok(folder.join("node_modules").join(PACKAGE))
}

/// Returns the folder that everything of Pi is installed into.
fn folder(target: &Path) -> PathBuf {
    target.join("extensions")
}

/// Returns the folder of Pi's examples, which are installed if they are not there.
pub(crate) fn examples(target: &Path) -> Result<PathBuf> {
    Ok(package(target)?.join("examples/extensions"))
}

/// Installs what is missing and drives the examples, all or the one that is named.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let only = match arguments {
        [] => None,
        [argument] if argument == "--help" || argument == "-h" => {
            println!(
                "usage: cargo xtask test-pi-extensions [NAME]\n\nInstalls {PACKAGE}@{VERSION} into \
                 target/extensions and drives its example extensions, or one of them in full."
            );
            return Ok(());
        }
        [name] if !name.starts_with('-') => Some(name),
        _ => bail!("test-pi-extensions takes one name at most"),
    };
    let root = workspace::root()?;
    let target = Workspace::load(&root)?.target;
    let examples = examples(&target)?;
    let status = workspace::cargo()
        .current_dir(&root)
        .args([
            "run",
            "--quiet",
            "-p",
            "deed-typescript",
            "--example",
            "pi-examples",
            "--",
        ])
        .arg(examples)
        .arg(root.join(TABLE))
        .args(only)
        .stdin(Stdio::null())
        .status()?;
    ensure!(
        status.success(),
        "some examples do not do what the table says; see above"
    );
    if only.is_none() {
        pi_answers::run(&root, &package(&target)?, &folder(&target))?;
    }
    Ok(())
}
