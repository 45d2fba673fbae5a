//! What looks like a secret.

mod hints;
mod plausible;

use std::ops::{Range, RangeInclusive};
use std::sync::{LazyLock, OnceLock};

use regex::Regex;

use super::markers::Markers;
use hints::Hints;
use plausible::{is_credential, is_key, is_literal, is_loose_value, is_url_password};

/// The kind of a value behind a name such as `password`.
pub(super) const ASSIGNED: &str = "assigned";

/// A form that secrets have.
struct Shape {
    kind: &'static str,
    /// One of these is in every match, in either case.
    hints: &'static [&'static str],
    /// The group `s` is the secret; without it, all of the match.
    pattern: &'static str,
    /// Whether a match may be one; code that only speaks of secrets must stay as it is.
    is_plausible: fn(&str) -> bool,
}

/// Names whose value is a secret, at the end of a longer name too.
const NAME: &str = r"(?i-u:pass(?:word|wd|phrase)|pwd|secret|token|(?:api|access|secret|private|auth|account|encryption)[_-]?key)";

/// What is in each of those names.
const NAME_HINTS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "_key",
    "-key",
    "apikey",
    "accesskey",
    "privatekey",
    "authkey",
    "accountkey",
    "encryptionkey",
];

const TABLE: &[Shape] = &[
    Shape {
        kind: "private-key",
        hints: &["private key"],
        pattern: r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:\\[nr]|[A-Za-z0-9+/=:,\s]|-[A-Za-z0-9])+(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----)?",
        is_plausible: |value| value.len() >= MIN_KEY_BYTES,
    },
    Shape {
        kind: "jwt",
        hints: &["eyj"],
        pattern: r"(?-u:\b)eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}",
        is_plausible: |_| true,
    },
    Shape {
        kind: "api-key",
        hints: &["sk-"],
        pattern: r"(?-u:\b)sk-[A-Za-z0-9_-]{20,}",
        is_plausible: is_key,
    },
    Shape {
        kind: "stripe-key",
        hints: &["k_live_", "k_test_"],
        pattern: r"(?-u:\b)[sr]k_(?:live|test)_[A-Za-z0-9]{16,}",
        is_plausible: is_key,
    },
    Shape {
        kind: "github-token",
        hints: &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
        pattern: r"(?-u:\b)(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,})",
        is_plausible: is_key,
    },
    Shape {
        kind: "gitlab-token",
        hints: &["glpat-"],
        pattern: r"(?-u:\b)glpat-[A-Za-z0-9_-]{20,}",
        is_plausible: is_key,
    },
    Shape {
        kind: "aws-key-id",
        hints: &["akia", "asia"],
        pattern: r"(?-u:\b)A(?:KIA|SIA)[A-Z0-9]{16}(?-u:\b)",
        is_plausible: is_key,
    },
    Shape {
        kind: "google-key",
        hints: &["aiza"],
        pattern: r"(?-u:\b)AIza[A-Za-z0-9_-]{35}",
        is_plausible: is_key,
    },
    Shape {
        kind: "slack-token",
        hints: &["xox"],
        pattern: r"(?-u:\b)xox[abeoprs]-[A-Za-z0-9-]{10,}",
        is_plausible: is_key,
    },
    Shape {
        kind: "slack-webhook",
        hints: &["hooks.slack.com/services/"],
        pattern: r"hooks\.slack\.com/services/(?P<s>T[A-Za-z0-9_]+/B[A-Za-z0-9_]+/[A-Za-z0-9_]{16,})",
        is_plausible: |value| !plausible::is_placeholder(value),
    },
    Shape {
        kind: "authorization",
        hints: &["authorization"],
        pattern: r#"(?i-u:authorization)\\?["']?\s*[:=,]\s*\\?["'`]?(?i-u:bearer|basic|token)\s+(?P<s>[A-Za-z0-9._~+/=-]{8,})"#,
        is_plausible: is_credential,
    },
    Shape {
        kind: "url-password",
        hints: &["://"],
        pattern: r#"(?-u:\b)[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@"'<>]*:(?P<s>[^\s/@"'<>{}$()]{3,})@"#,
        is_plausible: is_url_password,
    },
    Shape {
        kind: ASSIGNED,
        hints: NAME_HINTS,
        pattern: r#"NAME\\?["']?\]?(?:\s*:\s*[&A-Za-z'_\[\]<>]{1,30})?\s*(?:=>|:=|[:=])\s*\\?["'](?P<s>[^"'\s\\]+)\\?["']"#,
        is_plausible: |value| VALUE_BYTES.contains(&value.len()) && is_literal(value),
    },
    Shape {
        kind: ASSIGNED,
        hints: NAME_HINTS,
        pattern: r#"NAME["']?\s*[:=]\s*(?P<s>[^\s"'`,;&|<>(){}\[\]$\\]+)(?:[\s"'`&]|$)"#,
        is_plausible: |value| VALUE_BYTES.contains(&value.len()) && is_loose_value(value),
    },
];

/// A private key with its first line has at least so many bytes.
const MIN_KEY_BYTES: usize = 70;
/// How long the value behind a name may be.
const VALUE_BYTES: RangeInclusive<usize> = 8..=200;

/// The patterns that were needed so far: making all of them takes longer than most programs run.
static PATTERNS: [OnceLock<Option<Regex>>; TABLE.len()] = [const { OnceLock::new() }; TABLE.len()];
static NAME_END: OnceLock<Option<Regex>> = OnceLock::new();

/// The hints of all rows, in order.
static HINTS: LazyLock<Hints> = LazyLock::new(Hints::new);

fn pattern(index: usize) -> Option<&'static Regex> {
    let shape = TABLE.get(index)?;
    let make = || Regex::new(&shape.pattern.replace("NAME", NAME)).ok();
    PATTERNS.get(index)?.get_or_init(make).as_ref()
}

/// Replaces what looks like a secret; `None` if nothing does.
pub(super) fn replace(text: &str, markers: &Markers) -> Option<String> {
    let mut clean: Option<String> = None;
    for index in HINTS.rows_in(text) {
        let (Some(shape), Some(regex)) = (TABLE.get(index), pattern(index)) else {
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
    let is_word = VALUE_BYTES.contains(&value.len()) && !value.contains(char::is_whitespace);
    is_word && is_name_of_secret(name) && is_literal(value)
}

fn is_name_of_secret(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    if !NAME_HINTS.iter().any(|hint| lower.contains(hint)) {
        return false;
    }
    let pattern = NAME_END.get_or_init(|| Regex::new(&format!("{NAME}$")).ok());
    pattern
        .as_ref()
        .is_some_and(|pattern| pattern.is_match(name))
}
