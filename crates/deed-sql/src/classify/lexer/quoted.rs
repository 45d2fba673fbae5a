use super::{Fault, Lexer, Token, is_word_start};

impl Lexer<'_> {
    /// Takes a string or a quoted name, if one begins here.
    pub(super) fn quoted(&mut self, first: char) -> Result<Option<Token>, Fault> {
        let token = match first {
            '\'' => self.delimited('\'', false).map(|_| Token::Text)?,
            '"' => Token::Name(self.delimited('"', false)?),
            '`' if !self.is_postgres() => Token::Name(self.delimited('`', false)?),
            '[' if !self.is_postgres() => Token::Name(self.bracketed()?),
            '$' if self.is_postgres() => match self.dollar_tag() {
                Some(bytes) => self.dollar_quoted(bytes)?,
                None => return Ok(None),
            },
            _ => return self.prefixed(),
        };
        Ok(Some(token))
    }

    /// Takes a string with a letter in front.
    fn prefixed(&mut self) -> Result<Option<Token>, Fault> {
        let mut chars = self.rest.chars().map(|c| c.to_ascii_lowercase());
        let start = (chars.next(), chars.next(), chars.next());
        let is_postgres = self.is_postgres();
        let (prefix_bytes, mark, has_escapes) = match start {
            (Some('e'), Some('\''), _) if is_postgres => (1, '\'', true),
            (Some('b' | 'n'), Some('\''), _) if is_postgres => (1, '\'', false),
            (Some('x'), Some('\''), _) => (1, '\'', false),
            (Some('u'), Some('&'), Some('\'')) if is_postgres => (2, '\'', false),
            (Some('u'), Some('&'), Some('"')) if is_postgres => (2, '"', false),
            _ => return Ok(None),
        };
        self.take(prefix_bytes);
        self.delimited(mark, has_escapes)?;
        Ok(Some(if mark == '"' {
            Token::EscapedName
        } else {
            Token::Text
        }))
    }

    /// Takes what stands between two marks, in which the mark is written twice, and, where
    /// `has_escapes`, also behind a backslash.
    fn delimited(&mut self, mark: char, has_escapes: bool) -> Result<String, Fault> {
        self.take(mark.len_utf8());
        let mut content = String::new();
        while let Some(c) = self.first() {
            self.take(c.len_utf8());
            if c == mark {
                if self.first() != Some(mark) {
                    return Ok(content);
                }
                self.take(mark.len_utf8());
            } else if has_escapes && c == '\\' {
                self.take(self.first().map_or(0, char::len_utf8));
            }
            content.push(c);
        }
        Err(format!("a quote ({mark}) is not closed"))
    }

    fn bracketed(&mut self) -> Result<String, Fault> {
        self.take(1);
        let content = self.take_while(|c| c != ']').to_owned();
        if self.take(1).is_empty() {
            return Err("a quote ([) is not closed".to_owned());
        }
        Ok(content)
    }

    /// Returns how long the opening of a dollar quote is, if one stands here.
    fn dollar_tag(&self) -> Option<usize> {
        let behind = self.rest.strip_prefix('$')?;
        let (tag, _) = behind.split_once('$')?;
        let is_tag = !tag.starts_with(|c: char| c.is_ascii_digit())
            && tag.chars().all(|c| is_word_start(c) || c.is_ascii_digit());
        is_tag.then_some(tag.len() + 2)
    }

    fn dollar_quoted(&mut self, tag_bytes: usize) -> Result<Token, Fault> {
        let tag = self.take(tag_bytes);
        match self.rest.find(tag) {
            Some(at) => {
                self.take(at + tag.len());
                Ok(Token::Text)
            }
            None => Err(format!("a quote ({tag}) is not closed")),
        }
    }
}
