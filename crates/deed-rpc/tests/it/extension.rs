//! Extensions and tools of tests.

use std::sync::Arc;

use deed_extensions::{Extension, ExtensionApi, ExtensionError};
use deed_protocol::ToolResult;
use deed_testing::{HostTool, extension};
use deed_tooling::{ToolContext, ToolDefinition};

pub(crate) fn ext(
    register: impl Fn(&ExtensionApi) -> Result<(), ExtensionError> + Send + Sync + 'static,
) -> Arc<dyn Extension> {
    extension("test", register)
}

/// A tool that does what a test tells it to.
pub(crate) fn tool<F, R>(name: &str, act: F) -> Arc<dyn ToolDefinition>
where
    F: Fn(ToolContext) -> R + Send + Sync + 'static,
    R: Future<Output = ToolResult> + Send + 'static,
{
    HostTool::new(name, act).shared()
}
