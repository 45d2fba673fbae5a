//! Extensions in whole sessions, played by the scripted model.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs,
    reason = "tests fail by panicking"
)]

mod commands;
mod dialogs;
mod events;
mod exec;
mod guards;
mod loading;
mod messages;
mod prompts;
mod renderers;
mod results;
mod session;
mod support;
mod time;
mod tools;
