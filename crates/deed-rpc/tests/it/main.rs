//! A client on the other end of the wire: real sessions, tools and records, with the scripted model.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs,
    reason = "tests fail by panicking"
)]

mod approvals;
mod control;
mod controls;
mod dialogs;
mod ending;
mod events;
mod extension;
mod host;
mod lines;
mod prompting;
mod sessions;
mod shell;
mod state;
mod wire;
