//! Puts an answer together from the pieces that come, and tells listeners what came.

use std::mem;
use std::sync::Arc;

use deed_agent::ModelDelta;
use deed_protocol::{AssistantDelta, ContentBlock, StopReason, TextBlock, ThinkingBlock, Usage};
use deed_schema::repair_arguments;
use serde_json::Value;
use tokio::sync::mpsc;

use crate::ModelSpec;
use crate::cost::cost;
use crate::schema::ToolNames;

mod block;
mod pending;

use block::{Blocks, Draft, Part};
use pending::Pending;

/// What tells a block from the others of its answer: whatever numbers the wire gives.
pub(crate) type Key = (u64, u64);

/// An answer in the making.
///
/// A block begins with the first piece under its key and keeps its place. Pieces are appended to one
/// buffer; arguments are read once, when the call is whole.
#[derive(Debug)]
pub(crate) struct Assembler {
    /// What the answer used so far.
    pub(crate) usage: Usage,
    /// The provider's name for the answer.
    pub(crate) response_id: Option<String>,
    /// The model that says it answers.
    pub(crate) response_model: Option<String>,
    /// Why it stopped; `None` as long as nothing said so.
    pub(crate) stop: Option<StopReason>,
    /// Why it stopped, in the provider's words.
    pub(crate) raw_stop_reason: Option<String>,
    spec: Arc<ModelSpec>,
    names: Arc<ToolNames>,
    /// The usage that listeners know.
    told: Usage,
    blocks: Blocks,
    pending: Pending,
}

impl Assembler {
    /// Starts an answer of a model; `names` leads from the names of tools on the wire to the real ones.
    pub(crate) fn new(spec: Arc<ModelSpec>, names: Arc<ToolNames>) -> Self {
        Self {
            usage: Usage::default(),
            response_id: None,
            response_model: None,
            stop: None,
            raw_stop_reason: None,
            spec,
            names,
            told: Usage::default(),
            blocks: Blocks::default(),
            pending: Pending::default(),
        }
    }

    /// Appends text; an empty piece begins no block.
    pub(crate) fn text(&mut self, key: Key, delta: &str) {
        if delta.is_empty() {
            return;
        }
        if !self.blocks.has(key) {
            let content_index = self.blocks.push(key, Part::Text(TextBlock::default()));
            self.pending
                .push(AssistantDelta::TextStart { content_index });
        }
        if let Some((at, Part::Text(block))) = self.blocks.get(key) {
            block.text.push_str(delta);
            self.pending.text(at, delta);
        }
    }

    /// Keeps opaque data of a text.
    pub(crate) fn sign_text(&mut self, key: Key, signature: &str) {
        if let Some((_, Part::Text(block))) = self.blocks.get(key) {
            block.text_signature = Some(signature.to_owned());
        }
    }

    /// Appends to a thought; an empty piece begins no block.
    pub(crate) fn thinking(&mut self, key: Key, delta: &str) {
        if delta.is_empty() {
            return;
        }
        let Some((at, block)) = self.thought(key) else {
            return;
        };
        block.thinking.push_str(delta);
        self.pending.thinking(at, delta);
    }

    /// Keeps opaque data of a thought, which may have no text.
    pub(crate) fn sign_thinking(&mut self, key: Key, signature: &str) {
        if let Some((_, block)) = self.thought(key) {
            block.thinking_signature = Some(signature.to_owned());
        }
    }

    /// Notes that the provider withheld the text of a thought.
    pub(crate) fn redact_thinking(&mut self, key: Key) {
        if let Some((_, block)) = self.thought(key) {
            block.redacted = Some(true);
        }
    }

    /// Begins a call or completes what is known of it: an empty word says nothing, and a word that
    /// is known already stands.
    pub(crate) fn call(&mut self, key: Key, id: &str, wire_name: &str) {
        if !self.blocks.has(key) {
            self.blocks.push(key, Part::Call(Draft::default()));
        }
        let Some((at, Part::Call(draft))) = self.blocks.get(key) else {
            return;
        };
        if draft.id.is_empty() && !id.trim().is_empty() {
            draft.id = id.into();
        }
        if draft.name.is_empty() && !wire_name.trim().is_empty() {
            draft.name = self.names.real(wire_name);
        }
        if !draft.name.is_empty() {
            draft.announce(at, &mut self.pending);
        }
    }

    /// Appends to the arguments of a call that was begun.
    pub(crate) fn arguments(&mut self, key: Key, delta: &str) {
        if let Some((at, Part::Call(draft))) = self.blocks.get(key) {
            draft.arguments.push_str(delta);
            if draft.is_announced && !delta.is_empty() {
                self.pending.call(at, delta);
            }
        }
    }

    /// Takes the whole text of the arguments, of which parts may have come before.
    pub(crate) fn whole_arguments(&mut self, key: Key, whole: &str) {
        let Some((_, Part::Call(draft))) = self.blocks.get(key) else {
            return;
        };
        match whole.strip_prefix(draft.arguments.as_str()) {
            Some(rest) => self.arguments(key, rest),
            None => whole.clone_into(&mut draft.arguments),
        }
    }

    /// Appends to the bare text that a call was begun with, which is one of its arguments.
    pub(crate) fn input(&mut self, key: Key, delta: &str) {
        let Some((is_begun, opening)) = self.opening(key) else {
            return;
        };
        let opening = if is_begun { String::new() } else { opening };
        self.arguments(key, &(opening + &escaped(delta)));
    }

    /// Takes the whole of the bare text that a call was begun with.
    pub(crate) fn whole_input(&mut self, key: Key, whole: &str) {
        if let Some((_, opening)) = self.opening(key) {
            self.whole_arguments(key, &format!("{opening}{}\"}}", escaped(whole)));
        }
    }

    /// Keeps opaque data of a call.
    pub(crate) fn sign_call(&mut self, key: Key, signature: &str) {
        if let Some((_, Part::Call(draft))) = self.blocks.get(key) {
            draft.thought_signature = Some(signature.to_owned());
        }
    }

    /// Returns a call that is not whole yet: what is known of it, and its arguments so far.
    pub(crate) fn draft(&mut self, key: Key) -> Option<&Draft> {
        match self.blocks.get(key) {
            Some((_, Part::Call(draft))) => Some(draft),
            _ => None,
        }
    }

    /// Returns the name of a tool that is called so on the wire.
    pub(crate) fn real_name(&self, wire_name: &str) -> Arc<str> {
        self.names.real(wire_name)
    }

    /// Tells whether a block has this key.
    pub(crate) fn has(&self, key: Key) -> bool {
        self.blocks.has(key)
    }

    /// Tells whether there is a call.
    pub(crate) fn has_calls(&self) -> bool {
        self.blocks
            .parts()
            .any(|part| matches!(part, Part::Call(_) | Part::Whole(_)))
    }

    /// Ends a block, if it is open.
    pub(crate) fn close(&mut self, key: Key) {
        if let Some((at, _)) = self.blocks.get(key) {
            self.close_at(at);
        }
    }

    /// Ends all blocks that are open, in order.
    pub(crate) fn close_all(&mut self) {
        for at in 0..self.blocks.len() {
            self.close_at(at);
        }
    }

    /// Sends what listeners have not heard yet.
    pub(crate) async fn tell(&mut self, to: &mpsc::Sender<ModelDelta>) {
        if self.pending.is_empty() {
            return;
        }
        let mut news = None;
        if self.usage != self.told {
            self.told.clone_from(&self.usage);
            news = Some(Box::new(self.costed_usage()));
        }
        self.pending.send(to, news).await;
    }

    /// Returns what the answer used so far and what that cost.
    pub(crate) fn costed_usage(&self) -> Usage {
        let mut usage = self.usage.clone();
        cost(&self.spec.prices, &mut usage);
        usage
    }

    /// Takes the blocks. A call that was not closed has no arguments that could be trusted.
    pub(crate) fn take_content(&mut self) -> Vec<ContentBlock> {
        mem::take(&mut self.blocks).into_content()
    }

    /// Returns whether the arguments of a call were begun, and what stands in front of its bare text.
    ///
    /// Shape: of a tool that takes none, or is none, any argument will do: it is told so.
    fn opening(&mut self, key: Key) -> Option<(bool, String)> {
        let draft = self.draft(key)?;
        let (is_begun, tool) = (!draft.arguments.is_empty(), draft.name.clone());
        let argument = self.names.text_argument(&tool).unwrap_or("input");
        Some((is_begun, format!("{{{}:\"", Value::from(argument))))
    }

    fn close_at(&mut self, at: usize) {
        let Some(part) = self.blocks.close(at) else {
            return;
        };
        let delta = match part {
            Part::Text(block) => AssistantDelta::TextEnd {
                content_index: at,
                content: block.text.clone(),
            },
            Part::Thinking(block) => AssistantDelta::ThinkingEnd {
                content_index: at,
                content: block.thinking.clone(),
            },
            Part::Call(draft) => {
                draft.announce(at, &mut self.pending);
                let draft = mem::take(draft);
                let read = repair_arguments(&draft.arguments).map(|arguments| arguments.0);
                let call = draft.into_call(read);
                *part = Part::Whole(call.clone());
                AssistantDelta::ToolCallEnd {
                    content_index: at,
                    tool_call: call,
                }
            }
            Part::Whole(_) => return,
        };
        self.pending.push(delta);
    }

    fn thought(&mut self, key: Key) -> Option<(usize, &mut ThinkingBlock)> {
        if !self.blocks.has(key) {
            let content_index = self
                .blocks
                .push(key, Part::Thinking(ThinkingBlock::default()));
            self.pending
                .push(AssistantDelta::ThinkingStart { content_index });
        }
        match self.blocks.get(key) {
            Some((at, Part::Thinking(block))) => Some((at, block)),
            _ => None,
        }
    }
}

/// Writes a text as it stands inside a string of JSON; pieces can be written one by one.
fn escaped(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    let inside = quoted.get(1..quoted.len() - 1);
    inside.unwrap_or_default().to_owned()
}
