//! The audit log: what was asked, decided, allowed and done, in a chain of hashes.
//!
//! # Shape
//!
//! One folder holds one chain, cut into files by month (`audit-2026-12.jsonl`, UTC). A line is
//! `{"h":"…","r":{…}}`, where `h` is the SHA-256 of exactly the bytes of `r`, and `r` is canonical
//! JSON (RFC 8785). `r` names the hash of the record before it (`prev`, zeros for the very first) and
//! its number in the whole chain (`seq`, from 1). Each file begins with a `genesis` that names the
//! file before. `audit.head` is one fixed-size line with the end of the chain, rewritten in place: a
//! chain alone does not show that its last records were cut off.
//!
//! # Writers
//!
//! Several processes use one folder. Each append takes the exclusive lock of `audit.head`, looks
//! whether the log is as it left it (and reads the tail again if not), marks the head as *begun*,
//! writes all lines in one `write`, and settles the head. So a process killed at any moment leaves
//! either whole records or one torn line, and the mark tells an unfinished append from a forged one.
//! What [`AuditLog::append`] returned for survives the end of the process; a thread syncs within
//! 50 ms, from the first record on that is not of mere reading, and [`Durability::Strict`] or
//! [`AuditLog::append_synced`] before returning. The head is always synced in the background: after a power cut it may lag behind the log, which is a finding
//! of [`verify`] until the next append, and a recovery on record from then on.
//!
//! # When something is wrong
//!
//! * A torn last line is moved to `NAME.torn-SEQ`; a `recovered` record names its hash and size.
//! * A log that does not end where the head says it does not lock its user out: opening reports it,
//!   and the next append writes a `recovered` record that names the mismatch, chained on what is
//!   there. After a cut the numbers go on behind the head's, so that the gap stays visible for ever.
//! * An append that fails leaves no torn line if it can help it, and the log is broken: each later
//!   append fails with the same words until it is opened anew. Nobody may act without a record.
//!
//! # Limits
//!
//! Whoever may write the folder can write the whole chain and its head anew. Against that helps only
//! a head kept elsewhere ([`VerifyOptions::expected_head`]). There is no keyed hash in this version:
//! a key that the same user can read would add nothing.

mod bound;
mod clock;
mod entry;
mod error;
mod event;
mod facts;
mod finding;
mod head;
mod line;
mod log;
mod place;
mod record;
mod scrub;
mod show;
mod sync;
mod tail;
mod verify;
mod words;
mod writer;

pub use clock::Moment;
pub use entry::Entry;
pub use error::AuditError;
pub use event::Event;
pub use facts::{
    ApprovalAnswer, ApprovalAsked, ApprovalDecision, CallRef, Decided, HookChange, OutcomeRecord,
};
pub use finding::{Finding, FindingKind};
pub use log::{AppendedRange, AuditConfig, AuditLog, Durability};
pub use show::{Filter, ReadError, Shown, read};
pub use verify::{Anchor, RecordRef, Report, VerifyOptions, verify};
