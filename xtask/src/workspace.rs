//! The workspace as cargo describes it, without resolving or compiling anything.

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The workspace: where it lies and which crates it has.
#[derive(Debug)]
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    pub(crate) target: PathBuf,
    pub(crate) packages: Vec<Package>,
}

/// One crate of the workspace.
#[derive(Debug)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    /// Crates of this workspace that it uses, each once, dev-dependencies left out.
    pub(crate) uses: Vec<String>,
}

/// The cargo that runs this program, or the one on the path.
pub(crate) fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// The root of the workspace that this program was built from.
pub(crate) fn root() -> Result<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    Ok(folder
        .parent()
        .context("xtask lies in no workspace")?
        .to_owned())
}

impl Workspace {
    /// Asks cargo about the workspace at `root`.
    ///
    /// Errors: cargo's own message when a manifest is not valid.
    pub(crate) fn load(root: &Path) -> Result<Self> {
        let output = cargo()
            .args([
                "metadata",
                "--no-deps",
                "--offline",
                "--format-version",
                "1",
                "--manifest-path",
            ])
            .arg(root.join("Cargo.toml"))
            .output()
            .context("cargo could not be started")?;
        if !output.status.success() {
            bail!(
                "cargo metadata: {}",
                String::from_utf8_lossy(&output.stderr).trim()
            );
        }
        let value: Value =
            serde_json::from_slice(&output.stdout).context("cargo metadata is not JSON")?;
        let text = |value: &Value, key: &str| -> Result<String> {
            let found = value.get(key).and_then(Value::as_str);
            Ok(found
                .with_context(|| format!("cargo metadata has no {key:?}"))?
                .to_owned())
        };
        let mut packages = Vec::new();
        for package in value
            .get("packages")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let manifest = PathBuf::from(text(package, "manifest_path")?);
            packages.push(Package {
                name: text(package, "name")?,
                folder: manifest
                    .parent()
                    .context("a manifest lies in no folder")?
                    .to_owned(),
                uses: used_by(package),
            });
        }
        packages.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(Self {
            root: PathBuf::from(text(&value, "workspace_root")?),
            target: PathBuf::from(text(&value, "target_directory")?),
            packages,
        })
    }

    /// Builds the program and returns where it is.
    pub(crate) fn build_deed(&self) -> Result<PathBuf> {
        let status = cargo()
            .current_dir(&self.root)
            .args(["build", "-p", "deed"])
            .status()
            .context("cargo could not be started")?;
        ensure!(status.success(), "deed does not compile");
        Ok(self.target.join("debug/deed"))
    }
}

fn used_by(package: &Value) -> Vec<String> {
    let dependencies = package.get("dependencies").and_then(Value::as_array);
    let mut names: Vec<String> = dependencies
        .into_iter()
        .flatten()
        .filter(|dependency| dependency.get("path").is_some_and(Value::is_string))
        .filter(|dependency| dependency.get("kind").and_then(Value::as_str) != Some("dev"))
        .filter_map(|dependency| {
            dependency
                .get("name")
                .and_then(Value::as_str)
                .map(str::to_owned)
        })
        .collect();
    names.sort();
    names.dedup();
    names
}
