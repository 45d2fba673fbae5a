use super::lexer::Token;
use crate::Dialect;

/// Cuts tokens into statements, without empty ones.
pub(super) fn statements(dialect: Dialect, tokens: &[Token]) -> Vec<&[Token]> {
    let mut statements = Vec::new();
    let mut rest = tokens;
    while !rest.is_empty() {
        let end = match dialect {
            Dialect::Sqlite if is_trigger(rest) => trigger_end(rest),
            _ => rest.iter().position(|token| *token == Token::Semicolon),
        };
        let (statement, behind) = rest
            .split_at_checked(end.unwrap_or(rest.len()))
            .unwrap_or((rest, &[]));
        if !statement.is_empty() {
            statements.push(statement);
        }
        rest = behind.split_first().map_or(&[], |(_, rest)| rest);
    }
    statements
}

fn is_trigger(tokens: &[Token]) -> bool {
    let mut words = tokens.iter().map_while(Token::word);
    words.next() == Some("create")
        && words.find(|word| !matches!(*word, "temp" | "temporary")) == Some("trigger")
}

/// Finds the semicolon that ends a trigger.
///
/// Source: `sqlite3_complete`, by which a trigger ends at `; END ;`.
fn trigger_end(tokens: &[Token]) -> Option<usize> {
    let at = tokens.windows(3).position(|three| {
        matches!(three, [Token::Semicolon, Token::Word(end), Token::Semicolon] if end == "end")
    });
    at.map(|at| at + 2)
}
