//! Which tools there are, and what running ones show.

use deed_tooling::ActiveChange;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Op, OpContext, OpError, OpResult, Row, Scope, done, read, say};
use crate::tool::partial_of;

pub(super) const ROWS: &[Row] = &[
    ("tools.active", Op::Now(active)),
    ("tools.setActive", Op::Now(set_active)),
    ("tools.all", Op::Now(all)),
    ("tools.callable", Op::Now(all)),
    ("tool.update", Op::Now(update)),
    ("commands.all", Op::Now(commands)),
];

fn active(context: &OpContext, _: &str) -> OpResult {
    let names = context.api()?.get_active_tools().map_err(OpError::failed)?;
    say(json!({ "names": names }))
}

#[derive(Deserialize)]
struct Names {
    names: Vec<String>,
}

fn set_active(context: &OpContext, json: &str) -> OpResult {
    let Names { names } = read(json)?;
    let api = context.api()?;
    match context.bridge.only_call() {
        // Through the call, so that its result tells of what it brought.
        Some(call) => {
            api.get_active_tools().map_err(OpError::failed)?;
            let names = names.into_iter().map(Into::into).collect();
            call.actions()
                .change_active_tools(&ActiveChange::Set(names));
        }
        None => {
            api.set_active_tools(&names).map_err(OpError::failed)?;
        }
    }
    done()
}

fn all(context: &OpContext, _: &str) -> OpResult {
    let tools = context.api()?.get_all_tools().map_err(OpError::failed)?;
    let tools: Vec<Value> = tools
        .iter()
        .map(|tool| {
            json!({
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters,
                "sourceInfo": tool.source_info,
            })
        })
        .collect();
    say(json!({ "tools": tools }))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Update {
    call_id: String,
    partial: Value,
}

fn update(context: &OpContext, json: &str) -> OpResult {
    let Update { call_id, partial } = read(json)?;
    // One that comes after the result is dropped.
    if let Some(Scope::Tool(call)) = context.bridge.scope(&call_id)
        && let Some(partial) = partial_of(partial)
    {
        call.call.updates.send(partial);
    }
    done()
}

fn commands(context: &OpContext, _: &str) -> OpResult {
    let commands = context.api()?.get_commands().map_err(OpError::failed)?;
    let commands: Vec<Value> = commands
        .iter()
        .map(|command| {
            json!({
                "name": command.invocation,
                "description": command.description,
                "source": "extension",
                "sourceInfo": command.source,
            })
        })
        .collect();
    say(json!({ "commands": commands }))
}
