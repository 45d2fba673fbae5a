use std::borrow::Cow;

use deed_schema::canonical_json;
use serde_json::Value;

use super::spec::SpecError;
use super::wildcard::{Wildcard, split_once_unescaped, split_unescaped, trim_unescaped, unescape};

/// Classes of statements that a rule may name, in the order from harmless to refused.
pub(crate) const SQL_CLASSES: [&str; 9] = [
    "read",
    "resource",
    "write",
    "maintenance",
    "session",
    "side_effect",
    "multi",
    "invalid",
    "dangerous",
];

/// Classes that run without a question.
pub(crate) const SQL_READS: [&str; 2] = ["read", "resource"];

/// Classes that a person may approve.
pub(crate) const SQL_WRITES: [&str; 2] = ["write", "maintenance"];

/// A pattern for statements.
#[derive(Clone, Debug, Default)]
pub(crate) struct SqlPattern {
    class: Option<Wildcard>,
    database: Option<Wildcard>,
}

impl SqlPattern {
    pub(crate) fn parse(text: &str) -> Result<Self, SpecError> {
        let mut pattern = Self::default();
        for (name, value) in fields(text)? {
            let place = match name.as_str() {
                "class" => &mut pattern.class,
                "db" => &mut pattern.database,
                _ => return Err(SpecError::SqlField { name }),
            };
            if place.replace(Wildcard::new(value)).is_some() {
                return Err(SpecError::FieldTwice { name });
            }
        }
        if !SQL_CLASSES.iter().any(|class| pattern.fits_class(class)) {
            let classes = SQL_CLASSES.join(", ");
            return Err(SpecError::SqlClass { classes });
        }
        Ok(pattern)
    }

    pub(crate) fn matches(&self, class: &str, database: &str) -> bool {
        let fits_database = |pattern: &Wildcard| pattern.matches(database);
        self.fits_class(class) && self.database.as_ref().is_none_or(fits_database)
    }

    /// Tells whether every statement fits.
    pub(crate) fn is_bare(&self) -> bool {
        self.class.is_none() && self.database.is_none()
    }

    /// Tells whether one of these classes fits.
    pub(crate) fn covers_any(&self, classes: &[&str]) -> bool {
        classes.iter().any(|class| self.fits_class(class))
    }

    fn fits_class(&self, class: &str) -> bool {
        let fits = |pattern: &Wildcard| pattern.matches(class);
        self.class.as_ref().is_none_or(fits)
    }
}

/// A pattern for calls of a tool by its name, its source and its arguments.
#[derive(Clone, Debug)]
pub(crate) struct ToolPattern {
    name: Wildcard,
    source: Option<Wildcard>,
    fields: Vec<(String, Wildcard)>,
    /// Whether arguments that the pattern does not name rule a call out.
    is_closed: bool,
}

impl ToolPattern {
    pub(crate) fn parse(
        name: &str,
        source: Option<&str>,
        inside: Option<&str>,
    ) -> Result<Self, SpecError> {
        let mut pattern = Self {
            name: Wildcard::new(name),
            source: source.map(Wildcard::new),
            fields: Vec::new(),
            is_closed: false,
        };
        let Some(inside) = inside else {
            return Ok(pattern);
        };
        let mut parts = split_unescaped(inside, ',');
        pattern.is_closed = parts.last().is_some_and(|last| last.trim() == "!");
        if pattern.is_closed {
            parts.pop();
        }
        for part in parts {
            let (name, value) = field(part)?;
            if pattern.fields.iter().any(|(other, _)| *other == name) {
                return Err(SpecError::FieldTwice { name });
            }
            pattern.fields.push((name, Wildcard::new(value)));
        }
        Ok(pattern)
    }

    /// Tells whether every call of the tool fits.
    pub(crate) fn is_bare(&self) -> bool {
        self.fields.is_empty() && !self.is_closed
    }

    pub(crate) fn names(&self, tool: &str, source_path: &str) -> bool {
        let fits_source = |pattern: &Wildcard| pattern.matches(source_path);
        self.name.matches(tool) && self.source.as_ref().is_none_or(fits_source)
    }

    /// Tells whether the arguments fit.
    ///
    /// Shape: with `is_greedy` a list fits if one of its items does, and a closed pattern is open.
    pub(crate) fn fits(&self, args: &Value, is_greedy: bool) -> bool {
        let fits_field = |(name, pattern): &(String, Wildcard)| match args.get(name) {
            Some(Value::Array(items)) if is_greedy => {
                let mut items = items.iter();
                items.any(|item| pattern.matches(&value_text(item)))
                    || args
                        .get(name)
                        .is_some_and(|all| pattern.matches(&value_text(all)))
            }
            Some(value) => pattern.matches(&value_text(value)),
            None => false,
        };
        let is_named = |name: &String| self.fields.iter().any(|(own, _)| own == name);
        let has_others = || {
            args.as_object()
                .is_some_and(|args| args.keys().any(|name| !is_named(name)))
        };
        self.fields.iter().all(fits_field) && (is_greedy || !self.is_closed || !has_others())
    }
}

/// Reads `name:value, name:value`.
///
/// Shape: names are plain, values are still escaped.
pub(crate) fn fields(text: &str) -> Result<Vec<(String, &str)>, SpecError> {
    split_unescaped(text, ',').into_iter().map(field).collect()
}

fn field(part: &str) -> Result<(String, &str), SpecError> {
    let part = trim_unescaped(part);
    match split_once_unescaped(part, ':') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((unescape(trim_unescaped(name)), trim_unescaped(value)))
        }
        _ => Err(SpecError::NoField { part: part.into() }),
    }
}

/// Returns the text of an argument that patterns look at.
pub(crate) fn value_text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        other => Cow::Owned(String::from_utf8_lossy(&canonical_json(other)).into_owned()),
    }
}
