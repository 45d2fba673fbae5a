use std::sync::Arc;

use deed_protocol::{ContentBlock, CustomMessage, ImageBlock, UserContent};

use super::ExtensionEvent;

/// Somebody prompts the model.
#[derive(Clone, Debug)]
pub struct InputEvent {
    /// The text.
    pub text: String,
    /// The pictures.
    pub images: Vec<ImageBlock>,
    /// Who.
    pub source: InputSource,
}

/// Who prompts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputSource {
    /// A person.
    Interactive,
    /// A client program.
    Rpc,
    /// An extension.
    Extension,
}

/// What becomes of a prompt.
#[derive(Clone, Debug, Default)]
pub enum InputReply {
    /// It goes on as it is.
    #[default]
    Continue,
    /// It goes on like this.
    Transform {
        /// The text.
        text: String,
        /// The pictures; `None` keeps those that are there.
        images: Option<Vec<ImageBlock>>,
    },
    /// It is dealt with: no further handler hears of it, nor does the model.
    Handled,
}

impl ExtensionEvent for InputEvent {
    const NAME: &'static str = "input";
    type Reply = InputReply;
}

/// A prompt is about to start a run.
#[derive(Clone, Debug)]
pub struct BeforeAgentStartEvent {
    /// The text of the prompt.
    pub prompt: String,
    /// Its pictures.
    pub images: Vec<ImageBlock>,
    /// The system prompt of this run.
    pub system_prompt: Arc<str>,
}

/// What is added to a run.
#[derive(Clone, Debug, Default)]
pub struct BeforeAgentStartReply {
    /// They stand behind the prompt and the messages of handlers before this one.
    pub messages: Vec<CustomMessage>,
    /// The system prompt of this run, for handlers behind this one and for the model.
    pub system_prompt: Option<String>,
}

impl ExtensionEvent for BeforeAgentStartEvent {
    const NAME: &'static str = "before_agent_start";
    type Reply = BeforeAgentStartReply;
}

/// Takes content apart into its text and its pictures.
pub(crate) fn text_and_images(content: &UserContent) -> (String, Vec<ImageBlock>) {
    let blocks = match content {
        UserContent::Text(text) => return (text.clone(), Vec::new()),
        UserContent::Blocks(blocks) => blocks,
    };
    let texts: Vec<&str> = blocks.iter().filter_map(ContentBlock::as_text).collect();
    let images = blocks.iter().filter_map(|block| match block {
        ContentBlock::Image(image) => Some(image.clone()),
        _ => None,
    });
    (texts.join("\n"), images.collect())
}

/// Puts content together from a text and pictures.
pub(crate) fn content_of(text: String, images: Vec<ImageBlock>) -> UserContent {
    if images.is_empty() {
        return UserContent::Text(text);
    }
    let images = images.into_iter().map(ContentBlock::Image);
    UserContent::Blocks(
        std::iter::once(ContentBlock::text(text))
            .chain(images)
            .collect(),
    )
}
