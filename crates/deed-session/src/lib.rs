//! Sessions on disk: an append-only tree of entries that survives a kill.
//!
//! A session is a file of JSON lines, a header and then entries, each with the id of the entry
//! before it. Nothing is ever rewritten: going back is moving the leaf, forgetting is a summary.
//! The format is version 3 of Pi's; what Deed adds stands in `custom` entries whose type begins
//! with `deed.`, which Pi keeps and skips.
//!
//! Start reading at [`SessionStore`], which makes, opens and finds sessions. A [`Session`] is one
//! that may be written to, a [`SessionTree`] is what can be read of it, a [`Context`] is what of a
//! branch goes to a model. [`compaction`] says when and where to cut. Nothing is printed: what was
//! wrong with a file is a [`Diagnostic`].

mod clock;
pub mod compaction;
mod context;
mod diagnostic;
mod entry_text;
mod error;
mod index;
mod load;
mod own;
mod place;
mod session;
mod store;
mod tree;
mod write;

pub use clock::{Clock, RandomBits, system_clock, system_random};
pub use context::{
    CallState, Context, ContextMessage, ModelChoice, OpenCall, Recovery, Repair, RepairKind,
    ToolNames,
};
pub use diagnostic::{Diagnostic, Finding};
pub use error::{FindError, SessionError};
pub use own::StartedCall;
pub use session::{NewBranchSummary, NewCompaction, NewCustomMessage, Session};
pub use store::{Layout, Listing, SessionRef, SessionStore, SessionSummary, StoreConfig};
pub use tree::{EntryId, LabelText, SessionTree, TreeNode};

/// The version of the format that is written.
pub const SESSION_VERSION: u32 = 3;
