//! The events of a session as lines.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use deed_agent::{BarrierSink, BoxFuture};
use deed_extensions::DrawnCall;
use deed_harness::AgentSession;
use deed_protocol::{CustomMessage, Event, EventBody, Message, ToolCard, ToolResult, to_json_line};
use deed_tooling::ResultView;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::LineSink;

/// Writes every event as one line, as Pi's `--mode json` does, and waits for who reads.
pub struct EventSink {
    to: Arc<dyn LineSink>,
    is_muted: AtomicBool,
    is_compacting: AtomicBool,
    /// Who draws the cards of calls; without it there are none.
    cards: Mutex<Option<Cards>>,
}

struct Cards {
    session: AgentSession,
    /// Arguments of the calls that run, by call id; a repeated id has them in order.
    args: HashMap<Arc<str>, Vec<Arc<Value>>>,
}

/// What the card of an event is drawn of.
enum Drawn<'e> {
    Call(Call<'e>),
    Result(Call<'e>, &'e ToolResult, ResultView),
    Message(&'e CustomMessage),
    Entry(&'e Value),
}

/// A call and its arguments, which an end does not carry.
struct Call<'e> {
    call_id: &'e str,
    tool_name: &'e str,
    args: Arc<Value>,
}

impl Call<'_> {
    fn drawn(&self) -> DrawnCall<'_> {
        DrawnCall {
            call_id: self.call_id,
            tool_name: self.tool_name,
            args: &self.args,
        }
    }
}

impl EventSink {
    /// Writes events to `to`.
    pub fn new(to: Arc<dyn LineSink>) -> Self {
        Self {
            to,
            is_muted: AtomicBool::new(false),
            is_compacting: AtomicBool::new(false),
            cards: Mutex::default(),
        }
    }

    /// Adds the card of its call to each `tool_execution_*`, as the session's tools draw it, and what
    /// extensions draw of their messages and entries to `message_start`, `message_end` and
    /// `entry_appended`.
    ///
    /// The session is held until [`EventSink::mute`].
    pub fn with_cards_of(self, session: &AgentSession) -> Self {
        *self.cards() = Some(Cards {
            session: session.clone(),
            args: HashMap::new(),
        });
        self
    }

    /// Writes nothing more.
    pub fn mute(&self) {
        self.is_muted.store(true, Ordering::Release);
        *self.cards() = None;
    }

    pub(crate) fn is_compacting(&self) -> bool {
        self.is_compacting.load(Ordering::Acquire)
    }

    fn cards(&self) -> MutexGuard<'_, Option<Cards>> {
        self.cards.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn take(&self, body: &EventBody) -> Result<(), String> {
        match body {
            EventBody::CompactionStart { .. } => self.is_compacting.store(true, Ordering::Release),
            EventBody::CompactionEnd { .. } => self.is_compacting.store(false, Ordering::Release),
            _ => {}
        }
        if self.is_muted.load(Ordering::Acquire) {
            return Ok(());
        }
        let mut line = to_json_line(body).map_err(|error| error.to_string())?;
        if let Some(card) = self.card(body).await {
            add_card(&mut line, &card).map_err(|error| error.to_string())?;
        }
        // Whoever serves the client finds out that it is gone.
        self.to.write(line).await;
        Ok(())
    }

    async fn card(&self, body: &EventBody) -> Option<ToolCard> {
        let (session, drawn) = {
            let mut cards = self.cards();
            let cards = cards.as_mut()?;
            let drawn = cards.drawn(body)?;
            (cards.session.clone(), drawn)
        };
        match drawn {
            Drawn::Call(call) => Some(session.call_card(call.drawn()).await),
            Drawn::Result(call, result, view) => {
                Some(session.result_card(call.drawn(), result, view).await)
            }
            Drawn::Message(message) => session.message_card(message, ResultView::default()).await,
            Drawn::Entry(entry) => session.entry_card(entry, ResultView::default()).await,
        }
    }
}

impl Cards {
    fn drawn<'e>(&mut self, body: &'e EventBody) -> Option<Drawn<'e>> {
        match body {
            EventBody::ToolExecutionStart {
                tool_call_id,
                tool_name,
                args,
            } => {
                let args = Arc::new(parsed(args));
                let of_call = self.args.entry(tool_call_id.clone()).or_default();
                of_call.push(args.clone());
                Some(Drawn::Call(Call {
                    call_id: tool_call_id,
                    tool_name,
                    args,
                }))
            }
            EventBody::ToolExecutionUpdate {
                tool_call_id,
                tool_name,
                partial_result,
                ..
            } => {
                let args = self.args.get(tool_call_id)?.first()?.clone();
                let view = ResultView {
                    partial: true,
                    ..ResultView::default()
                };
                let call = Call {
                    call_id: tool_call_id,
                    tool_name,
                    args,
                };
                Some(Drawn::Result(call, partial_result, view))
            }
            EventBody::ToolExecutionEnd {
                tool_call_id,
                tool_name,
                result,
                ..
            } => {
                let call = Call {
                    call_id: tool_call_id,
                    tool_name,
                    args: self.ended(tool_call_id)?,
                };
                Some(Drawn::Result(call, result, ResultView::default()))
            }
            EventBody::MessageStart { message } | EventBody::MessageEnd { message } => {
                match &**message {
                    Message::Custom(custom) => Some(Drawn::Message(custom)),
                    _ => None,
                }
            }
            EventBody::EntryAppended { entry } => Some(Drawn::Entry(entry)),
            _ => None,
        }
    }

    fn ended(&mut self, call_id: &Arc<str>) -> Option<Arc<Value>> {
        let of_call = self.args.get_mut(call_id)?;
        let first = (!of_call.is_empty()).then(|| of_call.remove(0));
        if of_call.is_empty() {
            self.args.remove(call_id);
        }
        first
    }
}

fn parsed(args: &RawValue) -> Value {
    serde_json::from_str(args.get()).unwrap_or_default()
}

/// Puts a card behind the last member of an event.
fn add_card(line: &mut String, card: &ToolCard) -> serde_json::Result<()> {
    let card = serde_json::to_string(card)?;
    // The line end and the last brace.
    line.truncate(line.len().saturating_sub("}\n".len()));
    line.push_str(",\"card\":");
    line.push_str(&card);
    line.push_str("}\n");
    Ok(())
}

impl BarrierSink for EventSink {
    fn name(&self) -> &str {
        "standard output"
    }

    fn deliver<'a>(&'a self, event: &'a Arc<Event>) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(self.take(&event.body))
    }
}

impl fmt::Debug for EventSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EventSink")
    }
}
