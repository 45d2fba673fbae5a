//! What a person decided once and for all: which files are trusted, and which rules were stored
//! with "always".
//!
//! Both stores are small JSON files that only their owner may read, replaced as a whole. Their
//! functions block on the file system. A file that cannot be read is an error, never an empty store.

mod file;
mod rules;
mod store;

pub use file::TrustError;
pub use rules::{StoredRule, StoredRules};
pub use store::{Standing, TrustEntry, TrustKind, TrustStore};
