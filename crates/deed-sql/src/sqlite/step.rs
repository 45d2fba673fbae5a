use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, Statement};

use crate::SqlLimits;
use crate::job::Deadline;
use crate::progress::Progress;
use crate::rows::{Cell, Column, Rows, Wanted};

/// How many operations of the engine pass between two looks at the clock.
const OPERATIONS: i32 = 1000;

/// Makes the engine stop when the job is over.
pub(super) fn watch(connection: &mut Connection, deadline: &Deadline) -> rusqlite::Result<()> {
    let deadline = deadline.clone();
    connection.progress_handler(OPERATIONS, Some(move || deadline.is_over()))
}

/// What to do with rows beyond the limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Surplus {
    /// Stop the statement.
    Stop,
    /// Drop them and let the statement come to its end.
    Drop,
}

/// Steps through a statement.
pub(super) fn step(
    statement: &mut Statement<'_>,
    limits: SqlLimits,
    progress: &mut Progress,
    surplus: Surplus,
) -> rusqlite::Result<Rows> {
    let columns = columns(statement);
    let width = columns.len();
    let mut rows = Rows::new(columns, limits);
    let mut source = statement.raw_query();
    while let Some(row) = source.next()? {
        if rows.count == 0 {
            name_types(&mut rows.columns, row);
        }
        let wanted = rows.push((0..width).map(|at| cell(row, at)));
        if wanted == Wanted::NoMore && surplus == Surplus::Stop {
            break;
        }
        progress.rows(rows.count);
    }
    Ok(rows)
}

fn columns(statement: &Statement<'_>) -> Vec<Column> {
    let columns = statement.columns();
    columns
        .map(|column| Column {
            name: column.name().to_owned(),
            type_name: column.decl_type().unwrap_or_default().to_lowercase(),
        })
        .collect()
}

/// A column that is computed has no declared type: its first value tells one.
fn name_types(columns: &mut [Column], row: &Row<'_>) {
    for (at, column) in columns.iter_mut().enumerate() {
        if column.type_name.is_empty()
            && let Ok(value) = row.get_ref(at)
        {
            column.type_name = value.data_type().to_string().to_lowercase();
        }
    }
}

fn cell<'a>(row: &'a Row<'_>, at: usize) -> Cell<'a> {
    match row.get_ref(at) {
        Ok(ValueRef::Integer(number)) => Cell::Number(number.to_string().into()),
        Ok(ValueRef::Real(number)) => Cell::Number(real(number).into()),
        Ok(ValueRef::Text(bytes)) => Cell::Text(String::from_utf8_lossy(bytes)),
        Ok(ValueRef::Blob(bytes)) => Cell::Blob(bytes.len()),
        Ok(ValueRef::Null) | Err(_) => Cell::Null,
    }
}

/// Keeps a point or an exponent in whole numbers, so that they are not taken for integers.
fn real(number: f64) -> String {
    format!("{number:?}")
}
