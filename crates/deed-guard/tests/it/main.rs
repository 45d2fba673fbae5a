//! The guard, through its public surface.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs,
    reason = "tests fail by panicking"
)]

mod audit;
mod gate;
mod policy;
mod redact;
mod shell;
mod trust;
