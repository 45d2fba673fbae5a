//! Whoever changes a file of the log is found out.

use std::fs;

use deed_guard::audit::{AuditLog, Entry, FindingKind};
use deed_schema::sha256_hex;
use proptest::prelude::*;

use super::support::{Place, kinds};

/// Changes the lines of a log of ten records and returns what verifying says.
fn after(change: impl FnOnce(&mut Vec<String>)) -> (Vec<FindingKind>, Option<u64>) {
    let place = Place::with_calls(8);
    let mut lines = place.lines();
    assert_eq!(lines.len(), 10);
    change(&mut lines);
    place.set_lines(&lines);
    let report = place.verify();
    assert!(!report.is_whole());
    let seq = report.first_fault().and_then(|finding| finding.seq);
    (kinds(&report), seq)
}

/// A line with other content and a hash that fits it.
fn forged(line: &str, from: &str, to: &str) -> String {
    let record = line.split_once(r#","r":"#).unwrap().1;
    let record = record.strip_suffix("}\n").unwrap().replace(from, to);
    format!(
        "{{\"h\":\"{}\",\"r\":{record}}}\n",
        sha256_hex(record.as_bytes())
    )
}

#[test]
fn a_changed_record_is_named() {
    let (kinds, seq) = after(|lines| lines[4] = lines[4].replace("\"ls\\\"", "\"rm\\\""));
    assert_eq!((kinds, seq), (vec![FindingKind::Edited], Some(5)));
}

#[test]
fn a_changed_record_with_a_fitting_hash_is_named_by_the_next() {
    let (kinds, seq) = after(|lines| lines[4] = forged(&lines[4], "c3", "c9"));
    assert_eq!((kinds, seq), (vec![FindingKind::Edited], Some(6)));
}

#[test]
fn a_changed_last_record_with_a_fitting_hash_is_another_than_the_head_names() {
    let (kinds, seq) = after(|lines| lines[9] = forged(&lines[9], "s1", "s2"));
    assert_eq!((kinds, seq), (vec![FindingKind::HeadMismatch], Some(10)));
}

#[test]
fn a_deleted_last_line_leaves_the_log_shorter_than_its_head() {
    let (kinds, _) = after(|lines| drop(lines.pop()));
    assert_eq!(kinds, [FindingKind::ShorterThanHead]);
}

#[test]
fn a_deleted_line_leaves_a_gap() {
    let (kinds, seq) = after(|lines| drop(lines.remove(4)));
    assert_eq!((kinds, seq), (vec![FindingKind::Gap], Some(6)));
}

#[test]
fn a_deleted_first_line_is_a_gap_at_the_beginning() {
    let (kinds, seq) = after(|lines| drop(lines.remove(0)));
    assert_eq!((kinds, seq), (vec![FindingKind::Gap], Some(2)));
}

#[test]
fn swapped_lines_are_reordered() {
    for (one, other) in [(4, 5), (3, 7), (1, 8)] {
        let (kinds, _) = after(|lines| lines.swap(one, other));
        assert_eq!(kinds, [FindingKind::Reordered], "{one} {other}");
    }
}

#[test]
fn a_line_put_in_twice_is_a_duplicate() {
    let (kinds, seq) = after(|lines| lines.insert(6, lines[3].clone()));
    assert_eq!((kinds, seq), (vec![FindingKind::Duplicate], Some(4)));
}

#[test]
fn a_forged_line_put_between_is_found() {
    let (kinds, _) = after(|lines| lines.insert(5, forged(&lines[5], "c4", "c9")));
    // The true record has the number too, and the next one goes on from that.
    assert_eq!(kinds, [FindingKind::Duplicate, FindingKind::Edited]);
}

#[test]
fn a_line_that_is_no_record_is_found() {
    for junk in ["\n", "{}\n", "x\n", &("x".repeat(70_000) + "\n")] {
        let (kinds, _) = after(|lines| lines.insert(5, junk.to_owned()));
        assert_eq!(kinds, [FindingKind::Edited], "{junk:.9}");
    }
}

#[test]
fn an_appended_forged_line_goes_beyond_the_head() {
    let (kinds, _) = after(|lines| {
        let last = lines.last().unwrap();
        let hash = last.get(6..70).unwrap().to_owned();
        let prev = lines[8].get(6..70).unwrap();
        let line = forged(last, prev, &hash);
        lines.push(forged(&line, "\"seq\":10", "\"seq\":11"));
    });
    assert_eq!(kinds, [FindingKind::LongerThanHead]);
}

#[test]
fn a_number_that_no_log_comes_to_is_no_record() {
    let seq = format!("\"seq\":{}", u64::MAX);
    let place = Place::with_calls(8);
    let mut lines = place.lines();
    lines.push(forged(&lines[9], "\"seq\":10", &seq));
    place.set_lines(&lines);
    assert_eq!(kinds(&place.verify()), [FindingKind::Edited]);
    let (log, findings) = AuditLog::open(place.config()).unwrap();
    assert_eq!(findings[0].kind, FindingKind::Edited);
    let range = log.append(vec![Entry::mode_changed("a", "b")]).unwrap();
    assert_eq!(range.last_seq, 13);
}

#[test]
fn an_appended_line_that_does_not_fit_is_found() {
    let (kinds, _) = after(|lines| lines.push(lines[9].replace("\"seq\":10", "\"seq\":11")));
    assert!(kinds.contains(&FindingKind::Edited), "{kinds:?}");
}

#[test]
fn a29_three_cut_records_leave_the_log_shorter_than_its_head() {
    let (kinds, _) = after(|lines| lines.truncate(7));
    assert_eq!(kinds, [FindingKind::ShorterThanHead]);
}

#[test]
fn a29_two_swapped_lines_are_reordered() {
    let (kinds, _) = after(|lines| lines.swap(6, 7));
    assert_eq!(kinds, [FindingKind::Reordered]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_one_changed_byte_is_found(places in prop::collection::vec((any::<prop::sample::Index>(), 1..=255_u8), 40)) {
        let place = Place::with_calls(3);
        let bytes = fs::read(place.log_path()).unwrap();
        for (index, difference) in places {
            let mut changed = bytes.clone();
            let at = index.index(changed.len());
            changed[at] ^= difference;
            fs::write(place.log_path(), &changed).unwrap();
            prop_assert!(!place.verify().is_whole(), "byte {} of {}", at, changed.len());
        }
    }

    #[test]
    fn any_cut_end_is_found(index in any::<prop::sample::Index>()) {
        let place = Place::with_calls(3);
        let bytes = fs::read(place.log_path()).unwrap();
        fs::write(place.log_path(), &bytes[..index.index(bytes.len())]).unwrap();
        prop_assert!(!place.verify().is_whole());
    }
}
