//! What is typed behind the name of a template, and where it goes.

use std::iter::Peekable;
use std::str::Chars;

/// Splits arguments at white space, as a shell would, but leaves apostrophes alone.
///
/// Shape: a quote begins a quoted part only at the beginning of an argument, and only if it is
/// closed later; in it, a backslash before the same quote stands for the quote, any other backslash
/// for itself. What follows a closing quote without a blank belongs to the same argument.
pub(super) fn split(text: &str) -> Vec<String> {
    let mut rest = text.trim_start();
    let mut arguments = Vec::new();
    while let Some(first) = rest.chars().next() {
        let quoted = match first {
            '"' | '\'' => quoted(rest, first),
            _ => None,
        };
        let (mut argument, after) = quoted.unwrap_or((String::new(), rest));
        let end = after.find(char::is_whitespace).unwrap_or(after.len());
        let (word, after) = after.split_at(end);
        argument.push_str(word);
        arguments.push(argument);
        rest = after.trim_start();
    }
    arguments
}

fn quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let mut rest = text.chars();
    rest.next();
    let mut read = String::new();
    while let Some(c) = rest.next() {
        if c == quote {
            return Some((read, rest.as_str()));
        }
        let escapes = c == '\\' && rest.as_str().starts_with(quote);
        read.push(if escapes { rest.next()? } else { c });
    }
    None
}

/// Puts arguments in the places that a template has for them; what they say is not looked at again.
///
/// Shape: `$1`, `$2`, …; `$@` and `$ARGUMENTS`, all of them; `${1:-default}`, `${@:-default}` and
/// `${ARGUMENTS:-default}`, the default where there would be nothing; `${@:2}` from the second on,
/// `${@:2:3}` three of them. Anything else stays as it is.
pub(super) fn substitute(template: &str, arguments: &[String]) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('$') {
        text.push_str(before);
        match mark(after) {
            Some((mark, after)) => {
                text.push_str(&mark.value(arguments));
                rest = after;
            }
            None => {
                text.push('$');
                rest = after;
            }
        }
    }
    text.push_str(rest);
    text
}

enum Mark<'a> {
    One(usize),
    All,
    OneOr(usize, &'a str),
    AllOr(&'a str),
    From(usize, Option<usize>),
}

impl Mark<'_> {
    fn value(&self, arguments: &[String]) -> String {
        let one = |number: usize| {
            let argument = number.checked_sub(1).and_then(|index| arguments.get(index));
            argument.cloned().unwrap_or_default()
        };
        let or = |value: String, default: &str| match value.is_empty() {
            true => default.to_owned(),
            false => value,
        };
        match *self {
            Self::One(number) => one(number),
            Self::All => arguments.join(" "),
            Self::OneOr(number, default) => or(one(number), default),
            Self::AllOr(default) => or(arguments.join(" "), default),
            Self::From(first, count) => {
                let some = arguments.iter().skip(first.saturating_sub(1));
                let some = some.take(count.unwrap_or(usize::MAX));
                some.map(String::as_str).collect::<Vec<_>>().join(" ")
            }
        }
    }
}

/// Reads what stands behind a dollar sign; `None` if it is no mark.
fn mark(text: &str) -> Option<(Mark<'_>, &str)> {
    if let Some(rest) = text.strip_prefix('{') {
        let (inside, rest) = rest.split_once('}')?;
        return Some((braced(inside)?, rest));
    }
    for word in ["@", "ARGUMENTS"] {
        if let Some(rest) = text.strip_prefix(word) {
            return Some((Mark::All, rest));
        }
    }
    let (number, rest) = number(text)?;
    Some((Mark::One(number), rest))
}

fn braced(inside: &str) -> Option<Mark<'_>> {
    let (name, rest) = inside.split_once(':')?;
    let is_all = name == "@" || name == "ARGUMENTS";
    if let Some(default) = rest.strip_prefix('-') {
        return match is_all {
            true => Some(Mark::AllOr(default)),
            false => Some(Mark::OneOr(whole_number(name)?, default)),
        };
    }
    if name != "@" {
        return None;
    }
    match rest.split_once(':') {
        None => Some(Mark::From(whole_number(rest)?, None)),
        Some((first, count)) => Some(Mark::From(whole_number(first)?, Some(whole_number(count)?))),
    }
}

fn number(text: &str) -> Option<(usize, &str)> {
    let mut rest: Peekable<Chars<'_>> = text.chars().peekable();
    let mut digits = 0;
    while rest.next_if(char::is_ascii_digit).is_some() {
        digits += 1;
    }
    let (number, rest) = text.split_at_checked(digits)?;
    Some((whole_number(number)?, rest))
}

/// Reads a number; one that is too large for any list of arguments is one beyond them.
fn whole_number(text: &str) -> Option<usize> {
    let is_number = !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    is_number.then(|| text.parse().unwrap_or(usize::MAX))
}
