//! A statement inside of a script's call.

use std::sync::Arc;

use deed_agent::{Batch, BatchRunner, EventBus, Seams, ToolSet};
use deed_protocol::{AssistantMessage, Message, ToolResultMessage};
use deed_sql::{Database, WriteConsent, query_for};
use deed_tooling::{FixedContext, ToolContext, wrap_tool_definition};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::super::{OpError, OpResult, say};
use crate::ScriptSql;

/// What is to run.
pub(super) struct Statement {
    /// The script's id of it.
    pub(super) id: String,
    pub(super) text: String,
    pub(super) database: Database,
    pub(super) consent: Option<WriteConsent>,
}

/// Runs a statement as a call within the script's call: planned, decided on, granted and recorded by
/// the session's gate like any other.
///
/// Cancellation: `stop`, and the end of the outer call; a dropped future stops the statement too.
pub(super) async fn run(
    sql: &ScriptSql,
    outer: &ToolContext,
    statement: Statement,
    stop: &CancellationToken,
) -> OpResult {
    let cancel = outer.call.cancel.child_token();
    let _dropped = cancel.clone().drop_guard();
    let running = answer(sql, outer, statement, &cancel);
    tokio::pin!(running);
    let answered = tokio::select! {
        biased;
        answered = &mut running => answered,
        () = stop.cancelled() => {
            cancel.cancel();
            running.await
        }
    };
    let result = answered?;
    if !result.is_error {
        return say(json!({ "content": result.content, "details": result.details }));
    }
    let texts = result.content.iter().filter_map(|block| block.as_text());
    let mut error = OpError::failed(texts.collect::<Vec<_>>().join("\n"));
    if cancel.is_cancelled() {
        error.name = Some("AbortError");
    }
    Err(error)
}

async fn answer(
    sql: &ScriptSql,
    outer: &ToolContext,
    statement: Statement,
    cancel: &CancellationToken,
) -> Result<ToolResultMessage, OpError> {
    let name = &outer.call.frozen().call().name;
    let database = statement.database.name().clone();
    let call = json!({
        "content": [{
            "type": "toolCall",
            "id": format!("{}/{}", outer.call.call_id, statement.id),
            "name": name,
            "arguments": { "sql": statement.text, "database": database },
        }],
        "stopReason": "toolUse",
    });
    let assistant: AssistantMessage = serde_json::from_value(call).map_err(OpError::failed)?;
    let mut seams = Seams::open(EventBus::new(), || 0);
    seams.gate = sql.gate.clone();
    seams.redactor = outer.call.redactor.clone();
    let tool = query_for(
        &outer.call,
        statement.database,
        sql.limits,
        statement.consent,
    );
    let tool = wrap_tool_definition(tool, Arc::new(FixedContext::new(outer.cwd())));
    let batch = Batch {
        assistant: Arc::new(Message::Assistant(assistant)),
        tools: Arc::new(ToolSet::new([tool])),
    };
    let outcome = BatchRunner::within(seams, &outer.call)
        .run(&batch, cancel)
        .await;
    let result = outcome.results.first();
    let result = result.and_then(|message| message.as_tool_result());
    result
        .cloned()
        .ok_or_else(|| OpError::failed("the statement gave no result"))
}
