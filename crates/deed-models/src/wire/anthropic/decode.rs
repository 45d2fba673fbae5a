use std::sync::Arc;

use deed_protocol::{ErrorKind, StopReason, Usage};

use super::event::{self, Block, Event, Message};
use crate::assemble::{Assembler, Key};
use crate::fault::{Fault, excerpt, fault_of_json};
use crate::sse::SseEvent;
use crate::wire::{Decoder, Flow};

/// Reads an answer of Anthropic Messages.
#[derive(Debug)]
pub(super) struct AnthropicDecoder {
    provider: Arc<str>,
    said: Counts,
    /// What came of the signature of a thought, and of which.
    signature: (Key, String),
}

/// What an answer used, as last said of each: some servers say all at the start, some at the end.
#[derive(Debug, Default)]
struct Counts {
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
    cache_write_1h: u64,
    thinking: u64,
}

/// What an event does.
type Step = fn(&mut AnthropicDecoder, &Event<'_>, &str, &mut Assembler) -> Result<Flow, Fault>;

/// The events that matter; `ping` and whatever comes to be are skipped.
const STEPS: &[(&str, Step)] = &[
    ("message_start", AnthropicDecoder::begun),
    ("content_block_start", AnthropicDecoder::block_begun),
    ("content_block_delta", AnthropicDecoder::piece),
    ("content_block_stop", AnthropicDecoder::block_over),
    ("message_delta", AnthropicDecoder::stopped),
    ("message_stop", AnthropicDecoder::over),
    ("message", AnthropicDecoder::whole),
    ("error", AnthropicDecoder::error),
];

/// What the provider's reasons to stop mean; any other is an ordinary end.
const REASONS: &[(&str, StopReason)] = &[
    ("tool_use", StopReason::ToolUse),
    ("max_tokens", StopReason::Length),
];

impl AnthropicDecoder {
    pub(super) fn new(provider: &Arc<str>) -> Self {
        Self {
            provider: provider.clone(),
            said: Counts::default(),
            signature: ((0, 0), String::new()),
        }
    }

    fn begun(&mut self, event: &Event<'_>, _: &str, answer: &mut Assembler) -> Result<Flow, Fault> {
        if let Some(message) = event.message {
            self.identify(&self.read(message.get())?, answer);
        }
        Ok(Flow::Goes)
    }

    fn block_begun(
        &mut self,
        event: &Event<'_>,
        _: &str,
        answer: &mut Assembler,
    ) -> Result<Flow, Fault> {
        if let Some(block) = &event.content_block {
            self.begin(key(event), block, answer);
        }
        Ok(Flow::Goes)
    }

    /// Begins a block with what its first event holds of it, which may be all.
    fn begin(&mut self, key: Key, block: &Block<'_>, answer: &mut Assembler) {
        match &*block.kind.0 {
            "text" => answer.text(key, &block.text.0),
            "thinking" => {
                answer.thinking(key, &block.thinking.0);
                self.sign(key, &block.signature.0, answer);
            }
            "redacted_thinking" => {
                answer.sign_thinking(key, &block.data.0);
                answer.redact_thinking(key);
            }
            "tool_use" => {
                answer.call(key, &block.id.0, &block.name.0);
                let input = block.input.map(|input| input.get().trim());
                if let Some(input) = input.filter(|it| !is_empty_object(it)) {
                    answer.arguments(key, input);
                }
            }
            // Blocks of tools that the provider itself runs: none is asked for.
            _ => {}
        }
    }

    fn piece(&mut self, event: &Event<'_>, _: &str, answer: &mut Assembler) -> Result<Flow, Fault> {
        let Some(delta) = &event.delta else {
            return Ok(Flow::Goes);
        };
        let key = key(event);
        match &*delta.kind.0 {
            "text_delta" => answer.text(key, &delta.text.0),
            "thinking_delta" => answer.thinking(key, &delta.thinking.0),
            "signature_delta" => self.sign(key, &delta.signature.0, answer),
            "input_json_delta" => answer.arguments(key, &delta.partial_json.0),
            _ => {}
        }
        Ok(Flow::Goes)
    }

    /// Keeps the signature of a thought, which may come in pieces.
    fn sign(&mut self, key: Key, piece: &str, answer: &mut Assembler) {
        if piece.is_empty() {
            return;
        }
        if self.signature.0 != key {
            self.signature = (key, String::new());
        }
        self.signature.1.push_str(piece);
        answer.sign_thinking(key, &self.signature.1);
    }

    fn block_over(
        &mut self,
        event: &Event<'_>,
        _: &str,
        answer: &mut Assembler,
    ) -> Result<Flow, Fault> {
        answer.close(key(event));
        Ok(Flow::Goes)
    }

    fn stopped(
        &mut self,
        event: &Event<'_>,
        _: &str,
        answer: &mut Assembler,
    ) -> Result<Flow, Fault> {
        if let Some(usage) = &event.usage {
            self.count(usage, answer);
        }
        if let Some(reason) = event.delta.as_ref().and_then(|it| it.stop_reason.said()) {
            self.stop(reason, answer)?;
        }
        Ok(Flow::Goes)
    }

    fn over(&mut self, _: &Event<'_>, _: &str, _: &mut Assembler) -> Result<Flow, Fault> {
        Ok(Flow::Over)
    }

    /// Takes an answer of a server that does not stream.
    fn whole(&mut self, _: &Event<'_>, data: &str, answer: &mut Assembler) -> Result<Flow, Fault> {
        let message: Message<'_> = self.read(data)?;
        self.identify(&message, answer);
        for (index, block) in (0..).zip(message.content.iter().flatten()) {
            self.begin((index, 0), block, answer);
            answer.close((index, 0));
        }
        if let Some(reason) = message.stop_reason.said() {
            self.stop(reason, answer)?;
        }
        Ok(Flow::Over)
    }

    fn error(&mut self, _: &Event<'_>, data: &str, _: &mut Assembler) -> Result<Flow, Fault> {
        let value = serde_json::from_str(data).unwrap_or_default();
        Err(fault_of_json(&self.provider, &value))
    }

    fn stop(&self, reason: &str, answer: &mut Assembler) -> Result<(), Fault> {
        answer.raw_stop_reason = Some(reason.to_owned());
        match reason {
            "refusal" => Err(Fault::new(
                ErrorKind::Other,
                format!(
                    "{} refuses to go on with this answer; ask in other words, or ask another model",
                    self.provider
                ),
            )),
            "model_context_window_exceeded" => Err(Fault::new(
                ErrorKind::ContextOverflow,
                "the transcript and the answer do not fit the model together; compact the transcript",
            )),
            _ => {
                let known = REASONS.iter().find(|(word, _)| *word == reason);
                answer.stop = Some(known.map_or(StopReason::Stop, |(_, stop)| stop.clone()));
                Ok(())
            }
        }
    }

    fn identify(&mut self, message: &Message<'_>, answer: &mut Assembler) {
        answer.response_id = message.id.owned();
        answer.response_model = message.model.owned();
        if let Some(usage) = &message.usage {
            self.count(usage, answer);
        }
    }

    fn count(&mut self, usage: &event::Usage, answer: &mut Assembler) {
        self.said.take(usage);
        answer.usage = self.said.usage();
    }

    fn read<'a, T: serde::Deserialize<'a>>(&self, text: &'a str) -> Result<T, Fault> {
        serde_json::from_str(text).map_err(|error| {
            Fault::protocol(format!(
                "{} sent what Anthropic Messages do not know ({error}): {}",
                self.provider,
                excerpt(text)
            ))
        })
    }
}

impl Decoder for AnthropicDecoder {
    fn event(&mut self, event: &SseEvent<'_>, answer: &mut Assembler) -> Result<Flow, Fault> {
        let data = event.data.trim();
        if !data.starts_with('{') {
            return Ok(Flow::Goes);
        }
        let parsed: Event<'_> = self.read(data)?;
        let kind = parsed.kind.said().unwrap_or(&event.name);
        match STEPS.iter().find(|(known, _)| *known == kind) {
            Some((_, step)) => step(self, &parsed, data, answer),
            None => Ok(Flow::Goes),
        }
    }

    fn end(&mut self, answer: &mut Assembler) -> Result<(), Fault> {
        if answer.stop.is_some() {
            return Ok(());
        }
        Err(Fault::broke_off(format!(
            "{} closed the connection in the middle",
            self.provider
        )))
    }
}

fn key(event: &Event<'_>) -> Key {
    (event.index.0, 0)
}

fn is_empty_object(json: &str) -> bool {
    json == "null" || json.chars().filter(|c| !c.is_whitespace()).eq("{}".chars())
}

impl Counts {
    /// Takes what is said; a count that is left out or nothing says no more than was known.
    fn take(&mut self, usage: &event::Usage) {
        let rows = [
            (&mut self.input, usage.input_tokens),
            (&mut self.output, usage.output_tokens),
            (&mut self.cache_read, usage.cache_read_input_tokens),
            (&mut self.cache_write, usage.cache_creation_input_tokens),
            (
                &mut self.cache_write_1h,
                usage.cache_creation.ephemeral_1h_input_tokens,
            ),
            (
                &mut self.thinking,
                usage.output_tokens_details.thinking_tokens,
            ),
        ];
        for (known, said) in rows {
            if said.0 > 0 {
                *known = said.0;
            }
        }
    }

    fn usage(&self) -> Usage {
        let some = |count: u64| (count > 0).then_some(count);
        let parts = [self.input, self.output, self.cache_read, self.cache_write];
        Usage {
            input: self.input,
            output: self.output,
            cache_read: self.cache_read,
            cache_write: self.cache_write,
            cache_write_1h: some(self.cache_write_1h),
            reasoning: some(self.thinking),
            total_tokens: parts.into_iter().fold(0, u64::saturating_add),
            ..Usage::default()
        }
    }
}
