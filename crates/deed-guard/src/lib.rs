//! What may run, who said so, and the proof.

pub mod audit;
pub mod policy;
pub mod redact;
pub mod shell;
pub mod trust;
