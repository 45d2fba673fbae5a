use deed_agent::ToolError;
use deed_env::EnvError;

/// Makes a failed call of a failed operation.
pub(crate) fn tool_error(error: EnvError) -> ToolError {
    match error {
        EnvError::Cancelled => ToolError::Cancelled,
        other => ToolError::Failed(other.to_string()),
    }
}
