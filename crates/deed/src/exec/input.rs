use std::io::{BufReader, Read};

use deed_protocol::AssistantMessage;
use serde_json::value::RawValue;
use serde_json::{Deserializer, StreamDeserializer};
use thiserror::Error;

use super::item;
use super::lines::{LineStarts, Watched};

/// Bytes that are read at once.
const READ_BYTES: usize = 64 * 1024;

/// Why the input cannot be run.
#[derive(Debug, Error)]
pub(super) enum InputError {
    /// It is no JSON.
    #[error("line {line}: this is not JSON: {reason}")]
    Syntax {
        /// Where, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// It is JSON, but no tool call.
    #[error("line {line}: {reason}")]
    Item {
        /// Where the item begins, from 1.
        line: usize,
        /// What is wrong, and what is wanted.
        reason: String,
    },
    /// It cannot be read.
    #[error("cannot read the input: {0}")]
    Io(String),
}

/// The items of an input, one after the other, each a message with tool calls.
pub(super) struct Items<R: Read> {
    values:
        StreamDeserializer<'static, serde_json::de::IoRead<BufReader<Watched<R>>>, Box<RawValue>>,
    lines: LineStarts,
    count: usize,
}

impl<R: Read> Items<R> {
    pub(super) fn new(source: R) -> Self {
        let lines = LineStarts::default();
        let reader = BufReader::with_capacity(READ_BYTES, lines.watch(source));
        let values = Deserializer::from_reader(reader).into_iter();
        Self {
            values,
            lines,
            count: 0,
        }
    }

    fn syntax(&self, error: &serde_json::Error) -> InputError {
        if error.is_io() {
            return InputError::Io(error.to_string());
        }
        let text = error.to_string();
        let reason = text.split(" at line ").next().unwrap_or(&text).to_owned();
        InputError::Syntax {
            line: error.line(),
            reason,
        }
    }
}

impl<R: Read> Iterator for Items<R> {
    type Item = Result<AssistantMessage, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        let raw = match self.values.next()? {
            Ok(raw) => raw,
            Err(error) => return Some(Err(self.syntax(&error))),
        };
        self.count += 1;
        let begins = self.values.byte_offset().saturating_sub(raw.get().len());
        let line = self.lines.line_1based(begins);
        let message = item::message(&raw, self.count);
        Some(message.map_err(|reason| InputError::Item { line, reason }))
    }
}
