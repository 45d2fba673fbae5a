//! The pragmas that may run, and in which form; sqlparser reads only some of them.

use super::lexer::Token;
use super::{Classified, SqlClass};

/// Read by their bare name.
const BARE: [&str; 18] = [
    "application_id",
    "auto_vacuum",
    "collation_list",
    "compile_options",
    "data_version",
    "database_list",
    "encoding",
    "foreign_keys",
    "freelist_count",
    "function_list",
    "journal_mode",
    "module_list",
    "page_count",
    "page_size",
    "pragma_list",
    "schema_version",
    "table_list",
    "user_version",
];

/// Read, with the name of a table or an index in parentheses.
const OF_OBJECT: [&str; 7] = [
    "foreign_key_list",
    "index_info",
    "index_list",
    "index_xinfo",
    "table_info",
    "table_list",
    "table_xinfo",
];

/// Read everything, with or without a value in parentheses.
const CHECKS: [&str; 3] = ["foreign_key_check", "integrity_check", "quick_check"];

/// Change the file without changing what it says.
const MAINTENANCE: [&str; 3] = ["incremental_vacuum", "optimize", "wal_checkpoint"];

/// Tells whether a pragma only reads, with or without a value.
pub(crate) fn is_reading_pragma(name: &str, has_value: bool) -> bool {
    CHECKS.contains(&name)
        || if has_value {
            OF_OBJECT.contains(&name)
        } else {
            BARE.contains(&name)
        }
}

/// Tells whether a pragma takes care of the file.
pub(crate) fn is_maintenance_pragma(name: &str) -> bool {
    MAINTENANCE.contains(&name)
}

/// Reads what stands behind the word `PRAGMA`.
///
/// Shape: `[SCHEMA.]NAME` or `[SCHEMA.]NAME(VALUE)`; the form with `=` sets something.
pub(super) fn classify(tokens: &[Token]) -> Classified {
    let Some((name, rest)) = name(tokens) else {
        return Classified::new(SqlClass::Invalid, "a PRAGMA has no name");
    };
    let has_value = match rest {
        [] => Some(false),
        [open, value, close] if open.is_mark("(") && close.is_mark(")") => matches!(
            value,
            Token::Word(_) | Token::Name(_) | Token::Text | Token::Number
        )
        .then_some(true),
        _ => None,
    };
    let upper = name.to_uppercase();
    match has_value {
        Some(_) if CHECKS.contains(&name) => Classified::new(
            SqlClass::Resource,
            format!("PRAGMA {upper} reads the whole database"),
        ),
        Some(has_value) if is_reading_pragma(name, has_value) => {
            Classified::new(SqlClass::Read, format!("PRAGMA {upper} only reads"))
        }
        Some(_) if is_maintenance_pragma(name) => Classified {
            is_outside_transaction: true,
            ..Classified::new(
                SqlClass::Maintenance,
                format!("PRAGMA {upper} rewrites parts of the file"),
            )
        },
        _ => {
            let reason =
                format!("PRAGMA {upper} would change the connection or the file in this form");
            Classified::new(SqlClass::Session, reason)
        }
    }
}

fn name(tokens: &[Token]) -> Option<(&str, &[Token])> {
    match tokens {
        [Token::Word(_), dot, Token::Word(name), rest @ ..] if dot.is_mark(".") => {
            Some((name, rest))
        }
        [Token::Word(name), rest @ ..] => Some((name, rest)),
        _ => None,
    }
}
