use std::time::Duration;

use super::command::{Surplus, run};
use super::failure::failure;
use super::role::{Lift, Role};
use super::session::Session;
use crate::SqlLimits;
use crate::capability::ReadRight;
use crate::database::PostgresTarget;
use crate::job::{Deadline, Done, Job};
use crate::rows::Rows;
use crate::run_error::RunError;

/// The longest wait for a lock of somebody else.
const MAX_LOCK_WAIT: Duration = Duration::from_secs(2);

/// A transaction that was used once can no longer be made one that writes.
const BEGIN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT 1";

/// Reads in a transaction that cannot write, under a role that is checked first.
pub(super) async fn read(
    target: &PostgresTarget,
    mut job: Job,
    _: ReadRight,
) -> Result<Done, RunError> {
    let deadline = Deadline::of(&job);
    let mut settings = settings(&job.limits);
    settings.push(("default_transaction_read_only", "on".to_owned()));
    let session = Session::open(&target.reader, &settings, &deadline).await?;
    let lift = if target.allow_privileged_role {
        Lift::Lifted
    } else {
        Lift::Possible
    };
    let reading = confined(&session, &mut job, &deadline, lift);
    let outcome = session.within(&deadline, reading).await;
    let outcome = match outcome {
        Ok(rows) => ended(&session, rows).await,
        Err(error) => Err(error),
    };
    session.close().await;
    outcome.map(|rows| Done {
        rows,
        affected: None,
    })
}

/// Ends what ran, so that whatever it locked is free before the call returns.
async fn ended(session: &Session<'_>, rows: Rows) -> Result<Rows, RunError> {
    if rows.cut_by.is_some() {
        // The server is still sending; what it does is of no more use.
        session.stop().await;
        return Ok(rows);
    }
    if !session.watch.is_in_transaction() {
        return Err(RunError::TransactionEnded);
    }
    session.client.batch_execute("ROLLBACK").await.ok();
    Ok(rows)
}

async fn confined(
    session: &Session<'_>,
    job: &mut Job,
    deadline: &Deadline,
    lift: Lift,
) -> Result<Rows, RunError> {
    let fail = |error| failure(error, session, deadline);
    let role = Role::of(&session.client).await.map_err(fail)?;
    role.check(lift)?;
    if let Some(path) = safe_path(&role.search_path) {
        let setting = format!("SET search_path = {path}");
        session.client.batch_execute(&setting).await.map_err(fail)?;
    }
    session.client.batch_execute(BEGIN).await.map_err(fail)?;
    run(session, job, deadline, Surplus::Leave).await
}

/// Says what every session is set to.
pub(super) fn settings(limits: &SqlLimits) -> Vec<(&'static str, String)> {
    let ms = |time: Duration| time.as_millis().max(1).to_string();
    vec![
        ("statement_timeout", ms(limits.timeout)),
        ("lock_timeout", ms(limits.timeout.min(MAX_LOCK_WAIT))),
        (
            "idle_in_transaction_session_timeout",
            ms(limits.timeout * 2),
        ),
        // The classifier reads backslashes so.
        ("standard_conforming_strings", "on".to_owned()),
        ("datestyle", "ISO".to_owned()),
        ("intervalstyle", "postgres".to_owned()),
        ("bytea_output", "hex".to_owned()),
        ("extra_float_digits", "1".to_owned()),
    ]
}

/// Returns the path in which names are looked up with the server's own in front, if they are not.
///
/// Where a path does not name `pg_catalog`, it comes first by itself.
///
/// Source: PostgreSQL manual, `search_path`.
fn safe_path(path: &str) -> Option<String> {
    let mut schemas = path.split(',').map(str::trim);
    let names_it = |schema: &str| schema.trim_matches('"').eq_ignore_ascii_case("pg_catalog");
    let is_late = !schemas.next().is_some_and(names_it) && schemas.any(names_it);
    is_late.then(|| format!("pg_catalog, {path}"))
}
