//! Tests of models, over loopback and by script.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests fail by panicking"
)]

mod anthropic;
mod catalogue;
mod chat;
mod contract;
mod gemini;
mod local;
mod network;
mod overflow;
mod responses;
mod schema;
mod script;
mod support;
mod transcript;
