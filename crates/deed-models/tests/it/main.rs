//! Tests of the scripted model.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests fail by panicking"
)]

mod schema;
mod script;
mod transcript;
