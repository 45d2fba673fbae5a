use std::sync::Arc;

use deed_protocol::{AssistantDelta, AssistantMessage, Message, ThinkingLevel, Usage};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::{BoxFuture, ExchangeHooks, ToolSet};

/// Answers a transcript.
pub trait Model: Send + Sync + 'static {
    /// Returns who it is.
    fn info(&self) -> &ModelInfo;

    /// Answers; what comes on the way goes into `deltas`.
    ///
    /// Errors: never fails; a fault is an answer whose stop reason is `error`.
    ///
    /// Cancellation: closes the connection and answers with stop reason `aborted`; what goes on five
    /// seconds later (setting) is dropped.
    fn respond<'a>(
        &'a self,
        request: &'a ModelRequest,
        deltas: mpsc::Sender<ModelDelta>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, AssistantMessage>;

    /// As [`Model::respond`], and lets `seen` see what is exchanged for it; by default there is
    /// nothing to see.
    fn respond_seen<'a>(
        &'a self,
        request: &'a ModelRequest,
        seen: &'a dyn ExchangeHooks,
        deltas: mpsc::Sender<ModelDelta>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, AssistantMessage> {
        let _ = seen;
        self.respond(request, deltas, cancel)
    }
}

/// What came of an answer.
#[derive(Clone, Debug)]
pub struct ModelDelta {
    /// What came.
    pub delta: AssistantDelta,
    /// What the answer used so far, if something new is known of it.
    pub usage: Option<Box<Usage>>,
}

impl From<AssistantDelta> for ModelDelta {
    fn from(delta: AssistantDelta) -> Self {
        Self { delta, usage: None }
    }
}

/// Who a model is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelInfo {
    /// The interface it is reached through.
    pub api: Arc<str>,
    /// Who runs it.
    pub provider: Arc<str>,
    /// Its id.
    pub id: Arc<str>,
    /// Whether it takes pictures.
    pub takes_images: bool,
    /// How large its context is.
    ///
    /// Units: tokens; 0 if unknown.
    pub context_window: u64,
    /// How much it may write at once.
    ///
    /// Units: tokens; 0 if unknown.
    pub max_output_tokens: u64,
}

/// What a model is asked.
#[derive(Clone, Debug)]
pub struct ModelRequest {
    /// The system prompt.
    pub system: Arc<str>,
    /// The transcript; shared, not copied, as long as nobody changes it.
    pub messages: Arc<Vec<Arc<Message>>>,
    /// The tools it may call.
    pub tools: Arc<ToolSet>,
    /// How much it should think.
    pub thinking: ThinkingLevel,
}
