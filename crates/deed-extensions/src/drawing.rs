//! What extensions draw: calls and results of tools, messages and entries of their own.

mod clean;

use deed_agent::BoxFuture;
use deed_protocol::{Block, CustomMessage, ToolResult};
use deed_tooling::ResultView;
use serde_json::Value;

use crate::ExtensionError;

pub(crate) use clean::cleaned;

/// Draws something as blocks of a card.
///
/// What it gives is bounded and freed of control characters. One that fails or takes longer than a
/// second is reported once, and the card is the one that there would be without it.
pub trait Renderer: Send + Sync + 'static {
    /// Draws; `None` if it has nothing to say of this one.
    ///
    /// Errors: as any handler; nothing is drawn.
    fn render<'a>(
        &'a self,
        what: Drawable<'a>,
        view: ResultView,
    ) -> BoxFuture<'a, Result<Option<Vec<Block>>, ExtensionError>>;
}

/// What a renderer is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Draws {
    /// Messages of this type, whoever sent them.
    Messages(String),
    /// Entries of this type that models never see, whoever added them.
    Entries(String),
    /// Calls and results of a tool of this extension.
    Tool(String),
    /// Calls and results of all tools; what it has nothing to say of, the next one draws.
    AllTools,
}

/// What is to be drawn.
#[derive(Clone, Copy, Debug)]
pub enum Drawable<'a> {
    /// A message of an extension.
    Message(&'a CustomMessage),
    /// An entry that models never see, as the record has it.
    Entry(&'a Value),
    /// A call.
    Call(DrawnCall<'a>),
    /// A result, perhaps one that is not complete.
    Result(DrawnCall<'a>, &'a ToolResult),
}

impl Drawable<'_> {
    /// Returns what failures of its renderer are reported as.
    pub(crate) fn event(&self) -> &'static str {
        match self {
            Self::Message(_) => "render_message",
            Self::Entry(_) => "render_entry",
            Self::Call(_) => "render_call",
            Self::Result(..) => "render_result",
        }
    }

    /// Names what is drawn: a type, or a tool.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Message(message) => &message.custom_type,
            Self::Entry(entry) => type_of(entry).unwrap_or_default(),
            Self::Call(call) | Self::Result(call, _) => call.tool_name,
        }
    }
}

/// Returns the type that an extension gave an entry.
pub(crate) fn type_of(entry: &Value) -> Option<&str> {
    entry.get("customType")?.as_str()
}

/// A call, for who draws it.
#[derive(Clone, Copy, Debug)]
pub struct DrawnCall<'a> {
    /// The call; empty where it has no id.
    pub call_id: &'a str,
    /// The tool it names.
    pub tool_name: &'a str,
    /// Its arguments, which may be raw, incomplete or invalid.
    pub args: &'a Value,
}
