//! The other forms of a known secret.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use proptest::prelude::*;

use super::{redactor, streamed};

#[test]
fn base64_is_found_at_all_three_positions() {
    let secret = "p@ssw0rd?>~zz";
    let redactor = redactor([secret]);
    for before in ["", "u", "u:", "usr", "user:"] {
        for after in ["", "\n", "abc"] {
            let text = format!("{before}{secret}{after}");
            for encoded in [STANDARD.encode(&text), URL_SAFE.encode(&text)] {
                let clean = redactor.redact_known(&encoded).into_owned();
                assert!(clean.contains("[redacted:k:1]"), "{text:?}: {clean}");
                let left = clean.replace("[redacted:k:1]", "");
                let outside = before.len() * 2 + after.len() * 2 + 6;
                assert!(left.len() <= outside, "{text:?}: {clean}");
            }
        }
    }
    let alone = redactor.redact_known(&STANDARD.encode(secret)).into_owned();
    assert_eq!(
        alone, "[redacted:k:1]",
        "the end belongs to it where it stands alone"
    );
}

#[test]
fn escapes_of_addresses_and_json_are_found() {
    let redactor = redactor(["p\"a/s+s wörd\\1"]);
    for text in [
        "p%22a%2Fs%2Bs%20w%C3%B6rd%5C1",
        "p%22a%2fs%2bs%20w%c3%b6rd%5c1",
        "p%22a%2Fs%2Bs+w%C3%B6rd%5C1",
        r#"p\"a/s+s wörd\\1"#,
        r#"p\"a\/s+s wörd\\1"#,
        r#"p\"a/s+s w\u00f6rd\\1"#,
    ] {
        assert_eq!(redactor.redact_known(text), "[redacted:k:1]", "{text}");
    }
}

#[test]
fn a_long_secret_is_found_in_any_pieces() {
    let secret: String = (0..2000).map(|n| format!("{n:x}-")).collect();
    let redactor = redactor([secret.as_str()]);
    let text = format!("x{secret}y{}", STANDARD.encode(secret.trim()));
    for size in [7, 4096, 100_000] {
        let clean = streamed(&redactor, text.as_bytes().chunks(size));
        assert_eq!(clean, b"x[redacted:k:1]y[redacted:k:1]");
    }
}

proptest! {
    #[test]
    fn no_form_of_a_secret_is_left(
        secret in r#"[a-zé"%][a-zA-Z0-9/+"\\é%:@ -]{6,38}[A-Z0-9é\\"]"#,
        before in "[ -~]{0,4}",
        after in "[ -~]{0,4}",
    ) {
        let redactor = redactor([secret.as_str()]);
        let plain = format!("{before}{secret}{after}");
        let json = serde_json::to_string(&plain).unwrap();
        for text in [&plain, &json] {
            let clean = redactor.redact_known(text).into_owned();
            prop_assert!(clean.contains("[redacted:k:1]"), "{text}: {clean}");
            prop_assert!(!clean.contains(&secret));
        }
        let encoded = STANDARD.encode(&plain);
        let clean = redactor.redact_known(&encoded).into_owned();
        prop_assert!(clean.contains("[redacted:k:1]"), "{encoded}: {clean}");
    }
}
