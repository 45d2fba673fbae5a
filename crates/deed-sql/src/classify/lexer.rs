//! Cuts a statement into tokens by the lexical rules of its engine, so that comments, quotes and
//! semicolons are what the engine takes them for.

use crate::Dialect;

mod quoted;

/// A token; comments and white space make none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A keyword or a plain name, in lower case.
    Word(String),
    /// A quoted name, without its quotes.
    Name(String),
    /// A string, of any kind.
    Text,
    /// A number.
    Number,
    /// A name that is written in code points, so that it can look like another.
    EscapedName,
    /// The end of a statement.
    Semicolon,
    /// An operator or any other mark.
    Mark(String),
}

impl Token {
    /// Returns the keyword or plain name that the token is.
    pub(super) fn word(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Tells whether the token is that mark.
    pub(super) fn is_mark(&self, mark: &str) -> bool {
        matches!(self, Self::Mark(text) if text == mark)
    }
}

/// What makes a text no SQL of the dialect.
pub(super) type Fault = String;

const OPERATOR: &str = "+-*/<>=~!@#%^&|`?";
/// What an operator must hold to be allowed to end in `+` or `-`.
///
/// Source: PostgreSQL manual, 4.1.3 Operators.
const OPERATOR_ENDS: &str = "~!@#%^&|`?";

/// A text as its engine reads it.
pub(super) struct Read {
    pub(super) tokens: Vec<Token>,
    /// The text with a space for each comment and an empty string for each string, so that a parser
    /// cannot see the ends of either elsewhere.
    pub(super) plain: String,
}

/// Cuts `text` into tokens.
///
/// Errors: what is not SQL in it.
pub(super) fn read(dialect: Dialect, text: &str) -> Result<Read, Fault> {
    let mut lexer = Lexer {
        dialect,
        rest: text.strip_prefix('\u{feff}').unwrap_or(text),
    };
    let mut tokens = Vec::new();
    let mut plain = String::with_capacity(text.len());
    loop {
        let before = lexer.rest;
        let has_more = lexer.skip_space()?;
        if lexer.rest.len() < before.len() {
            plain.push(' ');
        }
        if !has_more {
            return Ok(Read { tokens, plain });
        }
        let before = lexer.rest;
        let token = lexer.token()?;
        plain.push_str(match token {
            Token::Text => "''",
            _ => before
                .get(..before.len() - lexer.rest.len())
                .unwrap_or_default(),
        });
        tokens.push(token);
    }
}

struct Lexer<'a> {
    dialect: Dialect,
    rest: &'a str,
}

impl<'a> Lexer<'a> {
    fn is_postgres(&self) -> bool {
        self.dialect == Dialect::Postgres
    }

    fn first(&self) -> Option<char> {
        self.rest.chars().next()
    }

    /// Takes as long as `is_part` holds.
    fn take_while(&mut self, is_part: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        self.take(end)
    }

    /// Takes so many bytes.
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }

    /// Skips white space and comments; tells whether anything is left.
    fn skip_space(&mut self) -> Result<bool, Fault> {
        loop {
            self.take_while(|c| matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{b}' | '\u{c}'));
            if self.rest.starts_with("--") {
                let ends: &[char] = if self.is_postgres() {
                    &['\n', '\r']
                } else {
                    &['\n']
                };
                self.take_while(|c| !ends.contains(&c));
            } else if self.rest.starts_with("/*") {
                self.skip_comment()?;
            } else {
                return Ok(!self.rest.is_empty());
            }
        }
    }

    fn skip_comment(&mut self) -> Result<(), Fault> {
        if self.rest.starts_with("/*!") {
            return Err("a comment that begins with /*! is run as SQL by some engines".to_owned());
        }
        let mut depth = 0_usize;
        loop {
            if self.rest.starts_with("/*") && (depth == 0 || self.is_postgres()) {
                depth += 1;
                self.take(2);
            } else if self.rest.starts_with("*/") {
                depth -= 1;
                self.take(2);
                if depth == 0 {
                    return Ok(());
                }
            } else if self.take(self.first().map_or(0, char::len_utf8)).is_empty() {
                return Err("a comment does not end".to_owned());
            }
        }
    }

    fn token(&mut self) -> Result<Token, Fault> {
        let Some(first) = self.first() else {
            return Err("the text ends too early".to_owned());
        };
        if let Some(token) = self.quoted(first)? {
            return Ok(token);
        }
        match first {
            ';' => {
                self.take(1);
                Ok(Token::Semicolon)
            }
            '0'..='9' => {
                self.take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_'));
                Ok(Token::Number)
            }
            _ if is_word_start(first) => {
                let word = self.take_while(|c| is_word_start(c) || c.is_ascii_digit() || c == '$');
                Ok(Token::Word(word.to_ascii_lowercase()))
            }
            '$' => Err(parameter("$")),
            '?' | '@' | ':' if !self.is_postgres() => {
                Err(parameter(first.encode_utf8(&mut [0; 4])))
            }
            '(' | ')' | ',' | '.' | '[' | ']' | '{' | '}' => Ok(self.mark(1)),
            ':' if self.rest.starts_with("::") || self.rest.starts_with(":=") => Ok(self.mark(2)),
            ':' => Ok(self.mark(1)),
            _ if OPERATOR.contains(first) => Ok(self.mark(self.operator_bytes())),
            _ => Err(foreign(first)),
        }
    }

    fn mark(&mut self, bytes: usize) -> Token {
        Token::Mark(self.take(bytes).to_owned())
    }

    /// Returns how long the operator is that stands here.
    fn operator_bytes(&self) -> usize {
        if !self.is_postgres() {
            return 1;
        }
        let run = self
            .rest
            .find(|c| !OPERATOR.contains(c))
            .unwrap_or(self.rest.len());
        let mut operator = self.rest.get(..run).unwrap_or_default();
        for comment in ["--", "/*"] {
            let end = operator.find(comment).filter(|at| *at > 0);
            operator = operator
                .get(..end.unwrap_or(operator.len()))
                .unwrap_or_default();
        }
        if !operator.contains(|c| OPERATOR_ENDS.contains(c)) {
            let first = operator.len().min(1);
            operator = match operator.trim_end_matches(['+', '-']) {
                "" => operator.get(..first).unwrap_or_default(),
                shorter => shorter,
            };
        }
        operator.len()
    }
}

/// A letter of any script may stand in a name; other characters beyond ASCII are in none that anybody
/// would write, and some look like a mark.
fn is_word_start(c: char) -> bool {
    c == '_' || c.is_ascii_alphabetic() || !c.is_ascii() && c.is_alphanumeric()
}

fn parameter(mark: &str) -> Fault {
    format!("a parameter ({mark}) stands where a value must be written out")
}

fn foreign(c: char) -> Fault {
    let code = u32::from(c);
    if c.is_control() {
        format!("the control character U+{code:04X} outside quotes is no SQL")
    } else {
        format!("the character {c} (U+{code:04X}) outside quotes is no SQL")
    }
}
