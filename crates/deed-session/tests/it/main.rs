//! Sessions, through their public surface, with real files.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs,
    reason = "tests fail by panicking"
)]

mod append;
mod broken;
mod compaction;
mod context;
mod crash;
mod fork;
mod full;
mod lock;
mod old;
mod pi;
mod properties;
mod recovery;
mod store;
mod support;
mod torn;
mod tree;
