use std::fs;

use deed_guard::audit::{Anchor, AuditConfig, AuditLog, FindingKind, VerifyOptions, verify};
use deed_schema::Sha256Hash;

use super::support::{DAY, DECEMBER, Place, append_calls, kinds, names, records_of};

/// Three months with records.
fn three_months() -> Place {
    let place = Place::new();
    for month in 0..3 {
        place.turn_clock(DECEMBER + month * 32 * DAY);
        append_calls(&place.open(), 2);
    }
    place
}

const FILES: [&str; 3] = [
    "audit-2026-12.jsonl",
    "audit-2027-01.jsonl",
    "audit-2027-02.jsonl",
];

#[test]
fn a_whole_log_is_told_in_figures() {
    let place = three_months();
    let report = place.verify();
    assert_eq!(
        (report.files, report.records, &report.findings[..]),
        (3, 12, &[][..])
    );
    let (first, last) = (report.first.unwrap(), report.last.unwrap());
    assert_eq!(
        (first.seq, first.ts.as_str()),
        (1, "2026-12-01T00:00:00.000Z")
    );
    assert_eq!((last.seq, last.file.as_str()), (12, FILES[2]));
    let text = place.verify().to_string();
    assert!(
        text.starts_with("ok\n12 records in 3 files, 2026-12-01T"),
        "{text}"
    );
    assert!(text.contains(&last.sha256.to_string()), "{text}");
}

#[test]
fn an_empty_folder_is_whole() {
    let place = Place::new();
    drop(place.open());
    let report = place.verify();
    assert!(report.is_whole(), "{report}");
    assert_eq!((report.files, report.records), (0, 0));
}

#[test]
fn the_text_names_the_first_bad_record_and_what_is_wrong_with_it() {
    let place = Place::with_calls(4);
    let mut lines = place.lines();
    lines[2] = lines[2].replace("run-1", "run-2");
    place.set_lines(&lines);
    let text = place.verify().to_string();
    let first = text.lines().next().unwrap();
    assert_eq!(
        first,
        "not whole: audit-2026-12.jsonl:3 (record 3): edited: the record was changed: its hash is another one"
    );
}

#[test]
fn each_month_goes_on_from_the_one_before() {
    let place = three_months();
    let february = records_of(&place.path(FILES[2]));
    assert_eq!(february[0]["event"], "genesis");
    assert_eq!(february[0]["detail"]["previous_file"], FILES[1]);
    assert_eq!(february[0]["detail"]["previous_seq"], 8);
    assert_eq!(february[0]["seq"], 9);
    let january = fs::read_to_string(place.path(FILES[1])).unwrap();
    let last = january.lines().last().unwrap();
    assert_eq!(february[0]["prev"], last[6..70]);
}

#[test]
fn a_missing_file_is_named_wherever_it_was() {
    for (at, name) in FILES.iter().enumerate() {
        let place = three_months();
        fs::remove_file(place.path(name)).unwrap();
        let report = place.verify();
        assert_eq!(kinds(&report)[0], FindingKind::FileMissing, "{report}");
        assert!(report.to_string().contains(name), "{report}");
        assert_eq!(
            kinds(&report).len(),
            if at == 2 { 2 } else { 1 },
            "{report}"
        );
    }
}

#[test]
fn a_file_of_another_log_breaks_the_chain_between_the_months() {
    let (place, other) = (three_months(), Place::new());
    let config = AuditConfig {
        session: "other".into(),
        ..other.config()
    };
    append_calls(&AuditLog::open(config).unwrap().0, 2);
    fs::copy(other.log_path(), place.log_path()).unwrap();
    let report = place.verify();
    assert_eq!(kinds(&report), [FindingKind::ChainBroken], "{report}");
    assert_eq!(report.findings[0].file, FILES[1]);
}

#[test]
fn a_file_alone_is_checked_from_where_it_begins() {
    let place = three_months();
    for name in FILES {
        let report = verify(&place.path(name), &VerifyOptions::default()).unwrap();
        assert!(report.is_whole(), "{report}");
        assert_eq!((report.files, report.records), (1, 4));
    }
    let path = place.path(FILES[2]);
    let text = fs::read_to_string(&path).unwrap();
    let cut = text.trim_end().rfind('\n').unwrap();
    fs::write(&path, &text[..=cut]).unwrap();
    let report = verify(&path, &VerifyOptions::default()).unwrap();
    assert_eq!(kinds(&report), [FindingKind::ShorterThanHead]);
}

#[test]
fn a_copy_of_one_file_needs_no_head() {
    let place = three_months();
    let copy = place.folder.parent().unwrap().join("copy.jsonl");
    fs::copy(place.path(FILES[1]), &copy).unwrap();
    let report = verify(&copy, &VerifyOptions::default()).unwrap();
    assert!(report.is_whole(), "{report}");
}

#[test]
fn a_head_that_is_missing_or_unreadable_is_told() {
    let place = Place::with_calls(2);
    fs::write(place.path("audit.head"), "= audit-2026-12.jsonl 4 none\n").unwrap();
    assert_eq!(kinds(&place.verify()), [FindingKind::HeadUnreadable]);
    fs::remove_file(place.path("audit.head")).unwrap();
    assert_eq!(kinds(&place.verify()), [FindingKind::HeadMissing]);
    let options = VerifyOptions {
        head: false,
        ..VerifyOptions::default()
    };
    assert!(verify(&place.folder, &options).unwrap().is_whole());
}

#[test]
fn a_head_kept_elsewhere_shows_a_log_that_was_written_anew() {
    let place = Place::with_calls(2);
    let last = place.verify().last.unwrap();
    let check = |seq, sha256| {
        let options = VerifyOptions {
            expected_head: Some(Anchor { seq, sha256 }),
            ..VerifyOptions::default()
        };
        kinds(&verify(&place.folder, &options).unwrap())
    };
    assert_eq!(check(last.seq, last.sha256), []);
    assert_eq!(
        check(last.seq, Sha256Hash::of(b"other")),
        [FindingKind::HeadMismatch]
    );
    assert_eq!(
        check(last.seq + 1, last.sha256),
        [FindingKind::ShorterThanHead]
    );
    append_calls(&place.open(), 2);
    assert_eq!(check(last.seq, last.sha256), []);
}

#[test]
fn a_replaced_file_has_a_bounded_report() {
    let place = Place::with_calls(1);
    fs::write(place.log_path(), "junk\n".repeat(5000)).unwrap();
    let report = place.verify();
    assert!(report.findings.len() <= 100 && report.more_findings > 4000);
    assert!(report.to_string().lines().count() < 20);
}

#[test]
fn verifying_changes_nothing_and_needs_no_right_to_write() {
    let place = Place::with_calls(2);
    let before = (names(&place.folder), fs::read(place.log_path()).unwrap());
    place.verify();
    assert_eq!(
        before,
        (names(&place.folder), fs::read(place.log_path()).unwrap())
    );
}

#[test]
fn a_report_can_be_serialised() {
    let place = Place::with_calls(2);
    place.set_lines(&place.lines()[..2]);
    let json = serde_json::to_value(place.verify()).unwrap();
    assert_eq!(json["findings"][0]["kind"], "shorter_than_head");
    assert_eq!(json["last"]["seq"], 2);
}
