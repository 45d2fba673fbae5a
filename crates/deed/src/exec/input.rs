use std::io::{BufReader, Chain, Cursor, Read};

use deed_protocol::AssistantMessage;
use serde_json::de::IoRead;
use serde_json::value::RawValue;
use serde_json::{Deserializer, StreamDeserializer};
use thiserror::Error;

use super::item;
use super::lines::{LineStarts, Watched};

/// Bytes that are read at once.
const READ_BYTES: usize = 64 * 1024;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// Reasons of the JSON reader that say little, and what they mean.
const REASONS: &[(&str, &str)] = &[
    ("expected value", "no JSON value begins like this"),
    ("expected ident", "no JSON value begins like this"),
    (
        "invalid unicode code point",
        "the item has bytes that are not UTF-8",
    ),
];

/// Why the input cannot be run.
#[derive(Debug, Error)]
pub(super) enum InputError {
    /// It is no JSON.
    #[error("line {line}, column {column}: this is not JSON: {reason}")]
    Syntax {
        /// Where, from 1.
        line: usize,
        /// Bytes of the line up to there.
        column: usize,
        /// What is wrong.
        reason: String,
    },
    /// It ends too early.
    #[error("line {line}: the input ends before the item that begins here is complete")]
    Cut {
        /// Where the item begins, from 1.
        line: usize,
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

type Text<R> = BufReader<Watched<Chain<Cursor<Vec<u8>>, R>>>;
type Values<R> = StreamDeserializer<'static, IoRead<Text<R>>, Box<RawValue>>;

/// The items of an input, one after the other, each a message with tool calls.
pub(super) struct Items<R: Read> {
    values: Values<R>,
    lines: LineStarts,
    count: usize,
}

impl<R: Read> Items<R> {
    pub(super) fn new(source: R) -> Self {
        let lines = LineStarts::default();
        let reader = lines.watch(without_bom(source));
        let reader = BufReader::with_capacity(READ_BYTES, reader);
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
        if error.is_eof() {
            let line = self.lines.line_1based(self.values.byte_offset());
            return InputError::Cut { line };
        }
        let text = error.to_string();
        let reason = text.split(" at line ").next().unwrap_or(&text);
        let clearer = REASONS.iter().find(|(theirs, _)| *theirs == reason);
        InputError::Syntax {
            line: error.line(),
            column: error.column(),
            reason: clearer.map_or(reason, |(_, ours)| ours).to_owned(),
        }
    }
}

/// Takes away the mark that some programs put before UTF-8 text.
fn without_bom<R: Read>(mut source: R) -> Chain<Cursor<Vec<u8>>, R> {
    let mut start = Vec::new();
    // A source that fails does so again when the items are read.
    source.by_ref().take(3).read_to_end(&mut start).ok();
    if start == BOM {
        start.clear();
    }
    Cursor::new(start).chain(source)
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
