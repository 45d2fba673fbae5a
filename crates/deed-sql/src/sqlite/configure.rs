use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

use super::file::DatabaseFile;
use crate::limits::{MAX_SQL_BYTES, MAX_VALUE_BYTES};

/// How long the engine itself waits for a lock.
const BUSY_TIMEOUT: Duration = Duration::from_millis(500);

/// Far above what a query needs whose rows anybody will read, and low enough that no step of the engine
/// takes long without asking the clock.
const LIMITS: &[(Limit, usize)] = &[
    (Limit::SQLITE_LIMIT_ATTACHED, 0),
    (Limit::SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES),
    (Limit::SQLITE_LIMIT_SQL_LENGTH, MAX_SQL_BYTES),
    (Limit::SQLITE_LIMIT_EXPR_DEPTH, 100),
    (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 50),
    (Limit::SQLITE_LIMIT_VDBE_OP, 250_000),
    (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000),
    (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
];

const SETTINGS: &[(DbConfig, bool)] = &[
    (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
    (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
    (DbConfig::SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, false),
    (DbConfig::SQLITE_DBCONFIG_ENABLE_ATTACH_CREATE, false),
    (DbConfig::SQLITE_DBCONFIG_ENABLE_ATTACH_WRITE, false),
];

/// Opens a file that nothing can be written to through this connection.
///
/// `is_at_rest` says that nobody else has a database with a log open: then it is read without the log,
/// which would otherwise be made, and left behind, for the sake of reading.
pub(super) fn open_read_only(
    file: &DatabaseFile,
    is_at_rest: bool,
) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | common();
    let connection = if is_at_rest {
        // Only a URI says so. That ATTACH would then take URIs too matters nothing: it is denied.
        Connection::open_with_flags(at_rest_uri(file.path()), flags | OpenFlags::SQLITE_OPEN_URI)
    } else {
        Connection::open_with_flags(file.path(), flags)
    }?;
    configure(&connection)?;
    Ok(connection)
}

/// Opens a file that exists, to write.
pub(super) fn open_to_write(file: &DatabaseFile) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | common();
    let connection = Connection::open_with_flags(file.path(), flags)?;
    configure(&connection)?;
    Ok(connection)
}

fn common() -> OpenFlags {
    OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW
}

fn configure(connection: &Connection) -> rusqlite::Result<()> {
    for (setting, value) in SETTINGS {
        connection.set_db_config(*setting, *value)?;
    }
    for (limit, value) in LIMITS {
        connection.set_limit(*limit, i32::try_from(*value).unwrap_or(i32::MAX))?;
    }
    connection.busy_timeout(BUSY_TIMEOUT)
}

/// Source: SQLite, "Uniform Resource Identifiers": `?`, `#` and `%` have a meaning in the path.
fn at_rest_uri(path: &Path) -> String {
    let mut uri = "file:".to_owned();
    for c in path.to_string_lossy().chars() {
        match c {
            '?' | '#' | '%' => uri.push_str(&format!("%{:02X}", u32::from(c))),
            _ => uri.push(c),
        }
    }
    uri.push_str("?immutable=1");
    uri
}
