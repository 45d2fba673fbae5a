//! The secrets in variables and connection strings.

use std::ffi::{OsStr, OsString};

use super::KnownSecret;

/// Parts of names that tell a secret wherever they stand.
const SECRET_PARTS: &[&str] = &[
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "APIKEY",
];
/// Words of names that tell a secret.
const SECRET_WORDS: &[&str] = &["KEY", "KEYS", "AUTH", "DSN", "PASS", "PWD", "PAT"];
/// Last words of names whose value tells about a secret, but is none.
const PUBLIC_WORDS: &[&str] = &[
    "ALGORITHM",
    "DIR",
    "ENABLED",
    "FILE",
    "FORMAT",
    "HEADER",
    "HOST",
    "LIMIT",
    "METHOD",
    "MODE",
    "NAME",
    "PATH",
    "PORT",
    "PROVIDER",
    "SOCK",
    "TIMEOUT",
    "TTL",
    "TTY",
    "TYPE",
    "USER",
    "USERNAME",
    "VERSION",
];
const PUBLIC_VALUES: &[&str] = &["true", "false", "disabled", "enabled", "undefined"];

/// Picks the secrets out of variables: by name, and passwords in addresses whatever the name.
///
/// Paths, numbers, switches and single lower-case words are no secrets: to take them out would spoil
/// ordinary text.
pub fn known_from_environment(
    variables: impl IntoIterator<Item = (OsString, OsString)>,
) -> Vec<KnownSecret> {
    let texts = variables.into_iter().filter_map(|(name, value)| {
        let value = value.to_str()?.trim().to_owned();
        Some((AsRef::<OsStr>::as_ref(&name).to_str()?.to_owned(), value))
    });
    texts
        .flat_map(|(name, value)| secrets_of(name, value))
        .collect()
}

fn secrets_of(name: String, value: String) -> Vec<KnownSecret> {
    let mut found = known_from_url(&name, &value);
    if is_secret_name(&name) && found.is_empty() {
        found = match user_of(&value) {
            Some(user) => secrets(&name, user),
            None if value.contains("://") => Vec::new(),
            None => vec![KnownSecret { kind: name, value }],
        };
    }
    found.retain(|secret| !is_public(&secret.value));
    found
}

/// Finds the password of a connection string: `scheme://user:password@host`, or `password=…` among
/// other settings.
///
/// Returns it as it is written and, where that differs, with its percent escapes resolved.
pub fn known_from_url(kind: &str, url: &str) -> Vec<KnownSecret> {
    let password = password_of(url).or_else(|| setting(url));
    password.map_or_else(Vec::new, |password| secrets(kind, password))
}

fn secrets(kind: &str, value: &str) -> Vec<KnownSecret> {
    let decoded = percent_decoded(value).filter(|decoded| decoded != value);
    let values = std::iter::once(value.to_owned()).chain(decoded);
    values
        .filter(|value| !value.is_empty())
        .map(|value| KnownSecret {
            kind: kind.to_owned(),
            value,
        })
        .collect()
}

/// What stands before the `@` of an address.
fn user_of(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let host_ends = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let authority = rest.get(..host_ends)?;
    authority.rsplit_once('@').map(|(user, _)| user)
}

/// The password of an address, also if it holds a `/` that should have been escaped.
fn password_of(url: &str) -> Option<&str> {
    if let Some(user) = user_of(url) {
        return user.split_once(':').map(|(_, password)| password);
    }
    let (_, rest) = url.split_once("://")?;
    let (user, _) = rest.split(['?', '#']).next()?.rsplit_once('@')?;
    let (_, password) = user.split_once(':')?;
    let port = password.split('/').next()?;
    (!port.bytes().all(|byte| byte.is_ascii_digit())).then_some(password)
}

fn setting(text: &str) -> Option<&str> {
    let lower = text.to_ascii_lowercase();
    let names = ["password=", "passwd=", "pwd="];
    let start = names
        .iter()
        .find_map(|name| Some(lower.find(name)? + name.len()))?;
    let value = text.get(start..)?;
    let quoted = ['\'', '"']
        .iter()
        .find_map(|quote| value.strip_prefix(*quote)?.split(*quote).next());
    quoted.or_else(|| value.split([';', '&', ' ', '\t', '\n']).next())
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let escaped = match (first, after) {
            (b'%', [high, low, ..]) => std::str::from_utf8(&[*high, *low])
                .ok()
                .and_then(|digits| u8::from_str_radix(digits, 16).ok()),
            _ => None,
        };
        bytes.push(escaped.unwrap_or(*first));
        rest = after.get(if escaped.is_some() { 2 } else { 0 }..)?;
    }
    String::from_utf8(bytes).ok()
}

fn is_secret_name(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let words: Vec<&str> = upper.split(['_', '-', '.']).collect();
    if words.last().is_some_and(|last| PUBLIC_WORDS.contains(last)) {
        return false;
    }
    SECRET_PARTS.iter().any(|part| upper.contains(part))
        || words.iter().any(|word| SECRET_WORDS.contains(word))
}

fn is_public(value: &str) -> bool {
    let is_number = value
        .bytes()
        .all(|byte| byte.is_ascii_digit() || b".,-:".contains(&byte));
    let is_word = value.len() <= 12 && value.bytes().all(|byte| byte.is_ascii_lowercase());
    let lower = value.to_ascii_lowercase();
    value.is_empty()
        || is_number
        || is_word
        || is_path(value)
        || PUBLIC_VALUES.contains(&lower.as_str())
}

/// Whether a value is a path; a key in base64 may begin like one.
fn is_path(value: &str) -> bool {
    const ROOTS: &[&str] = &[
        "Users",
        "app",
        "bin",
        "data",
        "dev",
        "etc",
        "home",
        "lib",
        "mnt",
        "nix",
        "opt",
        "private",
        "proc",
        "root",
        "run",
        "snap",
        "srv",
        "tmp",
        "usr",
        "var",
        "workspace",
    ];
    let begins = ["./", "../", "~/"]
        .iter()
        .any(|begin| value.starts_with(begin));
    let has_drive = value
        .get(1..3)
        .is_some_and(|rest| rest == ":\\" || rest == ":/");
    let below_root = value.strip_prefix('/');
    let root = below_root.and_then(|rest| rest.split('/').next());
    let is_key = value.len() >= 20
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_uppercase())
        && value
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"+/=".contains(&b));
    begins || has_drive || root.is_some_and(|root| ROOTS.contains(&root) || !is_key)
}
