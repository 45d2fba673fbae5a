//! Statements of scripts on configured databases: what `deed/sql` asks for.
//!
//! Two approvals stand before a write, and neither answers the other:
//!
//! - *The extension's*: a handler of `tool_call` shows the statement to a person and makes a grant of
//!   the yes. It is bound to the call, its arguments, the text and the database, becomes one
//!   capability in the running call, and runs one statement. Without it no write runs, whatever the
//!   policy says. What is shown beside the statement is the extension's own; so it can do no more
//!   than hold a write back.
//! - *The session's*: its gate decides on the script's call as on that of any extension, and on each
//!   statement as on those of `query_database`. What it denies does not run, and what it asks about
//!   a person is asked about, by Deed and in its words. A rule that allows the extension's tool is
//!   therefore no rule that allows writes. In a session without a gate the first approval is the
//!   only one.
//!
//! A read needs a call that runs, and what the gate says.

mod rights;
mod run;

use std::sync::{Arc, Mutex};

use deed_agent::BoxFuture;
use deed_sql::{Classified, Database, WriteConsent, canonical, classify};
use deed_tooling::ToolContext;
use serde::Deserialize;
use serde_json::json;

use self::run::Statement;
use super::{Op, OpContext, OpError, OpResult, Row, Scope, done, lock, read, say};
use crate::sql::NONE;
use crate::{Access, ScriptSql};

use rights::Right;
pub(crate) use rights::Rights;

pub(super) const ROWS: &[Row] = &[
    ("sql.isReadOnly", Op::Now(is_read_only)),
    ("sql.canonical", Op::Now(canonical_text)),
    ("sql.grant", Op::Now(grant)),
    ("sql.consume", Op::Now(consume)),
    ("sql.assertAuthorized", Op::Now(assert_authorized)),
    ("sql.claim", Op::Now(claim)),
    ("sql.run", Op::Later(run_statement)),
    ("sql.cancel", Op::Now(cancel)),
];

const FAMILY: &str = "sql";

/// Errors: nothing is configured.
fn configured(context: &OpContext) -> Result<&ScriptSql, OpError> {
    let sql = context.bridge.options.sql.as_ref();
    sql.ok_or_else(|| OpError::failed(NONE))
}

/// Finds the database that a script means, and may use.
fn database<'a>(context: &'a OpContext, name: Option<&str>) -> Result<&'a Database, OpError> {
    let found = configured(context)?.database(name);
    let database = found.map_err(OpError::failed)?;
    context.check(&Access::Database(database.name()))?;
    Ok(database)
}

/// Says why a statement has no right to run.
fn no_right(found: &Classified) -> OpError {
    let reason = &found.reason;
    OpError::failed(match found.class.is_denied() {
        true => format!("not run: {reason}. No approval changes that"),
        false => format!(
            "not run: {reason}, so it needs the approval of a person for exactly this text in this \
             call, and has none"
        ),
    })
}

#[derive(Deserialize)]
struct Text {
    sql: String,
    database: Option<String>,
}

fn is_read_only(context: &OpContext, json: &str) -> OpResult {
    let asked: Text = read(json)?;
    let database = database(context, asked.database.as_deref())?;
    let found = classify(database.dialect(), canonical(&asked.sql));
    say(json!({ "readOnly": found.class.is_read() }))
}

fn canonical_text(_: &OpContext, json: &str) -> OpResult {
    let asked: Text = read(json)?;
    say(json!({ "text": canonical(&asked.sql) }))
}

/// A statement of a call, as a script names it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wanted {
    call_id: String,
    canonical: String,
    database: Option<String>,
}

impl Wanted {
    /// Says which right it would take, if there is one for it at all.
    fn right(self, context: &OpContext) -> Result<(Right, Classified), OpError> {
        let database = database(context, self.database.as_deref())?;
        let found = classify(database.dialect(), &self.canonical);
        let right = Right {
            call_id: self.call_id.into(),
            text: self.canonical,
            database: database.name().clone(),
            is_write: !found.class.is_read(),
        };
        Ok((right, found))
    }
}

fn grant(context: &OpContext, json: &str) -> OpResult {
    let wanted: Wanted = read(json)?;
    let (right, found) = wanted.right(context)?;
    if found.class.is_denied() {
        return Err(no_right(&found));
    }
    let scopes = context.bridge.scopes();
    let has_call = |scope: &Scope| matches!(scope, Scope::Guard(_, event) if event.tool_call_id == right.call_id);
    if !scopes.iter().any(has_call) {
        return Err(OpError::failed(format!(
            "a statement is granted by a handler of tool_call while it has the call; none has {}",
            right.call_id
        )));
    }
    if right.is_write {
        context.bridge.rights.grant(right)?;
    }
    done()
}

/// Finds a call that runs.
fn running(context: &OpContext, call_id: &str) -> Result<ToolContext, OpError> {
    match context.bridge.scope(call_id) {
        Some(Scope::Tool(call)) => Ok(call),
        _ => Err(OpError::failed(format!("no call {call_id} is running"))),
    }
}

fn consume(context: &OpContext, json: &str) -> OpResult {
    let wanted: Wanted = read(json)?;
    let call = running(context, &wanted.call_id)?;
    let (right, found) = wanted.right(context)?;
    if found.class.is_denied() {
        return say(json!({ "capability": null }));
    }
    let args = call.call.frozen().args().value().clone();
    let (access, database) = (right.is_write, right.database.clone());
    let capability = context.bridge.rights.issue(right, &args)?;
    say(json!({
        "capability": capability,
        "access": if access { "write" } else { "read" },
        "database": database,
    }))
}

#[derive(Deserialize)]
struct Shown {
    sql: String,
    capability: Option<String>,
    database: Option<String>,
}

fn assert_authorized(context: &OpContext, json: &str) -> OpResult {
    let shown: Shown = read(json)?;
    let text = canonical(&shown.sql);
    if let Some(id) = &shown.capability {
        context.bridge.rights.show(id, text)?;
        return done();
    }
    let database = database(context, shown.database.as_deref())?;
    let found = classify(database.dialect(), text);
    match found.class.is_read() {
        true => done(),
        false => Err(no_right(&found)),
    }
}

/// Settles which right a statement runs on while the script stands still: what it begins runs later.
fn claim(context: &OpContext, json: &str) -> OpResult {
    let asked: Text = read(json)?;
    let claimed = context.bridge.rights.claim(canonical(&asked.sql))?;
    say(json!({ "capability": claimed }))
}

#[derive(Deserialize)]
struct Run {
    id: String,
    #[serde(flatten)]
    shown: Shown,
}

fn run_statement(context: Arc<OpContext>, json: String) -> BoxFuture<'static, OpResult> {
    Box::pin(async move {
        let asked: Run = read(&json)?;
        let (right, call) = right_to_run(&context, &asked.shown)?;
        let database = database(&context, Some(&right.database))?.clone();
        let consent = right
            .is_write
            .then(|| WriteConsent::new(&database, &right.text));
        let statement = Statement {
            id: asked.id.clone(),
            text: asked.shown.sql,
            database,
            consent,
        };
        let cancellable = context.cancellable(FAMILY, &asked.id);
        if context.stops.take(&asked.id) {
            cancellable.token.cancel();
        }
        let sql = configured(&context)?;
        run::run(sql, &call, statement, &cancellable.token).await
    })
}

/// Finds on which right a statement runs, and in which call.
fn right_to_run(context: &OpContext, shown: &Shown) -> Result<(Right, ToolContext), OpError> {
    let Some(id) = &shown.capability else {
        return read_of_only_call(context, shown);
    };
    let right = context.bridge.rights.take(id, canonical(&shown.sql))?;
    let call = running(context, &right.call_id)?;
    Ok((right, call))
}

/// A read needs no capability where it is clear which call makes it.
fn read_of_only_call(context: &OpContext, shown: &Shown) -> Result<(Right, ToolContext), OpError> {
    let text = canonical(&shown.sql);
    let database = database(context, shown.database.as_deref())?;
    let found = classify(database.dialect(), text);
    if !found.class.is_read() {
        return Err(no_right(&found));
    }
    let call = context.bridge.only_call().ok_or_else(|| {
        OpError::failed(
            "a statement runs within a call of a tool, and it isn't clear in which; ask \
             consumeQueryCapability for the call and show that to assertAuthorizedSql",
        )
    })?;
    let right = Right {
        call_id: call.call.call_id.clone(),
        text: text.to_owned(),
        database: database.name().clone(),
        is_write: false,
    };
    Ok((right, call))
}

/// Statements that were called off before they began; those that are over are soon forgotten.
#[derive(Default)]
pub(crate) struct Stops(Mutex<Vec<String>>);

impl Stops {
    const MOST: usize = 64;

    fn add(&self, id: &str) {
        let mut early = lock(&self.0);
        if early.len() == Self::MOST {
            early.remove(0);
        }
        early.push(id.to_owned());
    }

    fn take(&self, id: &str) -> bool {
        let mut early = lock(&self.0);
        let at = early.iter().position(|stopped| stopped == id);
        at.map(|at| early.remove(at)).is_some()
    }
}

#[derive(Deserialize)]
struct Id {
    id: String,
}

fn cancel(context: &OpContext, json: &str) -> OpResult {
    let Id { id } = read(json)?;
    // Noted first, so that one that begins at this moment finds one of the two.
    context.stops.add(&id);
    context.cancel(FAMILY, &id);
    done()
}
