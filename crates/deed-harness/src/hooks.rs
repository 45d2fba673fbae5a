use std::sync::Arc;

use deed_agent::{
    AgentHooks, BoxFuture, ExchangeHooks, ModelRequest, RunEnd, ToolHook, TurnEnding, TurnPlan,
};
use deed_protocol::Message;

use crate::session::TurnSource;

/// The session's own part in the loop, in front of the host's hooks: each turn works with the
/// registry as it stands then.
pub(crate) struct SessionHooks {
    pub(crate) source: Arc<TurnSource>,
    pub(crate) inner: Arc<dyn AgentHooks>,
}

impl AgentHooks for SessionHooks {
    fn tool_hooks(&self) -> Vec<Arc<dyn ToolHook>> {
        self.inner.tool_hooks()
    }

    fn replace_message<'a>(&'a self, message: &'a Message) -> BoxFuture<'a, Option<Message>> {
        self.inner.replace_message(message)
    }

    fn context<'a>(
        &'a self,
        messages: &'a [Arc<Message>],
    ) -> BoxFuture<'a, Option<Vec<Arc<Message>>>> {
        self.inner.context(messages)
    }

    fn next_turn<'a>(&'a self, messages: &'a [Arc<Message>]) -> BoxFuture<'a, TurnPlan> {
        Box::pin(async move {
            let mut plan = self.inner.next_turn(messages).await;
            if plan.messages.is_none() {
                let cancel = self.source.batches.token();
                plan.messages = self.source.compacted_if_due(messages, &cancel).await;
            }
            plan.inputs.get_or_insert_with(|| self.source.inputs());
            self.source.record_active_tools();
            plan
        })
    }

    fn prepare_request<'a>(&'a self, request: &'a mut ModelRequest) -> BoxFuture<'a, ()> {
        self.inner.prepare_request(request)
    }

    fn exchange(&self) -> Option<Arc<dyn ExchangeHooks>> {
        self.inner.exchange()
    }

    fn finish_turn<'a>(&'a self, turn: &'a TurnEnding) -> BoxFuture<'a, bool> {
        Box::pin(async move {
            let goes_on = self.inner.finish_turn(turn).await;
            self.source.watch.turn_ended(turn) && goes_on
        })
    }

    fn will_retry<'a>(&'a self, end: &'a RunEnd) -> BoxFuture<'a, bool> {
        Box::pin(async move {
            self.source.retries.delay(end).is_some()
                || self.source.compactor.may_make_room(end)
                || self.inner.will_retry(end).await
        })
    }
}
