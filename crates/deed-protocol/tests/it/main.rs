//! The shapes on the wire and in session files, byte for byte.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs,
    reason = "tests fail by panicking"
)]

mod card;
mod content;
mod entry;
mod event;
mod message;
mod usage;

use deed_protocol::{ContentBlock, Message};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Reads a text and writes it again.
#[track_caller]
fn rewritten<T: DeserializeOwned + Serialize>(text: &str) -> String {
    let value: T = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => panic!("{error}: {text}"),
    };
    serde_json::to_string(&value).unwrap()
}

/// Asserts that a text is read as what Deed knows and written again byte for byte.
#[track_caller]
fn assert_known_message(text: &str) {
    let message: Message = serde_json::from_str(text).unwrap();
    assert!(!matches!(message, Message::Unknown(_)), "{text}");
    assert_eq!(rewritten::<Message>(text), text);
}

/// As [`assert_known_message`], of a block.
#[track_caller]
fn assert_known_block(text: &str) {
    let block: ContentBlock = serde_json::from_str(text).unwrap();
    assert!(!matches!(block, ContentBlock::Unknown(_)), "{text}");
    assert_eq!(rewritten::<ContentBlock>(text), text);
}
