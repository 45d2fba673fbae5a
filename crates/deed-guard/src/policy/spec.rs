use deed_agent::Access;

use super::fields::{SQL_READS, SQL_WRITES, SqlPattern, ToolPattern};
use super::ground::Ground;
use super::path::{PathPattern, PathPatternError};
use super::wildcard::split_once_unescaped;
use crate::shell::CommandPattern;

/// What a rule speaks of.
#[derive(Debug)]
pub(crate) struct Spec {
    pub(crate) text: String,
    pub(crate) target: Target,
}

#[derive(Debug)]
pub(crate) enum Target {
    Path(Kind, Option<PathPattern>),
    Command(Option<CommandPattern>),
    Sql(SqlPattern),
    Tool(ToolPattern),
}

/// A kind of access that rules name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Read,
    Write,
    Bash,
    Sql,
}

const KINDS: [(&str, Kind); 4] = [
    ("Read", Kind::Read),
    ("Write", Kind::Write),
    ("Bash", Kind::Bash),
    ("Sql", Kind::Sql),
];

/// What other programs call a kind.
const OTHER_NAMES: [(&str, &str); 9] = [
    ("Edit", "Write"),
    ("MultiEdit", "Write"),
    ("NotebookEdit", "Write"),
    ("Glob", "Read"),
    ("Grep", "Read"),
    ("LS", "Read"),
    ("Find", "Read"),
    ("PowerShell", "Bash"),
    ("Shell", "Bash"),
];

impl Kind {
    pub(crate) fn named(name: &str) -> Option<Self> {
        KINDS
            .iter()
            .find_map(|(own, kind)| (*own == name).then_some(*kind))
    }

    pub(crate) fn of(access: &Access) -> Option<Self> {
        match access {
            Access::Read(_) => Some(Self::Read),
            Access::Write(_) => Some(Self::Write),
            Access::Command { .. } => Some(Self::Bash),
            Access::Sql { .. } => Some(Self::Sql),
            Access::None | Access::Network { .. } | Access::Opaque => None,
        }
    }
}

/// A spec that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SpecError {
    #[error("names no kind; write `Read`, `Write`, `Bash`, `Sql` or the name of a tool")]
    NoName,
    #[error("`{name}` is no kind of access; write {instead}")]
    UnknownKind { name: String, instead: String },
    #[error("has no `)` at its end; close the parenthesis")]
    Unclosed,
    #[error("is empty between the parentheses; leave them out to mean every call")]
    Empty,
    #[error("names a source for a built-in kind; leave out what follows `@`")]
    SourceOfKind,
    #[error("`{part}` names no field; write `field:pattern`")]
    NoField { part: String },
    #[error("`{name}` is there twice; write one pattern for a field")]
    FieldTwice { name: String },
    #[error("`{name}` is no field of `Sql`; write `class:…` or `db:…`")]
    SqlField { name: String },
    #[error("names no class of statements; the classes are {classes}")]
    SqlClass { classes: String },
    #[error("{0}")]
    Path(#[from] PathPatternError),
    #[error("{reason}; write the words of the command, with `*` at the end for any further ones")]
    Command { reason: String },
}

impl Spec {
    pub(crate) fn parse(text: &str, ground: &Ground) -> Result<Self, SpecError> {
        let SpecWords {
            name,
            source,
            inside,
        } = SpecWords::split(text)?;
        let target = match Kind::named(name) {
            Some(_) if source.is_some() => return Err(SpecError::SourceOfKind),
            Some(kind @ (Kind::Read | Kind::Write)) => {
                let pattern = inside.map(|inside| PathPattern::parse(inside, ground));
                Target::Path(kind, pattern.transpose()?)
            }
            Some(Kind::Bash) => Target::Command(command(inside)?),
            Some(Kind::Sql) => Target::Sql(match inside {
                Some(inside) => SqlPattern::parse(inside)?,
                None => SqlPattern::default(),
            }),
            None => Target::Tool(ToolPattern::parse(name, source, inside)?),
        };
        Ok(Self {
            text: text.to_owned(),
            target,
        })
    }

    /// Tells whether the spec covers statements that write, if it stood among what is allowed.
    pub(crate) fn covers_sql_writes(&self) -> bool {
        matches!(&self.target, Target::Sql(pattern) if pattern.covers_any(&SQL_WRITES))
    }

    /// Tells whether no call could ever run by the spec, if it stood among what is allowed.
    pub(crate) fn covers_refused_sql_only(&self) -> bool {
        let is_open = |pattern: &SqlPattern| {
            pattern.covers_any(&SQL_READS) || pattern.covers_any(&SQL_WRITES)
        };
        matches!(&self.target, Target::Sql(pattern) if !is_open(pattern))
    }
}

fn command(inside: Option<&str>) -> Result<Option<CommandPattern>, SpecError> {
    match inside.map(str::trim) {
        None | Some("*") => Ok(None),
        Some(pattern) => match CommandPattern::parse(pattern) {
            Ok(pattern) => Ok(Some(pattern)),
            Err(error) => Err(SpecError::Command {
                reason: error.to_string(),
            }),
        },
    }
}

/// The three parts of `name@source(inside)`.
pub(crate) struct SpecWords<'a> {
    pub(crate) name: &'a str,
    pub(crate) source: Option<&'a str>,
    pub(crate) inside: Option<&'a str>,
}

impl<'a> SpecWords<'a> {
    pub(crate) fn split(text: &'a str) -> Result<Self, SpecError> {
        let (head, inside) = match split_once_unescaped(text, '(') {
            Some((head, rest)) => {
                let inside = rest.strip_suffix(')').ok_or(SpecError::Unclosed)?;
                if inside.trim().is_empty() {
                    return Err(SpecError::Empty);
                }
                (head, Some(inside))
            }
            None => (text, None),
        };
        let (name, source) = match split_once_unescaped(head, '@') {
            Some((name, source)) => (name, Some(source)),
            None => (head, None),
        };
        check_name(name, source.is_some())?;
        Ok(Self {
            name,
            source,
            inside,
        })
    }
}

fn check_name(name: &str, has_source: bool) -> Result<(), SpecError> {
    let is_word = |c: char| c.is_alphanumeric() || "_-.*/:\\".contains(c);
    let Some(first) = name.chars().next().filter(|_| name.chars().all(is_word)) else {
        return Err(SpecError::NoName);
    };
    if has_source || !first.is_uppercase() || Kind::named(name).is_some() {
        return Ok(());
    }
    let known = OTHER_NAMES
        .iter()
        .find_map(|(other, own)| (*other == name).then_some(*own));
    let instead = match known {
        Some(own) => format!("`{own}(…)`"),
        None => format!("`Read`, `Write`, `Bash` or `Sql`, or `{name}@SOURCE` for a tool"),
    };
    Err(SpecError::UnknownKind {
        name: name.to_owned(),
        instead,
    })
}
