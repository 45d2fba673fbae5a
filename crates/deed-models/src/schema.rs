//! What a provider is told of a tool: its name, its words and its schema, in the form that the wire
//! takes.

mod names;

pub use names::{MAX_NAME_LENGTH, ToolNames, wire_name};
