//! What a statement would do, by its text alone.
//!
//! This is the first of four fences and not the strongest one: an engine finds out more than a parser
//! can. It is there to ask a person before, rather than fail after, and to refuse what no other fence
//! stops. Whatever it does not know for certain is not a read.

use crate::Dialect;
use lexer::Token;

mod first_word;
mod functions;
mod lexer;
mod postgres;
mod pragma;
mod split;
mod sqlite;
mod tree;

pub(crate) use functions::is_pure_sqlite_function;
pub(crate) use pragma::{is_maintenance_pragma, is_reading_pragma};

/// What a statement would do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SqlClass {
    /// It reads.
    Read,
    /// It reads, and can take any amount of time or space unless it is cut.
    Resource,
    /// It takes care of stored data without changing what they say.
    Maintenance,
    /// It changes data, or it cannot be told that it does not.
    Write,
    /// It changes the session that the other fences stand in.
    Session,
    /// It reaches beyond the database.
    SideEffect,
    /// It is several statements.
    Multi,
    /// It is no statement.
    Invalid,
}

impl SqlClass {
    /// Returns the name for rules and programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Resource => "resource",
            Self::Maintenance => "maintenance",
            Self::Write => "write",
            Self::Session => "session",
            Self::SideEffect => "side_effect",
            Self::Multi => "multi",
            Self::Invalid => "invalid",
        }
    }

    /// Tells whether it may run without a person's approval.
    pub fn is_read(self) -> bool {
        matches!(self, Self::Read | Self::Resource)
    }

    /// Tells whether nothing can allow it.
    pub fn is_denied(self) -> bool {
        matches!(
            self,
            Self::Session | Self::SideEffect | Self::Multi | Self::Invalid
        )
    }
}

/// The class of a statement, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classified {
    /// What it would do.
    pub class: SqlClass,
    /// Why: a clause without a full stop, which begins in lower case.
    pub reason: String,
    /// Whether the engine runs it only outside a transaction.
    pub(crate) is_outside_transaction: bool,
}

impl Classified {
    fn new(class: SqlClass, reason: impl Into<String>) -> Self {
        Self {
            class,
            reason: reason.into(),
            is_outside_transaction: false,
        }
    }

    /// Becomes `class` if that is worse.
    fn raise(&mut self, class: SqlClass, reason: impl Into<String>) {
        if class > self.class {
            self.class = class;
            self.reason = reason.into();
        }
    }
}

/// Returns the one form of a text: what runs, and what an approval is for.
///
/// Shape: white space round it and one semicolon behind it are gone. Nothing else is folded, since two
/// texts that look alike need not mean the same.
pub fn canonical(text: &str) -> &str {
    let text = text.trim();
    text.strip_suffix(';').unwrap_or(text).trim_end()
}

/// Says what a statement would do.
pub fn classify(dialect: Dialect, text: &str) -> Classified {
    let invalid = |reason: String| Classified::new(SqlClass::Invalid, reason);
    if text.len() > crate::limits::MAX_SQL_BYTES {
        let most = crate::limits::MAX_SQL_BYTES;
        return invalid(format!("the statement is longer than {most} bytes"));
    }
    if text.contains('\0') {
        return invalid("a NUL character hides what stands behind it from the engine".to_owned());
    }
    let read = match lexer::read(dialect, text) {
        Ok(read) => read,
        Err(fault) => return invalid(fault),
    };
    let mut statements = split::statements(dialect, &read.tokens);
    match (statements.pop(), statements.is_empty()) {
        (None, _) => invalid("there is no statement in it".to_owned()),
        (Some(_), false) => {
            let count = statements.len() + 1;
            let reason = format!("it holds {count} statements, and a call runs one");
            Classified::new(SqlClass::Multi, reason)
        }
        (Some(statement), true) => one(dialect, &read.plain, statement),
    }
}

fn one(dialect: Dialect, plain: &str, tokens: &[Token]) -> Classified {
    let mut found = match dialect {
        Dialect::Postgres => postgres::classify(plain, tokens),
        Dialect::Sqlite => sqlite::classify(plain, tokens),
    };
    // A call is looked for wherever it stands, also where the parser gave up or was not asked.
    for name in called(tokens) {
        if let Some((class, reason)) = functions::denied(dialect, name) {
            found.raise(class, reason);
        }
    }
    found
}

/// Returns the names that stand before a parenthesis, in lower case if they are plain words.
fn called(tokens: &[Token]) -> impl Iterator<Item = &str> {
    tokens.windows(2).filter_map(|pair| match pair {
        [Token::Word(name) | Token::Name(name), mark] if mark.is_mark("(") => Some(name.as_str()),
        _ => None,
    })
}
