//! Runs a statement on a SQLite file.

use std::path::PathBuf;

use crate::capability::Capability;
use crate::job::{Done, Job};
use crate::run_error::RunError;

mod authorize;
mod configure;
mod failure;
mod file;
mod read;
mod step;
mod write;

pub(crate) use file::FileIdentity;

/// Runs a job on a thread of its own.
///
/// Cancellation: the engine asks every thousand operations whether to go on.
pub(crate) async fn run(
    path: PathBuf,
    planned: Option<FileIdentity>,
    job: Job,
    capability: Capability,
) -> Result<Done, RunError> {
    let work = move || {
        let file = file::DatabaseFile::find(&path, planned.as_ref())?;
        match capability {
            Capability::Read(right) => read::read(&file, job, right),
            Capability::Write(right) => write::write(&file, job, right),
        }
    };
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(fault) => Err(RunError::Engine(fault.to_string())),
    }
}

/// Says which file a path leads to.
pub(crate) async fn identify(path: PathBuf) -> Result<FileIdentity, RunError> {
    let work = move || file::DatabaseFile::find(&path, None).map(|file| file.identity);
    match tokio::task::spawn_blocking(work).await {
        Ok(identity) => identity,
        Err(fault) => Err(RunError::Engine(fault.to_string())),
    }
}

#[cfg(test)]
mod tests;
