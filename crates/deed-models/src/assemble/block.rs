use std::sync::Arc;

use deed_protocol::{
    AssistantDelta, ContentBlock, TextBlock, ThinkingBlock, ToolCall, empty_arguments,
};
use serde_json::value::RawValue;

use super::Key;
use super::pending::Pending;

/// The blocks of an answer, in the order in which they began.
#[derive(Debug, Default)]
pub(super) struct Blocks(Vec<Block>);

#[derive(Debug)]
struct Block {
    key: Key,
    is_open: bool,
    part: Part,
}

#[derive(Debug)]
pub(super) enum Part {
    Text(TextBlock),
    Thinking(ThinkingBlock),
    Call(Draft),
    /// A call whose arguments were read.
    Whole(ToolCall),
}

/// A call in the making.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    /// What ties the result to it; empty if the provider did not say.
    pub(crate) id: Arc<str>,
    /// The tool that it names; empty if the provider did not say.
    pub(crate) name: Arc<str>,
    /// The text of the arguments so far.
    pub(crate) arguments: String,
    pub(super) thought_signature: Option<String>,
    /// Whether listeners know of it: not before it has a name.
    pub(super) is_announced: bool,
}

impl Blocks {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn parts(&self) -> impl Iterator<Item = &Part> {
        self.0.iter().map(|block| &block.part)
    }

    pub(super) fn has(&self, key: Key) -> bool {
        self.0.iter().rev().any(|block| block.key == key)
    }

    /// Returns the block of a key and its place; the latest are found fastest.
    pub(super) fn get(&mut self, key: Key) -> Option<(usize, &mut Part)> {
        let mut blocks = self.0.iter_mut().enumerate().rev();
        let (at, block) = blocks.find(|(_, block)| block.key == key)?;
        Some((at, &mut block.part))
    }

    /// Begins a block and returns its place.
    pub(super) fn push(&mut self, key: Key, part: Part) -> usize {
        self.0.push(Block {
            key,
            is_open: true,
            part,
        });
        self.0.len() - 1
    }

    /// Ends a block; returns it if it was open.
    pub(super) fn close(&mut self, at: usize) -> Option<&mut Part> {
        let block = self.0.get_mut(at).filter(|block| block.is_open)?;
        block.is_open = false;
        Some(&mut block.part)
    }

    pub(super) fn into_content(self) -> Vec<ContentBlock> {
        let blocks = self.0.into_iter().map(|block| match block.part {
            Part::Text(text) => ContentBlock::Text(text),
            Part::Thinking(thought) => ContentBlock::Thinking(thought),
            Part::Whole(call) => ContentBlock::ToolCall(call),
            Part::Call(draft) => {
                let why = "the answer ended before the arguments were whole";
                ContentBlock::ToolCall(draft.into_call(Err(why.to_owned())))
            }
        });
        blocks.collect()
    }
}

impl Draft {
    /// Tells listeners that the call began, once, with what came before it had a name.
    pub(super) fn announce(&mut self, content_index: usize, pending: &mut Pending) {
        if self.is_announced {
            return;
        }
        self.is_announced = true;
        pending.push(AssistantDelta::ToolCallStart {
            content_index,
            id: self.id.clone(),
            tool_name: self.name.clone(),
        });
        if !self.arguments.is_empty() {
            pending.call(content_index, &self.arguments);
        }
    }

    pub(super) fn into_call(self, arguments: Result<Arc<RawValue>, String>) -> ToolCall {
        let (arguments, error) = match arguments {
            Ok(arguments) => (arguments, None),
            Err(why) => (empty_arguments(), Some(why)),
        };
        let mut call = ToolCall::new(self.id, self.name, arguments);
        call.arguments_error = error;
        call.thought_signature = self.thought_signature;
        call
    }
}
