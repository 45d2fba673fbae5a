//! The head of a Markdown file: `key: value` lines between two lines of three dashes.
//!
//! This is the part of YAML that skills and templates use, read strictly: text, quoted text, and
//! blocks after `|` and `>`. A list or a table is passed over unless somebody asks for its key.
//! Two things go beyond YAML, since files written for other agents rely on them: a plain value may
//! hold `: `, and `[text]` may be asked for as text.

mod scalar;

use scalar::Lines;

/// What is wrong with the head of a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line_1based}: {fault}")]
pub struct FrontMatterError {
    /// Where.
    pub line_1based: usize,
    /// What.
    pub fault: FrontMatterFault,
}

/// The ways in which the head of a file can be wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrontMatterFault {
    /// It does not end.
    #[error("the head of the file does not end; close it with a line `---`")]
    Open,
    /// A line is no field.
    #[error("this is no `key: value`")]
    NoField,
    /// A key stands twice.
    #[error("`{0}` stands twice")]
    Twice(String),
    /// Quoted text does not end, or something follows it.
    #[error("quoted text must end on its line, with nothing behind it")]
    Quotes,
    /// An escape that quoted text does not know.
    #[error("`\\{0}` is no escape; write `\\\\` for a backslash")]
    Escape(char),
    /// A value begins with a character that means something else in YAML.
    #[error("a value that begins with `{0}` must be quoted")]
    Reserved(char),
    /// A value is a list or a table where text is wanted.
    #[error("`{0}` must be text")]
    NotText(&'static str),
    /// A value is neither true nor false.
    #[error("`{0}` must be true or false")]
    NotFlag(&'static str),
}

#[derive(Debug)]
enum Value {
    Text(String),
    /// On one line in brackets or braces, as it stands.
    Flow(String),
    /// A list or table on lines of its own.
    Nested,
}

#[derive(Debug)]
struct Field {
    key: String,
    value: Value,
    line_1based: usize,
}

/// The fields of a head.
#[derive(Debug, Default)]
pub(crate) struct FrontMatter(Vec<Field>);

impl FrontMatter {
    fn field(&self, key: &str) -> Option<&Field> {
        self.0.iter().find(|field| field.key == key)
    }

    /// Returns the text of a field.
    ///
    /// Errors: it is a list or a table.
    pub(crate) fn text(&self, key: &'static str) -> Result<Option<&str>, FrontMatterError> {
        match self.field(key) {
            None => Ok(None),
            Some(Field {
                value: Value::Text(text),
                ..
            }) => Ok(Some(text)),
            Some(field) => Err(field.fault(FrontMatterFault::NotText(key))),
        }
    }

    /// Returns the text of a field, or the list in brackets that stands there as it is written.
    pub(crate) fn raw(&self, key: &str) -> Option<&str> {
        match &self.field(key)?.value {
            Value::Text(text) | Value::Flow(text) => Some(text),
            Value::Nested => None,
        }
    }

    /// Returns whether a field says true.
    ///
    /// Errors: it says neither true nor false.
    pub(crate) fn flag(&self, key: &'static str) -> Result<bool, FrontMatterError> {
        let Some(field) = self.field(key) else {
            return Ok(false);
        };
        match &field.value {
            Value::Text(text) if text == "true" => Ok(true),
            Value::Text(text) if text == "false" => Ok(false),
            _ => Err(field.fault(FrontMatterFault::NotFlag(key))),
        }
    }
}

impl Field {
    fn fault(&self, fault: FrontMatterFault) -> FrontMatterError {
        FrontMatterError {
            line_1based: self.line_1based,
            fault,
        }
    }
}

/// Cuts a file into its head and its body; a file without a head is all body.
///
/// Errors: the head does not end, or a line of it is wrong.
pub(crate) fn split(text: &str) -> Result<(FrontMatter, &str), FrontMatterError> {
    let Some(rest) = after_mark(text) else {
        return Ok((FrontMatter::default(), text));
    };
    let mut head_bytes = 0;
    for line in rest.split_inclusive('\n') {
        if is_mark(line) {
            let (head, body) = rest.split_at(head_bytes);
            let body = body.get(line.len()..).unwrap_or_default();
            return Ok((parse(head)?, body));
        }
        head_bytes += line.len();
    }
    Err(FrontMatterError {
        line_1based: 1,
        fault: FrontMatterFault::Open,
    })
}

fn after_mark(text: &str) -> Option<&str> {
    let (first, rest) = text.split_once('\n')?;
    is_mark(first).then_some(rest)
}

fn is_mark(line: &str) -> bool {
    line.trim_end() == "---"
}

fn parse(head: &str) -> Result<FrontMatter, FrontMatterError> {
    // The mark is the first line of the file.
    let mut lines = Lines::new(head, 2);
    let mut fields: Vec<Field> = Vec::new();
    while let Some((line_1based, line)) = lines.next() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let at = |fault| FrontMatterError { line_1based, fault };
        let (key, rest) = key_of(line).ok_or_else(|| at(FrontMatterFault::NoField))?;
        if fields.iter().any(|field| field.key == key) {
            return Err(at(FrontMatterFault::Twice(key.to_owned())));
        }
        let value = value(rest, &mut lines).map_err(at)?;
        fields.push(Field {
            key: key.to_owned(),
            value,
            line_1based,
        });
    }
    Ok(FrontMatter(fields))
}

fn key_of(line: &str) -> Option<(&str, &str)> {
    let (key, rest) = line.split_once(':')?;
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_key = !key.is_empty() && key.chars().all(is_word);
    let is_apart = rest.is_empty() || rest.starts_with([' ', '\t']);
    (is_key && is_apart).then_some((key, rest.trim()))
}

fn value(rest: &str, lines: &mut Lines<'_>) -> Result<Value, FrontMatterFault> {
    match rest.chars().next() {
        Some('"') => scalar::double_quoted(rest).map(Value::Text),
        Some('\'') => scalar::single_quoted(rest).map(Value::Text),
        Some('|') => scalar::block(rest, lines, scalar::Fold::Keep).map(Value::Text),
        Some('>') => scalar::block(rest, lines, scalar::Fold::Join).map(Value::Text),
        Some('[' | '{') => {
            lines.take_nested();
            Ok(Value::Flow(rest.to_owned()))
        }
        Some(first @ ('&' | '*' | '!' | '%' | '@' | '`')) => Err(FrontMatterFault::Reserved(first)),
        None | Some('#') if lines.take_nested() => Ok(Value::Nested),
        _ => Ok(Value::Text(scalar::plain(rest, lines))),
    }
}
