use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use crate::SqlLimits;
use crate::progress::Progress;
use crate::rows::Rows;

/// One statement that is to run.
#[derive(Debug)]
pub(crate) struct Job {
    /// The statement, exactly as it was approved but for white space at its ends.
    pub(crate) text: String,
    /// Whether the engine runs it only outside a transaction.
    pub(crate) is_outside_transaction: bool,
    pub(crate) limits: SqlLimits,
    pub(crate) cancel: CancellationToken,
    pub(crate) progress: Progress,
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) rows: Rows,
    /// How many rows a write changed.
    pub(crate) affected: Option<u64>,
}

/// A moment at which a job is over.
#[derive(Clone, Debug)]
pub(crate) struct Deadline {
    pub(crate) at: Instant,
    pub(crate) timeout: Duration,
    pub(crate) cancel: CancellationToken,
}

impl Deadline {
    pub(crate) fn of(job: &Job) -> Self {
        Self {
            at: Instant::now() + job.limits.timeout,
            timeout: job.limits.timeout,
            cancel: job.cancel.clone(),
        }
    }

    /// Tells whether the job is to stop.
    pub(crate) fn is_over(&self) -> bool {
        self.cancel.is_cancelled() || Instant::now() >= self.at
    }
}
