use std::fmt;
use std::sync::Arc;

use deed_protocol::ThinkingLevel;

use crate::{Model, ToolSet};

/// What a turn works with: a snapshot, so that a change acts from the next turn on.
#[derive(Clone)]
pub struct TurnInputs {
    /// The tools that the model may call.
    pub tools: Arc<ToolSet>,
    /// The system prompt.
    pub system: Arc<str>,
    /// The model.
    pub model: Arc<dyn Model>,
    /// How much it should think.
    pub thinking: ThinkingLevel,
}

impl fmt::Debug for TurnInputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TurnInputs")
            .field("tools", &self.tools)
            .field("model", self.model.info())
            .field("thinking", &self.thinking)
            .finish_non_exhaustive()
    }
}
