use std::time::Duration;

use deed_protocol::ToolResult;
use deed_tooling::{DEFAULT_MAX_BYTES, format_size};
use serde_json::{Map, Value, json};

use crate::Database;
use crate::job::Done;
use crate::rows::{CutBy, Rows};

/// Makes the result of a statement.
///
/// Shape: the names of the columns as a JSON array, a line for each row, an empty line, and in brackets
/// how many rows there are and what was cut. A long text begins with that line too, for its end may be
/// cut by whoever passes it on.
pub(crate) fn result(database: &Database, done: &Done, elapsed: Duration) -> ToolResult {
    let rows = &done.rows;
    let text = if rows.columns.is_empty() {
        done_text(done.affected)
    } else {
        let summary = summary(done);
        let body = format!("{}\n{}\n[{summary}]", rows.header(), rows.text);
        if body.len() > DEFAULT_MAX_BYTES {
            format!("[{summary}]\n\n{body}")
        } else {
            body
        }
    };
    ToolResult::text(text).with_details(details(database, done, elapsed))
}

fn done_text(affected: Option<u64>) -> String {
    match affected {
        Some(affected) => format!("Done, {} changed", count(affected)),
        None => "Done".to_owned(),
    }
}

fn summary(done: &Done) -> String {
    let rows = &done.rows;
    let mut parts = Vec::new();
    if let Some(affected) = done.affected {
        parts.push(format!("{} changed", count(affected)));
    }
    parts.push(shown(rows));
    if rows.has_cut_cells {
        parts.push(
            "Long values are cut: substr() shows a part, length() how long one is".to_owned(),
        );
    }
    parts.join(". ")
}

fn shown(rows: &Rows) -> String {
    let shown = count(rows.count as u64);
    let narrow = "there are more. Narrow it (WHERE, aggregates) or page through it (LIMIT, OFFSET)";
    match rows.cut_by {
        None => shown,
        Some(CutBy::Rows) => format!("The first {shown}; {narrow}"),
        Some(CutBy::Bytes) => {
            let size = format_size(rows.text.len() as u64);
            format!("The first {shown}, {size}; {narrow}, or select fewer columns")
        }
    }
}

fn count(rows: u64) -> String {
    match rows {
        1 => "1 row".to_owned(),
        _ => format!("{rows} rows"),
    }
}

fn details(database: &Database, done: &Done, elapsed: Duration) -> Value {
    let rows = &done.rows;
    let mut details = Map::new();
    let mut put = |name: &str, value: Value| {
        details.insert(name.to_owned(), value);
    };
    put("rowCount", rows.count.into());
    put(
        "durationMs",
        u64::try_from(elapsed.as_millis())
            .unwrap_or(u64::MAX)
            .into(),
    );
    put("columns", json!(rows.columns));
    put("truncated", rows.cut_by.is_some().into());
    if let Some(by) = rows.cut_by {
        put("truncatedBy", json!(by));
    }
    put("database", database.name().to_string().into());
    put("dialect", database.dialect().as_str().into());
    if let Some(affected) = done.affected {
        put("affectedRows", affected.into());
    }
    Value::Object(details)
}
