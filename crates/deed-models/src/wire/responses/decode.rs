use std::sync::Arc;

use deed_protocol::{ErrorKind, StopReason, Usage};
use serde_json::Value;
use serde_json::value::RawValue;

use super::event::{self, Event, Item, Piece, Response};
use super::write::TextMark;
use crate::assemble::{Assembler, Key};
use crate::fault::{Fault, excerpt, fault_of_json};
use crate::sse::SseEvent;
use crate::wire::{Decoder, Flow};

/// Reads one answer of Responses.
pub(super) struct ResponsesDecoder {
    provider: Arc<str>,
    /// The item that came last, for events that do not say theirs.
    last_item: u64,
}

/// What an event does.
type Step = fn(&mut ResponsesDecoder, &Event<'_>, &str, &mut Assembler) -> Result<Flow, Fault>;

/// The events that matter; all others are skipped.
const STEPS: &[(&str, Step)] = &[
    ("response.created", ResponsesDecoder::begun),
    ("response.output_item.added", ResponsesDecoder::item_added),
    ("response.output_item.done", ResponsesDecoder::item_done),
    ("response.output_text.delta", ResponsesDecoder::text),
    ("response.refusal.delta", ResponsesDecoder::text),
    (
        "response.reasoning_summary_part.added",
        ResponsesDecoder::thought_part,
    ),
    (
        "response.reasoning_summary_text.delta",
        ResponsesDecoder::thought,
    ),
    ("response.reasoning_text.delta", ResponsesDecoder::thought),
    (
        "response.function_call_arguments.delta",
        ResponsesDecoder::arguments,
    ),
    (
        "response.function_call_arguments.done",
        ResponsesDecoder::whole_arguments,
    ),
    (
        "response.custom_tool_call_input.delta",
        ResponsesDecoder::input,
    ),
    (
        "response.custom_tool_call_input.done",
        ResponsesDecoder::whole_input,
    ),
    ("response.completed", ResponsesDecoder::over),
    ("response.done", ResponsesDecoder::over),
    ("response.incomplete", ResponsesDecoder::over),
    ("response.failed", ResponsesDecoder::over),
    ("error", ResponsesDecoder::error),
];

impl ResponsesDecoder {
    pub(super) fn new(provider: &Arc<str>) -> Self {
        Self {
            provider: provider.clone(),
            last_item: 0,
        }
    }

    fn key(&self, event: &Event<'_>) -> Key {
        (event.output_index.unwrap_or(self.last_item), 0)
    }

    fn begun(&mut self, event: &Event<'_>, _: &str, answer: &mut Assembler) -> Result<Flow, Fault> {
        if let Some(response) = event.response {
            self.identify(&self.read::<Response<'_>>(response)?, answer);
        }
        Ok(Flow::Goes)
    }

    fn item_added(
        &mut self,
        event: &Event<'_>,
        _: &str,
        answer: &mut Assembler,
    ) -> Result<Flow, Fault> {
        self.last_item = event.output_index.unwrap_or(self.last_item + 1);
        let key = self.key(event);
        if let Some(raw) = event.item {
            let item: Item<'_> = self.read(raw)?;
            match &*item.kind.0 {
                "function_call" => {
                    answer.call(key, &pair(&item), &item.name.0);
                    answer.arguments(key, &item.arguments.0);
                }
                "custom_tool_call" => {
                    answer.call(key, &pair(&item), &item.name.0);
                    answer.input(key, &item.input.0);
                }
                _ => {}
            }
        }
        Ok(Flow::Goes)
    }

    fn item_done(
        &mut self,
        event: &Event<'_>,
        _: &str,
        answer: &mut Assembler,
    ) -> Result<Flow, Fault> {
        if let Some(raw) = event.item {
            self.take_item(self.key(event), raw, answer)?;
        }
        Ok(Flow::Goes)
    }

    /// Takes an item that is whole; what came of it in pieces is not taken again.
    fn take_item(&self, key: Key, raw: &RawValue, answer: &mut Assembler) -> Result<(), Fault> {
        let item: Item<'_> = self.read(raw)?;
        match &*item.kind.0 {
            "reasoning" => {
                if !answer.has(key) {
                    let summary = item.summary.as_deref().filter(|pieces| !pieces.is_empty());
                    let pieces = summary.or(item.content.as_deref()).unwrap_or_default();
                    answer.thinking(key, &joined(pieces, "\n\n"));
                }
                // Without either the provider would look for it in its store, where nothing is.
                let content = item
                    .content
                    .as_ref()
                    .is_some_and(|pieces| !pieces.is_empty());
                if item.encrypted_content.said().is_some() || content {
                    answer.sign_thinking(key, raw.get());
                }
            }
            "message" => {
                if !answer.has(key) {
                    answer.text(
                        key,
                        &joined(item.content.as_deref().unwrap_or_default(), ""),
                    );
                }
                if let Some(mark) = mark(&item) {
                    answer.sign_text(key, &mark);
                }
            }
            "function_call" => {
                answer.call(key, &pair(&item), &item.name.0);
                answer.whole_arguments(key, &item.arguments.0);
            }
            "custom_tool_call" => {
                answer.call(key, &pair(&item), &item.name.0);
                answer.whole_input(key, &item.input.0);
            }
            _ => return Ok(()),
        }
        answer.close(key);
        Ok(())
    }

    fn text(&mut self, event: &Event<'_>, _: &str, answer: &mut Assembler) -> Result<Flow, Fault> {
        answer.text(self.key(event), &event.delta.0);
        Ok(Flow::Goes)
    }

    fn thought_part(
        &mut self,
        event: &Event<'_>,
        _: &str,
        answer: &mut Assembler,
    ) -> Result<Flow, Fault> {
        let key = self.key(event);
        if event.summary_index.unwrap_or(0) > 0 && answer.has(key) {
            answer.thinking(key, "\n\n");
        }
        Ok(Flow::Goes)
    }

    fn thought(
        &mut self,
        event: &Event<'_>,
        _: &str,
        answer: &mut Assembler,
    ) -> Result<Flow, Fault> {
        answer.thinking(self.key(event), &event.delta.0);
        Ok(Flow::Goes)
    }

    fn arguments(
        &mut self,
        event: &Event<'_>,
        _: &str,
        answer: &mut Assembler,
    ) -> Result<Flow, Fault> {
        answer.arguments(self.key(event), &event.delta.0);
        Ok(Flow::Goes)
    }

    fn whole_arguments(
        &mut self,
        event: &Event<'_>,
        _: &str,
        answer: &mut Assembler,
    ) -> Result<Flow, Fault> {
        answer.whole_arguments(self.key(event), &event.arguments.0);
        Ok(Flow::Goes)
    }

    fn input(&mut self, event: &Event<'_>, _: &str, answer: &mut Assembler) -> Result<Flow, Fault> {
        answer.input(self.key(event), &event.delta.0);
        Ok(Flow::Goes)
    }

    fn whole_input(
        &mut self,
        event: &Event<'_>,
        _: &str,
        answer: &mut Assembler,
    ) -> Result<Flow, Fault> {
        answer.whole_input(self.key(event), &event.input.0);
        Ok(Flow::Goes)
    }

    fn error(&mut self, _: &Event<'_>, data: &str, _: &mut Assembler) -> Result<Flow, Fault> {
        let mut value = serde_json::from_str::<Value>(data).unwrap_or_default();
        // The type of the event is no word for the fault.
        if let Some(members) = value.as_object_mut() {
            members.shift_remove("type");
        }
        Err(fault_of_json(&self.provider, &value))
    }

    fn over(
        &mut self,
        event: &Event<'_>,
        data: &str,
        answer: &mut Assembler,
    ) -> Result<Flow, Fault> {
        let whole;
        let raw = match event.response {
            Some(raw) => raw.get(),
            None => {
                whole = data;
                whole
            }
        };
        let response: Response<'_> = self.read_text(raw)?;
        self.identify(&response, answer);
        if let Some(said) = &response.usage {
            answer.usage = usage(said);
        }
        let error = response.error.filter(|error| error.get() != "null");
        if error.is_some() || response.status.0 == "failed" {
            let value = serde_json::from_str::<Value>(raw).unwrap_or_default();
            return Err(fault_of_json(&self.provider, &value));
        }
        // A server that does not stream gives all items here; of one that does all are known.
        for (index, raw) in (0..).zip(response.output.iter().flatten()) {
            if !answer.has((index, 0)) {
                self.take_item((index, 0), raw, answer)?;
            }
        }
        self.stop(&response, answer)
    }

    fn stop(&self, response: &Response<'_>, answer: &mut Assembler) -> Result<Flow, Fault> {
        let details = response.incomplete_details.as_ref();
        let reason = details.and_then(|details| details.reason.said());
        answer.raw_stop_reason = reason.or(response.status.said()).map(str::to_owned);
        match reason {
            Some("content_filter") => Err(Fault::new(
                ErrorKind::Other,
                format!(
                    "{}: its filter stopped the answer; ask in other words",
                    self.provider
                ),
            )),
            Some(_) => {
                answer.stop = Some(StopReason::Length);
                Ok(Flow::Over)
            }
            None => {
                answer.stop = Some(StopReason::Stop);
                Ok(Flow::Over)
            }
        }
    }

    fn identify(&self, response: &Response<'_>, answer: &mut Assembler) {
        if answer.response_id.is_none() {
            answer.response_id = response.id.owned();
        }
        if answer.response_model.is_none() {
            answer.response_model = response.model.owned();
        }
    }

    fn read<'a, T: serde::Deserialize<'a>>(&self, raw: &'a RawValue) -> Result<T, Fault> {
        self.read_text(raw.get())
    }

    fn read_text<'a, T: serde::Deserialize<'a>>(&self, text: &'a str) -> Result<T, Fault> {
        serde_json::from_str(text).map_err(|error| {
            Fault::protocol(format!(
                "{} sent what Responses do not know ({error}): {}",
                self.provider,
                excerpt(text)
            ))
        })
    }
}

impl Decoder for ResponsesDecoder {
    fn event(&mut self, event: &SseEvent<'_>, answer: &mut Assembler) -> Result<Flow, Fault> {
        let data = event.data.trim();
        if !data.starts_with('{') {
            return Ok(Flow::Goes);
        }
        let parsed: Event<'_> = self.read_text(data)?;
        let kind = match (parsed.kind.said(), &*parsed.object.0) {
            (Some(kind), _) => kind,
            (None, "response") => "response.completed",
            (None, _) => &event.name,
        };
        match STEPS.iter().find(|(known, _)| *known == kind) {
            Some((_, step)) => step(self, &parsed, data, answer),
            None => Ok(Flow::Goes),
        }
    }

    fn end(&mut self, _: &mut Assembler) -> Result<(), Fault> {
        Err(Fault::broke_off(format!(
            "{} closed the connection in the middle",
            self.provider
        )))
    }
}

/// Returns the id of a call: its own and that of its item, which both go back.
fn pair(item: &Item<'_>) -> String {
    match (item.call_id.said(), item.id.said()) {
        (Some(call), Some(item)) => format!("{call}|{item}"),
        (Some(only), None) | (None, Some(only)) => only.to_owned(),
        (None, None) => String::new(),
    }
}

fn mark(item: &Item<'_>) -> Option<String> {
    let mark = TextMark {
        id: item.id.said()?.into(),
        phase: item.phase.said().map(Into::into),
    };
    serde_json::to_string(&mark).ok()
}

fn joined(pieces: &[Piece<'_>], between: &str) -> String {
    let texts: Vec<&str> = pieces
        .iter()
        .filter_map(|piece| piece.text.said().or(piece.refusal.said()))
        .collect();
    texts.join(between)
}

/// Counts as this program does: what came from the cache is no input.
fn usage(said: &event::Usage) -> Usage {
    let (input, output) = (said.input_tokens.0, said.output_tokens.0);
    let cache_read = said.input_tokens_details.cached_tokens.0.min(input);
    let cache_write = said.input_tokens_details.cache_write_tokens.0;
    let reasoning = said.output_tokens_details.reasoning_tokens.0;
    Usage {
        input: input.saturating_sub(cache_read + cache_write),
        output,
        cache_read,
        cache_write,
        reasoning: (reasoning > 0).then_some(reasoning),
        total_tokens: (input + output).max(said.total_tokens.0),
        ..Usage::default()
    }
}
