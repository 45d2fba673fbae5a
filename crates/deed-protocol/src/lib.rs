//! The words everything else is said in: messages, content blocks, tool calls and results, usage,
//! events, ids and cards.
//!
//! The serialised shapes are Pi's (`--mode json` stream and session file, version 3): same names,
//! same order of fields, absent members left out. Fields and content types that Deed does not know
//! are kept and written back.
//!
//! This crate knows no async, no IO and no user interface. A [`ToolCard`] is plain data: nothing
//! in it names a colour, a key or an HTML tag.

mod card;
mod content;
mod entry;
mod error_kind;
mod event;
mod line;
mod message;
mod result;
mod source;
mod tagged;
mod thinking;
mod usage;

pub use card::{
    Badge, Block, Cell, DiffLine, DiffLineKind, KeyValue, NoticeLevel, Progress, Tone, ToolCard,
};
pub use content::{ContentBlock, ImageBlock, TextBlock, ThinkingBlock, ToolCall, empty_arguments};
pub use entry::{
    BranchSummaryEntry, CompactionEntry, ContextEditEntry, CustomEntry, CustomMessageEntry, Entry,
    EntryBase, LabelEntry, MessageEntry, ModelChangeEntry, Replacement, SessionInfoEntry,
    ThinkingLevelChangeEntry, UsageEntry,
};
pub use error_kind::ErrorKind;
pub use event::{AssistantDelta, Event, EventBody, SessionHeader};
pub use line::{append_json_line, to_json_line};
pub use message::{
    AssistantMessage, BashExecutionMessage, BranchSummaryMessage, CompactionSummaryMessage,
    CustomMessage, Message, StopReason, SystemMessage, ToolResultMessage, UserContent, UserMessage,
};
pub use result::ToolResult;
pub use source::{SourceInfo, SourceOrigin, SourceScope};
pub use thinking::{ThinkingLevel, UnknownThinkingLevel};
pub use usage::{Cost, Usage};

/// Fields that Deed does not know, kept in their order and written back after the known ones.
pub type Extra = serde_json::Map<String, serde_json::Value>;
