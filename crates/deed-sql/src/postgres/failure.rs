use std::error::Error as _;

use tokio_postgres::error::{DbError, SqlState};

use super::session::Session;
use crate::job::Deadline;
use crate::limits::MAX_VALUE_BYTES;
use crate::run_error::RunError;

/// Says what an error of the driver means to whoever asked.
pub(super) fn failure(
    error: tokio_postgres::Error,
    session: &Session<'_>,
    deadline: &Deadline,
) -> RunError {
    if deadline.cancel.is_cancelled() {
        return RunError::Cancelled;
    }
    let Some(said) = error.as_db_error() else {
        return if session.watch.had_long_message() {
            RunError::ValueTooLong {
                max_bytes: MAX_VALUE_BYTES,
            }
        } else {
            RunError::Engine(described(error))
        };
    };
    match *said.code() {
        SqlState::QUERY_CANCELED => RunError::TimedOut(deadline.timeout),
        SqlState::LOCK_NOT_AVAILABLE => RunError::Locked,
        SqlState::READ_ONLY_SQL_TRANSACTION => RunError::Refused(server_text(said)),
        _ => RunError::Engine(server_text(said)),
    }
}

/// Returns all that an error says, with its causes.
pub(super) fn described(error: tokio_postgres::Error) -> String {
    if let Some(said) = error.as_db_error() {
        return server_text(said);
    }
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    text
}

fn server_text(said: &DbError) -> String {
    let mut text = format!(
        "{}: {} ({})",
        said.severity(),
        said.message(),
        said.code().code()
    );
    for more in [said.detail(), said.hint()].into_iter().flatten() {
        text.push_str(". ");
        text.push_str(more.trim_end_matches('.'));
    }
    text
}
