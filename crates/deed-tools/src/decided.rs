use std::path::Path;

use deed_agent::{Access, CallContext, ToolError};

/// Returns the path that was decided on: absolute, links followed.
pub(crate) fn decided_path(call: &CallContext) -> Option<&Path> {
    match &call.frozen().plan().access {
        Access::Read(paths) | Access::Write(paths) => paths.first().map(AsRef::as_ref),
        _ => None,
    }
}

/// Refuses a path that leads elsewhere by now than when the call was decided on.
pub(crate) fn ensure_as_decided(
    call: &CallContext,
    given: &str,
    real: &Path,
) -> Result<(), ToolError> {
    let Some(decided) = decided_path(call).filter(|decided| *decided != real) else {
        return Ok(());
    };
    Err(ToolError::Failed(format!(
        "{given} led to {} when this call was allowed and leads to {} now; nothing was done. Make \
         the call again if that is what is meant",
        decided.display(),
        real.display()
    )))
}
