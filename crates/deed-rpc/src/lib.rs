//! Programs that drive an agent over lines of JSON: commands in, answers and events out.
//!
//! The records are those of Pi's `--mode rpc`, so that clients written for it work: a command
//! `{id?, type, …}` a line, answered by a `response` with the same id; between the answers the events
//! of the session; questions of extensions as `extension_ui_request`, which the client answers by
//! `extension_ui_response`. A line ends with LF and with nothing else. Approvals of calls travel as
//! such questions too, with the hashes and the frozen text of the call beside what Pi's clients read.
//!
//! Nothing here opens a session, a file or a terminal: a [`SessionHost`] makes sessions, lines come
//! from [`Lines`] and go to a [`LineSink`]. A client that does not read holds the run up, and memory
//! stays as it is.
//!
//! Start reading at [`serve`]; the commands are the rows of `COMMANDS` in `command.rs`.

mod approver;
mod client;
mod command;
mod control;
mod event_sink;
mod fields;
mod host;
mod input;
mod output;
mod picture;
mod refusal;
mod response;
mod server;
mod ui;

pub use approver::RpcApprover;
pub use client::Client;
pub use control::RpcControl;
pub use event_sink::EventSink;
pub use host::{DrainModes, HostError, Hosted, SessionHost, Wanted};
pub use input::{Line, Lines, MAX_LINE_BYTES};
pub use output::LineSink;
pub use server::{ServeOptions, serve};
pub use ui::RpcUi;
