//! What the crate does, through its public surface.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs,
    reason = "tests fail by panicking"
)]

mod decode;
mod definition;
mod image;
mod normalise;
mod prompt;
mod registry;
mod selection;
mod support;
mod tail_window;
mod truncate;
