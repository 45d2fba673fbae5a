use std::sync::Arc;

use deed_protocol::SourceInfo;
use serde::Serialize;
use serde_json::Value;

use super::{Layer, RegisteredTool};
use crate::InactiveReason;

/// What anybody may know of a tool; there is no way from it to the running of the tool.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolInfo {
    /// The name.
    pub name: Arc<str>,
    /// What models read about it.
    pub description: Arc<str>,
    /// What arguments it takes, as JSON Schema.
    pub parameters: Value,
    /// Its rules for the system prompt.
    pub prompt_guidelines: Vec<String>,
    /// Where it comes from.
    pub source_info: Arc<SourceInfo>,
}

impl ToolInfo {
    pub(super) fn of(tool: &RegisteredTool) -> Self {
        Self {
            name: tool.name().clone(),
            description: tool.spec().description.clone(),
            parameters: tool.spec().parameters.as_value().clone(),
            prompt_guidelines: tool.definition().prompt().guidelines().to_vec(),
            source_info: tool.source().clone(),
        }
    }
}

/// A registered tool and whether it is active, for people.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolRow {
    /// The name.
    pub name: Arc<str>,
    /// Whether a model may call it.
    pub active: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason_if_not: Option<InactiveReason>,
    /// Whether it can be made active.
    pub known: bool,
    /// Its layer.
    pub layer: Layer,
    /// Where it comes from.
    pub source: Arc<SourceInfo>,
    /// What models read about it.
    pub description: Arc<str>,
    /// Where the tools of the same name come from that it takes the place of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub replaces: Vec<Arc<SourceInfo>>,
}
