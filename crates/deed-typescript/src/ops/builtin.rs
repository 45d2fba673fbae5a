//! The host's own tools, as parts of tools of scripts.

mod callbacks;
mod elsewhere;
mod hook;
mod nested;
mod run;
mod tool;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use deed_agent::BoxFuture;
use deed_schema::RawArgs;
use deed_tooling::RegisteredTool;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::files::from_base64;
use super::{Op, OpContext, OpError, OpResult, Row, done, lock, read, say};
use hook::hooked;
use run::{Fault, Run};
use tool::Start;

pub(crate) use callbacks::SavedOutput;

pub(super) const ROWS: &[Row] = &[
    ("tools.builtin.describe", Op::Now(describe)),
    ("tools.builtin.prepare", Op::Now(prepare)),
    ("tools.builtin.start", Op::Now(start)),
    ("tools.builtin.next", Op::Later(next)),
    ("tools.builtin.answer", Op::Now(answer)),
    ("tools.builtin.data", Op::Now(data)),
    ("tools.builtin.cancel", Op::Now(cancel)),
];

/// Tools of the host that run for a script, by its ids.
#[derive(Default)]
pub(crate) struct Runs(Mutex<HashMap<String, Entry>>);

#[derive(Clone)]
struct Entry {
    run: Arc<Run>,
    /// Whether the script has heard of its end; functions that still run may answer.
    is_told: bool,
}

impl Runs {
    /// Ends all.
    pub(crate) fn end(&self) {
        for (_, entry) in lock(&self.0).drain() {
            entry.run.end();
        }
    }

    fn find(&self, id: &Value) -> Option<Arc<Run>> {
        lock(&self.0)
            .get(&id.to_string())
            .map(|entry| entry.run.clone())
    }

    /// Forgets what nothing is heard of any more.
    fn tidy(&self) {
        lock(&self.0).retain(|_, entry| !entry.is_told || entry.run.is_waiting());
    }
}

fn tool_of(context: &OpContext, name: &str) -> Result<RegisteredTool, OpError> {
    let tool = context
        .api()?
        .built_in_tool(name)
        .map_err(OpError::failed)?;
    tool.ok_or_else(|| OpError::unsupported(&format!("the tool {name}")))
}

#[derive(Deserialize)]
struct Named {
    tool: String,
}

fn describe(context: &OpContext, json: &str) -> OpResult {
    let Named { tool } = read(json)?;
    let tool = tool_of(context, &tool)?;
    let (spec, prompt) = (tool.spec(), tool.definition().prompt());
    say(json!({
        "name": spec.name,
        "label": spec.label,
        "description": spec.description,
        "parameters": spec.parameters.as_value(),
        "promptSnippet": prompt.snippet(),
        "promptGuidelines": prompt.guidelines(),
    }))
}

#[derive(Deserialize)]
struct Prepare {
    tool: String,
    args: Box<RawValue>,
}

/// Brings arguments into the shape that the tool takes.
fn prepare(context: &OpContext, json: &str) -> OpResult {
    let Prepare { tool, args } = read(json)?;
    let tool = tool_of(context, &tool)?;
    let args = RawArgs::from_text(args.get()).map_err(OpError::failed)?;
    let preparing = tool.definition().prepare_arguments(args);
    let prepared = context.bridge.runtime.block_on(preparing);
    Ok(prepared.map_err(OpError::failed)?.get().to_owned())
}

fn start(context: &OpContext, json: &str) -> OpResult {
    let start: Start = read(json)?;
    let run = Arc::new(Run::default());
    let tool = start.tool(context, &run)?;
    let scope = context.scope(start.call_id.as_deref())?;
    let entry = Entry {
        run: run.clone(),
        is_told: false,
    };
    lock(&context.runs.0).insert(start.run.to_string(), entry);
    let bridge = context.bridge.clone();
    context.bridge.runtime.spawn(async move {
        let is_only_hooked = start.is_only_hooked();
        let (call_id, mut args) = (start.call_id.unwrap_or_default(), start.args);
        let changed = match is_only_hooked {
            true => change(&run, &bridge.options.cwd, &mut args).await,
            false => Ok(()),
        };
        let event = match changed {
            Ok(()) => nested::run(&bridge, &run, &tool, scope, (&call_id, args)).await,
            Err(message) => json!({ "type": "error", "message": message }),
        };
        run.say(event);
    });
    done()
}

/// Lets the script change the command of a call.
async fn change(
    run: &Arc<Run>,
    cwd: &std::path::Path,
    args: &mut Map<String, Value>,
) -> Result<(), String> {
    let command = args.get("command").and_then(Value::as_str);
    let command = command.unwrap_or_default().to_owned();
    let changed = hooked(run, &command, cwd, &run.cancel).await;
    let changed = changed.map_err(|error| error.to_string())?;
    args.insert("command".to_owned(), changed.into_line().into());
    Ok(())
}

#[derive(Deserialize)]
struct Of {
    run: Value,
}

fn next(context: Arc<OpContext>, json: String) -> BoxFuture<'static, OpResult> {
    Box::pin(async move {
        let Of { run: id } = read(&json)?;
        let run = context.runs.find(&id);
        let run = run.ok_or_else(|| OpError::failed("that tool has ended"))?;
        let event = run.next().await;
        let kind = event.get("type").and_then(Value::as_str);
        if matches!(kind, Some("done" | "error")) {
            if let Some(entry) = lock(&context.runs.0).get_mut(&id.to_string()) {
                entry.is_told = true;
            }
            context.runs.tidy();
        }
        say(event)
    })
}

#[derive(Deserialize)]
struct AnswerArgs {
    run: Value,
    id: u64,
    #[serde(default)]
    result: Value,
    error: Option<Fault>,
}

fn answer(context: &OpContext, json: &str) -> OpResult {
    let AnswerArgs {
        run,
        id,
        result,
        error,
    } = read(json)?;
    if let Some(run) = context.runs.find(&run) {
        run.answer(id, error.map_or(Ok(result), Err));
        context.runs.tidy();
    }
    done()
}

#[derive(Deserialize)]
struct Piece {
    run: Value,
    id: u64,
    base64: String,
}

fn data(context: &OpContext, json: &str) -> OpResult {
    let Piece { run, id, base64 } = read(json)?;
    if let Some(run) = context.runs.find(&run) {
        run.data(id, &from_base64(&base64)?);
    }
    done()
}

fn cancel(context: &OpContext, json: &str) -> OpResult {
    let Of { run } = read(json)?;
    if let Some(run) = context.runs.find(&run) {
        run.cancel.cancel();
    }
    done()
}
