//! What the first words of a statement say already.

use super::lexer::Token;
use super::{Classified, SqlClass};

/// What a statement that begins so does.
pub(super) struct Rule {
    /// Its first words.
    words: &'static str,
    class: SqlClass,
    /// What follows its first words in the reason.
    reason: &'static str,
}

const fn rule(words: &'static str, class: SqlClass, reason: &'static str) -> Rule {
    Rule {
        words,
        class,
        reason,
    }
}

use SqlClass::{Maintenance, Session, SideEffect, Write};

const TRANSACTION: &str = "would leave the transaction that each call has of its own";
const SETTING: &str = "would change the settings of the session that the call is confined by";
const PREPARED: &str = "would keep a statement or rows beyond the call";
const LISTENING: &str = "would talk with other sessions";
const ROWS: &str = "changes rows";
const SCHEMA: &str = "changes what is defined in the database";
const RIGHTS: &str = "changes who may do what";

/// Longer beginnings stand before shorter ones.
pub(super) const POSTGRES: &[Rule] = &[
    rule(
        "alter system",
        Maintenance,
        "changes the settings of the server",
    ),
    rule("set", Session, SETTING),
    rule("reset", Session, SETTING),
    rule("discard", Session, SETTING),
    rule("load", Session, "would load a library into the server"),
    rule("begin", Session, TRANSACTION),
    rule("start", Session, TRANSACTION),
    rule("commit", Session, TRANSACTION),
    rule("end", Session, TRANSACTION),
    rule("abort", Session, TRANSACTION),
    rule("rollback", Session, TRANSACTION),
    rule("savepoint", Session, TRANSACTION),
    rule("release", Session, TRANSACTION),
    rule("prepare", Session, PREPARED),
    rule("execute", Session, PREPARED),
    rule("deallocate", Session, PREPARED),
    rule("declare", Session, PREPARED),
    rule("fetch", Session, PREPARED),
    rule("move", Session, PREPARED),
    rule("close", Session, PREPARED),
    rule("listen", Session, LISTENING),
    rule("unlisten", Session, LISTENING),
    rule("notify", SideEffect, LISTENING),
    rule(
        "copy",
        SideEffect,
        "would read or write files or programs of the server",
    ),
    rule("insert", Write, ROWS),
    rule("update", Write, ROWS),
    rule("delete", Write, ROWS),
    rule("merge", Write, ROWS),
    rule("truncate", Write, ROWS),
    rule("create", Write, SCHEMA),
    rule("drop", Write, SCHEMA),
    rule("alter", Write, SCHEMA),
    rule("comment", Write, SCHEMA),
    rule("import", Write, SCHEMA),
    rule("refresh", Write, "fills a view anew"),
    rule("grant", Write, RIGHTS),
    rule("revoke", Write, RIGHTS),
    rule("reassign", Write, RIGHTS),
    rule("security", Write, RIGHTS),
    rule("do", Write, "runs a block of code"),
    rule("call", Write, "runs a procedure"),
    rule("analyze", Maintenance, "writes statistics"),
    rule("analyse", Maintenance, "writes statistics"),
    rule("vacuum", Maintenance, "rewrites the files of tables"),
    rule("reindex", Maintenance, "builds indexes anew"),
    rule("cluster", Maintenance, "rewrites tables"),
    rule(
        "checkpoint",
        Maintenance,
        "makes the server write its buffers",
    ),
    rule("lock", Maintenance, "keeps others from a table"),
];

pub(super) const SQLITE: &[Rule] = &[
    rule("attach", Session, "would open another file"),
    rule("detach", Session, "would close a file of the connection"),
    rule("begin", Session, TRANSACTION),
    rule("commit", Session, TRANSACTION),
    rule("end", Session, TRANSACTION),
    rule("rollback", Session, TRANSACTION),
    rule("savepoint", Session, TRANSACTION),
    rule("release", Session, TRANSACTION),
    rule(
        "vacuum",
        SideEffect,
        "would copy the database through another file",
    ),
    rule("insert", Write, ROWS),
    rule("replace", Write, ROWS),
    rule("update", Write, ROWS),
    rule("delete", Write, ROWS),
    rule("create", Write, SCHEMA),
    rule("drop", Write, SCHEMA),
    rule("alter", Write, SCHEMA),
    rule("analyze", Maintenance, "writes statistics"),
    rule("reindex", Maintenance, "builds indexes anew"),
];

/// The beginnings of statements that must be parsed to know what they do.
const PARSED: [&str; 6] = ["select", "with", "values", "explain", "table", "show"];

/// What the first words say.
pub(super) enum Beginning {
    Known(Classified),
    /// Only the whole statement tells.
    Parse,
}

/// Looks the first words up.
pub(super) fn look_up(rules: &[Rule], tokens: &[Token]) -> Beginning {
    let words: Vec<&str> = tokens.iter().map_while(Token::word).take(3).collect();
    let rule = rules.iter().find(|rule| {
        let mut at = words.iter();
        rule.words.split(' ').all(|word| at.next() == Some(&word))
    });
    if let Some(rule) = rule {
        let reason = format!("{} {}", rule.words.to_uppercase(), rule.reason);
        return Beginning::Known(Classified::new(rule.class, reason));
    }
    let inner = tokens.iter().find(|token| !token.is_mark("("));
    match inner.and_then(Token::word) {
        Some(word) if PARSED.contains(&word) => Beginning::Parse,
        Some(word) => {
            let reason = format!(
                "no statement that can run here begins with {}",
                word.to_uppercase()
            );
            Beginning::Known(Classified::new(SqlClass::Invalid, reason))
        }
        None => {
            let reason = "it does not begin like a statement";
            Beginning::Known(Classified::new(SqlClass::Invalid, reason))
        }
    }
}
