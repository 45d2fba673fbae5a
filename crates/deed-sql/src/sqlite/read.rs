use rusqlite::Connection;

use super::authorize;
use super::configure::open_read_only;
use super::failure::failure;
use super::file::DatabaseFile;
use super::step::{Surplus, step, watch};
use crate::capability::ReadRight;
use crate::job::{Deadline, Done, Job};
use crate::run_error::RunError;

/// Reads on a connection that cannot write.
pub(super) fn read(file: &DatabaseFile, mut job: Job, _: ReadRight) -> Result<Done, RunError> {
    let deadline = Deadline::of(&job);
    let is_at_rest = file.is_log_at_rest();
    let done = attempt(file, &mut job, &deadline, is_at_rest);
    if is_at_rest && !file.is_unchanged() {
        // Somebody began to write meanwhile, so what was read without the log may be torn.
        return attempt(file, &mut job, &deadline, false);
    }
    done
}

fn attempt(
    file: &DatabaseFile,
    job: &mut Job,
    deadline: &Deadline,
    is_at_rest: bool,
) -> Result<Done, RunError> {
    let fail = |error| failure(error, file.path(), deadline);
    let mut connection = open_read_only(file, is_at_rest).map_err(fail)?;
    DatabaseFile::find(file.path(), Some(&file.identity))?;
    confine(&mut connection, deadline).map_err(fail)?;
    let mut statement = connection.prepare(&job.text).map_err(fail)?;
    if !statement.readonly() {
        return Err(RunError::Refused("it would write".to_owned()));
    }
    let rows = step(&mut statement, job.limits, &mut job.progress, Surplus::Stop).map_err(fail)?;
    Ok(Done {
        rows,
        affected: None,
    })
}

fn confine(connection: &mut Connection, deadline: &Deadline) -> rusqlite::Result<()> {
    connection.authorizer(Some(authorize::read_only))?;
    watch(connection, deadline)
}
