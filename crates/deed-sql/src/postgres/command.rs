use std::future::poll_fn;
use std::pin::pin;

use futures_core::Stream;
use tokio_postgres::types::Type;
use tokio_postgres::{SimpleQueryMessage, SimpleQueryRow, Statement};

use super::failure::failure;
use super::session::Session;
use crate::job::{Deadline, Job};
use crate::rows::{Cell, Column, Rows, Wanted};
use crate::run_error::RunError;

/// Source: the server writes `\x` and two digits a byte.
const BYTES_PREFIX: &str = "\\x";

/// What to do with rows beyond the limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Surplus {
    /// Leave the statement where it is.
    Leave,
    /// Drop them and let the statement come to its end.
    Drop,
}

/// Lets the server prove that a text is one statement, then runs it.
pub(super) async fn run(
    session: &Session<'_>,
    job: &mut Job,
    deadline: &Deadline,
    surplus: Surplus,
) -> Result<Rows, RunError> {
    let columns = describe(session, &job.text, deadline).await?;
    let types: Vec<Type> = columns.iter().map(|(_, type_)| type_.clone()).collect();
    let columns = columns.into_iter().map(|(column, _)| column).collect();
    let mut rows = Rows::new(columns, job.limits);
    let fail = |error| failure(error, session, deadline);
    let stream = session.client.simple_query_raw(&job.text).await;
    let mut stream = pin!(stream.map_err(fail)?);
    while let Some(message) = poll_fn(|cx| stream.as_mut().poll_next(cx)).await {
        let SimpleQueryMessage::Row(row) = message.map_err(fail)? else {
            continue;
        };
        let wanted = rows.push(cells(&row, &types)?.into_iter());
        if wanted == Wanted::NoMore && surplus == Surplus::Leave {
            return Ok(rows);
        }
        job.progress.rows(rows.count);
    }
    Ok(rows)
}

/// Returns the columns that a statement will have.
async fn describe(
    session: &Session<'_>,
    text: &str,
    deadline: &Deadline,
) -> Result<Vec<(Column, Type)>, RunError> {
    let prepared = session.client.prepare(text).await;
    let prepared: Statement = prepared.map_err(|error| failure(error, session, deadline))?;
    if !prepared.params().is_empty() {
        let text = "it has parameters, and there are no values for them";
        return Err(RunError::Refused(text.to_owned()));
    }
    let columns = prepared.columns().iter().map(|column| {
        let described = Column {
            name: column.name().to_owned(),
            type_name: column.type_().name().to_owned(),
        };
        (described, column.type_().clone())
    });
    Ok(columns.collect())
}

fn cells<'a>(row: &'a SimpleQueryRow, types: &[Type]) -> Result<Vec<Cell<'a>>, RunError> {
    let cells = (0..row.len()).map(|at| {
        let text = row.try_get(at).map_err(|_| {
            let text = "a value is not UTF-8; read it with encode(…::bytea, 'hex')";
            RunError::Engine(text.to_owned())
        })?;
        Ok(text.map_or(Cell::Null, |text| cell(text, types.get(at))))
    });
    cells.collect()
}

fn cell<'a>(text: &'a str, type_: Option<&Type>) -> Cell<'a> {
    match type_ {
        Some(&Type::BOOL) => Cell::Bool(text == "t"),
        Some(
            &Type::INT2
            | &Type::INT4
            | &Type::INT8
            | &Type::FLOAT4
            | &Type::FLOAT8
            | &Type::NUMERIC
            | &Type::OID,
        ) => Cell::Number(text.into()),
        Some(&Type::BYTEA) => {
            let digits = text.strip_prefix(BYTES_PREFIX).unwrap_or(text);
            Cell::Blob(digits.len() / 2)
        }
        _ => Cell::Text(text.into()),
    }
}
