use std::borrow::Cow;

use serde::Serialize;

use crate::SqlLimits;

/// The longest value that is shown whole.
const MAX_CELL_CHARS: usize = 2000;

/// A column of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Column {
    pub(crate) name: String,
    /// What the engine calls its type; empty if it has none.
    #[serde(rename = "type")]
    pub(crate) type_name: String,
}

/// A value, as an engine gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cell<'a> {
    Null,
    Bool(bool),
    /// Digits; what is no number of JSON, such as `NaN`, is text.
    Number(Cow<'a, str>),
    Text(Cow<'a, str>),
    /// So many bytes.
    Blob(usize),
}

/// What cut a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CutBy {
    Rows,
    Bytes,
}

/// Whether further rows are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    More,
    NoMore,
}

/// The rows of a result as text, which stop at the limits.
///
/// Shape: a line for each row, a JSON array but for two marks outside quotes: `<blob 12 bytes>`, and
/// behind a text that was cut `<cut: 5000 characters>`. So NULL, a text 'NULL', a number and a text of
/// digits can be told apart, and a line break in a value makes no further line.
#[derive(Debug)]
pub(crate) struct Rows {
    pub(crate) columns: Vec<Column>,
    pub(crate) text: String,
    pub(crate) count: usize,
    pub(crate) cut_by: Option<CutBy>,
    pub(crate) has_cut_cells: bool,
    limits: SqlLimits,
}

impl Rows {
    pub(crate) fn new(columns: Vec<Column>, limits: SqlLimits) -> Self {
        Self {
            columns,
            text: String::new(),
            count: 0,
            cut_by: None,
            has_cut_cells: false,
            limits,
        }
    }

    /// Adds a row, if there is room.
    pub(crate) fn push<'a>(&mut self, cells: impl Iterator<Item = Cell<'a>>) -> Wanted {
        if self.cut_by.is_some() {
            return Wanted::NoMore;
        }
        if self.count == self.limits.max_rows {
            return self.cut(CutBy::Rows);
        }
        let start = self.text.len();
        self.text.push('[');
        for (at, cell) in cells.enumerate() {
            if at > 0 {
                self.text.push(',');
            }
            self.has_cut_cells |= write_cell(&mut self.text, &cell);
            if self.text.len() > self.limits.max_bytes {
                self.text.truncate(start);
                return self.cut(CutBy::Bytes);
            }
        }
        self.text.push_str("]\n");
        self.count += 1;
        Wanted::More
    }

    fn cut(&mut self, by: CutBy) -> Wanted {
        self.cut_by = Some(by);
        Wanted::NoMore
    }

    /// Returns the names of the columns as a line like those of the rows.
    pub(crate) fn header(&self) -> String {
        let mut line = "[".to_owned();
        for (at, column) in self.columns.iter().enumerate() {
            if at > 0 {
                line.push(',');
            }
            write_text(&mut line, &column.name);
        }
        line.push(']');
        line
    }
}

/// Writes a value; tells whether it was cut.
fn write_cell(line: &mut String, cell: &Cell<'_>) -> bool {
    match cell {
        Cell::Null => line.push_str("null"),
        Cell::Bool(value) => line.push_str(if *value { "true" } else { "false" }),
        Cell::Number(digits) if is_json_number(digits) => line.push_str(digits),
        Cell::Blob(bytes) => line.push_str(&format!("<blob {bytes} bytes>")),
        Cell::Number(text) | Cell::Text(text) => return write_text(line, text),
    }
    false
}

fn write_text(line: &mut String, text: &str) -> bool {
    let end = text.char_indices().nth(MAX_CELL_CHARS).map(|(at, _)| at);
    let shown = text.get(..end.unwrap_or(text.len())).unwrap_or_default();
    line.push('"');
    for c in shown.chars() {
        match c {
            '"' => line.push_str("\\\""),
            '\\' => line.push_str("\\\\"),
            '\n' => line.push_str("\\n"),
            '\r' => line.push_str("\\r"),
            '\t' => line.push_str("\\t"),
            _ if c.is_control() => line.push_str(&format!("\\u{:04x}", u32::from(c))),
            _ => line.push(c),
        }
    }
    line.push('"');
    if end.is_some() {
        line.push_str(&format!("<cut: {} characters>", text.chars().count()));
    }
    end.is_some()
}

fn is_json_number(text: &str) -> bool {
    // Both engines write numbers as JSON does, but for infinities, NaN and a leading point.
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.starts_with(|c: char| c.is_ascii_digit())
        && digits
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'))
}
