//! Scripts in real sessions, with a scripted model.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs,
    reason = "tests fail by panicking"
)]

mod child;
mod fetch;
mod gates;
mod hello;
mod hints;
mod hostile;
mod js_exports;
mod js_host;
mod js_node;
mod models;
mod modules;
mod node;
mod operations;
mod outside;
mod people;
mod pi_answers;
mod renderers;
mod scaffold;
mod sql;
mod support;
mod support_of_pi;
mod survey;
