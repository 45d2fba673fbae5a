//! The events of a session as lines.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use deed_agent::{BarrierSink, BoxFuture};
use deed_harness::AgentSession;
use deed_protocol::{Event, EventBody, ToolCard, to_json_line};
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
    Call(Arc<Value>),
    Result(Arc<Value>, &'e deed_protocol::ToolResult, ResultView),
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

    /// Adds the card of its call to each `tool_execution_*`, as the session's tools draw it.
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
        let (session, tool_name, drawn) = {
            let mut cards = self.cards();
            let cards = cards.as_mut()?;
            let (tool_name, drawn) = cards.drawn(body)?;
            (cards.session.clone(), tool_name, drawn)
        };
        Some(match drawn {
            Drawn::Call(args) => session.call_card(tool_name, &args).await,
            Drawn::Result(args, result, view) => {
                session.result_card(tool_name, &args, result, view).await
            }
        })
    }
}

impl Cards {
    fn drawn<'e>(&mut self, body: &'e EventBody) -> Option<(&'e str, Drawn<'e>)> {
        match body {
            EventBody::ToolExecutionStart {
                tool_call_id,
                tool_name,
                args,
            } => {
                let args = Arc::new(parsed(args));
                let of_call = self.args.entry(tool_call_id.clone()).or_default();
                of_call.push(args.clone());
                Some((tool_name, Drawn::Call(args)))
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
                Some((tool_name, Drawn::Result(args, partial_result, view)))
            }
            EventBody::ToolExecutionEnd {
                tool_call_id,
                tool_name,
                result,
                ..
            } => {
                let args = self.ended(tool_call_id)?;
                let view = ResultView::default();
                Some((tool_name, Drawn::Result(args, result, view)))
            }
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
