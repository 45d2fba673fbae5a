//! `cargo xtask test-interop`: Pi's published client drives `deed --mode rpc`.
//!
//! Not part of `test`: it installs Pi and node from their registry into `target/interop`, once.

use crate::npm;
use crate::workspace::{self, Workspace};
use anyhow::{Context as _, Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What is installed.
const PACKAGES: &[&str] = &["@earendil-works/pi-coding-agent@1.6.0", "node@22"];

/// What the client does, step by step; each step prints a line.
const CLIENT: &str = include_str!("interop/client.mjs");

/// Pi's client starts `node` on a file: this one starts deed.
const LAUNCHER: &str = include_str!("interop/deed.mjs");

/// What the model says in every session.
const SCRIPT: &str = include_str!("interop/script.json");

/// Installs what is missing and lets the client do its steps.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if let Some(argument) = arguments.first() {
        if argument == "--help" || argument == "-h" {
            println!(
                "usage: cargo xtask test-interop\n\nInstalls {} into target/interop and lets \
                 Pi's client drive deed.",
                PACKAGES.join(" and ")
            );
            return Ok(());
        }
        bail!("no option {argument:?}; test-interop takes none");
    }
    let workspace = Workspace::load(&workspace::root()?)?;
    let deed = workspace.build_deed()?;
    let folder = workspace.target.join("interop");
    let node = install(&folder)?;
    for (name, text) in [("client.mjs", CLIENT), ("deed.mjs", LAUNCHER)] {
        std::fs::write(folder.join(name), text).with_context(|| format!("cannot write {name}"))?;
    }
    let play = folder.join("play");
    std::fs::remove_dir_all(&play).ok();
    for name in ["home", "work"] {
        std::fs::create_dir_all(play.join(name))?;
    }
    std::fs::write(play.join("script.json"), SCRIPT)?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let programs = node.parent().map(Path::to_owned).into_iter();
    let path = std::env::join_paths(programs.chain(std::env::split_paths(&path)))?;
    let status = Command::new(&node)
        .arg(folder.join("client.mjs"))
        .current_dir(play.join("work"))
        .env("PATH", path)
        .env("HOME", play.join("home"))
        .env("DEED", &deed)
        .env("SCRIPT", play.join("script.json"))
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("cannot start {}", node.display()))?;
    ensure!(
        status.success(),
        "Pi's client and deed do not understand each other; see above"
    );
    Ok(())
}

/// Installs the packages, if they are not there, and returns the node among them.
fn install(folder: &Path) -> Result<PathBuf> {
    let node = || npm::node(folder);
    if let (true, Some(node)) = (npm::has(folder, "@earendil-works/pi-coding-agent"), node()) {
        return Ok(node);
    }
    npm::install(folder, PACKAGES)?;
    node().context("npm installed no node for this machine")
}
