//! The second part of `cargo xtask test-pi-extensions`: the real Pi plays what Deed's tests play.
//!
//! The records and the program that plays them stand in the crate of scripts; see `play.mjs` there.

use crate::npm;
use anyhow::{Context as _, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What plays the records.
const PLAYER: &str = "crates/deed-typescript/tests/fixtures/pi/play.mjs";

/// The oldest node that Pi 1.6.0 runs on, as its package says.
const OLDEST_NODE: (u32, u32) = (22, 19);

/// Lets the Pi of a package's folder play every record, and says where it answers otherwise.
///
/// A node that is too old for it is not used: one is installed beside the package, once.
pub(crate) fn run(root: &Path, package: &Path, folder: &Path) -> Result<()> {
    let node = node(folder)?;
    let home = folder.join("home");
    std::fs::create_dir_all(&home)?;
    let status = Command::new(&node)
        .arg(root.join(PLAYER))
        .arg(package)
        .env("HOME", home)
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("cannot start {}", node.display()))?;
    ensure!(
        status.success(),
        "Pi does not answer what the records beside {PLAYER} say; see above"
    );
    Ok(())
}

fn node(folder: &Path) -> Result<PathBuf> {
    if version("node").is_some_and(|version| version >= OLDEST_NODE) {
        return Ok("node".into());
    }
    // Apart from the package: npm takes away what it did not install in the same go.
    let own = folder.join("node");
    if npm::node(&own).is_none() {
        npm::install(&own, &["node@22"])?;
    }
    npm::node(&own).context("npm installed no node for this machine")
}

/// Returns the first two numbers of a node's version.
fn version(node: &str) -> Option<(u32, u32)> {
    let output = Command::new(node).arg("--version").output().ok()?;
    parse_version(&String::from_utf8_lossy(&output.stdout))
}

fn parse_version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.trim().strip_prefix('v')?.split('.');
    let mut next = || numbers.next()?.parse().ok();
    Some((next()?, next()?))
}

#[cfg(test)]
mod tests {
    use super::{OLDEST_NODE, parse_version};

    #[test]
    fn versions_of_node_compare_by_number() {
        let new = ["v22.19.0\n", "v24.0.1", "v100.2.3"];
        let old = ["v22.9.0", "v20.20.2", "v9.99.0"];
        let is_new = |text: &&str| parse_version(text).unwrap() >= OLDEST_NODE;
        assert!(new.iter().all(is_new));
        assert!(!old.iter().any(is_new));
        assert_eq!(parse_version("node: not found"), None);
    }
}
