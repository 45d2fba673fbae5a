/// A pattern for a text: `*` stands for any run of characters, `?` for one, `\` takes the next
/// character as it is.
#[derive(Clone, Debug)]
pub(crate) struct Wildcard {
    tokens: Vec<Token>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    Exactly(char),
    One,
    Any,
}

impl Wildcard {
    /// Reads a pattern; every text is one.
    pub(crate) fn new(text: &str) -> Self {
        let mut tokens = Vec::with_capacity(text.len());
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            let token = match c {
                '*' => Token::Any,
                '?' => Token::One,
                '\\' => Token::Exactly(chars.next().unwrap_or('\\')),
                c => Token::Exactly(c),
            };
            tokens.push(token);
        }
        Self { tokens }
    }

    /// Tells whether the whole text fits.
    pub(crate) fn matches(&self, text: &str) -> bool {
        let mut rest = text.chars();
        let mut at = 0;
        // Where to go on after the last `*` once what followed it did not fit.
        let mut retry = None;
        loop {
            match self.tokens.get(at) {
                Some(Token::Any) => {
                    at += 1;
                    retry = Some((at, rest.clone()));
                    continue;
                }
                Some(token) => {
                    let next = rest.next();
                    if next.is_some_and(|c| token.fits(c)) {
                        at += 1;
                        continue;
                    }
                }
                None if rest.as_str().is_empty() => return true,
                None => {}
            }
            let Some((after_star, from)) = &mut retry else {
                return false;
            };
            if from.next().is_none() {
                return false;
            }
            at = *after_star;
            rest = from.clone();
        }
    }
}

impl Token {
    fn fits(self, c: char) -> bool {
        match self {
            Self::Exactly(own) => own == c,
            Self::One | Self::Any => true,
        }
    }
}

/// Writes a text so that, as a pattern or as a part of a spec, it stands for itself.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 4);
    let last = text.chars().count().saturating_sub(1);
    for (index, c) in text.chars().enumerate() {
        let is_edge_blank = c.is_whitespace() && (index == 0 || index == last);
        if is_edge_blank || "\\*?,:()@!".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// Takes the backslashes of [`escape`] away.
pub(crate) fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        plain.push(if c == '\\' {
            chars.next().unwrap_or(c)
        } else {
            c
        });
    }
    plain
}

/// Splits at a character wherever no backslash stands before it.
pub(crate) fn split_unescaped(text: &str, at: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = split_once_unescaped(rest, at) {
        parts.push(before);
        rest = after;
    }
    parts.push(rest);
    parts
}

/// Splits at the first such character without a backslash before it.
pub(crate) fn split_once_unescaped(text: &str, at: char) -> Option<(&str, &str)> {
    let mut is_escaped = false;
    for (index, c) in text.char_indices() {
        if is_escaped {
            is_escaped = false;
        } else if c == '\\' {
            is_escaped = true;
        } else if c == at {
            let (before, rest) = text.split_at(index);
            return Some((before, rest.strip_prefix(at).unwrap_or(rest)));
        }
    }
    None
}

/// Takes blanks from both ends, but for one that is escaped.
pub(crate) fn trim_unescaped(text: &str) -> &str {
    let text = text.trim_start();
    let trimmed = text.trim_end();
    let backslashes = trimmed.len() - trimmed.trim_end_matches('\\').len();
    if backslashes.is_multiple_of(2) {
        return trimmed;
    }
    let blank = text
        .get(trimmed.len()..)
        .and_then(|blanks| blanks.chars().next())
        .map_or(0, char::len_utf8);
    text.get(..trimmed.len() + blank).unwrap_or(trimmed)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_star_is_any_run_and_a_question_mark_is_one_character() {
        let cases = [
            ("a*c", "abbc", true),
            ("a*c", "ac", true),
            ("a*c", "acb", false),
            ("*a*b", "xxaxxab", true),
            ("a?c", "aéc", true),
            ("a?c", "ac", false),
            ("a\\*", "a*", true),
            ("a\\*", "ab", false),
            ("", "", true),
            ("", "a", false),
            ("*", "line\nline", true),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(
                Wildcard::new(pattern).matches(text),
                expected,
                "{pattern} on {text}"
            );
        }
    }

    proptest! {
        #[test]
        fn an_escaped_text_matches_itself_alone(text in "\\PC{0,12}", other in "\\PC{0,12}") {
            let pattern = Wildcard::new(&escape(&text));
            prop_assert!(pattern.matches(&text));
            prop_assert_eq!(pattern.matches(&other), text == other);
            prop_assert_eq!(unescape(&escape(&text)), text);
        }

        #[test]
        fn an_escaped_text_survives_splitting_and_trimming(text in "[ ,:\\\\a\n]{0,8}") {
            let escaped = escape(&text);
            let part = format!(" x:{escaped} , y:z");
            let parts = split_unescaped(&part, ',');
            prop_assert_eq!(parts.len(), 2);
            let (name, value) = split_once_unescaped(trim_unescaped(parts[0]), ':').unwrap();
            prop_assert_eq!(name, "x");
            prop_assert_eq!(unescape(value), text);
        }
    }
}
