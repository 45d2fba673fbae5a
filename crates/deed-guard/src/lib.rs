//! What may run, who said so, and the proof.

pub mod audit;
pub mod redact;
pub mod shell;
