use std::time::Duration;

use super::command::{Surplus, run};
use super::failure::{described, failure};
use super::read::settings;
use super::role::{Lift, Role};
use super::session::Session;
use crate::capability::WriteRight;
use crate::database::PostgresTarget;
use crate::job::{Deadline, Done, Job};
use crate::run_error::RunError;

/// How long the server may take to confirm; a runner waits five seconds for a cancelled call.
const COMMIT_TIMEOUT: Duration = Duration::from_secs(3);

/// Writes on a connection of its own, in a transaction of its own.
///
/// Cancellation: before the transaction is to be committed; not while it is.
pub(super) async fn write(
    target: &PostgresTarget,
    mut job: Job,
    _: WriteRight,
) -> Result<Done, RunError> {
    let deadline = Deadline::of(&job);
    let url = target.writer.as_ref().unwrap_or(&target.reader);
    let session = Session::open(url, &settings(&job.limits), &deadline).await?;
    let outcome = if job.is_outside_transaction {
        alone(&session, &mut job, &deadline).await
    } else {
        inside(&session, &mut job, &deadline).await
    };
    session.close().await;
    outcome
}

async fn checked(session: &Session<'_>, deadline: &Deadline) -> Result<(), RunError> {
    let role = Role::of(&session.client).await;
    let role = role.map_err(|error| failure(error, session, deadline))?;
    role.check(Lift::Impossible)
}

async fn inside(
    session: &Session<'_>,
    job: &mut Job,
    deadline: &Deadline,
) -> Result<Done, RunError> {
    let writing = async {
        checked(session, deadline).await?;
        let begun = session.client.batch_execute("BEGIN READ WRITE").await;
        begun.map_err(|error| failure(error, session, deadline))?;
        run(session, job, deadline, Surplus::Drop).await
    };
    let rows = session.within(deadline, writing).await?;
    if !session.watch.is_in_transaction() {
        return Err(RunError::TransactionEnded);
    }
    let affected = affected(&session.watch.tag());
    commit(session, deadline).await?;
    Ok(Done { rows, affected })
}

/// Runs what the server refuses in a transaction: whatever it did stands when it is done.
async fn alone(
    session: &Session<'_>,
    job: &mut Job,
    deadline: &Deadline,
) -> Result<Done, RunError> {
    session.within(deadline, checked(session, deadline)).await?;
    let writing = run(session, job, deadline, Surplus::Drop);
    let rows = session.within(deadline, writing).await;
    let is_unknown = |error: &RunError| {
        matches!(error, RunError::Cancelled | RunError::TimedOut(_)) || session.client.is_closed()
    };
    match rows {
        Ok(rows) => Ok(Done {
            rows,
            affected: affected(&session.watch.tag()),
        }),
        Err(error) if is_unknown(&error) => Err(RunError::OutcomeUnknown(error.to_string())),
        Err(error) => Err(error),
    }
}

/// Makes the change last. From here on nobody but the server knows whether it does.
async fn commit(session: &Session<'_>, deadline: &Deadline) -> Result<(), RunError> {
    let committing = session.client.batch_execute("COMMIT");
    match tokio::time::timeout(COMMIT_TIMEOUT, committing).await {
        Ok(Ok(())) if session.watch.tag() == "COMMIT" => Ok(()),
        Ok(Ok(())) => Err(RunError::Engine(
            "the server rolled the change back".to_owned(),
        )),
        Ok(Err(error)) if error.as_db_error().is_some() => Err(failure(error, session, deadline)),
        Ok(Err(error)) => Err(RunError::OutcomeUnknown(described(error))),
        Err(_) => {
            let reason = format!("no answer within {} s", COMMIT_TIMEOUT.as_secs());
            Err(RunError::OutcomeUnknown(reason))
        }
    }
}

/// Reads how many rows changed from what the server said, such as `INSERT 0 5`.
fn affected(tag: &str) -> Option<u64> {
    let mut words = tag.split(' ');
    let is_change = matches!(words.next(), Some("INSERT" | "UPDATE" | "DELETE" | "MERGE"));
    is_change.then(|| words.next_back()?.parse().ok()).flatten()
}
