use std::mem::{Discriminant, discriminant};
use std::sync::{Arc, PoisonError};

use deed_agent::{
    AgentHooks, BoxFuture, ExchangeHooks, HeaderField, ModelRequest, RunEnd, ToolHook, TurnEnding,
    TurnPlan,
};
use deed_protocol::Message;
use serde_json::Value;

use crate::host::{Core, ExtensionHost};
use crate::{
    AfterProviderResponseEvent, BeforeProviderHeadersEvent, BeforeProviderRequestEvent,
    ContextEvent, ExtensionError, MessageEndEvent, MessageStartEvent,
};

/// The part of extensions in the loop, in front of other hooks.
pub(crate) struct ExtensionHooks {
    pub(crate) host: ExtensionHost,
    pub(crate) inner: Arc<dyn AgentHooks>,
}

impl AgentHooks for ExtensionHooks {
    fn tool_hooks(&self) -> Vec<Arc<dyn ToolHook>> {
        let mut hooks = self.host.tool_hooks();
        hooks.extend(self.inner.tool_hooks());
        hooks
    }

    fn replace_message<'a>(&'a self, message: &'a Message) -> BoxFuture<'a, Option<Message>> {
        Box::pin(async move {
            let own = self.host.0.message_end(message).await;
            let inner = self.inner.replace_message(own.as_ref().unwrap_or(message));
            inner.await.or(own)
        })
    }

    fn context<'a>(
        &'a self,
        messages: &'a [Arc<Message>],
    ) -> BoxFuture<'a, Option<Vec<Arc<Message>>>> {
        Box::pin(async move {
            let own = self.host.0.messages_to_send(messages).await;
            let inner = self.inner.context(own.as_deref().unwrap_or(messages));
            inner.await.or(own)
        })
    }

    fn next_turn<'a>(&'a self, messages: &'a [Arc<Message>]) -> BoxFuture<'a, TurnPlan> {
        self.inner.next_turn(messages)
    }

    fn prepare_request<'a>(&'a self, request: &'a mut ModelRequest) -> BoxFuture<'a, ()> {
        self.inner.prepare_request(request)
    }

    fn exchange(&self) -> Option<Arc<dyn ExchangeHooks>> {
        let core = &self.host.0;
        let listens = core.listens_to::<BeforeProviderHeadersEvent>()
            || core.listens_to::<BeforeProviderRequestEvent>()
            || core.listens_to::<AfterProviderResponseEvent>();
        match listens {
            true => Some(Arc::new(ExtensionExchange(self.host.clone()))),
            false => self.inner.exchange(),
        }
    }

    fn finish_turn<'a>(&'a self, turn: &'a TurnEnding) -> BoxFuture<'a, bool> {
        self.inner.finish_turn(turn)
    }

    fn will_retry<'a>(&'a self, end: &'a RunEnd) -> BoxFuture<'a, bool> {
        self.inner.will_retry(end)
    }
}

/// The part of extensions in what is exchanged with the model's provider.
struct ExtensionExchange(ExtensionHost);

impl ExchangeHooks for ExtensionExchange {
    fn wants_headers(&self) -> bool {
        self.0.listens_to::<BeforeProviderHeadersEvent>()
    }

    fn wants_payload(&self) -> bool {
        self.0.listens_to::<BeforeProviderRequestEvent>()
    }

    fn wants_response(&self) -> bool {
        self.0.listens_to::<AfterProviderResponseEvent>()
    }

    fn headers(&self, headers: Vec<HeaderField>) -> BoxFuture<'_, Vec<HeaderField>> {
        Box::pin(async move {
            let cancel = self.0.0.cancellation();
            self.0.before_provider_headers(headers, &cancel).await
        })
    }

    fn payload(&self, payload: Arc<Value>) -> BoxFuture<'_, Arc<Value>> {
        Box::pin(async move {
            let cancel = self.0.0.cancellation();
            self.0.before_provider_request(payload, &cancel).await
        })
    }

    fn response(&self, status: u16, headers: Vec<(String, String)>) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let event = AfterProviderResponseEvent { status, headers };
            let cancel = self.0.0.cancellation();
            self.0.after_provider_response(event, &cancel).await;
        })
    }
}

/// Which messages extensions were told the beginning of.
///
/// The loop lets hooks replace a message before it announces it, unless it came bit by bit. To
/// extensions its beginning comes first all the same.
#[derive(Default)]
pub(crate) struct MessagesBegun {
    /// Announced, and not whole yet.
    announced: Vec<MessageKey>,
    /// Told ahead of the announcement.
    told_ahead: Vec<MessageKey>,
}

type MessageKey = (Discriminant<Message>, Option<Arc<str>>);

fn key(message: &Message) -> MessageKey {
    let call_id = message
        .as_tool_result()
        .map(|result| result.tool_call_id.clone());
    (discriminant(message), call_id)
}

fn take(keys: &mut Vec<MessageKey>, key: &MessageKey) -> bool {
    let at = keys.iter().position(|there| there == key);
    at.map(|at| keys.swap_remove(at)).is_some()
}

impl Core {
    /// The announcement of a message.
    pub(crate) async fn message_start(self: &Arc<Self>, message: &Arc<Message>) {
        let key = key(message);
        {
            let mut begun = self
                .messages_begun
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            if take(&mut begun.told_ahead, &key) {
                return;
            }
            begun.announced.push(key);
        }
        let message = message.clone();
        let event = MessageStartEvent { message };
        self.tell_event(event, &self.cancellation()).await;
    }

    /// Forgets what an earlier run left unfinished.
    pub(crate) fn forget_messages(&self) {
        let mut begun = self
            .messages_begun
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *begun = MessagesBegun::default();
    }

    /// Lets handlers replace a message that is whole.
    async fn message_end(self: &Arc<Self>, message: &Message) -> Option<Message> {
        let key = key(message);
        let is_announced = {
            let mut begun = self
                .messages_begun
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            let is_announced = take(&mut begun.announced, &key);
            if !is_announced {
                begun.told_ahead.push(key.clone());
            }
            is_announced
        };
        let cancel = self.cancellation();
        if !is_announced && !self.listeners::<MessageStartEvent>().is_empty() {
            let message = Arc::new(message.clone());
            self.tell_event(MessageStartEvent { message }, &cancel)
                .await;
        }
        if self.listeners::<MessageEndEvent>().is_empty() {
            return None;
        }
        let mut event = MessageEndEvent {
            message: Arc::new(message.clone()),
        };
        let like_before = |event: &mut MessageEndEvent, reply: Option<Message>| {
            if let Some(message) = reply {
                event.message = Arc::new(message);
            }
            if self::key(&event.message) == key {
                return Core::go_on();
            }
            let reason = "a message can only be replaced by one of the same role and call";
            Err(ExtensionError::from(reason))
        };
        self.chain(&mut event, &cancel, like_before).await;
        Some(Arc::unwrap_or_clone(event.message))
    }

    /// Lets handlers change what is sent to the model.
    async fn messages_to_send(
        self: &Arc<Self>,
        messages: &[Arc<Message>],
    ) -> Option<Vec<Arc<Message>>> {
        if self.listeners::<ContextEvent>().is_empty() {
            return None;
        }
        let mut event = ContextEvent {
            messages: messages.to_vec(),
        };
        let take = |event: &mut ContextEvent, reply| {
            if let Some(messages) = reply {
                event.messages = messages;
            }
            Core::go_on()
        };
        self.chain(&mut event, &self.cancellation(), take).await;
        Some(event.messages)
    }
}
