use std::sync::Arc;

use deed_protocol::ToolResult;

use super::answer::aborted_result;
use crate::EarlyEnd;

/// The end of a call that is never decided on.
pub(super) struct Early {
    pub(super) stage: EarlyEnd,
    /// The hook that ended it, if one did.
    pub(super) hook: Option<Arc<str>>,
    pub(super) result: Box<ToolResult>,
}

impl Early {
    pub(super) fn new(stage: EarlyEnd, result: ToolResult) -> Self {
        Self {
            stage,
            hook: None,
            result: Box::new(result),
        }
    }

    pub(super) fn error(stage: EarlyEnd, text: impl Into<String>) -> Self {
        Self::new(stage, ToolResult::error(text))
    }

    pub(super) fn panicked(text: &str) -> Self {
        Self::error(EarlyEnd::Panic, format!("The tool panicked: {text}"))
    }

    pub(super) fn cancelled() -> Self {
        Self::new(EarlyEnd::Cancelled, aborted_result())
    }

    pub(super) fn by_hook(mut self, hook: &str) -> Self {
        self.hook = Some(hook.into());
        self
    }
}
