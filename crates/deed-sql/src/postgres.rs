//! Runs a statement on a PostgreSQL server.

use crate::capability::Capability;
use crate::database::PostgresTarget;
use crate::job::{Done, Job};
use crate::run_error::RunError;

/// Runs a job on a connection of its own.
pub(crate) async fn run(
    _target: &PostgresTarget,
    _job: Job,
    _capability: Capability,
) -> Result<Done, RunError> {
    Err(RunError::Engine("PostgreSQL is not there yet".to_owned()))
}
