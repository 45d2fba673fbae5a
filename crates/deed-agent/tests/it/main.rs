//! Tests of the agent core: runs with scripted models and tools, on paused time.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests fail by panicking"
)]

mod arguments;
mod attacks;
mod bus;
mod cancel;
mod gate;
mod hooks;
mod order;
mod panics;
mod record;
mod turns;
mod usage;
