use sqlparser::dialect::SQLiteDialect;

use super::first_word::{self, Beginning};
use super::lexer::Token;
use super::{Classified, SqlClass, pragma, tree};
use crate::Dialect;

pub(super) fn classify(plain: &str, tokens: &[Token]) -> Classified {
    if let Some((Token::Word(word), rest)) = tokens.split_first()
        && word == "pragma"
    {
        return pragma::classify(rest);
    }
    match first_word::look_up(first_word::SQLITE, tokens) {
        Beginning::Known(found) => found,
        Beginning::Parse => tree::classify(Dialect::Sqlite, &SQLiteDialect {}, plain)
            .unwrap_or_else(|| {
                Classified::new(
                    SqlClass::Invalid,
                    "it could not be read as SQL of SQLite; write it in plainer SQL",
                )
            }),
    }
}
