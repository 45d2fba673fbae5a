use std::path::Path;

use rusqlite::{Error, ErrorCode, ffi};

use crate::job::Deadline;
use crate::limits::MAX_VALUE_BYTES;
use crate::run_error::RunError;

/// Says what an error of the engine means to whoever asked.
pub(super) fn failure(error: Error, path: &Path, deadline: &Deadline) -> RunError {
    let (code, message) = match error {
        Error::SqliteFailure(code, message) => (code, message),
        Error::SqlInputError { error, msg, .. } => (error, Some(msg)),
        Error::MultipleStatement => {
            return RunError::Refused("it is several statements".to_owned());
        }
        other => return RunError::Engine(other.to_string()),
    };
    let message = message.unwrap_or_else(|| code.to_string());
    match code.code {
        _ if deadline.cancel.is_cancelled() => RunError::Cancelled,
        ErrorCode::OperationInterrupted => RunError::TimedOut(deadline.timeout),
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => RunError::Locked,
        ErrorCode::NotADatabase => RunError::NotADatabase(path.to_owned()),
        ErrorCode::TooBig => RunError::ValueTooLong {
            max_bytes: MAX_VALUE_BYTES,
        },
        ErrorCode::AuthorizationForStatementDenied => RunError::Refused(message),
        ErrorCode::ReadOnly if is_unfinished(code.extended_code) => RunError::Unfinished,
        ErrorCode::ReadOnly => RunError::Refused(message),
        _ => RunError::Engine(message),
    }
}

fn is_unfinished(extended_code: i32) -> bool {
    [ffi::SQLITE_READONLY_ROLLBACK, ffi::SQLITE_READONLY_RECOVERY].contains(&extended_code)
}
