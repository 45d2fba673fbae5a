use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::Extra;
use crate::tagged::tagged_enum;

tagged_enum! {
    /// One block of a message.
    ///
    /// Shape: an object told apart by `type`; a type that Deed does not know is kept to the letter.
    pub enum ContentBlock by "type" {
        /// Text.
        Text(TextBlock) = "text",
        /// A picture.
        Image(ImageBlock) = "image",
        /// What a model thought before it answered.
        Thinking(ThinkingBlock) = "thinking",
        /// A model's request to run a tool.
        ToolCall(ToolCall) = "toolCall",
    }
}

impl ContentBlock {
    /// Makes a text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextBlock {
            text: text.into(),
            ..TextBlock::default()
        })
    }

    /// Makes an image block from base64 data without a data-URL prefix.
    pub fn image(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self::Image(ImageBlock {
            data: data.into(),
            mime_type: mime_type.into(),
            extra: Extra::new(),
        })
    }

    /// Returns the text of a text block.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(block) => Some(&block.text),
            _ => None,
        }
    }

    /// Returns the call of a tool-call block.
    pub fn as_tool_call(&self) -> Option<&ToolCall> {
        match self {
            Self::ToolCall(call) => Some(call),
            _ => None,
        }
    }
}

/// Text in a message.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TextBlock {
    /// The text.
    pub text: String,
    /// Opaque data of the provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_signature: Option<String>,
    /// Fields that Deed does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A picture in a message.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImageBlock {
    /// Base64 without a data-URL prefix.
    pub data: String,
    /// The media type, such as `image/png`.
    pub mime_type: String,
    /// Fields that Deed does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

/// What a model thought before it answered.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThinkingBlock {
    /// The thought, as far as the provider shows it.
    pub thinking: String,
    /// Opaque data that must go back to the same model unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking_signature: Option<String>,
    /// Whether the provider withheld the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redacted: Option<bool>,
    /// Fields that Deed does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A model's request to run a tool.
///
/// Shape: `arguments` is a JSON object as the model wrote it, to the letter. If the model's text was
/// not an object, it is `{}` and `argumentsError` says what was wrong; such a call is never run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    /// Ties the result to the call.
    #[serde(default)]
    pub id: Arc<str>,
    /// Names the tool, exactly.
    pub name: Arc<str>,
    /// The arguments as written.
    #[serde(default = "empty_arguments")]
    pub arguments: Arc<RawValue>,
    /// Opaque data of the provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thought_signature: Option<String>,
    /// Why the text of the arguments was not a JSON object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments_error: Option<String>,
    /// Fields that Deed does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl ToolCall {
    /// Makes a call from its three members.
    pub fn new(
        id: impl Into<Arc<str>>,
        name: impl Into<Arc<str>>,
        arguments: Arc<RawValue>,
    ) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            arguments,
            thought_signature: None,
            arguments_error: None,
            extra: Extra::new(),
        }
    }
}

/// Returns `{}`.
pub fn empty_arguments() -> Arc<RawValue> {
    Arc::from(RawValue::from_string("{}".to_owned()).unwrap_or_default())
}
