//! What looks like a secret.

mod plausible;

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Regex, RegexSet};

use super::markers::Markers;
use plausible::{is_credential, is_key, is_literal, is_loose_value, is_url_password};

/// The kind of a value behind a name such as `password`.
pub(super) const ASSIGNED: &str = "assigned";

/// A form that secrets have.
struct Shape {
    kind: &'static str,
    /// The group `s` is the secret; without it, all of the match.
    pattern: &'static str,
    /// Whether a match may be one; code that only speaks of secrets must stay as it is.
    is_plausible: fn(&str) -> bool,
}

/// Names whose value is a secret, at the end of a longer name too.
const NAME: &str = r"(?i-u:pass(?:word|wd|phrase)|pwd|secret|token|(?:api|access|secret|private|auth|account|encryption)[_-]?key)";

const TABLE: &[Shape] = &[
    Shape {
        kind: "private-key",
        pattern: r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:\\[nr]|[A-Za-z0-9+/=:,\s]|-[A-Za-z0-9]){40,}(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----)?",
        is_plausible: |_| true,
    },
    Shape {
        kind: "jwt",
        pattern: r"(?-u:\b)eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}",
        is_plausible: |_| true,
    },
    Shape {
        kind: "api-key",
        pattern: r"(?-u:\b)sk-[A-Za-z0-9_-]{20,}",
        is_plausible: is_key,
    },
    Shape {
        kind: "stripe-key",
        pattern: r"(?-u:\b)[sr]k_(?:live|test)_[A-Za-z0-9]{16,}",
        is_plausible: is_key,
    },
    Shape {
        kind: "github-token",
        pattern: r"(?-u:\b)(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,})",
        is_plausible: is_key,
    },
    Shape {
        kind: "gitlab-token",
        pattern: r"(?-u:\b)glpat-[A-Za-z0-9_-]{20,}",
        is_plausible: is_key,
    },
    Shape {
        kind: "aws-key-id",
        pattern: r"(?-u:\b)A(?:KIA|SIA)[A-Z0-9]{16}(?-u:\b)",
        is_plausible: is_key,
    },
    Shape {
        kind: "google-key",
        pattern: r"(?-u:\b)AIza[A-Za-z0-9_-]{35}",
        is_plausible: is_key,
    },
    Shape {
        kind: "slack-token",
        pattern: r"(?-u:\b)xox[abeoprs]-[A-Za-z0-9-]{10,}",
        is_plausible: is_key,
    },
    Shape {
        kind: "slack-webhook",
        pattern: r"hooks\.slack\.com/services/(?P<s>T[A-Za-z0-9_]+/B[A-Za-z0-9_]+/[A-Za-z0-9_]{16,})",
        is_plausible: |value| !plausible::is_placeholder(value),
    },
    Shape {
        kind: "authorization",
        pattern: r#"(?i-u:authorization)\\?["']?\s*[:=,]\s*\\?["'`]?(?i-u:bearer|basic|token)\s+(?P<s>[A-Za-z0-9._~+/=-]{8,})"#,
        is_plausible: is_credential,
    },
    Shape {
        kind: "url-password",
        pattern: r#"(?-u:\b)[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@"'<>]*:(?P<s>[^\s/@"'<>{}$()]{3,})@"#,
        is_plausible: is_url_password,
    },
    Shape {
        kind: ASSIGNED,
        pattern: r#"NAME\\?["']?\]?(?:\s*:\s*[&A-Za-z'_\[\]<>]{1,30})?\s*(?:=>|:=|[:=])\s*\\?["'](?P<s>[^"'\s\\]{8,200})\\?["']"#,
        is_plausible: is_literal,
    },
    Shape {
        kind: ASSIGNED,
        pattern: r#"NAME["']?\s*[:=]\s*(?P<s>[^\s"'`,;&|<>(){}\[\]$\\]{8,200})(?:[\s"'`&]|$)"#,
        is_plausible: is_loose_value,
    },
];

struct Compiled {
    /// All patterns at once: most text has none.
    any: RegexSet,
    each: Vec<Regex>,
    name: Regex,
}

#[expect(
    clippy::expect_used,
    reason = "the table is constant, and the tests use each row"
)]
static COMPILED: LazyLock<Compiled> = LazyLock::new(|| {
    let patterns = TABLE
        .iter()
        .map(|shape| shape.pattern.replace("NAME", NAME));
    let patterns: Vec<String> = patterns.collect();
    let each = patterns.iter().map(|pattern| Regex::new(pattern));
    Compiled {
        each: each.collect::<Result<_, _>>().expect("valid patterns"),
        any: RegexSet::new(&patterns).expect("valid patterns"),
        name: Regex::new(&format!("{NAME}$")).expect("a valid pattern"),
    }
});

/// Replaces what looks like a secret; `None` if nothing does.
pub(super) fn replace(text: &str, markers: &Markers) -> Option<String> {
    let mut clean: Option<String> = None;
    for index in COMPILED.any.matches(text) {
        let (Some(shape), Some(regex)) = (TABLE.get(index), COMPILED.each.get(index)) else {
            continue;
        };
        let before = clean.as_deref().unwrap_or(text);
        if let Some(after) = replace_shape(before, shape, regex, markers) {
            clean = Some(after);
        }
    }
    clean
}

fn replace_shape(text: &str, shape: &Shape, regex: &Regex, markers: &Markers) -> Option<String> {
    let mut clean = String::new();
    let mut end = 0;
    for Range { start, end: after } in secrets_in(text, regex) {
        let value = text.get(start..after)?;
        if (shape.is_plausible)(value) {
            clean.push_str(text.get(end..start)?);
            clean.push_str(&markers.of_seen(shape.kind, value));
            end = after;
        }
    }
    if end == 0 {
        return None;
    }
    clean.push_str(text.get(end..)?);
    Some(clean)
}

fn secrets_in<'t>(text: &'t str, regex: &'t Regex) -> impl Iterator<Item = Range<usize>> + 't {
    regex.captures_iter(text).filter_map(|captures| {
        let secret = captures.name("s").or_else(|| captures.get(0));
        secret.map(|secret| secret.range())
    })
}

/// Whether a member of an object is a secret by its name.
pub(super) fn is_assigned_secret(name: &str, value: &str) -> bool {
    let is_word = (8..=200).contains(&value.len()) && !value.contains(char::is_whitespace);
    is_word && COMPILED.name.is_match(name) && is_literal(value)
}
