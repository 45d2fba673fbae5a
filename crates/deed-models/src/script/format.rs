use std::sync::Arc;

use deed_protocol::{
    ContentBlock, ErrorKind, Extra, StopReason, ThinkingBlock, ToolCall, empty_arguments,
};
use deed_schema::repair_arguments;
use serde::Deserialize;
use serde_json::value::RawValue;
use thiserror::Error;

/// The turns of a scripted model.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// In the order they are played.
    pub turns: Vec<ScriptTurn>,
}

/// One answer of a scripted model.
///
/// Shape: `{"think": …, "say": …, "calls": [{"name", "arguments"}], "expect": …, "stopReason": …,
/// "error": …, "errorKind": …, "retryAfterMs": …, "cost": …, "totalTokens": …, "delayMs": …}`, every
/// member optional.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ScriptTurn {
    /// What it thinks.
    pub think: Option<String>,
    /// What it says.
    pub say: Option<String>,
    /// What it calls.
    pub calls: Vec<ScriptCall>,
    /// A text that the results of the turn before must have; otherwise the answer is an error.
    pub expect: Option<String>,
    /// Why it stops, if not for the obvious reason.
    pub stop_reason: Option<StopReason>,
    /// Fail with this text instead of answering.
    pub error: Option<String>,
    /// What kind of fault that is.
    pub error_kind: Option<ErrorKind>,
    /// How long the provider asks to wait after the fault.
    pub retry_after_ms: Option<u64>,
    /// What it cost.
    ///
    /// Units: US dollars.
    pub cost: f64,
    /// How large the transcript was, this answer included.
    ///
    /// Units: tokens.
    pub total_tokens: u64,
    /// How long it takes.
    pub delay_ms: u64,
}

/// One tool call of a scripted model.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScriptCall {
    /// Its id; made up from its place if absent.
    #[serde(default)]
    pub id: Option<String>,
    /// The tool.
    pub name: String,
    /// The arguments.
    #[serde(default)]
    pub arguments: Option<Arc<RawValue>>,
    /// The arguments as a provider would send them, broken or not; instead of `arguments`.
    #[serde(default)]
    pub arguments_text: Option<String>,
}

/// Why a script could not be read.
#[derive(Debug, Error)]
pub enum ScriptError {
    /// The text is neither a JSON array of turns nor one turn on each line.
    #[error("line {line}, column {column}: {reason}")]
    Syntax {
        /// Where, from 1.
        line: usize,
        /// Where, from 1.
        column: usize,
        /// What is wrong.
        reason: String,
    },
    /// There is no turn.
    #[error("the script has no turns; write a JSON array of turns or one turn on each line")]
    Empty,
}

impl Script {
    /// Reads a script: a JSON array of turns, or one turn on each line.
    ///
    /// Errors: name line and column.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        let turns = if text.trim_start().starts_with('[') {
            serde_json::from_str(text).map_err(|error| syntax(0, &error))?
        } else {
            parse_lines(text)?
        };
        let script = Self { turns };
        if script.turns.is_empty() {
            Err(ScriptError::Empty)
        } else {
            Ok(script)
        }
    }
}

impl ScriptTurn {
    /// Returns the blocks of this turn, which is the `at`th from 0.
    pub(super) fn content(&self, at: usize) -> Vec<ContentBlock> {
        let mut content = Vec::new();
        if let Some(thinking) = &self.think {
            let block = ThinkingBlock {
                thinking: thinking.clone(),
                ..ThinkingBlock::default()
            };
            content.push(ContentBlock::Thinking(block));
        }
        content.extend(self.say.as_ref().map(ContentBlock::text));
        let calls = self.calls.iter().enumerate();
        content.extend(calls.map(|(index, call)| ContentBlock::ToolCall(call.block(at, index))));
        content
    }
}

impl ScriptCall {
    fn block(&self, at: usize, index: usize) -> ToolCall {
        let id = self
            .id
            .clone()
            .unwrap_or_else(|| format!("call_{}_{}", at + 1, index + 1));
        let (arguments, arguments_error) = match (&self.arguments, &self.arguments_text) {
            (Some(arguments), _) => (arguments.clone(), None),
            (None, None) => (empty_arguments(), None),
            (None, Some(text)) => match repair_arguments(text) {
                Ok(repaired) => (repaired.0, None),
                Err(error) => (empty_arguments(), Some(error)),
            },
        };
        ToolCall {
            id: id.into(),
            name: self.name.as_str().into(),
            arguments,
            thought_signature: None,
            arguments_error,
            extra: Extra::new(),
        }
    }
}

fn parse_lines(text: &str) -> Result<Vec<ScriptTurn>, ScriptError> {
    let lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(index, line)| serde_json::from_str(line).map_err(|error| syntax(index, &error)))
        .collect()
}

fn syntax(lines_before: usize, error: &serde_json::Error) -> ScriptError {
    let text = error.to_string();
    let reason = text.split(" at line ").next().unwrap_or(&text).to_owned();
    ScriptError::Syntax {
        line: lines_before + error.line(),
        column: error.column(),
        reason,
    }
}
