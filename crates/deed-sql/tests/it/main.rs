//! `query_database`, its classifier, and both engines, with real files and a real server.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs,
    reason = "tests fail by panicking"
)]

mod cases;
mod classify;
mod database;
mod sqlite;
mod support;
mod tool;
