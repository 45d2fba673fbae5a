//! What the product adds to the agent core's tools: definitions with prompt text and cards, their
//! projection, the registry with its active set, and what results must be brought into.
//!
//! A [`ToolDefinition`] is rich; [`wrap_tool_definition`] projects it to the lean
//! [`deed_agent::AgentTool`] that the loop knows. Most tools are a [`deed_agent::TypedTool`] with a
//! [`Presentation`], wrapped in [`TypedDefinition`].
//!
//! This crate knows no tool by what it does, and touches no file, process or terminal.

mod actions;
mod card;
mod context;
mod definition;
mod image;
mod normalise;
mod projection;
mod prompt;
mod prompt_text;
mod registry;
mod selection;
mod session_view;
mod truncate;
mod typed;
mod ui;

pub use actions::{ActiveChange, ActiveChanged, HostActions, NoActions};
pub use card::{generic_call_card, generic_result_card};
pub use context::{ContextSource, FixedContext, ToolContext};
pub use definition::{RenderShell, ResultView, ToolDefinition};
pub use image::{FittedImage, ImageFault, ImageKind, ImageLimits, fit_image, sniff_image};
pub use normalise::{MAX_CONTENT_BYTES, MAX_DETAILS_BYTES, OutputStore, ProductNormalise};
pub use projection::{tool_definition_from_agent_tool, wrap_registered_tool, wrap_tool_definition};
pub use prompt::ToolPrompt;
pub use prompt_text::PromptText;
pub use registry::{
    Layer, RegisterError, RegisteredTool, ToolInfo, ToolRegistry, ToolRow, ToolSnapshot,
};
pub use selection::{
    DefaultTools, DeniedTools, InactiveReason, NameList, NamePattern, Preset, Selection,
    SelectionError, ToolList, UnmatchedName,
};
pub use session_view::{NoSession, SessionView};
pub use truncate::{
    DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES, MATCH_LINE_MAX_CHARS, ShownTail, TailWindow, TextLimits,
    Truncated, TruncatedBy, TruncatedLine, Truncation, decode_for_model, format_size,
    truncate_head, truncate_line, truncate_tail,
};
pub use typed::{Presentation, TypedDefinition};
pub use ui::{AskOptions, NoUi, Ui, WidgetPlace};
