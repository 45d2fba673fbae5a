use std::time::Duration;

/// How much one call may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SqlLimits {
    /// How long the statement may run.
    pub timeout: Duration,
    /// How many rows come back.
    pub max_rows: usize,
    /// How many bytes of text the rows make.
    pub max_bytes: usize,
}

impl Default for SqlLimits {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(5),
            max_rows: 1000,
            max_bytes: 1024 * 1024,
        }
    }
}

/// The longest value that an engine may make or send.
///
/// Source: a value that is much longer than what may come back was asked for by mistake or malice;
/// both engines make values of hundreds of megabytes in one step that no clock can interrupt.
pub(crate) const MAX_VALUE_BYTES: usize = 4 * 1024 * 1024;

/// The longest statement.
pub(crate) const MAX_SQL_BYTES: usize = 100_000;
