use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use deed_agent::{BarrierSink, BoxFuture};
use deed_protocol::{Event, EventBody};

use crate::growing::Growing;
use crate::host::Core;
use crate::{
    AgentEndEvent, AgentSettledEvent, AgentStartEvent, MessageUpdateEvent, SessionInfoChangedEvent,
    ToolExecutionEndEvent, ToolExecutionStartEvent, ToolExecutionUpdateEvent, TurnEndEvent,
    TurnStartEvent,
};

/// Tells extensions what happened. Handlers that fail or hang are the host's affair, so the run
/// goes on and the sink lives.
pub(crate) struct ExtensionSink {
    /// Weak, since the bus belongs to what the host is part of.
    core: Weak<Core>,
    turn_index: AtomicUsize,
    growing: Growing,
}

impl ExtensionSink {
    pub(crate) fn new(core: Weak<Core>) -> Self {
        Self {
            core,
            turn_index: AtomicUsize::new(0),
            growing: Growing::default(),
        }
    }
}

impl BarrierSink for ExtensionSink {
    fn name(&self) -> &str {
        "extensions"
    }

    fn deliver<'a>(&'a self, event: &'a Arc<Event>) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            if let Some(core) = self.core.upgrade() {
                self.tell(&core, &event.body).await;
            }
            Ok(())
        })
    }
}

impl ExtensionSink {
    async fn tell(&self, core: &Arc<Core>, body: &EventBody) {
        match body {
            EventBody::MessageStart { message } => {
                if core.listens_to::<MessageUpdateEvent>() {
                    self.growing.begin(message);
                }
                core.message_start(message).await;
            }
            EventBody::MessageUpdate {
                usage,
                assistant_message_event,
            } if core.listens_to::<MessageUpdateEvent>() => {
                let event = MessageUpdateEvent {
                    message: self.growing.add(assistant_message_event, usage),
                    usage: usage.clone(),
                    assistant_message_event: assistant_message_event.clone(),
                };
                core.tell_event(event, &core.cancellation()).await;
            }
            EventBody::ToolExecutionStart { .. }
            | EventBody::ToolExecutionUpdate { .. }
            | EventBody::ToolExecutionEnd { .. } => tell_execution(core, body).await,
            _ => self.tell_run(core, body).await,
        }
    }

    async fn tell_run(&self, core: &Arc<Core>, body: &EventBody) {
        let cancel = core.cancellation();
        match body {
            EventBody::AgentStart => {
                self.turn_index.store(0, Ordering::Relaxed);
                core.forget_messages();
                core.tell_event(AgentStartEvent, &cancel).await;
            }
            EventBody::TurnStart => {
                let event = TurnStartEvent {
                    turn_index: self.turn_index.load(Ordering::Relaxed),
                    timestamp_ms: core.session.now_ms(),
                };
                core.tell_event(event, &cancel).await;
            }
            EventBody::TurnEnd {
                message,
                tool_results,
            } => {
                let event = TurnEndEvent {
                    turn_index: self.turn_index.fetch_add(1, Ordering::Relaxed),
                    message: message.clone(),
                    tool_results: tool_results.clone(),
                };
                core.tell_event(event, &cancel).await;
            }
            EventBody::AgentEnd { messages, .. } => {
                let messages = messages.clone();
                core.tell_event(AgentEndEvent { messages }, &cancel).await;
            }
            EventBody::SessionInfoChanged { name } => {
                let name = name.as_deref().map(Into::into);
                core.tell_event(SessionInfoChangedEvent { name }, &cancel)
                    .await;
            }
            EventBody::AgentSettled { aborted } => {
                let aborted = *aborted;
                core.tell_event(AgentSettledEvent { aborted }, &cancel)
                    .await;
            }
            _ => {}
        }
    }
}

async fn tell_execution(core: &Arc<Core>, body: &EventBody) {
    let cancel = core.cancellation();
    match body {
        EventBody::ToolExecutionStart {
            tool_call_id,
            tool_name,
            args,
        } => {
            let event = ToolExecutionStartEvent {
                tool_call_id: tool_call_id.clone(),
                tool_name: tool_name.clone(),
                args: args.clone(),
            };
            core.tell_event(event, &cancel).await;
        }
        EventBody::ToolExecutionUpdate {
            tool_call_id,
            tool_name,
            args,
            partial_result,
        } => {
            let event = ToolExecutionUpdateEvent {
                tool_call_id: tool_call_id.clone(),
                tool_name: tool_name.clone(),
                args: args.clone(),
                partial_result: partial_result.clone(),
            };
            core.tell_event(event, &cancel).await;
        }
        EventBody::ToolExecutionEnd {
            tool_call_id,
            tool_name,
            result,
            is_error,
            ..
        } => {
            let event = ToolExecutionEndEvent {
                tool_call_id: tool_call_id.clone(),
                tool_name: tool_name.clone(),
                result: result.clone(),
                is_error: *is_error,
            };
            core.tell_event(event, &cancel).await;
        }
        _ => {}
    }
}
