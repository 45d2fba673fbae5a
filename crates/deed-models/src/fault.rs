//! What keeps a model from answering, in words for the person and in kinds for programs.

use std::fmt;

use deed_protocol::ErrorKind;

mod classify;
mod provider;

pub(crate) use provider::{Refusal, fault_of_json, seconds_to_ms};

/// Why there is no answer, or only a part of one.
///
/// Nothing in here ever holds a key: texts of providers go through [`Fault::without`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// What kind of fault it is.
    pub(crate) kind: ErrorKind,
    /// What happened and what to do, for the person.
    pub(crate) text: String,
    /// Milliseconds that the provider asks to wait.
    pub(crate) retry_after_ms: Option<u64>,
}

impl Fault {
    pub(crate) fn new(kind: ErrorKind, text: impl Into<String>) -> Self {
        Self {
            kind,
            text: text.into(),
            retry_after_ms: None,
        }
    }

    /// Makes the fault of an answer that ended before it was whole.
    pub(crate) fn broke_off(why: impl fmt::Display) -> Self {
        Self::new(
            ErrorKind::Network,
            format!("the answer broke off: {why}; send the request again"),
        )
    }

    /// Makes the fault of an answer that is not in the words of its interface.
    pub(crate) fn protocol(what: impl fmt::Display) -> Self {
        Self::new(ErrorKind::Protocol, what.to_string())
    }

    /// Takes these secrets out of the text; what is as short as a word is none, such as the key that
    /// is made up for a server on this machine.
    #[must_use]
    pub(crate) fn without<'a>(mut self, secrets: impl IntoIterator<Item = &'a str>) -> Self {
        const MIN_BYTES: usize = 8;
        let secrets = secrets.into_iter().map(str::trim);
        for secret in secrets.filter(|secret| secret.len() >= MIN_BYTES) {
            self.text = self.text.replace(secret, "[key]");
        }
        self
    }
}

/// Returns the start of a text on one line, for a message.
pub(crate) fn excerpt(text: &str) -> String {
    const MAX_CHARS: usize = 300;
    let mut words = String::new();
    let mut count = 0;
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        if word.is_empty() {
            continue;
        }
        if !words.is_empty() {
            words.push(' ');
            count += 1;
        }
        for c in word.chars() {
            if count == MAX_CHARS {
                words.push('…');
                return words;
            }
            words.push(c);
            count += 1;
        }
    }
    words
}
