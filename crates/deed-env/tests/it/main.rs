//! The environment, through its public surface and with real files and processes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs,
    reason = "tests fail by panicking"
)]

mod contract;
mod lines;
mod process;
mod queue;
mod read;
mod replace;
mod safety;
mod search;
mod support;
mod walk;
