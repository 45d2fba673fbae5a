//! Whole sessions: the real tools in a real folder, played by the scripted model.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs,
    reason = "tests fail by panicking"
)]

mod activation;
mod bash;
mod cancel;
mod compaction;
mod credentials;
mod extension_files;
mod files;
mod first_request;
mod guard;
mod host;
mod import;
mod limits;
mod model_choice;
mod policy_files;
mod project_trust;
mod prompt;
mod record;
mod resources;
mod retry;
mod run;
mod settings;
mod support;
