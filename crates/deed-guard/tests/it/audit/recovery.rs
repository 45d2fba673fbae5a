//! What a log does that is not as its last writer left it.

use std::fs::{self, OpenOptions};
use std::io::Write;

use deed_guard::audit::{AuditConfig, AuditLog, Entry, Finding, FindingKind};
use deed_schema::sha256_hex;
use serde_json::{Value, json};

use super::support::{DAY, DECEMBER, Place, append_calls, events, kinds, mode, names, records_of};

/// Opens a log with something wrong, records a call, and returns what opening said.
fn reopened(place: &Place) -> Vec<Finding> {
    let (log, findings) = AuditLog::open(place.config()).unwrap();
    append_calls(&log, 1);
    findings
}

fn found(findings: &[Finding]) -> Vec<FindingKind> {
    findings.iter().map(|finding| finding.kind).collect()
}

fn recovered(place: &Place) -> Value {
    let records = place.records();
    let is_it = |record: &&Value| record["event"] == "recovered";
    records.iter().find(is_it).unwrap().clone()
}

fn add(place: &Place, bytes: &[u8]) {
    let mut log = OpenOptions::new()
        .append(true)
        .open(place.log_path())
        .unwrap();
    log.write_all(bytes).unwrap();
}

#[test]
fn a29_a_torn_line_is_moved_aside_and_its_hash_recorded() {
    let place = Place::with_calls(2);
    let torn = br#"{"h":"0123","r":{"args"#;
    add(&place, torn);
    assert_eq!(kinds(&place.verify()), [FindingKind::TornTail]);
    assert_eq!(found(&reopened(&place)), [FindingKind::TornTail]);
    let aside = place.path("audit-2026-12.jsonl.torn-5");
    assert_eq!(fs::read(&aside).unwrap(), torn);
    assert_eq!(mode(&aside), 0o600);
    let record = recovered(&place);
    assert_eq!(record["seq"], 5);
    assert_eq!(record["detail"]["torn_sha256"], sha256_hex(torn));
    assert_eq!(record["detail"]["bytes"], torn.len());
    let report = place.verify();
    assert!(report.is_whole(), "{report}");
    assert_eq!(kinds(&report), [FindingKind::Recovered]);
}

#[test]
fn a_torn_line_of_a_running_log_is_moved_aside_too() {
    let place = Place::new();
    let log = place.open();
    append_calls(&log, 1);
    add(&place, b"half");
    append_calls(&log, 1);
    drop(log);
    let records = place.records();
    assert_eq!(
        events(&records),
        ["genesis", "call", "recovered", "call", "closed"]
    );
    assert!(place.verify().is_whole());
}

#[test]
fn what_was_moved_aside_before_is_not_written_over() {
    let place = Place::with_calls(2);
    let name = "audit-2026-12.jsonl.torn-5";
    fs::write(place.path(name), "kept").unwrap();
    add(&place, b"half");
    reopened(&place);
    assert_eq!(fs::read(place.path(name)).unwrap(), b"kept");
    assert_eq!(
        recovered(&place)["detail"]["torn_file"],
        format!("{name}-2")
    );
    assert_eq!(fs::read(place.path(&format!("{name}-2"))).unwrap(), b"half");
}

#[test]
fn a_torn_first_line_leaves_a_file_that_begins_anew() {
    let place = Place::new();
    drop(place.open());
    fs::write(place.log_path(), "{\"h\":").unwrap();
    fs::set_permissions(
        place.log_path(),
        std::os::unix::fs::PermissionsExt::from_mode(0o600),
    )
    .unwrap();
    assert_eq!(found(&reopened(&place)), [FindingKind::TornTail]);
    let records = place.records();
    assert_eq!(events(&records), ["genesis", "recovered", "call", "closed"]);
    assert!(place.verify().is_whole());
}

#[test]
fn an_empty_new_month_is_begun() {
    let place = Place::with_calls(1);
    place.turn_clock(DECEMBER + 32 * DAY);
    let january = place.path("audit-2027-01.jsonl");
    fs::write(&january, "").unwrap();
    fs::set_permissions(
        &january,
        std::os::unix::fs::PermissionsExt::from_mode(0o600),
    )
    .unwrap();
    assert!(place.verify().is_whole());
    assert_eq!(reopened(&place), []);
    assert_eq!(events(&records_of(&january)), ["genesis", "call", "closed"]);
    assert!(place.verify().is_whole());
}

#[test]
fn a_cut_is_on_record_and_stays_visible_as_a_gap() {
    let place = Place::with_calls(5);
    let lines = place.lines();
    place.set_lines(&lines[..4]);
    assert_eq!(found(&reopened(&place)), [FindingKind::ShorterThanHead]);
    let record = recovered(&place);
    assert_eq!(record["seq"], 8);
    assert_eq!(record["prev"], lines[3][6..70]);
    let detail = json!({
        "found": ["shorter_than_head"], "head_file": "audit-2026-12.jsonl", "head_seq": 7,
        "head_sha256": lines[6][6..70], "tail_seq": 4, "tail_sha256": lines[3][6..70],
    });
    assert_eq!(record["detail"], detail);
    assert_eq!(reopened(&place), []);
    let report = place.verify();
    assert_eq!(kinds(&report), [FindingKind::Recorded, FindingKind::Gap]);
    assert!(
        report.to_string().contains("records 5 to 7 are missing"),
        "{report}"
    );
}

#[test]
fn an_edited_last_record_is_on_record() {
    let place = Place::with_calls(2);
    let mut lines = place.lines();
    lines[3] = lines[3].replace("\"s1\"", "\"s2\"");
    place.set_lines(&lines);
    assert_eq!(
        found(&reopened(&place)),
        [FindingKind::Edited, FindingKind::HeadMismatch]
    );
    assert_eq!(
        recovered(&place)["detail"]["found"],
        json!(["edited", "head_mismatch"])
    );
    let report = place.verify();
    assert_eq!(
        kinds(&report),
        [FindingKind::Edited, FindingKind::Recorded],
        "{report}"
    );
}

#[test]
fn lines_at_the_end_that_are_no_records_are_on_record() {
    let place = Place::with_calls(2);
    add(&place, b"junk\n");
    add(&place, &[b'x'; 200_000]);
    add(&place, b"\n");
    let findings = found(&reopened(&place));
    assert_eq!(findings, [FindingKind::Edited, FindingKind::LongerThanHead]);
    assert_eq!(recovered_of_raw(&place)["seq"], 7);
    let report = place.verify();
    let (edited, recorded) = (FindingKind::Edited, FindingKind::Recorded);
    assert_eq!(kinds(&report), [edited, edited, recorded], "{report}");
}

fn recovered_of_raw(place: &Place) -> Value {
    let lines = place.lines();
    let line = lines
        .iter()
        .find(|line| line.contains("\"recovered\""))
        .unwrap();
    serde_json::from_str::<Value>(line).unwrap()["r"].clone()
}

#[test]
fn records_behind_the_head_are_taken_over_and_noted() {
    let place = Place::new();
    let log = place.open();
    append_calls(&log, 2);
    let head = fs::read(place.path("audit.head")).unwrap();
    append_calls(&log, 2);
    drop(log);
    fs::write(place.path("audit.head"), head).unwrap();
    assert_eq!(kinds(&place.verify()), [FindingKind::LongerThanHead]);
    assert_eq!(found(&reopened(&place)), [FindingKind::LongerThanHead]);
    let report = place.verify();
    assert!(report.is_whole(), "{report}");
    assert_eq!(kinds(&report), [FindingKind::Recovered]);
}

#[test]
fn an_append_that_was_begun_may_have_gone_through() {
    let place = Place::new();
    let log = place.open();
    append_calls(&log, 2);
    let mut head = fs::read(place.path("audit.head")).unwrap();
    head[0] = b'+';
    append_calls(&log, 2);
    drop(log);
    fs::write(place.path("audit.head"), head).unwrap();
    assert!(place.verify().is_whole());
    assert_eq!(reopened(&place), []);
    assert_eq!(kinds(&place.verify()), []);
}

#[test]
fn a_missing_head_is_on_record() {
    let place = Place::with_calls(2);
    fs::remove_file(place.path("audit.head")).unwrap();
    assert_eq!(found(&reopened(&place)), [FindingKind::HeadMissing]);
    assert_eq!(kinds(&place.verify()), [FindingKind::Recorded]);
}

#[test]
fn a_head_or_a_log_removed_under_a_running_log_is_made_anew_and_on_record() {
    let place = Place::new();
    let log = place.open();
    append_calls(&log, 2);
    fs::remove_file(place.path("audit.head")).unwrap();
    append_calls(&log, 1);
    assert_eq!(
        recovered(&place)["detail"]["found"],
        json!(["head_missing"])
    );
    fs::remove_file(place.log_path()).unwrap();
    append_calls(&log, 1);
    drop(log);
    let records = place.records();
    assert_eq!(events(&records), ["genesis", "recovered", "call", "closed"]);
    assert_eq!(records[0]["seq"], 6);
    assert_eq!(
        kinds(&place.verify()),
        [FindingKind::Gap, FindingKind::Recorded]
    );
}

#[test]
fn a_deleted_newest_file_is_on_record() {
    let place = Place::with_calls(1);
    place.turn_clock(DECEMBER + 32 * DAY);
    append_calls(&place.open(), 1);
    let january = place.path("audit-2027-01.jsonl");
    fs::remove_file(&january).unwrap();
    place.turn_clock(DECEMBER);
    assert_eq!(found(&reopened(&place)), [FindingKind::ShorterThanHead]);
    assert_eq!(
        events(&records_of(&january)),
        ["genesis", "recovered", "call", "closed"]
    );
    assert_eq!(
        kinds(&place.verify()),
        [FindingKind::Gap, FindingKind::Recorded]
    );
}

#[test]
fn another_session_sees_what_was_recovered() {
    let place = Place::with_calls(1);
    add(&place, b"torn");
    let config = AuditConfig {
        session: "s2".into(),
        ..place.config()
    };
    let (log, _) = AuditLog::open(config).unwrap();
    log.append(vec![Entry::mode_changed("plan", "default")])
        .unwrap();
    assert_eq!(recovered(&place)["session"], "s2");
    assert_eq!(names(&place.folder).len(), 3);
}
