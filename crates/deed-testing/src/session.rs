//! Parts of whole sessions: where they work, what their model is asked, tools and extensions that do
//! what a test tells them to.

mod extension;
mod host_tool;
mod watched;
mod workplace;

pub use extension::extension;
pub use host_tool::HostTool;
pub use watched::{Asked, WatchedModel};
pub use workplace::Workplace;
