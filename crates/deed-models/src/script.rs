//! A model that says what a file tells it to say.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use deed_agent::{BoxFuture, Model, ModelDelta, ModelInfo, ModelRequest};
use deed_protocol::{AssistantMessage, ContentBlock, Message, StopReason};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

mod deltas;
mod format;

pub use format::{Script, ScriptCall, ScriptError, ScriptTurn};

/// Plays the turns of a [`Script`], one for each request.
///
/// A turn that expects something of the last results, and does not find it, is answered by an
/// error; so is a request beyond the last turn.
#[derive(Debug)]
pub struct ScriptedModel {
    info: ModelInfo,
    script: Script,
    next_turn: AtomicUsize,
    now_ms: fn() -> i64,
}

impl ScriptedModel {
    /// Makes a model that begins with the first turn.
    ///
    /// Units: `now_ms` returns milliseconds since 1970.
    pub fn new(script: Script, now_ms: fn() -> i64) -> Self {
        let info = ModelInfo {
            api: "script".into(),
            provider: "script".into(),
            id: "script".into(),
            takes_images: true,
            context_window: 0,
            max_output_tokens: 0,
        };
        Self {
            info,
            script,
            next_turn: AtomicUsize::new(0),
            now_ms,
        }
    }

    /// Tells how many turns have not been played.
    pub fn turns_left(&self) -> usize {
        self.script
            .turns
            .len()
            .saturating_sub(self.next_turn.load(Ordering::Relaxed))
    }

    async fn play(
        &self,
        request: &ModelRequest,
        deltas: mpsc::Sender<ModelDelta>,
    ) -> AssistantMessage {
        let at = self.next_turn.fetch_add(1, Ordering::Relaxed);
        let Some(turn) = self.script.turns.get(at) else {
            let count = self.script.turns.len();
            return self.failed(format!("the script has {count} turns and all were played"));
        };
        if let Some(wanted) = &turn.expect
            && !last_results(request).contains(wanted.as_str())
        {
            let text = format!(
                "turn {} of the script expected {wanted:?} in the results",
                at + 1
            );
            return self.failed(text);
        }
        if let Some(error) = &turn.error {
            let mut message = self.failed(error.clone());
            message.error_kind = turn.error_kind;
            message.retry_after_ms = turn.retry_after_ms;
            return message;
        }
        tokio::time::sleep(Duration::from_millis(turn.delay_ms)).await;
        let content = turn.content(at);
        for delta in content
            .iter()
            .enumerate()
            .flat_map(|(index, block)| deltas::of(index, block))
        {
            // Nobody listens: the answer counts all the same.
            deltas.send(delta.into()).await.ok();
        }
        let has_calls = content
            .iter()
            .any(|block| matches!(block, ContentBlock::ToolCall(_)));
        let by_content = if has_calls {
            StopReason::ToolUse
        } else {
            StopReason::Stop
        };
        let mut message = self.message(turn.stop_reason.clone().unwrap_or(by_content));
        message.content = content;
        message.usage.cost.total = turn.cost;
        message.usage.total_tokens = turn.total_tokens;
        message
    }

    fn message(&self, reason: StopReason) -> AssistantMessage {
        let mut message = AssistantMessage::new(reason, (self.now_ms)());
        message.api = self.info.api.to_string();
        message.provider = self.info.provider.to_string();
        message.model = self.info.id.to_string();
        message
    }

    fn failed(&self, text: String) -> AssistantMessage {
        let mut message = self.message(StopReason::Error);
        message.error_message = Some(text);
        message
    }
}

impl Model for ScriptedModel {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn respond<'a>(
        &'a self,
        request: &'a ModelRequest,
        deltas: mpsc::Sender<ModelDelta>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, AssistantMessage> {
        Box::pin(async move {
            tokio::select! {
                biased;
                () = cancel.cancelled() => self.message(StopReason::Aborted),
                message = self.play(request, deltas) => message,
            }
        })
    }
}

/// Returns the text of the tool results after the last answer.
fn last_results(request: &ModelRequest) -> String {
    let mut texts = Vec::new();
    for message in request.messages.iter().rev() {
        match Arc::as_ref(message) {
            Message::Assistant(_) => break,
            Message::ToolResult(result) => {
                texts.extend(
                    result
                        .content
                        .iter()
                        .rev()
                        .filter_map(ContentBlock::as_text),
                );
            }
            _ => {}
        }
    }
    texts.reverse();
    texts.join("\n")
}
