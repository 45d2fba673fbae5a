use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use deed_agent::{BarrierSink, BoxFuture};
use deed_extensions::DrawnCall;
use deed_harness::AgentSession;
use deed_protocol::{
    AssistantMessage, ContentBlock, CustomMessage, Event, EventBody, Message, StopReason,
    ToolResult, UserContent,
};
use deed_tooling::ResultView;
use serde_json::Value;
use serde_json::value::RawValue;

use super::Look;
use super::live::LiveLine;
use crate::writer::Writer;

/// Writes a run down for people while it happens: what is said as text, what is done as cards.
pub(crate) struct Transcript {
    session: AgentSession,
    writer: Writer,
    look: Look,
    live: LiveLine,
    /// Arguments of the calls that run, by call id; a repeated id has them in order.
    args: Mutex<HashMap<Arc<str>, Vec<Arc<RawValue>>>>,
}

impl Transcript {
    pub(crate) fn new(session: AgentSession, writer: Writer, look: Look) -> Self {
        let live = LiveLine::new(writer.clone(), &look);
        Self {
            session,
            writer,
            look,
            live,
            args: Mutex::default(),
        }
    }

    async fn take(&self, body: &EventBody) {
        match body {
            EventBody::MessageEnd { message } => self.message(message).await,
            EventBody::ToolExecutionStart {
                tool_call_id,
                tool_name,
                args,
            } => {
                self.started(tool_call_id, tool_name, args).await;
            }
            EventBody::ToolExecutionUpdate {
                tool_call_id,
                partial_result,
                ..
            } => {
                self.live
                    .updated(tool_call_id, &partial_result.joined_text());
            }
            EventBody::ToolExecutionEnd {
                tool_call_id,
                tool_name,
                result,
                ..
            } => {
                self.ended(tool_call_id, tool_name, result).await;
            }
            _ => {}
        }
    }

    async fn started(&self, call_id: &Arc<str>, tool_name: &str, args: &Arc<RawValue>) {
        self.args
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .entry(call_id.clone())
            .or_default()
            .push(args.clone());
        let call = DrawnCall {
            call_id,
            tool_name,
            args: &parsed(args),
        };
        let card = self.session.call_card(call).await;
        self.live
            .started(call_id, format!("{} {}", card.title, card.subject));
    }

    async fn ended(&self, call_id: &Arc<str>, tool_name: &str, result: &ToolResult) {
        self.live.ended(call_id);
        let args = {
            let mut args = self.args.lock().unwrap_or_else(PoisonError::into_inner);
            let of_call = args.get_mut(call_id);
            let first = of_call
                .filter(|all| !all.is_empty())
                .map(|all| all.remove(0));
            if args.get(call_id).is_some_and(Vec::is_empty) {
                args.remove(call_id);
            }
            first.map(|args| parsed(&args)).unwrap_or_default()
        };
        let view = ResultView::default();
        let call = DrawnCall {
            call_id,
            tool_name,
            args: &args,
        };
        let card = self.session.result_card(call, result, view).await;
        let drawn = deed_cards::draw_text(&card, &self.look.card_text());
        self.writer.text(format!("{drawn}\n")).await;
    }

    async fn message(&self, message: &Message) {
        let (who, text) = match message {
            Message::Custom(custom) if custom.display => return self.custom(custom).await,
            Message::User(user) => ("you", said(&user.content)),
            Message::Assistant(answer) => ("deed", answered(answer)),
            _ => return,
        };
        if !text.trim().is_empty() {
            let look = self.look.card_text();
            self.writer
                .text(deed_cards::draw_speech(who, &text, &look))
                .await;
        }
    }
}

impl Transcript {
    /// Writes a message of an extension that has a drawing for it.
    async fn custom(&self, message: &CustomMessage) {
        let view = ResultView::default();
        if let Some(card) = self.session.message_card(message, view).await {
            let drawn = deed_cards::draw_text(&card, &self.look.card_text());
            self.writer.text(format!("{drawn}\n")).await;
        }
    }
}

impl BarrierSink for Transcript {
    fn name(&self) -> &str {
        "transcript"
    }

    fn deliver<'a>(&'a self, event: &'a Arc<Event>) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            self.take(&event.body).await;
            Ok(())
        })
    }
}

fn parsed(args: &RawValue) -> Value {
    serde_json::from_str(args.get()).unwrap_or_default()
}

fn said(content: &UserContent) -> String {
    match content {
        UserContent::Text(text) => text.clone(),
        UserContent::Blocks(blocks) => texts(blocks),
    }
}

fn answered(answer: &AssistantMessage) -> String {
    let text = texts(&answer.content);
    match (&answer.stop_reason, &answer.error_message) {
        (StopReason::Error, Some(error)) => format!("{text}\nThe model failed: {error}"),
        (StopReason::Aborted, _) => format!("{text}\n(stopped)"),
        _ => text,
    }
}

fn texts(blocks: &[ContentBlock]) -> String {
    let texts: Vec<&str> = blocks.iter().filter_map(ContentBlock::as_text).collect();
    texts.join("\n")
}
