//! The state of a user interface, kept from the stream of events: one card for each call, by its id,
//! which updates change and never double.
#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use std::collections::HashMap;
use std::sync::Arc;

use deed_harness::wall_clock_ms;
use deed_protocol::{AssistantDelta, Event, EventBody, Message};

/// What a window would draw.
#[derive(Default)]
struct Store {
    text: String,
    order: Vec<Arc<str>>,
    cards: HashMap<Arc<str>, Card>,
}

#[derive(Default)]
struct Card {
    tool: Arc<str>,
    state: &'static str,
    output: String,
}

impl Store {
    fn take(&mut self, event: &Event) {
        match &event.body {
            EventBody::MessageUpdate {
                assistant_message_event: AssistantDelta::TextDelta { delta, .. },
                ..
            } => self.text.push_str(delta),
            EventBody::ToolExecutionStart {
                tool_call_id,
                tool_name,
                ..
            } => {
                self.order.push(tool_call_id.clone());
                let card = self.cards.entry(tool_call_id.clone()).or_default();
                card.tool = tool_name.clone();
                card.state = "runs";
            }
            EventBody::ToolExecutionUpdate {
                tool_call_id,
                partial_result,
                ..
            } => self.change(tool_call_id, "runs", partial_result.joined_text()),
            EventBody::ToolExecutionEnd {
                tool_call_id,
                result,
                is_error,
                ..
            } => {
                let state = if *is_error { "failed" } else { "done" };
                self.change(tool_call_id, state, result.joined_text());
            }
            _ => {}
        }
    }

    fn change(&mut self, call: &Arc<str>, state: &'static str, output: String) {
        if let Some(card) = self.cards.get_mut(call) {
            card.state = state;
            card.output = output;
        }
    }
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let session = embedding::session().await?.build()?;
    let prompt = embedding::prompt_or("Look around.");
    let mut run = session.start(vec![Message::user(prompt, wall_clock_ms())]);
    let mut store = Store::default();
    while let Some(event) = run.next().await {
        store.take(&event);
    }
    run.end().await?;
    for id in &store.order {
        if let Some(card) = store.cards.get(id) {
            let lines = card.output.lines().count();
            println!("[{}] {}: {}, {lines} lines", id, card.tool, card.state);
        }
    }
    println!("{}", store.text);
    Ok(())
}
