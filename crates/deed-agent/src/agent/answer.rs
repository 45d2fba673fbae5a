use std::collections::HashSet;
use std::sync::Arc;

use deed_protocol::{AssistantMessage, ContentBlock, EventBody, Message, StopReason, Usage};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::Agent;
use crate::caught::Caught;
use crate::grace::grace_over;
use crate::{ModelDelta, ModelRequest, TurnInputs};

/// Deltas that may wait before the model waits for the consumers.
const MAX_WAITING_DELTAS: usize = 256;

/// What listeners know of an answer that is not whole yet.
#[derive(Default)]
struct Told {
    /// Whether they know that it began.
    has_begun: bool,
    /// What it used so far.
    usage: Usage,
}

impl Agent {
    /// Asks the model and announces its answer while it comes.
    pub(super) async fn answer(
        &self,
        inputs: &TurnInputs,
        cancel: &CancellationToken,
    ) -> Arc<Message> {
        let seams = &self.0.seams;
        let mut told = Told::default();
        let mut answer = if cancel.is_cancelled() {
            self.failed_answer(StopReason::Aborted, None)
        } else {
            self.ask_model(inputs, cancel, &mut told).await
        };
        self.name_nameless_calls(&mut answer);
        let message = seams.hooked_message(Message::Assistant(answer)).await;
        if !told.has_begun {
            seams
                .bus
                .emit(EventBody::MessageStart {
                    message: message.clone(),
                })
                .await;
        }
        seams
            .bus
            .emit(EventBody::MessageEnd {
                message: message.clone(),
            })
            .await;
        message
    }

    async fn ask_model(
        &self,
        inputs: &TurnInputs,
        cancel: &CancellationToken,
        told: &mut Told,
    ) -> AssistantMessage {
        let request = match self.request(inputs).await {
            Ok(request) => request,
            Err(fault) => return self.failed_answer(StopReason::Error, Some(fault)),
        };
        let (deltas, mut waiting) = mpsc::channel(MAX_WAITING_DELTAS);
        let seen = self.0.seams.hooks.exchange();
        let responding = Caught::new(|| match seen.as_deref() {
            Some(seen) => inputs.model.respond_seen(&request, seen, deltas, cancel),
            None => inputs.model.respond(&request, deltas, cancel),
        });
        let over = grace_over(cancel, self.0.seams.limits.cancel_grace);
        tokio::pin!(responding, over);
        let mut come = Vec::new();
        let answered = loop {
            tokio::select! {
                biased;
                () = &mut over => return self.failed_answer(StopReason::Aborted, None),
                _ = waiting.recv_many(&mut come, MAX_WAITING_DELTAS),
                    if !waiting.is_closed() || !waiting.is_empty() =>
                {
                    self.tell_deltas(&mut come, inputs, told).await;
                }
                answered = &mut responding => break answered,
            }
        };
        while let Ok(delta) = waiting.try_recv() {
            come.push(delta);
        }
        self.tell_deltas(&mut come, inputs, told).await;
        answered.unwrap_or_else(|panic| {
            self.failed_answer(
                StopReason::Error,
                Some(format!("the model panicked: {panic}")),
            )
        })
    }

    /// Errors: a hook panicked.
    async fn request(&self, inputs: &TurnInputs) -> Result<ModelRequest, String> {
        let hooks = &self.0.seams.hooks;
        let messages = self.transcript();
        let changed = Caught::new(|| hooks.context(&messages))
            .await
            .map_err(|panic| format!("hook context panicked: {panic}"))?;
        let mut request = ModelRequest {
            system: inputs.system.clone(),
            messages: changed.map_or(messages, Arc::new),
            tools: inputs.tools.clone(),
            thinking: inputs.thinking,
        };
        Caught::new(|| hooks.prepare_request(&mut request))
            .await
            .map_err(|panic| format!("hook prepare_request panicked: {panic}"))?;
        Ok(request)
    }

    /// Tells what has come, and waits until the last of it is delivered.
    async fn tell_deltas(&self, come: &mut Vec<ModelDelta>, inputs: &TurnInputs, told: &mut Told) {
        let bus = &self.0.seams.bus;
        if let (false, Some(first)) = (told.has_begun, come.first()) {
            told.has_begun = true;
            let mut begun = self.failed_answer(StopReason::Pending, None);
            let info = inputs.model.info();
            begun.api = info.api.to_string();
            begun.provider = info.provider.to_string();
            begun.model = info.id.to_string();
            begun.usage = first.usage.as_deref().cloned().unwrap_or_default();
            let message = Arc::new(Message::Assistant(begun));
            bus.emit(EventBody::MessageStart { message }).await;
        }
        let mut event = |come: ModelDelta| {
            if let Some(usage) = come.usage {
                told.usage = *usage;
            }
            EventBody::MessageUpdate {
                usage: told.usage.clone(),
                assistant_message_event: come.delta,
            }
        };
        let last = come.pop();
        come.drain(..).for_each(|delta| bus.post(event(delta)));
        if let Some(delta) = last {
            bus.emit(event(delta)).await;
        }
    }

    /// Gives calls without an id one that is the same whenever this transcript is replayed.
    fn name_nameless_calls(&self, answer: &mut AssistantMessage) {
        if !answer.tool_calls().any(|call| call.id.trim().is_empty()) {
            return;
        }
        let messages = self.transcript();
        let position = messages.len();
        // Those of the transcript too: where it became shorter, a position comes again.
        let mut taken: HashSet<Arc<str>> = messages
            .iter()
            .filter_map(|message| message.as_assistant())
            .chain([&*answer])
            .flat_map(AssistantMessage::tool_calls)
            .map(|call| call.id.clone())
            .collect();
        for (index, block) in answer.content.iter_mut().enumerate() {
            if let ContentBlock::ToolCall(call) = block
                && call.id.trim().is_empty()
            {
                let mut id: Arc<str> = format!("call_{position}_{index}").into();
                while !taken.insert(id.clone()) {
                    id = format!("{id}_").into();
                }
                call.id = id;
            }
        }
    }
}
