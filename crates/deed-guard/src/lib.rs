//! What may run, who said so, and the proof.

pub mod redact;
pub mod shell;
