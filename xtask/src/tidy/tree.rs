//! What tidy looks at: the crates and their source files, read once.

use super::source::Source;
use crate::workspace::{Package, Workspace};
use anyhow::{Context as _, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// The workspace with all its Rust sources.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) root: PathBuf,
    pub(crate) packages: Vec<Package>,
    pub(crate) sources: Vec<Source>,
}

/// Folders that hold no source of ours: build results and inputs of tests.
const SKIPPED: &[&str] = &["target", "fixtures", "snapshots"];

impl Tree {
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let workspace = Workspace::load(root)?;
        let mut sources = Vec::new();
        for package in &workspace.packages {
            let mut files = Vec::new();
            rust_files(&package.folder, &mut files)?;
            files.sort();
            for file in files {
                let text = fs::read_to_string(&file)
                    .with_context(|| format!("cannot read {}", file.display()))?;
                sources.push(Source::new(
                    &below(&workspace.root, &file),
                    &package.name,
                    text,
                ));
            }
        }
        Ok(Self {
            root: workspace.root,
            packages: workspace.packages,
            sources,
        })
    }

    /// The path of `package`'s manifest below the root, and its text.
    pub(crate) fn manifest(&self, package: &Package) -> (String, String) {
        let path = package.folder.join("Cargo.toml");
        (
            below(&self.root, &path),
            fs::read_to_string(&path).unwrap_or_default(),
        )
    }
}

/// `path` below `root`, with `/` on every system.
pub(crate) fn below(root: &Path, path: &Path) -> String {
    let path = path.strip_prefix(root).unwrap_or(path);
    path.to_string_lossy()
        .replace(std::path::MAIN_SEPARATOR, "/")
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in
        fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?
    {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            if !name.starts_with('.') && !SKIPPED.contains(&name.as_ref()) {
                rust_files(&path, files)?;
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}
