//! What may run, who said so, and the proof.
//!
//! [`policy`] decides by rules, without touching anything. [`approval`] puts before a person what
//! will run, and binds the answer to it. [`audit`] writes everything down in a chain that shows a
//! later change. [`redact`] takes secrets out of what leaves. [`GuardGate`] puts them together
//! behind the gate of the runner. How a question is shown and which tools there are, this crate
//! does not know.

pub mod approval;
pub mod audit;
mod gate;
mod lock;
pub mod policy;
pub mod redact;
pub mod shell;
pub mod trust;
mod visible;

pub use gate::{
    GuardConfig, GuardGate, LiveTools, PersonCommand, PersonGrant, PersonOutcome, SessionGrant,
};
