//! Runs a statement on a PostgreSQL server.
//!
//! Values come back as the text that the server itself writes, so that none of any type is lost or
//! shown differently than by its own programs: the driver's extended protocol carries binary values,
//! which would have to be written again here. The extended protocol still comes first, to let the
//! server prove that the text is one statement and to learn the types of its columns; then the text
//! runs by the simple protocol, inside a transaction that cannot write.

use crate::capability::Capability;
use crate::database::PostgresTarget;
use crate::job::{Done, Job};
use crate::run_error::RunError;

mod command;
mod failure;
mod frames;
mod read;
mod role;
mod session;
mod tls;
mod write;

/// Runs a job on a connection of its own.
///
/// Cancellation: asks the server to stop the statement, and leaves soon after in any case.
pub(crate) async fn run(
    target: &PostgresTarget,
    job: Job,
    capability: Capability,
) -> Result<Done, RunError> {
    match capability {
        Capability::Read(right) => read::read(target, job, right).await,
        Capability::Write(right) => write::write(target, job, right).await,
    }
}

#[cfg(all(test, unix))]
mod tests;
