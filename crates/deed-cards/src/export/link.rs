//! Where a link in somebody's Markdown may lead.

use crate::visible::is_hidden;

/// Beginnings of what may be a link in a page.
const SAFE: [&str; 3] = ["https://", "http://", "mailto:"];
const SAFE_SCHEMES: [&str; 3] = ["https", "http", "mailto"];

/// Whether a page may link there.
pub(super) fn is_safe(target: &str) -> bool {
    let begins = |safe: &&str| {
        target
            .get(..safe.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(safe))
    };
    SAFE.iter().any(begins) && !has_odd_characters(target)
}

/// Whether following the link could do more than open a page or a file beside the document.
pub(super) fn is_risky(target: &str) -> bool {
    let scheme = target.split_once(':').map(|(scheme, _)| scheme);
    let scheme = scheme.filter(|scheme| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte))
    });
    let is_other = |scheme: &str| {
        !SAFE_SCHEMES
            .iter()
            .any(|safe| scheme.eq_ignore_ascii_case(safe))
    };
    scheme.is_some_and(is_other) || has_odd_characters(target)
}

/// Characters that a browser drops or that a person does not see.
fn has_odd_characters(target: &str) -> bool {
    target.chars().any(|character| {
        character.is_whitespace() || character.is_control() || is_hidden(character)
    })
}
