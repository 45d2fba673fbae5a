//! The built-in tools, through the real runner and with real files and processes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs,
    reason = "tests fail by panicking"
)]

mod bash;
mod cards;
mod contract;
mod decided;
mod edit;
mod find;
mod grep;
mod ls;
mod meddling;
mod path;
mod plans;
mod powershell;
mod read;
mod safety;
mod support;
mod write;
