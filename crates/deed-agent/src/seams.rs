use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use deed_protocol::{EventBody, Message, ToolResult};

use crate::caught::Caught;
use crate::{
    AgentHooks, AllowAll, AsIs, EventBus, ExecutionMode, Gate, KeepAll, NoHooks, Normalise,
    Redactor, SinkError,
};

/// Everything that the core is given from outside, but for tools and model.
#[derive(Clone)]
pub struct Seams {
    /// Where the product takes part.
    pub hooks: Arc<dyn AgentHooks>,
    /// What decides and records.
    pub gate: Arc<dyn Gate>,
    /// What brings results into form.
    pub normalise: Arc<dyn Normalise>,
    /// What takes secrets out.
    pub redactor: Arc<dyn Redactor>,
    /// Who hears of events.
    pub bus: EventBus,
    /// Bounds of a batch.
    pub limits: Limits,
    /// Returns milliseconds since 1970.
    pub now_ms: fn() -> i64,
}

impl Seams {
    /// Makes seams that allow everything, change nothing and tell `bus`.
    pub fn open(bus: EventBus, now_ms: fn() -> i64) -> Self {
        Self {
            hooks: Arc::new(NoHooks),
            gate: Arc::new(AllowAll),
            normalise: Arc::new(AsIs),
            redactor: Arc::new(KeepAll),
            bus,
            limits: Limits::default(),
            now_ms,
        }
    }
}

impl fmt::Debug for Seams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seams")
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// Bounds of a batch.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Whether batches run in parallel where no tool objects.
    pub execution_mode: ExecutionMode,
    /// How many calls run at once at most.
    pub max_concurrent_calls: usize,
    /// How long a call may go on after it was cancelled.
    pub cancel_grace: Duration,
    /// Whether what a hook made of arguments need not fit the tool's schema, as in Pi; it must
    /// still be an object in strict JSON, and everything after this check holds all the same.
    pub pi_compatible_hooks: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            execution_mode: ExecutionMode::Parallel,
            max_concurrent_calls: 64,
            cancel_grace: Duration::from_secs(5),
            pi_compatible_hooks: false,
        }
    }
}

impl Seams {
    /// Announces a whole message, as hooks leave it, and returns what was announced.
    pub(crate) async fn tell_message(&self, message: Message) -> Arc<Message> {
        let message = self.hooked_message(message).await;
        self.bus
            .emit(EventBody::MessageStart {
                message: message.clone(),
            })
            .await;
        self.bus
            .emit(EventBody::MessageEnd {
                message: message.clone(),
            })
            .await;
        message
    }

    /// Lets the hooks replace a finished message by one of the same role.
    pub(crate) async fn hooked_message(&self, message: Message) -> Arc<Message> {
        let replacing = Caught::new(|| self.hooks.replace_message(&message));
        let replacement = replacing.await.unwrap_or_else(|panic| {
            self.report_hook("replace_message", &panic);
            None
        });
        let like = replacement.filter(|new| may_replace(&message, new));
        Arc::new(match like {
            Some(new) => self.redacted(new),
            None => message,
        })
    }

    /// Takes secrets out of a result that a hook gave: it may hold what was taken out before.
    fn redacted(&self, message: Message) -> Message {
        let Message::ToolResult(mut message) = message else {
            return message;
        };
        let mut result = ToolResult {
            content: std::mem::take(&mut message.content),
            details: message.details.take(),
            ..ToolResult::default()
        };
        self.redactor.redact_result(&mut result);
        message.content = result.content;
        message.details = result.details;
        Message::ToolResult(message)
    }

    /// Lets a hook that panicked end the run.
    pub(crate) fn report_hook(&self, hook: &str, panic: &str) {
        self.bus.report(SinkError {
            sink: format!("hook {hook}"),
            reason: format!("it panicked: {panic}"),
        });
    }
}

/// Tells whether a message has the role of another and, if it is a result, its call.
fn may_replace(old: &Message, new: &Message) -> bool {
    let call_of = |message: &Message| {
        let result = message.as_tool_result()?;
        Some(result.tool_call_id.clone())
    };
    std::mem::discriminant(old) == std::mem::discriminant(new) && call_of(old) == call_of(new)
}
