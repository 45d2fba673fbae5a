use std::ops::ControlFlow;
use std::sync::Arc;

use deed_protocol::{ContentBlock, Message, UserContent};
use tokio_util::sync::CancellationToken;

use super::{Core, ExtensionHost};
use crate::event::input::{content_of, text_and_images};
use crate::{BeforeAgentStartEvent, InputEvent, InputReply, InputSource};

/// Another system prompt for one run.
#[derive(Clone, Debug)]
pub struct PromptChange {
    /// What it was.
    pub from: Arc<str>,
    /// What it is.
    pub to: Arc<str>,
}

impl PromptChange {
    /// Returns the prompt of a turn for which `base` was put together: where that is another than
    /// handlers saw, it stands in the place of what they saw of it.
    pub fn apply(&self, base: &Arc<str>) -> Arc<str> {
        if *base == self.from {
            return self.to.clone();
        }
        self.to.replacen(&*self.from, base, 1).into()
    }
}

impl ExtensionHost {
    /// Lets handlers of `input` see what the model is to be prompted with; returns what is left of
    /// it. What one of them dealt with is gone.
    pub async fn input(
        &self,
        messages: Vec<Message>,
        source: InputSource,
        cancel: &CancellationToken,
    ) -> Vec<Message> {
        let mut left = Vec::with_capacity(messages.len());
        for message in messages {
            left.extend(self.0.input_of(message, source, cancel).await);
        }
        left
    }

    /// Lets handlers of `before_agent_start` add messages behind the prompt; returns another system
    /// prompt for this run, if they gave one.
    pub async fn before_agent_start(
        &self,
        messages: &mut Vec<Message>,
        system_prompt: impl FnOnce() -> Arc<str>,
        cancel: &CancellationToken,
    ) -> Option<PromptChange> {
        if self.0.listeners::<BeforeAgentStartEvent>().is_empty() {
            return None;
        }
        let contents = messages.iter().filter_map(|message| match message {
            Message::User(user) => Some(text_and_images(&user.content)),
            _ => None,
        });
        let (texts, images): (Vec<_>, Vec<_>) = contents.unzip();
        let from = system_prompt();
        let mut event = BeforeAgentStartEvent {
            prompt: texts.join("\n"),
            images: images.concat(),
            system_prompt: from.clone(),
        };
        let mut added = Vec::new();
        self.0
            .chain(&mut event, cancel, |event, reply| {
                added.extend(reply.messages.into_iter().map(Message::Custom));
                if let Some(prompt) = reply.system_prompt {
                    event.system_prompt = prompt.into();
                }
                Core::go_on()
            })
            .await;
        messages.append(&mut added);
        let to = event.system_prompt;
        (from != to).then_some(PromptChange { from, to })
    }
}

impl Core {
    async fn input_of(
        self: &Arc<Self>,
        message: Message,
        source: InputSource,
        cancel: &CancellationToken,
    ) -> Option<Message> {
        let Message::User(mut user) = message else {
            return Some(message);
        };
        let (text, images) = text_and_images(&user.content);
        let mut event = InputEvent {
            text,
            images,
            source,
        };
        let mut handled = false;
        let any = self
            .chain(&mut event, cancel, |event, reply| {
                match reply {
                    InputReply::Continue => {}
                    InputReply::Transform { text, images } => {
                        event.text = text;
                        if let Some(images) = images {
                            event.images = images;
                        }
                    }
                    InputReply::Handled => {
                        handled = true;
                        return Ok(ControlFlow::Break(()));
                    }
                }
                Self::go_on()
            })
            .await;
        if any && differs(&event, &user.content) {
            user.content = content_of(event.text, event.images);
        }
        (!handled).then_some(Message::User(user))
    }
}

/// Tells whether handlers changed anything; blocks that are neither text nor picture stay otherwise.
fn differs(event: &InputEvent, content: &UserContent) -> bool {
    let (text, images) = text_and_images(content);
    let as_blocks = |images: &[deed_protocol::ImageBlock]| -> Vec<ContentBlock> {
        images.iter().cloned().map(ContentBlock::Image).collect()
    };
    event.text != text
        || serde_json::to_string(&as_blocks(&event.images)).ok()
            != serde_json::to_string(&as_blocks(&images)).ok()
}
