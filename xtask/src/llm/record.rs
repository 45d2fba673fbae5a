//! What must be found in the events of a run and in its session file.

use super::play::Ran;
use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

/// The events of a run.
pub(super) struct Record(Vec<Value>);

impl Record {
    /// Reads the events.
    pub(super) fn of(ran: &Ran) -> Result<Self> {
        Ok(Self(lines(&ran.events)?))
    }

    /// Checks that there are two answers, each of which calls `read`, and returns the id of the first
    /// call.
    pub(super) fn first_call(&self) -> Result<String> {
        let ends = self
            .0
            .iter()
            .filter(|event| is(event, "type", "message_end"));
        let answers: Vec<&Value> = ends
            .filter_map(|event| event.get("message"))
            .filter(|message| is(message, "role", "assistant"))
            .collect();
        ensure!(
            answers.len() == 2,
            "{} answers came, not two",
            answers.len()
        );
        let mut ids = Vec::new();
        for answer in answers {
            let blocks = answer.get("content").and_then(Value::as_array);
            let call = blocks
                .into_iter()
                .flatten()
                .find(|block| is(block, "type", "toolCall"));
            let call = call.with_context(|| format!("the model called nothing: {answer}"))?;
            ensure!(
                is(call, "name", "read"),
                "the model called another tool: {call}"
            );
            ids.push(call.get("id").and_then(Value::as_str).unwrap_or_default());
        }
        match ids.as_slice() {
            [first, second] if !first.is_empty() && first != second => Ok((*first).to_owned()),
            _ => bail!("the ids of two calls do not tell them apart: {ids:?}"),
        }
    }

    /// Checks that a call was started once, and ended well with a text in its result.
    pub(super) fn ran_with(&self, id: &str, text: &str) -> Result<()> {
        let of_call = |kind: &str| -> Vec<&Value> {
            let events = self.0.iter().filter(|event| is(event, "type", kind));
            events.filter(|event| is(event, "toolCallId", id)).collect()
        };
        let (starts, ends) = (
            of_call("tool_execution_start"),
            of_call("tool_execution_end"),
        );
        let ([_], [end]) = (starts.as_slice(), ends.as_slice()) else {
            bail!(
                "{id} was started {} and ended {} times",
                starts.len(),
                ends.len()
            );
        };
        let failed = end.get("isError").and_then(Value::as_bool);
        ensure!(failed == Some(false), "the call failed: {end}");
        ensure!(
            end.to_string().contains(text),
            "it did not read the file: {end}"
        );
        Ok(())
    }
}

/// Checks that a run ended at the bound that it was given, and said so.
///
/// A model that must call in each answer never comes to an end by itself.
pub(super) fn bounded_end(ran: &Ran) -> Result<()> {
    let Ran {
        code, complaints, ..
    } = ran;
    ensure!(
        *code == Some(1) && complaints.contains("--max-turns"),
        "a run that reached its last turn must end with 1 and say so, not with {code:?} and \
         {complaints:?}"
    );
    Ok(())
}

/// Checks that a run ended with words.
pub(super) fn said_something(ran: &Ran) -> Result<()> {
    ensure!(
        ran.code == Some(0),
        "deed ended with {:?}: {}",
        ran.code,
        ran.complaints
    );
    let events = lines(&ran.events)?;
    let said = events.iter().rev().find_map(|event| {
        let message = event.get("message")?;
        message
            .pointer("/content/0/text")
            .filter(|_| is(message, "role", "assistant"))?
            .as_str()
    });
    ensure!(
        said.is_some_and(|said| !said.trim().is_empty()),
        "the model said nothing:\n{}",
        ran.events
    );
    Ok(())
}

/// Checks that a session file holds a call, then that it was started, then its result.
pub(super) fn on_file(session: &str, id: &str, text: &str) -> Result<()> {
    let entries = lines(session)?;
    let at = |what: &str, holds: &dyn Fn(&Value) -> bool| {
        let found = entries.iter().position(holds);
        found.with_context(|| format!("the session has no {what} of {id}:\n{session}"))
    };
    let call = at("call", &|entry| {
        let blocks = entry.pointer("/message/content").and_then(Value::as_array);
        let mut blocks = blocks.into_iter().flatten();
        blocks.any(|block| is(block, "type", "toolCall") && is(block, "id", id))
    })?;
    let started = at("start", &|entry| {
        let data = entry.get("data").unwrap_or(&Value::Null);
        is(entry, "customType", "deed.started") && is(data, "toolCallId", id)
    })?;
    let result = at("result", &|entry| {
        let message = entry.get("message").unwrap_or(&Value::Null);
        is(message, "toolCallId", id) && message.to_string().contains(text)
    })?;
    ensure!(
        call < started && started < result,
        "the session has call, start and result in lines {call}, {started} and {result}"
    );
    Ok(())
}

fn is(value: &Value, member: &str, wanted: &str) -> bool {
    value.get(member).and_then(Value::as_str) == Some(wanted)
}

fn lines(text: &str) -> Result<Vec<Value>> {
    let lines = text
        .lines()
        .map(|line| serde_json::from_str(line).with_context(|| format!("no JSON: {line}")));
    lines.collect()
}
