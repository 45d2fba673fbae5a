use std::sync::Arc;

use deed_protocol::Usage;

use super::event::{self, Candidate, Chunk, FunctionCall, Part};
use super::reasons;
use crate::assemble::{Assembler, Key};
use crate::fault::{Fault, excerpt, fault_of_json};
use crate::sse::SseEvent;
use crate::wire::{Decoder, Flow};

/// Reads an answer of Gemini.
///
/// Pieces carry no numbers: text that follows text of the same sort continues it.
#[derive(Debug)]
pub(super) struct GeminiDecoder {
    provider: Arc<str>,
    open: Option<Open>,
    blocks: u64,
}

/// The text that may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Open {
    key: Key,
    is_thought: bool,
}

impl GeminiDecoder {
    pub(super) fn new(provider: &Arc<str>) -> Self {
        Self {
            provider: provider.clone(),
            open: None,
            blocks: 0,
        }
    }

    fn chunk(&mut self, chunk: &Chunk<'_>, answer: &mut Assembler) -> Result<(), Fault> {
        if let Some(error) = chunk.error.filter(|error| error.get() != "null") {
            let value = serde_json::from_str(error.get()).unwrap_or_default();
            return Err(fault_of_json(&self.provider, &value));
        }
        if let Some(usage) = &chunk.usage_metadata {
            answer.usage = usage_of(usage);
        }
        if answer.response_id.is_none() {
            answer.response_id = chunk.response_id.owned();
        }
        if answer.response_model.is_none() {
            answer.response_model = chunk.model_version.owned();
        }
        if let Some(feedback) = &chunk.prompt_feedback
            && let Some(reason) = feedback.block_reason.said()
        {
            let said = &feedback.block_reason_message.0;
            return Err(reasons::blocked(&self.provider, reason, said));
        }
        let candidates = chunk.candidates.iter().flatten();
        match candidates
            .into_iter()
            .find(|candidate| candidate.index.0 == 0)
        {
            Some(candidate) => self.candidate(candidate, answer),
            None => Ok(()),
        }
    }

    fn candidate(
        &mut self,
        candidate: &Candidate<'_>,
        answer: &mut Assembler,
    ) -> Result<(), Fault> {
        let parts = candidate.content.iter().flat_map(|it| it.parts.iter());
        for part in parts.flatten() {
            self.part(part, answer);
        }
        let reason = candidate.finish_reason.said();
        if let Some(reason) = reason.filter(|it| *it != "FINISH_REASON_UNSPECIFIED") {
            answer.raw_stop_reason = Some(reason.to_owned());
            let said = excerpt(&candidate.finish_message.0);
            answer.stop = Some(reasons::stop(&self.provider, reason, &said)?);
        }
        Ok(())
    }

    fn part(&mut self, part: &Part<'_>, answer: &mut Assembler) {
        let signature = part.thought_signature.said();
        if let Some(call) = &part.function_call {
            self.call(call, signature, answer);
            return;
        }
        let Some(text) = &part.text else {
            return;
        };
        if text.0.is_empty() {
            // A signature may come behind what it signs.
            if let (Some(open), Some(signature)) = (self.open, signature) {
                self.sign(open, signature, answer);
            }
            return;
        }
        let open = self.opened(part.thought, answer);
        if part.thought {
            answer.thinking(open.key, &text.0);
        } else {
            answer.text(open.key, &text.0);
        }
        if let Some(signature) = signature {
            self.sign(open, signature, answer);
        }
    }

    /// Signs a text, which so comes to its end: signed pieces must not be put together.
    fn sign(&mut self, open: Open, signature: &str, answer: &mut Assembler) {
        if open.is_thought {
            answer.sign_thinking(open.key, signature);
        } else {
            answer.sign_text(open.key, signature);
        }
        self.close(answer);
    }

    fn call(&mut self, call: &FunctionCall<'_>, signature: Option<&str>, answer: &mut Assembler) {
        self.close(answer);
        let key = self.next_key();
        answer.call(key, &call.id.0, &call.name.0);
        if let Some(args) = call.args {
            answer.arguments(key, args.get());
        }
        if let Some(signature) = signature {
            answer.sign_call(key, signature);
        }
        answer.close(key);
    }

    fn opened(&mut self, is_thought: bool, answer: &mut Assembler) -> Open {
        if let Some(open) = self.open.filter(|open| open.is_thought == is_thought) {
            return open;
        }
        self.close(answer);
        let open = Open {
            key: self.next_key(),
            is_thought,
        };
        self.open = Some(open);
        open
    }

    fn close(&mut self, answer: &mut Assembler) {
        if let Some(open) = self.open.take() {
            answer.close(open.key);
        }
    }

    fn next_key(&mut self) -> Key {
        self.blocks += 1;
        (self.blocks, 0)
    }
}

impl Decoder for GeminiDecoder {
    fn event(&mut self, event: &SseEvent<'_>, answer: &mut Assembler) -> Result<Flow, Fault> {
        let data = event.data.trim();
        // A server that does not stream gives all pieces in one list.
        let chunks = match data.chars().next() {
            Some('{') => serde_json::from_str(data).map(|chunk| vec![chunk]),
            Some('[') => serde_json::from_str::<Vec<Chunk<'_>>>(data),
            _ => return Ok(Flow::Goes),
        };
        let chunks = chunks.map_err(|error| {
            Fault::protocol(format!(
                "{} sent what Gemini does not know ({error}): {}",
                self.provider,
                excerpt(data)
            ))
        })?;
        for chunk in &chunks {
            self.chunk(chunk, answer)?;
        }
        Ok(Flow::Goes)
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

/// Counts as this program does: what came from the cache is no input, and thinking is output.
fn usage_of(said: &event::Usage) -> Usage {
    let (asked, tools) = (
        said.prompt_token_count.0,
        said.tool_use_prompt_token_count.0,
    );
    let prompt = asked.saturating_add(tools);
    let cache_read = said.cached_content_token_count.0.min(prompt);
    let reasoning = said.thoughts_token_count.0;
    let output = said.candidates_token_count.0.saturating_add(reasoning);
    Usage {
        input: prompt - cache_read,
        output,
        cache_read,
        reasoning: (reasoning > 0).then_some(reasoning),
        total_tokens: prompt.saturating_add(output).max(said.total_token_count.0),
        ..Usage::default()
    }
}
