//! What every wire keeps, whatever its words: one table of wires, one suite.

mod anthropic;
mod broken;
mod chat;
mod cuts;
mod faults;
mod gemini;
mod hostile;
mod requests;
mod responses;
mod streams;

use deed_agent::ModelRequest;
use deed_models::{Api, RemoteModel, StaticKey};
use serde_json::{Value, json};
use std::sync::Arc;

use crate::support::{Server, request, spec, tools, transport};

/// Every wire. Each test of the suite runs over all rows.
const ROWS: &[&Row] = &[&chat::ROW, &responses::ROW, &anthropic::ROW, &gemini::ROW];

/// What the suite must know of a wire.
struct Row {
    api: Api,
    /// The path of the base URL.
    base: &'static str,
    /// Writes an answer as this wire streams it, event by event. It tells of 100 tokens read, 10 of
    /// them from the cache, and of 20 written.
    answer: fn(&Played) -> Vec<String>,
    /// How many events at the end make an answer whole.
    end_events: usize,
    /// Whether arguments come in pieces of text.
    streams_arguments: bool,
    /// An event that tells of an overload in the middle of an answer.
    overload_event: &'static str,
    /// How an overload is told before an answer.
    overload: (u16, &'static str),
    /// How a transcript that does not fit is told.
    overflow: (u16, &'static str),
    /// How an unknown model is told.
    unknown_model: (u16, &'static str),
    /// How a wrong key is told.
    wrong_key: (u16, &'static str),
    /// Reads a request.
    sent: fn(&Value) -> Sent,
}

/// An answer to play.
#[derive(Clone, Copy)]
struct Played {
    thought: &'static str,
    text: &'static str,
    calls: &'static [PlayedCall],
}

#[derive(Clone, Copy)]
struct PlayedCall {
    id: &'static str,
    name: &'static str,
    arguments: &'static [&'static str],
}

/// What a request says, in the order in which it says it.
#[derive(Debug, Default, PartialEq)]
struct Sent {
    /// `call ID` and `result ID`.
    steps: Vec<String>,
    /// Base64 data of the pictures.
    images: Vec<String>,
}

const NOTHING: Played = Played {
    thought: "",
    text: "",
    calls: &[],
};

const TWO_CALLS: Played = Played {
    thought: "Erst lesen – 考える",
    text: "Grüße 🦀",
    calls: &[
        PlayedCall {
            id: "call_a",
            name: "read",
            arguments: &["{\"say\":\"ä", "\\n🦀\"}"],
        },
        PlayedCall {
            id: "call_b",
            name: "write",
            arguments: &["{\"ms\"", ":7}"],
        },
    ],
};

fn model(row: &Row, server: &Server) -> RemoteModel {
    let spec = spec(row.api, format!("{}{}", server.root, row.base));
    let key = StaticKey(Some("secret-key-0123".to_owned()));
    RemoteModel::new(spec, Arc::new(key), transport(), || 1_000)
}

fn hello() -> ModelRequest {
    let messages = json!([{ "role": "user", "content": "hello", "timestamp": 1 }]);
    request(&messages, tools(&["read", "write"]))
}

fn stream(row: &Row, played: &Played) -> String {
    (row.answer)(played).concat()
}
