use std::sync::Arc;

use deed_protocol::{ErrorKind, StopReason, Usage};
use serde_json::Value;
use serde_json::value::RawValue;

use super::calls::Calls;
use super::chunk::{self, Choice, Chunk, Delta, Function};
use super::details::Details;
use crate::assemble::{Assembler, Key};
use crate::fault::{Fault, excerpt, fault_of_json};
use crate::sse::SseEvent;
use crate::wire::{Decoder, Flow};

/// Words for the reason of the end, with what they mean; any other word means `stop`.
const REASONS: &[(&str, StopReason)] = &[
    ("length", StopReason::Length),
    ("max_tokens", StopReason::Length),
    ("tool_calls", StopReason::ToolUse),
    ("function_call", StopReason::ToolUse),
];

/// Words for an end that is a fault, with its kind and what to say.
const FAULTS: &[(&str, ErrorKind, &str)] = &[
    (
        "content_filter",
        ErrorKind::Other,
        "its filter stopped the answer; ask in other words",
    ),
    ("error", ErrorKind::Server, "it failed while it answered"),
    (
        "network_error",
        ErrorKind::Network,
        "its connection failed while it answered",
    ),
    (
        "insufficient_system_resource",
        ErrorKind::Overloaded,
        "it has too much to do",
    ),
    (
        "model_context_window_exceeded",
        ErrorKind::ContextOverflow,
        "the transcript does not fit the model; compact it",
    ),
];

/// Reads one answer of Chat Completions.
pub(super) struct ChatDecoder {
    provider: Arc<str>,
    /// Which choice counts: the first that comes.
    choice: Option<u64>,
    /// The text or thought that pieces are appended to.
    current: Option<(Kind, Key)>,
    blocks: u64,
    calls: Calls,
    has_tool_calls: bool,
    details: Details,
    thought: Option<Key>,
    has_ended: bool,
    fault: Option<Fault>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Thinking,
}

impl ChatDecoder {
    pub(super) fn new(provider: &Arc<str>) -> Self {
        Self {
            provider: provider.clone(),
            choice: None,
            current: None,
            blocks: 0,
            calls: Calls::default(),
            has_tool_calls: false,
            details: Details::default(),
            thought: None,
            has_ended: false,
            fault: None,
        }
    }

    fn take_chunk(
        &mut self,
        chunk: Chunk<'_>,
        data: &str,
        answer: &mut Assembler,
    ) -> Result<(), Fault> {
        let is_error = chunk.error.is_some_and(|error| error.get() != "null");
        if is_error || chunk.object.0 == "error" {
            let value = serde_json::from_str::<Value>(data).unwrap_or_default();
            return Err(fault_of_json(&self.provider, &value));
        }
        if answer.response_id.is_none() {
            answer.response_id = chunk.id.owned();
        }
        if answer.response_model.is_none() {
            answer.response_model = chunk.model.owned();
        }
        take_usage(chunk.usage, answer);
        for choice in chunk.choices.unwrap_or_default() {
            if *self.choice.get_or_insert(choice.index) == choice.index {
                self.take_choice(choice, answer);
            }
        }
        Ok(())
    }

    fn take_choice(&mut self, choice: Choice<'_>, answer: &mut Assembler) {
        take_usage(choice.usage, answer);
        if let Some(delta) = choice.delta.or(choice.message) {
            self.take_delta(&delta, answer);
        }
        let Some(word) = choice.finish_reason.said() else {
            return;
        };
        self.has_ended = true;
        answer.raw_stop_reason = Some(word.to_owned());
        if let Some((_, kind, what)) = FAULTS.iter().find(|(known, ..)| *known == word) {
            self.fault = Some(Fault::new(*kind, format!("{}: {what}", self.provider)));
        }
        if let Some(error) = choice.error.filter(|error| error.get() != "null") {
            let error = serde_json::from_str::<Value>(error.get()).unwrap_or_default();
            self.fault = Some(fault_of_json(&self.provider, &error));
        }
        let row = REASONS.iter().find(|(known, _)| *known == word);
        answer.stop = Some(row.map_or(StopReason::Stop, |(_, reason)| reason.clone()));
    }

    fn take_delta(&mut self, delta: &Delta<'_>, answer: &mut Assembler) {
        // Some send the same thought under two names.
        let thoughts = [
            &delta.reasoning_content,
            &delta.reasoning,
            &delta.reasoning_text,
        ];
        if let Some(thought) = thoughts.into_iter().find(|word| !word.0.is_empty()) {
            self.append(Kind::Thinking, &thought.0, answer);
        }
        if let Some(details) = delta.reasoning_details {
            self.details.take(details.get());
        }
        if let Some(content) = delta.content {
            self.take_content(content, answer);
        }
        if let Some(refusal) = delta.refusal.said() {
            self.append(Kind::Text, refusal, answer);
        }
        for call in delta.tool_calls.iter().flatten() {
            self.has_tool_calls = true;
            let function = call.function.as_ref();
            self.take_call(call.index, &call.id.0, function, answer);
        }
        // The older form of the same call; where both come, it says nothing new.
        if let Some(function) = delta.function_call.as_ref()
            && !self.has_tool_calls
        {
            self.take_call(Some(0), "", Some(function), answer);
        }
    }

    fn take_content(&mut self, content: &RawValue, answer: &mut Assembler) {
        if content.get().starts_with('"') {
            if let Ok(text) = serde_json::from_str::<std::borrow::Cow<'_, str>>(content.get()) {
                self.append(Kind::Text, &text, answer);
            }
            return;
        }
        let parts = serde_json::from_str::<Vec<Value>>(content.get()).unwrap_or_default();
        for part in &parts {
            let thoughts = part.get("thinking").and_then(Value::as_array);
            for thought in thoughts.into_iter().flatten() {
                let text = thought.get("text").and_then(Value::as_str);
                self.append(Kind::Thinking, text.unwrap_or_default(), answer);
            }
            let text = part.get("text").and_then(Value::as_str);
            self.append(Kind::Text, text.unwrap_or_default(), answer);
        }
    }

    fn take_call(
        &mut self,
        index: Option<u64>,
        id: &str,
        function: Option<&Function<'_>>,
        answer: &mut Assembler,
    ) {
        let name = function.map_or("", |function| &*function.name.0);
        let key = self.calls.place(index, id.trim(), name.trim(), answer);
        self.end_current(answer);
        answer.call(key, id.trim(), name.trim());
        let Some(arguments) = function.and_then(|function| function.arguments) else {
            return;
        };
        match arguments.get().as_bytes().first() {
            Some(b'"') => {
                if let Ok(text) = serde_json::from_str::<std::borrow::Cow<'_, str>>(arguments.get())
                {
                    answer.arguments(key, &text);
                }
            }
            Some(b'{') => answer.arguments(key, arguments.get()),
            _ => {}
        }
    }

    /// Appends to the block at the end, if it is of this kind, or begins one.
    fn append(&mut self, kind: Kind, piece: &str, answer: &mut Assembler) {
        if piece.is_empty() {
            return;
        }
        let key = match self.current {
            Some((current, key)) if current == kind => key,
            _ => {
                self.end_current(answer);
                self.blocks += 1;
                let key = (0, self.blocks);
                self.current = Some((kind, key));
                key
            }
        };
        match kind {
            Kind::Text => answer.text(key, piece),
            Kind::Thinking => {
                self.thought.get_or_insert(key);
                answer.thinking(key, piece);
            }
        }
    }

    fn end_current(&mut self, answer: &mut Assembler) {
        if let Some((_, key)) = self.current.take() {
            answer.close(key);
        }
    }

    fn finish(&mut self, answer: &mut Assembler) -> Result<(), Fault> {
        if let Some(details) = self.details.to_text() {
            let key = self.thought.unwrap_or((0, 0));
            answer.sign_thinking(key, &details);
        }
        match self.fault.take() {
            Some(fault) => Err(fault),
            None => Ok(()),
        }
    }
}

impl Decoder for ChatDecoder {
    fn event(&mut self, event: &SseEvent<'_>, answer: &mut Assembler) -> Result<Flow, Fault> {
        let data = event.data.trim();
        if data == "[DONE]" {
            self.finish(answer)?;
            return Ok(Flow::Over);
        }
        // Words such as `ping` keep a connection open; they are no part of an answer.
        if !data.starts_with('{') {
            return Ok(Flow::Goes);
        }
        match serde_json::from_str::<Chunk<'_>>(data) {
            Ok(chunk) => self.take_chunk(chunk, data, answer)?,
            Err(error) => {
                let start = excerpt(data);
                return Err(Fault::protocol(format!(
                    "{} sent what Chat Completions do not know ({error}): {start}",
                    self.provider
                )));
            }
        }
        Ok(Flow::Goes)
    }

    fn end(&mut self, answer: &mut Assembler) -> Result<(), Fault> {
        if !self.has_ended {
            return Err(Fault::broke_off(format!(
                "{} closed the connection in the middle",
                self.provider
            )));
        }
        self.finish(answer)
    }
}

fn take_usage(raw: Option<&RawValue>, answer: &mut Assembler) {
    let said = raw.and_then(|raw| serde_json::from_str::<Option<chunk::Usage>>(raw.get()).ok());
    if let Some(said) = said.flatten() {
        answer.usage = usage(&said);
    }
}

/// Counts as this program does: what came from the cache is no input, and thinking is output.
fn usage(said: &chunk::Usage) -> Usage {
    let (prompt, completion) = (said.prompt_tokens.0, said.completion_tokens.0);
    let reasoning = said.completion_tokens_details.reasoning_tokens.0;
    let cached = [
        said.prompt_tokens_details.cached_tokens.0,
        said.prompt_cache_hit_tokens.0,
        said.cached_tokens.0,
    ];
    let cache_read = cached.into_iter().max().unwrap_or(0).min(prompt);
    let cache_write = said.prompt_tokens_details.cache_write_tokens.0;
    // xAI counts thinking beside the completion, not in it.
    let beside = prompt + completion + reasoning == said.total_tokens.0;
    let output = completion + if beside { reasoning } else { 0 };
    let mut usage = Usage {
        input: prompt.saturating_sub(cache_read + cache_write),
        output,
        cache_read,
        cache_write,
        reasoning: (reasoning > 0).then_some(reasoning),
        total_tokens: (prompt + output).max(said.total_tokens.0),
        ..Usage::default()
    };
    if let Some(cost) = said.cost {
        usage.cost.total = cost;
        usage.cost.total_from_provider = Some(true);
    }
    usage
}
