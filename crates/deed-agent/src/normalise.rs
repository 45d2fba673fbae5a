use deed_protocol::ToolResult;

use crate::BoxFuture;

/// Brings every result into the form that may be stored and sent: pictures that providers take,
/// content within bounds, known secrets gone.
pub trait Normalise: Send + Sync + 'static {
    /// Normalises one result, after all hooks, also of a call that never ran.
    fn normalise<'a>(&'a self, tool_name: &'a str, result: ToolResult)
    -> BoxFuture<'a, ToolResult>;
}

/// Leaves results as they are.
#[derive(Clone, Copy, Debug, Default)]
pub struct AsIs;

impl Normalise for AsIs {
    fn normalise<'a>(
        &'a self,
        _tool_name: &'a str,
        result: ToolResult,
    ) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move { result })
    }
}
