//! The shape of records.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use deed_agent::{RedactStream, Redactor};
use deed_guard::audit::{
    ApprovalAnswer, ApprovalAsked, ApprovalDecision, AuditConfig, AuditLog, CallRef, Decided,
    Entry, HookChange, OutcomeRecord,
};
use deed_schema::{Sha256Hash, canonical_json};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::support::{DECEMBER, Place, call_ref};

fn hash(text: &str) -> Sha256Hash {
    Sha256Hash::of(text.as_bytes())
}

fn asked(id: &str) -> ApprovalAsked {
    ApprovalAsked {
        approval_id: id.into(),
        channel: "tty".into(),
        display_sha256: Some(hash("shown")),
    }
}

fn answer(id: &str, comment: &str) -> ApprovalAnswer {
    let at = jiff::Timestamp::from_second(DECEMBER).unwrap();
    ApprovalAnswer {
        asked: asked(id),
        decision: ApprovalDecision::AllowOnce,
        asked_at: at,
        answered_at: at + Duration::from_millis(1234),
        user: Some("ada".into()),
        rule_created: Some("Bash(ls *)".into()),
        comment: Some(comment.into()),
        verified: true,
    }
}

fn outcome() -> OutcomeRecord {
    OutcomeRecord {
        is_error: true,
        code: Some("timeout".into()),
        bytes: 12,
        sha256: hash("content"),
        truncated: false,
        elapsed: Duration::from_micros(1_234_567),
    }
}

/// One entry of each kind, with `text` wherever a text goes.
fn all_kinds(text: &str) -> Vec<Entry> {
    let call = || CallRef {
        source: Some(text.into()),
        ..CallRef {
            serial: Some(u64::MAX),
            turn: Some(3),
            args_sha256: Some(hash("args")),
            context_sha256: Some(hash("context")),
            ..CallRef::new(text, text, text)
        }
    };
    let change = HookChange {
        name: text.into(),
        before_sha256: hash("a"),
        after_sha256: hash("b"),
    };
    vec![
        Entry::call(call(), text),
        Entry::hook(call(), change),
        Entry::hook_failed(call(), text, text),
        Entry::turned_away(call(), "unknown_tool", None, text),
        Entry::turned_away(call(), "bad_arguments", None, text),
        Entry::turned_away(call(), "blocked_by_hook", Some(text), text),
        Entry::decision(call(), Decided::Deny, Some(text), hash("policy")).reason(text),
        Entry::approval_asked(call(), asked(text)),
        Entry::approval(call(), answer(text, text), hash("policy")),
        Entry::intent(call(), text).detail("é\u{10000}", text),
        Entry::progress(call(), 3, 4000),
        Entry::outcome(call(), text, outcome()).redactions(2),
        Entry::void(call(), text),
        Entry::policy_loaded(hash("policy"))
            .detail("z", json!({ "b": [text, 1.5], text: 1e30 }))
            .detail("a", Value::Null),
        Entry::mode_changed(text, text),
    ]
}

fn written(entries: Vec<Entry>) -> Vec<String> {
    let place = Place::new();
    let log = place.open();
    log.append(entries).unwrap();
    drop(log);
    let report = place.verify();
    assert!(report.is_whole(), "{report}");
    place.lines()
}

fn record(line: &str) -> &str {
    let (_, record) = line.split_once(r#","r":"#).unwrap();
    record.strip_suffix("}\n").unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_record_is_canonical_and_its_hash_is_over_its_bytes(text in any::<String>()) {
        for line in written(all_kinds(&text)) {
            let record = record(&line);
            let value: Value = serde_json::from_str(record).unwrap();
            prop_assert_eq!(record.as_bytes(), canonical_json(&value));
            let whole: Value = serde_json::from_str(&line).unwrap();
            prop_assert_eq!(&whole["h"], &hash(record).to_string());
        }
    }
}

#[test]
fn each_record_is_bounded_whatever_comes_in_and_says_what_was_cut() {
    for text in [
        "\u{1}".repeat(100_000),
        "é\"".repeat(50_000),
        "a".repeat(1_000_000),
    ] {
        for line in written(all_kinds(&text)) {
            assert!(line.len() <= 16 * 1024, "{}", line.len());
        }
        let lines = written(vec![Entry::call(call_ref("a"), text.as_str())]);
        let value: Value = serde_json::from_str(record(&lines[1])).unwrap();
        let args = value["args_redacted"].as_str().unwrap();
        assert!(args.ends_with(&format!("…[cut, {} bytes in all]", text.len())));
        assert!(serde_json::to_string(args).unwrap().len() <= 4096 + 2);
        let lines = written(vec![Entry::mode_changed("a", "b").detail("x", text)]);
        let value: Value = serde_json::from_str(record(&lines[1])).unwrap();
        assert!(value["detail"]["cut_bytes"].as_u64().unwrap() > 100_000);
    }
}

#[test]
fn records_read_as_they_should() {
    let lines = written(vec![
        Entry::decision(
            call_ref("a"),
            Decided::Allow,
            Some("user:allow:2"),
            hash("p"),
        ),
        Entry::approval(call_ref("a"), answer("q1", "fine"), hash("p")),
        Entry::outcome(call_ref("a"), "g1", outcome()),
    ]);
    let values: Vec<Value> = lines
        .iter()
        .map(|line| serde_json::from_str(record(line)).unwrap())
        .collect();
    assert_eq!(values[1]["decision"], "allow");
    assert_eq!(values[1]["rule_id"], "user:allow:2");
    assert_eq!(values[1]["call_serial"], 7);
    assert_eq!(values[1].get("approval"), None);
    let approval = json!({
        "answered_at": "2026-12-01T00:00:01.234Z", "approval_id": "q1",
        "asked_at": "2026-12-01T00:00:00.000Z", "channel": "tty", "comment": "fine",
        "decision": "allow_once", "display_sha256": hash("shown"),
        "rule_created": "Bash(ls *)", "user": "ada", "verified": true,
    });
    assert_eq!(values[2]["approval"], approval);
    let result = json!({
        "bytes": 12, "code": "timeout", "is_error": true, "ms": 1234,
        "sha256": hash("content"), "truncated": false,
    });
    assert_eq!(values[3]["result"], result);
}

/// Replaces one secret; it is enough for texts that come whole.
struct NoSwordfish;

impl Redactor for NoSwordfish {
    fn stream(&self) -> Option<Box<dyn RedactStream>> {
        Some(Box::new(Self))
    }
}

impl RedactStream for NoSwordfish {
    fn push<'a>(&'a mut self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let text = std::str::from_utf8(bytes).unwrap();
        Cow::Owned(text.replace("swordfish", "[redacted]").into_bytes())
    }

    fn finish(&mut self) -> Vec<u8> {
        Vec::new()
    }
}

#[test]
fn b148_the_log_tells_which_rule_person_or_hook_let_a_call_pass_without_secrets() {
    let place = Place::new();
    let config = AuditConfig {
        redactor: Arc::new(NoSwordfish),
        ..place.config()
    };
    let (log, _) = AuditLog::open(config).unwrap();
    let policy = hash("policy");
    let (ruled, person, blocked) = (call_ref("ruled"), call_ref("asked"), call_ref("blocked"));
    let hook = "no-prod";
    log.append(vec![
        Entry::call(ruled.clone(), r#"{"command":"login swordfish"}"#),
        Entry::decision(ruled.clone(), Decided::Allow, Some("user:allow:0"), policy),
        Entry::decision(person.clone(), Decided::Ask, None, policy),
        Entry::approval_asked(person.clone(), asked("q1")),
        Entry::approval(person.clone(), answer("q1", "use swordfish"), policy),
        Entry::turned_away(
            blocked,
            "blocked_by_hook",
            Some(hook),
            "swordfish is for production",
        ),
        Entry::intent(ruled, "g1").detail("note", json!({ "swordfish": ["swordfish"] })),
        Entry::hook_failed(person, "swordfish", "it threw swordfish"),
    ])
    .unwrap();
    drop(log);
    let text = place.lines().concat();
    assert!(!text.contains("swordfish"), "{text}");
    assert!(text.contains("login [redacted]"), "{text}");
    let records = place.records();
    let of = |id: &str, event: &str| {
        let is_it = |record: &&Value| record["call_id"] == id && record["event"] == event;
        records.iter().find(is_it).unwrap().clone()
    };
    let decision = of("ruled", "decision");
    assert_eq!(decision["rule_id"], "user:allow:0");
    assert_eq!(decision["policy_sha256"], policy.to_string());
    assert_eq!(decision["args_sha256"], hash("args").to_string());
    let approval = of("asked", "approval");
    assert_eq!(approval["approval"]["user"], "ada");
    assert_eq!(approval["policy_sha256"], policy.to_string());
    assert_eq!(approval["args_sha256"], hash("args").to_string());
    let away = of("blocked", "turned_away");
    assert_eq!(away["hook"]["name"], "no-prod");
    assert_eq!(away["detail"]["why"], "blocked_by_hook");
    assert_eq!(away["args_sha256"], hash("args").to_string());
}
