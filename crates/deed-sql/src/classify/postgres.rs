use sqlparser::dialect::PostgreSqlDialect;

use super::first_word::{self, Beginning};
use super::lexer::Token;
use super::{Classified, SqlClass, tree};
use crate::Dialect;

/// The operators of `pg_catalog`, and the marks of the grammar that are written alike. Any other was
/// defined by somebody and may do anything.
///
/// Source: `SELECT DISTINCT oprname FROM pg_operator` on PostgreSQL 15.18.
const OPERATORS: &str = "!! !~ !~* !~~ !~~* # ## #- #> #>> % & && &< &<| &> * *< *<= *<> *= *> *>= \
     + - -> ->> -|- / < <-> << <<= <<| <= <> <@ <^ = > >= >> >>= >^ ? ?# ?& ?- ?-| ?| ?|| @ @-@ @> \
     @? @@ @@@ ^ ^@ | |&> |/ |>> || ||/ ~ ~* ~<=~ ~<~ ~= ~>=~ ~>~ ~~ ~~* != => :: := : ( ) , . [ ]";

const UNCERTAIN: &str = "it could not be read with certainty";

pub(super) fn classify(plain: &str, tokens: &[Token]) -> Classified {
    match first_word::look_up(first_word::POSTGRES, tokens) {
        Beginning::Known(mut found) => {
            found.is_outside_transaction = is_outside_transaction(tokens);
            found
        }
        Beginning::Parse => {
            let mut found = tree::classify(Dialect::Postgres, &PostgreSqlDialect {}, plain)
                .unwrap_or_else(|| Classified::new(SqlClass::Write, UNCERTAIN));
            unknown_marks(tokens, &mut found);
            found
        }
    }
}

fn unknown_marks(tokens: &[Token], found: &mut Classified) {
    for token in tokens {
        match token {
            Token::Mark(mark) if !OPERATORS.split_whitespace().any(|known| known == mark) => {
                let reason = format!("the operator {mark} is not one of PostgreSQL's own");
                found.raise(SqlClass::Write, reason);
            }
            Token::EscapedName => found.raise(SqlClass::Write, UNCERTAIN),
            _ => {}
        }
    }
}

/// Tells whether the server refuses the statement inside a transaction.
fn is_outside_transaction(tokens: &[Token]) -> bool {
    let mut words = tokens.iter().map_while(Token::word);
    match (words.next(), words.next()) {
        (Some("vacuum"), _) | (Some("alter"), Some("system")) => true,
        (Some("create" | "drop"), Some("database" | "tablespace" | "subscription")) => true,
        (Some("create" | "drop" | "reindex"), _) => {
            let is_concurrent = |token: &Token| token.word() == Some("concurrently");
            tokens.iter().take(6).any(is_concurrent)
        }
        _ => false,
    }
}
