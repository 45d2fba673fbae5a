//! What a policy would have said of a recorded run.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use deed_guard::policy::{Decision, Policy, PolicyVerdict, Request};
use deed_harness::settings::Durability;
use deed_protocol::empty_arguments;
use deed_schema::RawArgs;
use deed_tooling::{DefaultTools, RegisteredTool, Selection, ToolRegistry};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::exit::{Ending, complain};
use crate::places::Places;
use crate::text::one_line;
use crate::writer::print;
use crate::{runtime, wiring};

/// A line of a session or of an event stream; whatever else it has is of no matter here.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    role: Option<String>,
    #[serde(default)]
    message: Option<Box<RawValue>>,
    #[serde(default)]
    tool_call_id: Option<Arc<str>>,
    #[serde(default)]
    tool_name: Option<Arc<str>>,
    #[serde(default)]
    args: Option<Arc<RawValue>>,
}

#[derive(Deserialize)]
struct Speaker {
    role: String,
}

#[derive(Deserialize)]
struct Said {
    #[serde(default)]
    content: Vec<Block>,
}

#[derive(Deserialize)]
struct Block {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    id: Option<Arc<str>>,
    #[serde(default)]
    name: Option<Arc<str>>,
    #[serde(default)]
    arguments: Option<Arc<RawValue>>,
}

/// A call of the run, and the line it stands in.
struct Recorded {
    line: usize,
    id: Arc<str>,
    name: Arc<str>,
    arguments: Arc<RawValue>,
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
    let calls = match calls(session) {
        Ok(calls) => calls,
        Err(error) => {
            complain(&format!("{error:#}"));
            return Ok(Ending::Usage);
        }
    };
    let env = wiring::environment(wiring::working_folder(None)?, places, Durability::Normal);
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

/// Reads the calls of a file.
fn calls(session: &Path) -> anyhow::Result<Vec<Recorded>> {
    let cannot = || format!("cannot read {}", session.display());
    let reader = BufReader::new(File::open(session).with_context(cannot)?);
    let mut calls = Calls::default();
    for (index, line) in reader.lines().enumerate() {
        let text = line.with_context(cannot)?;
        if text.trim().is_empty() {
            continue;
        }
        let line = index + 1;
        calls.add(&text, line).with_context(|| {
            format!(
                "{}:{line}: this is no line of a session or of `--output events`",
                session.display()
            )
        })?;
    }
    Ok(calls.found)
}

#[derive(Default)]
struct Calls {
    found: Vec<Recorded>,
    /// Calls of messages whose execution has not begun yet.
    announced: Vec<Arc<str>>,
}

impl Calls {
    fn add(&mut self, text: &str, line: usize) -> anyhow::Result<()> {
        let head: Line = serde_json::from_str(text)?;
        match (head.kind.as_deref(), &head.role, &head.message) {
            (None, None, _) => anyhow::bail!("it has neither a type nor a role"),
            (_, Some(_), _) => self.add_message(text, line),
            // An event stream has each message also when it begins and grows.
            (Some("message" | "message_end"), None, Some(message)) => {
                self.add_message(message.get(), line)
            }
            (Some("tool_execution_start"), ..) => {
                self.add_execution(head, line);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn add_message(&mut self, text: &str, line: usize) -> anyhow::Result<()> {
        let speaker: Speaker = serde_json::from_str(text)?;
        if speaker.role != "assistant" {
            return Ok(());
        }
        let said: Said = serde_json::from_str(text)?;
        for block in said.content {
            let (true, Some(name)) = (block.kind == "toolCall", block.name) else {
                continue;
            };
            let id = block.id.unwrap_or_else(|| "-".into());
            self.announced.push(id.clone());
            self.found.push(Recorded {
                line,
                id,
                name,
                arguments: block.arguments.unwrap_or_else(empty_arguments),
            });
        }
        Ok(())
    }

    /// Adds a call that no message announced, as where there was no model.
    fn add_execution(&mut self, head: Line, line: usize) {
        let Some(name) = head.tool_name else { return };
        let id = head.tool_call_id.unwrap_or_else(|| "-".into());
        if let Some(at) = self.announced.iter().position(|known| *known == id) {
            self.announced.swap_remove(at);
            return;
        }
        self.found.push(Recorded {
            line,
            id,
            name,
            arguments: head.args.unwrap_or_else(empty_arguments),
        });
    }
}

async fn judge_all(registry: &ToolRegistry, policy: &Policy, calls: Vec<Recorded>) -> Vec<Judged> {
    let mut judged = Vec::new();
    for call in calls {
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
            line: call.line,
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
    call: &Recorded,
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
    if judged.is_empty() {
        return "no tool calls\n".to_owned();
    }
    let mut text = String::new();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for one in judged {
        *counts.entry(&one.verdict).or_default() += 1;
        if one.verdict == PolicyVerdict::Allow.as_str() {
            continue;
        }
        // Writing to a string cannot fail.
        writeln!(
            text,
            "line {}: {:<7} {} {}  {}  [{}]",
            one.line,
            one.verdict,
            one_line(&one.tool),
            one_line(&one.call),
            one_line(&one.reason),
            one_line(&one.by)
        )
        .ok();
    }
    let counts: Vec<String> = counts
        .iter()
        .map(|(verdict, count)| format!("{count} {verdict}"))
        .collect();
    let calls = if judged.len() == 1 { "call" } else { "calls" };
    writeln!(text, "{} {calls}: {}", judged.len(), counts.join(", ")).ok();
    text
}
