use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ContentBlock, Usage};

/// What a tool gives back, at its end or on the way.
///
/// Shape: `content` is for the model, `details` never reach it, `usage` counts nested model calls,
/// `terminate` asks to end the run after this batch. Members that say nothing are left out.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    /// What the model reads.
    #[serde(default)]
    pub content: Vec<ContentBlock>,
    /// What people and programs see; any JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// What model calls inside the tool used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Whether the run may end after this batch.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub terminate: bool,
    /// Names of tools that the call itself activated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added_tool_names: Vec<Arc<str>>,
    /// Whether the call failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}

impl ToolResult {
    /// Makes a successful result of one text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            content: vec![ContentBlock::text(text)],
            ..Self::default()
        }
    }

    /// Makes a failed result of one text block, with empty details.
    pub fn error(text: impl Into<String>) -> Self {
        Self {
            details: Some(Value::Object(serde_json::Map::new())),
            is_error: true,
            ..Self::text(text)
        }
    }

    /// Adds details.
    pub fn with_details(mut self, details: Value) -> Self {
        self.details = Some(details);
        self
    }

    /// Returns all text blocks, joined by newlines.
    pub fn joined_text(&self) -> String {
        let texts: Vec<&str> = self
            .content
            .iter()
            .filter_map(ContentBlock::as_text)
            .collect();
        texts.join("\n")
    }
}
