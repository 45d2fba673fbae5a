//! The program as a user has it: real arguments, pipes, files, processes and signals.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs,
    reason = "tests fail by panicking"
)]

mod auth;
mod config;
mod demo;
mod doctor;
mod exec;
mod exec_settings;
mod extensions;
mod guard;
mod help;
mod import;
mod input;
mod kills;
mod malformed;
mod output;
mod pages;
mod print;
mod rpc;
mod sessions;
mod signals;
mod skills;
mod sql;
mod support;
#[cfg(target_os = "linux")]
mod terminal;
mod tools;
