//! Scripted runs for the tests of the other crates: a model that plays a script, tools that do what
//! a test tells them to, and the whole run as text to snapshot.
//!
//! Nothing here makes an authorized call or a validated argument by a back door: every run goes
//! through the real runner.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a broken fixture fails its test"
)]

mod log;
mod scenario;
#[cfg(feature = "session")]
mod session;
mod tool;

pub use log::EventLog;
pub use scenario::{Finished, Scenario, run_tool};
#[cfg(feature = "session")]
pub use session::{Asked, HostTool, WatchedModel, Workplace, extension};
pub use tool::{Act, FakeParams, FakeTool};
