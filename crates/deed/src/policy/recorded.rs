//! What a policy would have said of a recorded run.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::Context;
use deed_guard::policy::{Decision, Policy, PolicyVerdict, Request};
use deed_protocol::{Message, ToolCall};
use deed_schema::RawArgs;
use deed_tooling::{DefaultTools, RegisteredTool, Selection, ToolRegistry};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::exit::Ending;
use crate::places::Places;
use crate::writer::print;
use crate::{runtime, wiring};

/// A line of a session or of an event stream; whatever else it has is of no matter here.
#[derive(Deserialize)]
struct Line {
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    message: Option<Value>,
    #[serde(default)]
    role: Option<String>,
}

/// A call and what would have happened to it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Judged {
    line: usize,
    call: String,
    tool: String,
    verdict: String,
    by: String,
    reason: String,
}

/// Prints what would have been asked or refused.
pub(super) fn check(
    places: &Places,
    policy: &Policy,
    session: &Path,
    json: bool,
) -> anyhow::Result<Ending> {
    let calls = calls(session)?;
    let env = wiring::environment(None, places)?;
    let selection = Selection {
        defaults: DefaultTools::AllBuiltIn,
        ..Selection::default()
    };
    let built = wiring::session(&env, places).selection(selection).build()?;
    let policy = policy.clone();
    let judging = async move { judge_all(built.registry(), &policy, calls).await };
    let judged = runtime::run(judging)?;
    print(
        match json {
            true => lines(&judged)?,
            false => table(&judged),
        }
        .as_bytes(),
    )
}

/// Reads the calls of the assistant messages of a file, with the lines they stand in.
fn calls(session: &Path) -> anyhow::Result<Vec<(usize, ToolCall)>> {
    let cannot = || format!("cannot read {}", session.display());
    let reader = BufReader::new(File::open(session).with_context(cannot)?);
    let mut calls = Vec::new();
    for (index, line) in reader.lines().enumerate() {
        let line = line.with_context(cannot)?;
        if line.trim().is_empty() {
            continue;
        }
        let place = || {
            format!(
                "{}:{}: this is no line of a session",
                session.display(),
                index + 1
            )
        };
        let head: Line = serde_json::from_str(&line).with_context(place)?;
        let message = match (head.role, head.kind.as_deref(), head.message) {
            (Some(_), _, _) => serde_json::from_str(&line).with_context(place)?,
            // An event stream has each message also when it begins and grows.
            (None, Some("message" | "message_end"), Some(message)) => message,
            _ => continue,
        };
        let Ok(Message::Assistant(message)) = serde_json::from_value::<Message>(message) else {
            continue;
        };
        calls.extend(message.tool_calls().map(|call| (index + 1, call.clone())));
    }
    Ok(calls)
}

async fn judge_all(
    registry: &ToolRegistry,
    policy: &Policy,
    calls: Vec<(usize, ToolCall)>,
) -> Vec<Judged> {
    let mut judged = Vec::new();
    for (line, call) in calls {
        let (verdict, by, reason) = match registry.get(&call.name) {
            None => unknown(format!("there is no tool {} here", call.name)),
            Some(tool) => match decide(&tool, policy, &call).await {
                Ok(decision) => {
                    let by = decision.rule_id();
                    (decision.verdict.as_str().to_owned(), by, decision.reason)
                }
                Err(fault) => unknown(fault),
            },
        };
        judged.push(Judged {
            line,
            call: call.id.to_string(),
            tool: call.name.to_string(),
            verdict,
            by,
            reason,
        });
    }
    judged
}

fn unknown(reason: String) -> (String, String, String) {
    ("unknown".to_owned(), "-".to_owned(), reason)
}

async fn decide(
    tool: &RegisteredTool,
    policy: &Policy,
    call: &ToolCall,
) -> Result<Decision, String> {
    let definition = tool.definition();
    let raw = RawArgs(call.arguments.clone());
    let prepared = definition.prepare_arguments(raw).await;
    let prepared = prepared.map_err(|error| error.to_string())?;
    let args = tool
        .spec()
        .parameters
        .validate(&prepared)
        .map_err(|faults| faults.describe(&call.name, &prepared))?;
    let plan = definition
        .plan(&args)
        .await
        .map_err(|error| error.to_string())?;
    Ok(policy.decide(&Request {
        tool: &call.name,
        source: tool.source(),
        plan: &plan,
        args: args.value(),
    }))
}

fn lines(judged: &[Judged]) -> anyhow::Result<String> {
    let mut text = String::new();
    for one in judged {
        text.push_str(&serde_json::to_string(one)?);
        text.push('\n');
    }
    Ok(text)
}

fn table(judged: &[Judged]) -> String {
    let mut text = String::new();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for one in judged {
        *counts.entry(&one.verdict).or_default() += 1;
        if one.verdict == PolicyVerdict::Allow.as_str() {
            continue;
        }
        let reason = one.reason.lines().next().unwrap_or_default();
        // Writing to a string cannot fail.
        writeln!(
            text,
            "line {}: {:<7} {} {}  {reason}  [{}]",
            one.line, one.verdict, one.tool, one.call, one.by
        )
        .ok();
    }
    let counts: Vec<String> = counts
        .iter()
        .map(|(verdict, count)| format!("{count} {verdict}"))
        .collect();
    let sum = match counts.is_empty() {
        true => "no tool calls".to_owned(),
        false => counts.join(", "),
    };
    writeln!(text, "{} calls: {sum}", judged.len()).ok();
    text
}
