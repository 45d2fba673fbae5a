//! Whether text that has the form of a secret may be one.
//!
//! Redacted source code cannot be edited any more, so what is likely a name, a path, a template or an
//! example stays.

/// Parts of words that people write where a secret would stand.
const PLACEHOLDERS: &[&str] = &[
    "api_key",
    "apikey",
    "changeme",
    "change_me",
    "dummy",
    "example",
    "fake",
    "passw",
    "placeholder",
    "redacted",
    "sample",
    "secret",
    "test",
    "token",
    "xxx",
    "your",
    "***",
    "...",
];

pub(super) fn is_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    PLACEHOLDERS.iter().any(|part| lower.contains(part))
}

/// A key with a prefix of its maker.
pub(super) fn is_key(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let is_example = lower.ends_with("example") || lower.contains("xxxx");
    has_digit(value)
        && value
            .bytes()
            .any(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
        && !is_example
        && !is_kebab(value)
}

/// What stands behind `Bearer` and `Basic`.
pub(super) fn is_credential(value: &str) -> bool {
    let has_both_cases = value.bytes().any(|b| b.is_ascii_uppercase())
        && value.bytes().any(|b| b.is_ascii_lowercase());
    !is_placeholder(value) && (has_digit(value) || value.len() >= 12 && has_both_cases)
}

pub(super) fn is_url_password(value: &str) -> bool {
    !is_placeholder(value) && !is_plain_word(value)
}

/// A value in quotes.
pub(super) fn is_literal(value: &str) -> bool {
    const OF_TEMPLATES: &[char] = &['{', '}', '$', '<', '>', '(', ')'];
    const SYMBOLS: &[char] = &['!', '@', '#', '%', '^', '*', '?', '=', '~', '&'];
    let has_letter = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    has_letter
        && (has_digit(value) || value.contains(SYMBOLS))
        && !value.contains(OF_TEMPLATES)
        && !is_placeholder(value)
        && !is_place(value)
        && !is_kebab(value)
}

/// A value without quotes, which in source code would be an expression.
pub(super) fn is_loose_value(value: &str) -> bool {
    let runs_of_digits = value
        .split(|c: char| !c.is_ascii_digit())
        .filter(|run| !run.is_empty())
        .count();
    let has_symbol = value.contains(['!', '@', '#', '%', '^', '*', '?', '~', '+']);
    is_literal(value) && has_digit(value) && (has_symbol || runs_of_digits > 1) && !is_dotted(value)
}

fn has_digit(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_digit())
}

/// One lower-case word, such as the name of a service.
fn is_plain_word(value: &str) -> bool {
    value.len() <= 12 && value.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// A path, an address or the name of a resource.
fn is_place(value: &str) -> bool {
    ["/", "./", "../", "~/", "arn:"]
        .iter()
        .any(|begin| value.starts_with(begin))
        || value.contains("://")
        || value.contains(":\\")
}

/// Lower-case words with dashes, such as the name of a resource or a CSS class.
fn is_kebab(value: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let longest = value.split('-').map(str::len).max().unwrap_or_default();
    value.contains('-') && value.bytes().all(is_part) && longest < 16
}

/// Names with dots between them, such as the way to a field.
fn is_dotted(value: &str) -> bool {
    let is_name = |part: &str| {
        part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            && !part.starts_with(|c: char| c.is_ascii_digit())
    };
    value.contains('.') && value.split('.').all(is_name)
}
