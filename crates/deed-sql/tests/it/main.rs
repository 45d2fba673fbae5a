//! `query_database`, its classifier, and both engines, with real files and a real server.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stderr,
    missing_docs,
    reason = "tests fail by panicking"
)]

mod cases;
mod classify;
mod database;
#[cfg(unix)]
mod postgres;
#[cfg(unix)]
mod server;
mod sqlite;
mod support;
mod tool;
mod within;
