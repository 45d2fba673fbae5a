//! What scripts may change on its way to the model.

use std::sync::Arc;

use deed_extensions::{
    BeforeAgentStartEvent, BeforeAgentStartReply, ContextEvent, InputEvent, InputReply,
    InputSource, MessageEndEvent,
};
use deed_protocol::{ContentBlock, CustomMessage, ImageBlock, Message};
use serde_json::{Value, json};

use super::Bridged;
use super::wire::{put, take, take_shared, value};
use crate::bridge::Bridge;

impl Bridged for MessageEndEvent {
    fn wire(&self, _: &Bridge) -> Value {
        json!({ "message": value(&self.message) })
    }

    fn answer(&mut self, mut answer: Value) -> Result<Option<Message>, String> {
        take(&mut answer, "message")
    }
}

impl Bridged for ContextEvent {
    fn wire(&self, _: &Bridge) -> Value {
        json!({ "messages": value(&self.messages) })
    }

    fn answer(&mut self, mut answer: Value) -> Result<Option<Vec<Arc<Message>>>, String> {
        take_shared(&mut answer, "messages")
    }
}

impl Bridged for InputEvent {
    fn wire(&self, _: &Bridge) -> Value {
        let source = match self.source {
            InputSource::Interactive => "interactive",
            InputSource::Rpc => "rpc",
            InputSource::Extension => "extension",
        };
        let mut wire = json!({ "text": self.text, "source": source });
        if !self.images.is_empty() {
            put(&mut wire, "images", images(&self.images));
        }
        wire
    }

    fn answer(&mut self, mut answer: Value) -> Result<InputReply, String> {
        let action: Option<String> = take(&mut answer, "action")?;
        match action.as_deref() {
            Some("handled") => Ok(InputReply::Handled),
            Some("transform") => {
                let text = take(&mut answer, "text")?.ok_or("a transform without `text`")?;
                let blocks: Option<Vec<ContentBlock>> = take(&mut answer, "images")?;
                let images = blocks.map(|blocks| blocks.into_iter().filter_map(image).collect());
                Ok(InputReply::Transform { text, images })
            }
            Some("continue") | None => Ok(InputReply::Continue),
            Some(other) => Err(format!(
                "`action` is `{other}`; it is continue, transform or handled"
            )),
        }
    }
}

fn images(images: &[ImageBlock]) -> Value {
    let blocks = images.iter().cloned().map(ContentBlock::Image);
    value(blocks.collect::<Vec<_>>())
}

fn image(block: ContentBlock) -> Option<ImageBlock> {
    match block {
        ContentBlock::Image(image) => Some(image),
        _ => None,
    }
}

impl Bridged for BeforeAgentStartEvent {
    fn wire(&self, bridge: &Bridge) -> Value {
        json!({
            "messageType": "user",
            "prompt": self.prompt,
            "images": images(&self.images),
            "systemPrompt": self.system_prompt,
            "systemPromptOptions": super::prompt_options(bridge),
        })
    }

    fn answer(&mut self, mut answer: Value) -> Result<BeforeAgentStartReply, String> {
        let mut messages: Vec<CustomMessage> = take(&mut answer, "messages")?.unwrap_or_default();
        messages.extend(take::<CustomMessage>(&mut answer, "message")?);
        let mut system_prompt: Option<String> = take(&mut answer, "systemPrompt")?;
        let options: Option<Value> = take(&mut answer, "systemPromptOptions")?;
        let sections = options
            .as_ref()
            .and_then(|options| options.get("sections")?.as_object());
        for section in sections
            .into_iter()
            .flatten()
            .filter_map(|(_, text)| text.as_str())
        {
            let prompt = system_prompt.get_or_insert_with(|| self.system_prompt.to_string());
            prompt.push_str("\n\n");
            prompt.push_str(section);
        }
        Ok(BeforeAgentStartReply {
            messages,
            system_prompt,
        })
    }
}
