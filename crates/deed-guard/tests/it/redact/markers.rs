//! What stands in the place of secrets.

use deed_guard::redact::{KnownSecret, SecretRedactor, SecretWarning};

use super::redactor;

const KEY: &str = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";

#[test]
fn equal_values_have_equal_numbers_for_the_session() {
    let redactor = redactor(["known-value-1", "known-value-1", "known-value-2"]);
    assert_eq!(
        redactor.redact_text("known-value-2 known-value-1"),
        "[redacted:k:2] [redacted:k:1]"
    );
    assert_eq!(redactor.redact_text(KEY), "[redacted:github-token:3]");
    let other = KEY.replace("a1", "z9");
    assert_eq!(redactor.redact_text(&other), "[redacted:github-token:4]");
    assert_eq!(
        redactor.clone().redact_text(KEY),
        "[redacted:github-token:3]"
    );
}

#[test]
fn redacting_twice_changes_nothing() {
    let redactor = redactor(["known-value-1"]);
    for text in [
        "password=known-value-1",
        "\"password\": \"known-value-1\"",
        "Authorization: Bearer known-value-1",
        "postgres://u:known-value-1@h/db",
        "token=Xy12Zz34!",
    ] {
        let once = redactor.redact_text(text).into_owned();
        assert_ne!(once, text);
        assert_eq!(redactor.redact_text(&once), once);
    }
}

#[test]
fn only_issued_markers_are_recognised() {
    let redactor = redactor(["known-value-1", "known-value-2"]);
    assert!(
        !redactor.contains_marker("[redacted:k:1]"),
        "not issued yet"
    );
    redactor.redact_known("known-value-1");
    redactor.redact_text(KEY);
    for text in [
        "[redacted:k:1]",
        "let key = \"[redacted:k:1]\";",
        "[redacted:[redacted:github-token:3]",
    ] {
        assert!(redactor.contains_marker(text), "{text}");
    }
    for text in [
        "[redacted:k:2]",
        "[redacted:k:9]",
        "[redacted:x:1]",
        "[redacted]",
        "[redacted:k:1",
        "redacted:k:1",
    ] {
        assert!(!redactor.contains_marker(text), "{text}");
    }
}

#[test]
fn markers_of_an_earlier_run_are_adopted() {
    let redactor = redactor(["known-value-1"]);
    redactor.adopt_markers("key is [redacted:api-key:7], not [redacted:nothing]");
    assert!(redactor.contains_marker("[redacted:api-key:7]"));
    assert!(!redactor.contains_marker("[redacted:nothing]"));
    assert_eq!(redactor.redact_text(KEY), "[redacted:github-token:8]");
}

#[test]
fn secrets_that_cannot_be_looked_for_are_named() {
    let secret = |kind: &str, value: &str| KnownSecret {
        kind: kind.to_owned(),
        value: value.to_owned(),
    };
    let long = "x".repeat(40_000);
    let (redactor, warnings) = SecretRedactor::new([
        secret("PIN", "1234567"),
        secret("BLOB", &long),
        secret("weird kind:]", " é234567x\n"),
    ]);
    let kinds = |kind: &str| kind.to_owned();
    assert_eq!(
        warnings,
        [
            SecretWarning::TooShort { kind: kinds("PIN") },
            SecretWarning::TooLong {
                kind: kinds("BLOB")
            }
        ]
    );
    insta::assert_snapshot!(warnings[0], @"the secret PIN has fewer than 8 characters and is not redacted; use a longer one");
    assert_eq!(
        redactor.redact_known("1234567 é234567x"),
        "1234567 [redacted:weird_kind__:1]"
    );
    let shown = format!("{:?} {redactor:?}", secret("PIN", "1234567"));
    assert!(!shown.contains("1234567"), "{shown}");
}
