use std::time::Duration;

use deed_guard::audit::{
    AuditConfig, AuditLog, CallRef, Decided, Entry, Event, Filter, OutcomeRecord, read,
};
use deed_schema::Sha256Hash;
use serde_json::Value;

use super::support::{DAY, DECEMBER, Place, call_ref};

fn policy() -> Sha256Hash {
    Sha256Hash::of(b"policy")
}

/// Two sessions, two months, two tools.
fn two_of_all() -> Place {
    let place = Place::new();
    for (month, session, tool) in [(0, "s1", "bash"), (1, "s2", "read")] {
        place.turn_clock(DECEMBER + month * 32 * DAY);
        let config = AuditConfig {
            session: session.into(),
            ..place.config()
        };
        let (log, _) = AuditLog::open(config).unwrap();
        let call = CallRef::new("run-1", &format!("c-{tool}"), tool);
        let decided = if tool == "bash" {
            Decided::Deny
        } else {
            Decided::Allow
        };
        log.append(vec![
            Entry::call(call.clone(), "{}"),
            Entry::decision(call, decided, Some("rule"), policy()),
        ])
        .unwrap();
    }
    place
}

/// The numbers of the records that pass.
fn numbers(place: &Place, filter: Filter) -> Vec<u64> {
    let records = read(&place.folder, filter).unwrap();
    let number = |record: &str| {
        serde_json::from_str::<Value>(record).unwrap()["seq"]
            .as_u64()
            .unwrap()
    };
    records
        .map(|shown| number(shown.unwrap().record.get()))
        .collect()
}

#[test]
fn each_filter_lets_its_records_pass() {
    let place = two_of_all();
    let january = jiff::Timestamp::from_second(DECEMBER + 31 * DAY).unwrap();
    let text = |text: &str| Some(text.to_owned());
    let none = Filter::default;
    let cases: Vec<(Filter, &[u64])> = vec![
        (none(), &[1, 2, 3, 4, 5, 6, 7, 8]),
        (
            Filter {
                call: text("c-read"),
                ..none()
            },
            &[6, 7],
        ),
        (
            Filter {
                tool: text("bash"),
                ..none()
            },
            &[2, 3],
        ),
        (
            Filter {
                decision: Some(Decided::Allow),
                ..none()
            },
            &[7],
        ),
        (
            Filter {
                event: Some(Event::Genesis),
                ..none()
            },
            &[1, 5],
        ),
        (
            Filter {
                since: Some(january),
                ..none()
            },
            &[5, 6, 7, 8],
        ),
        (
            Filter {
                until: Some(january),
                ..none()
            },
            &[1, 2, 3, 4],
        ),
        (
            Filter {
                session: text("s2"),
                ..none()
            },
            &[5, 6, 7, 8],
        ),
        (
            Filter {
                limit: Some(3),
                ..none()
            },
            &[6, 7, 8],
        ),
        (
            Filter {
                limit: Some(0),
                ..none()
            },
            &[],
        ),
        (
            Filter {
                tool: text("bash"),
                limit: Some(1),
                ..none()
            },
            &[3],
        ),
    ];
    for (filter, expected) in cases {
        let case = format!("{filter:?}");
        assert_eq!(numbers(&place, filter), expected, "{case}");
    }
    let path = place.log_path();
    assert_eq!(read(&path, Filter::default()).unwrap().count(), 4);
}

#[test]
fn a_record_is_one_line_for_people() {
    let place = Place::new();
    let log = place.open();
    let outcome = OutcomeRecord {
        is_error: true,
        code: Some("timeout".into()),
        bytes: 12,
        sha256: policy(),
        truncated: false,
        elapsed: Duration::from_millis(1500),
    };
    log.append(vec![
        Entry::decision(call_ref("c1"), Decided::Ask, Some("user:ask:1"), policy()),
        Entry::call(call_ref("c1"), r#"{"command":"ls"}"#),
        Entry::outcome(call_ref("c1"), "g1", outcome),
    ])
    .unwrap();
    let lines: Vec<_> = read(&place.folder, Filter::default())
        .unwrap()
        .map(|shown| shown.unwrap().to_string())
        .collect();
    assert_eq!(
        lines[1..],
        [
            "2026-12-01T00:00:00.000Z  s1  c1  decision  bash  ask  user:ask:1",
            r#"2026-12-01T00:00:00.000Z  s1  c1  call  bash  {"command":"ls"}"#,
            "2026-12-01T00:00:00.000Z  s1  c1  outcome  bash  error (timeout), 12 bytes, 1500 ms",
        ]
    );
}

#[test]
fn what_could_deceive_a_terminal_is_made_visible() {
    let place = Place::new();
    let log = place.open();
    let call = CallRef::new("run", "\u{1b}[2J", "a\nb\u{202e}c\u{200b}");
    log.append(vec![Entry::call(call, "\u{9b}31m\t\r".repeat(100))])
        .unwrap();
    let shown = read(&place.folder, Filter::default()).unwrap().nth(1);
    let line = shown.unwrap().unwrap().to_string();
    assert!(
        line.contains(r"\u{1b}[2J  call  a\nb\u{202e}c\u{200b}  \u{9b}31m\t\r"),
        "{line}"
    );
    assert!(
        !line.contains(|c: char| c.is_control() || c == '\u{202e}' || c == '\u{200b}'),
        "{line}"
    );
    assert!(line.ends_with('…') && line.len() < 700, "{line}");
}

#[test]
fn a_line_that_is_no_record_is_an_item_and_the_next_ones_follow() {
    let place = Place::with_calls(2);
    let mut lines = place.lines();
    lines[1] = "x".repeat(100_000) + "\n";
    place.set_lines(&lines);
    let records: Vec<_> = read(&place.folder, Filter::default()).unwrap().collect();
    assert_eq!(records.len(), 4);
    let error = records[1].as_ref().unwrap_err().to_string();
    assert!(
        error.contains(":2: no audit record") && error.contains("deed audit verify"),
        "{error}"
    );
}
