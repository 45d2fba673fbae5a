//! Embeds the JavaScript side: every file below `js`, by its path there.

use std::env;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

fn main() -> io::Result<()> {
    let root = PathBuf::from(variable("CARGO_MANIFEST_DIR")?).join("js");
    let mut files = Vec::new();
    collect(&root, &mut files)?;
    files.sort();
    let mut table = String::from("pub(crate) const FILES: &[(&str, &str)] = &[\n");
    for file in &files {
        let name = file.strip_prefix(&root).map_err(io::Error::other)?;
        let (name, path) = (name.display().to_string(), file.display().to_string());
        writeln!(table, "    ({name:?}, include_str!({path:?})),").map_err(io::Error::other)?;
    }
    table.push_str("];\n");
    std::fs::write(PathBuf::from(variable("OUT_DIR")?).join("files.rs"), table)
}

fn variable(name: &str) -> io::Result<String> {
    env::var(name).map_err(io::Error::other)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    // Cargo looks at a folder's own time only, so each is named.
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "js")
            || path.file_name().is_some_and(|name| name == "modules.json")
        {
            files.push(path);
        }
    }
    Ok(())
}
