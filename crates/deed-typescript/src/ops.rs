//! What scripts can ask of the host, by name: JSON text in and out.

mod builtin;
mod context;
mod crypto;
mod drawing;
mod error;
mod exec;
mod fetch;
mod files;
mod host;
mod messages;
mod models;
mod queue;
mod register;
mod session;
mod sql;
mod system;
mod tools;
mod ui;

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use deed_agent::BoxFuture;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub(crate) use builtin::SavedOutput;
pub(crate) use context::{OpContext, Scope, lock};
pub(crate) use error::OpError;
pub(crate) use sql::Rights;

/// What an operation answers: JSON text, empty for nothing.
pub(crate) type OpResult = Result<String, OpError>;

/// How an operation runs.
#[derive(Clone, Copy)]
enum Op {
    /// On the engine's thread, at once.
    Now(fn(&OpContext, &str) -> OpResult),
    /// On the engine's thread if the script waits for it, elsewhere if it does not.
    Blocking(fn(&OpContext, &str) -> OpResult),
    /// Elsewhere; only for scripts that do not wait.
    Later(fn(Arc<OpContext>, String) -> BoxFuture<'static, OpResult>),
}

type Row = (&'static str, Op);

/// All families.
const FAMILIES: &[&[Row]] = &[
    host::ROWS,
    register::ROWS,
    drawing::ROWS,
    tools::ROWS,
    builtin::ROWS,
    messages::ROWS,
    models::ROWS,
    session::ROWS,
    queue::ROWS,
    ui::ROWS,
    exec::ROWS,
    fetch::ROWS,
    files::ROWS,
    crypto::ROWS,
    system::ROWS,
    sql::ROWS,
];

static TABLE: LazyLock<HashMap<&'static str, Op>> = LazyLock::new(|| {
    FAMILIES
        .iter()
        .flat_map(|rows| rows.iter().copied())
        .collect()
});

fn find(name: &str) -> Result<Op, OpError> {
    TABLE
        .get(name)
        .copied()
        .ok_or_else(|| OpError::unsupported(name))
}

/// Tells whether there is an operation of a name.
pub(crate) fn knows(name: &str) -> bool {
    TABLE.contains_key(name)
}

/// Reads what an operation is given.
fn read<T: DeserializeOwned>(json: &str) -> Result<T, OpError> {
    let json = if json.is_empty() { "{}" } else { json };
    serde_json::from_str(json).map_err(|error| OpError::failed(format!("bad arguments: {error}")))
}

/// Writes what an operation answers.
fn say(value: impl Serialize) -> OpResult {
    serde_json::to_string(&value).map_err(OpError::failed)
}

/// Answers nothing.
#[expect(clippy::unnecessary_wraps, reason = "the answer of operations")]
fn done() -> OpResult {
    Ok(String::new())
}

/// How much something that a script says matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogLevel {
    /// For the author.
    Debug,
    /// In passing.
    Info,
    /// Something may be wrong.
    Warning,
    /// Something is wrong.
    Error,
}

impl LogLevel {
    /// Reads what a script calls it; what it does not call so is [`LogLevel::Info`].
    pub(crate) fn of(name: &str) -> Self {
        match name {
            "debug" | "trace" => Self::Debug,
            "warn" | "warning" => Self::Warning,
            "error" => Self::Error,
            _ => Self::Info,
        }
    }
}
