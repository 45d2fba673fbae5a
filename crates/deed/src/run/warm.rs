use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use deed_agent::{BarrierSink, BoxFuture};
use deed_protocol::{AssistantDelta, Event, EventBody};

/// Loads the schemas of schemas while a tool call still comes in: the first validation needs them,
/// and a run without calls never does.
#[derive(Debug, Default)]
pub(super) struct WarmUp {
    is_warm: AtomicBool,
}

impl BarrierSink for WarmUp {
    fn name(&self) -> &str {
        "warm-up"
    }

    fn deliver<'a>(&'a self, event: &'a Arc<Event>) -> BoxFuture<'a, Result<(), String>> {
        let begins_call = matches!(
            event.body,
            EventBody::MessageUpdate {
                assistant_message_event: AssistantDelta::ToolCallStart { .. },
                ..
            }
        );
        if begins_call && !self.is_warm.swap(true, Ordering::Relaxed) {
            std::thread::spawn(deed_schema::warm_up);
        }
        Box::pin(async { Ok(()) })
    }
}
