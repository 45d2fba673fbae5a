//! The host's own tools, as parts of tools of scripts.

mod nested;

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use deed_agent::BoxFuture;
use deed_tooling::RegisteredTool;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::{Op, OpContext, OpError, OpResult, Row, done, lock, read, say};

pub(super) const ROWS: &[Row] = &[
    ("tools.builtin.describe", Op::Now(describe)),
    ("tools.builtin.start", Op::Now(start)),
    ("tools.builtin.next", Op::Later(next)),
    ("tools.builtin.answer", Op::Now(answer)),
    ("tools.builtin.data", Op::Now(ignored)),
    ("tools.builtin.cancel", Op::Now(cancel)),
];

/// The callback that may change a command before it runs; all others stand for an environment.
const SPAWN_HOOK: &str = "spawnHook";

/// Tools of the host that run for a script, by its ids.
#[derive(Default)]
pub(crate) struct Runs(Mutex<HashMap<String, Arc<Run>>>);

impl Runs {
    /// Ends all.
    pub(crate) fn end(&self) {
        for (_, run) in lock(&self.0).drain() {
            run.cancel.cancel();
        }
    }
}

/// One of them.
#[derive(Default)]
struct Run {
    events: Mutex<VecDeque<Value>>,
    changed: Notify,
    cancel: CancellationToken,
    answers: Mutex<Option<Value>>,
    answered: Notify,
}

impl Run {
    fn say(&self, event: Value) {
        lock(&self.events).push_back(event);
        self.changed.notify_one();
    }

    /// Calls a function of the script.
    async fn operation(&self, method: &str, args: Value) -> Result<Value, String> {
        self.say(json!({ "type": "operation", "id": method, "method": method, "args": args }));
        loop {
            if let Some(mut answer) = lock(&self.answers).take() {
                if let Some(error) = answer.get("error").filter(|error| !error.is_null()) {
                    let text = error.get("message").and_then(Value::as_str);
                    return Err(text.unwrap_or("it failed").to_owned());
                }
                return Ok(answer
                    .get_mut("result")
                    .map(Value::take)
                    .unwrap_or_default());
            }
            tokio::select! {
                () = self.answered.notified() => {}
                () = self.cancel.cancelled() => return Err("Operation aborted".to_owned()),
            }
        }
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
struct Describe {
    tool: String,
}

fn describe(context: &OpContext, json: &str) -> OpResult {
    let Describe { tool } = read(json)?;
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
#[serde(rename_all = "camelCase")]
struct Start {
    run: Value,
    tool: String,
    cwd: Option<String>,
    call_id: Option<String>,
    args: Map<String, Value>,
    #[serde(default)]
    operations: Vec<String>,
}

fn start(context: &OpContext, json: &str) -> OpResult {
    let start: Start = read(json)?;
    if let Some(other) = start.operations.iter().find(|name| *name != SPAWN_HOOK) {
        return Err(OpError::unsupported(&format!(
            "create{}Tool with operations.{other}",
            start.tool
        )));
    }
    if start
        .cwd
        .as_deref()
        .is_some_and(|cwd| context.path(cwd) != context.cwd())
    {
        return Err(OpError::unsupported(
            "a built-in tool in another folder than the session's",
        ));
    }
    let tool = tool_of(context, &start.tool)?;
    let scope = context.scope(start.call_id.as_deref())?;
    let run = Arc::new(Run::default());
    lock(&context.runs.0).insert(start.run.to_string(), run.clone());
    let bridge = context.bridge.clone();
    context.bridge.runtime.spawn(async move {
        let mut args = start.args;
        let hooked = match start.operations.is_empty() {
            true => Ok(()),
            false => hooked(&run, &bridge.options.cwd, &mut args).await,
        };
        let call_id = start.call_id.unwrap_or_default();
        let event = match hooked {
            Ok(()) => nested::run(&bridge, &run, &tool, scope, (&call_id, args)).await,
            Err(message) => json!({ "type": "error", "message": message }),
        };
        run.say(event);
    });
    done()
}

/// Lets the script change a command, its folder and its variables.
async fn hooked(
    run: &Run,
    cwd: &std::path::Path,
    args: &mut Map<String, Value>,
) -> Result<(), String> {
    let command = args.get("command").cloned().unwrap_or_default();
    let asked = json!([{ "command": command, "cwd": cwd, "env": {} }]);
    let answer = run.operation(SPAWN_HOOK, asked).await?;
    let mut command = String::new();
    for (name, value) in answer
        .get("env")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if let (true, Some(value)) = (is_name && !name.is_empty(), value.as_str()) {
            command += &format!("export {name}={}\n", quoted(value));
        }
    }
    let other = answer.get("cwd").and_then(Value::as_str);
    if let Some(other) = other.filter(|other| std::path::Path::new(other) != cwd) {
        command += &format!("cd {} || exit\n", quoted(other));
    }
    command += answer
        .get("command")
        .and_then(Value::as_str)
        .unwrap_or_default();
    args.insert("command".to_owned(), command.into());
    Ok(())
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[derive(Deserialize)]
struct Of {
    run: Value,
}

fn find(context: &OpContext, run: &Value) -> Option<Arc<Run>> {
    lock(&context.runs.0).get(&run.to_string()).cloned()
}

fn next(context: Arc<OpContext>, json: String) -> BoxFuture<'static, OpResult> {
    Box::pin(async move {
        let Of { run: id } = read(&json)?;
        let run = find(&context, &id).ok_or_else(|| OpError::failed("that tool has ended"))?;
        loop {
            let event = lock(&run.events).pop_front();
            if let Some(event) = event {
                let kind = event.get("type").and_then(Value::as_str);
                if matches!(kind, Some("done" | "error")) {
                    lock(&context.runs.0).remove(&id.to_string());
                }
                return say(event);
            }
            run.changed.notified().await;
        }
    })
}

fn answer(context: &OpContext, json: &str) -> OpResult {
    let answer: Value = read(json)?;
    if let Some(run) = answer.get("run").and_then(|id| find(context, id)) {
        *lock(&run.answers) = Some(answer);
        run.answered.notify_one();
    }
    done()
}

fn ignored(_: &OpContext, _: &str) -> OpResult {
    done()
}

fn cancel(context: &OpContext, json: &str) -> OpResult {
    let Of { run } = read(json)?;
    if let Some(run) = find(context, &run) {
        run.cancel.cancel();
    }
    done()
}
