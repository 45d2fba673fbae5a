//! Known secrets in streams.

use std::borrow::Cow;

use deed_agent::Redactor;
use deed_guard::redact::SecretRedactor;
use proptest::prelude::*;

use super::{redactor, streamed};

const SECRET: &str = "s3cret-value-7f";

#[test]
fn a_secret_is_found_wherever_chunks_end() {
    let redactor = redactor([SECRET]);
    let text = format!("before {SECRET}{SECRET} s3cret-value {SECRET}");
    let want = "before [redacted:k:1][redacted:k:1] s3cret-value [redacted:k:1]";
    for first in 0..=text.len() {
        for second in first..=text.len() {
            let bytes = text.as_bytes();
            let chunks = [&bytes[..first], &bytes[first..second], &bytes[second..]];
            assert_eq!(
                streamed(&redactor, chunks),
                want.as_bytes(),
                "{first} {second}"
            );
        }
    }
    let single = text.as_bytes().chunks(1);
    assert_eq!(streamed(&redactor, single), want.as_bytes());
}

#[test]
fn the_longest_of_overlapping_secrets_wins_also_across_chunks() {
    let redactor = redactor(["abcdefgh", "abcdefghijkl", "ghijklmnop"]);
    for (text, want) in [
        ("abcdefghijkl", "[redacted:k:2]"),
        ("abcdefghijk", "[redacted:k:1]ijk"),
        ("abcdefghijklmnop", "[redacted:k:2]mnop"),
        ("abcdefabcdefgh", "abcdef[redacted:k:1]"),
        ("ghijklmnop", "[redacted:k:3]"),
    ] {
        assert_eq!(redactor.redact_known(text), want);
        assert_eq!(
            streamed(&redactor, text.as_bytes().chunks(1)),
            want.as_bytes()
        );
    }
}

#[test]
fn clean_input_is_passed_on_without_a_copy() {
    let redactor = redactor([SECRET, "another-one-1"]);
    assert!(matches!(
        redactor.redact_text("clean"),
        Cow::Borrowed("clean")
    ));
    assert!(matches!(
        redactor.redact_known("clean"),
        Cow::Borrowed("clean")
    ));
    let mut stream = redactor.stream().unwrap();
    let chunk = b"a line of output\n".repeat(100);
    for _ in 0..3 {
        let clean = stream.push(&chunk);
        assert!(matches!(&clean, Cow::Borrowed(clean) if clean.as_ptr() == chunk.as_ptr()));
        assert_eq!(clean, chunk);
    }
    let half = stream.push(b"a line with s3cr");
    assert!(
        matches!(half, Cow::Borrowed(b"a line with ")),
        "only the beginning is held back"
    );
    assert_eq!(stream.push(b"!"), &b"s3cr!"[..]);
    assert_eq!(stream.finish(), b"");
}

#[test]
fn bytes_that_are_no_text_pass_unchanged() {
    let redactor = redactor([SECRET]);
    let mut bytes: Vec<u8> = (0..=255).collect();
    bytes.extend_from_slice(b"\xff\xfes3cret\xff");
    assert_eq!(streamed(&redactor, bytes.chunks(3)), bytes);
    let mixed = [b"\xff\x00", SECRET.as_bytes(), b"\xc3"].concat();
    assert_eq!(
        streamed(&redactor, mixed.chunks(2)),
        b"\xff\x00[redacted:k:1]\xc3"
    );
}

#[test]
fn streams_share_numbers_and_no_secret_means_no_stream() {
    let redactor = redactor([SECRET, "another-one-1"]);
    assert_eq!(
        streamed(&redactor, [&b"another-one-1"[..]]),
        b"[redacted:k:2]"
    );
    assert_eq!(
        streamed(&redactor.clone(), [SECRET.as_bytes()]),
        b"[redacted:k:1]"
    );
    let (empty, _) = SecretRedactor::new([]);
    assert!(empty.stream().is_none());
}

fn secrets() -> impl Strategy<Value = Vec<String>> {
    let narrow = "[ab]{8,12}";
    let wide = r#"[a-z0-9/+"\\é %]{8,24}"#;
    let one =
        prop_oneof![narrow, wide].prop_filter("no blanks outside", |text| text.trim() == text);
    prop::collection::vec(one, 1..4)
}

proptest! {
    #[test]
    fn streaming_equals_redaction_of_the_whole_and_leaves_no_secret(
        secrets in secrets(),
        parts in prop::collection::vec((any::<prop::sample::Index>(), "[ab\n é]{0,6}", 0..12_usize), 0..8),
        sizes in prop::collection::vec(1..20_usize, 1..10),
    ) {
        let (redactor, _) = SecretRedactor::new(secrets.iter().map(|value| {
            deed_guard::redact::KnownSecret { kind: "k".into(), value: value.clone() }
        }));
        let mut text = String::new();
        for (secret, between, cut) in &parts {
            let secret = secret.get(&secrets);
            text.push_str(between);
            text.push_str(match secret.get(*cut..) {
                Some(rest) if *cut < 4 => rest,
                _ => secret,
            });
        }
        let mut chunks = Vec::new();
        let mut rest = text.as_bytes();
        for size in sizes.iter().cycle() {
            if rest.is_empty() { break; }
            let (now, later) = rest.split_at((*size).min(rest.len()));
            chunks.push(now);
            rest = later;
        }
        let whole = redactor.redact_known(&text);
        let clean = String::from_utf8(streamed(&redactor, chunks)).unwrap();
        prop_assert_eq!(&clean, &whole);
        for secret in &secrets {
            prop_assert!(!clean.contains(secret.as_str()), "{clean}");
        }
    }
}
