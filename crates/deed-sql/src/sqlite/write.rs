use std::thread;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode};

use super::authorize;
use super::configure::open_to_write;
use super::failure::failure;
use super::file::DatabaseFile;
use super::step::{Surplus, step, watch};
use crate::capability::WriteRight;
use crate::job::{Deadline, Done, Job};
use crate::rows::Rows;
use crate::run_error::RunError;

/// How long to wait before a lock is asked for again.
const RETRY: Duration = Duration::from_millis(20);

/// Writes on a connection of its own, in a transaction of its own.
pub(super) fn write(file: &DatabaseFile, mut job: Job, _: WriteRight) -> Result<Done, RunError> {
    let deadline = Deadline::of(&job);
    let fail = |error| failure(error, file.path(), &deadline);
    let mut connection = open_to_write(file).map_err(fail)?;
    DatabaseFile::find(file.path(), Some(&file.identity))?;
    if job.is_outside_transaction {
        let rows = run(&mut connection, &mut job, &deadline).map_err(fail)?;
        return Ok(done(&connection, rows));
    }
    patiently(&connection, "BEGIN IMMEDIATE", &deadline).map_err(fail)?;
    let outcome = run(&mut connection, &mut job, &deadline)
        .and_then(|rows| patiently(&connection, "COMMIT", &deadline).map(|()| rows));
    match outcome {
        Ok(rows) => Ok(done(&connection, rows)),
        Err(error) => {
            if !connection.is_autocommit() {
                connection.execute_batch("ROLLBACK").map_err(fail)?;
            }
            Err(fail(error))
        }
    }
}

fn done(connection: &Connection, rows: Rows) -> Done {
    Done {
        rows,
        affected: Some(connection.changes()),
    }
}

/// Runs the statement with the authorizer and the clock in place, and takes them away again.
fn run(connection: &mut Connection, job: &mut Job, deadline: &Deadline) -> rusqlite::Result<Rows> {
    connection.authorizer(Some(authorize::write))?;
    watch(connection, deadline)?;
    let rows = prepare_and_step(connection, job);
    connection.authorizer(None::<fn(rusqlite::hooks::AuthContext<'_>) -> _>)?;
    connection.progress_handler(0, None::<fn() -> bool>)?;
    rows
}

fn prepare_and_step(connection: &Connection, job: &mut Job) -> rusqlite::Result<Rows> {
    let mut statement = connection.prepare(&job.text)?;
    step(&mut statement, job.limits, &mut job.progress, Surplus::Drop)
}

/// Tries until the lock is free or the job is over.
fn patiently(connection: &Connection, command: &str, deadline: &Deadline) -> rusqlite::Result<()> {
    loop {
        let tried = connection.execute_batch(command);
        match tried.as_ref().map_err(rusqlite::Error::sqlite_error_code) {
            Err(Some(ErrorCode::DatabaseBusy)) if !deadline.is_over() => thread::sleep(RETRY),
            _ => return tried,
        }
    }
}
