//! What is written, and where.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use deed_guard::audit::{AuditConfig, AuditError, AuditLog, Durability, Entry};

use super::support::{
    DAY, DECEMBER, Place, append_calls, call_ref, events, mode, names, records_of,
};

#[test]
fn folder_and_files_are_for_their_owner_only() {
    let place = Place::with_calls(1);
    assert_eq!(mode(&place.folder), 0o700);
    assert_eq!(names(&place.folder), ["audit-2026-12.jsonl", "audit.head"]);
    for name in names(&place.folder) {
        assert_eq!(mode(&place.path(&name)), 0o600, "{name}");
    }
}

#[test]
fn a_log_that_recorded_nothing_leaves_no_record() {
    let place = Place::new();
    place.open().close().unwrap();
    assert_eq!(names(&place.folder), ["audit.head"]);
    assert!(place.verify().is_whole());
}

#[test]
fn a_log_begins_with_a_genesis_and_ends_with_closed() {
    let place = Place::new();
    let log = place.open();
    let range = log
        .append(vec![
            Entry::call(call_ref("a"), "{}"),
            Entry::intent(call_ref("a"), "g1"),
        ])
        .unwrap();
    assert_eq!((range.first_seq, range.last_seq), (2, 3));
    log.close().unwrap();
    log.close().unwrap();
    drop(log);
    let records = place.records();
    assert_eq!(events(&records), ["genesis", "call", "intent", "closed"]);
    assert_eq!(records[0]["prev"], "0".repeat(64));
    assert_eq!(records[3]["prev"], range.last_sha256.to_string());
    for (record, seq) in records.iter().zip(1..) {
        assert_eq!(record["seq"], seq);
        assert_eq!(record["v"], 1);
        assert_eq!(record["session"], "s1");
        assert_eq!(record["boot_id"], "boot-1");
        assert_eq!(record["mono_us"], 5);
        assert_eq!(record["ts"], "2026-12-01T00:00:00.000Z");
    }
}

#[test]
fn nothing_is_recorded_after_the_end() {
    let place = Place::new();
    let log = place.open();
    append_calls(&log, 1);
    log.close().unwrap();
    let error = log.append(vec![Entry::mode_changed("plan", "default")]);
    assert!(matches!(error, Err(AuditError::Closed { .. })), "{error:?}");
    assert!(log.check().is_ok());
}

#[test]
fn a_new_month_is_a_new_file_and_a_clock_set_back_is_none() {
    let place = Place::new();
    let log = place.open();
    append_calls(&log, 1);
    place.turn_clock(DECEMBER + 31 * DAY);
    append_calls(&log, 1);
    place.turn_clock(DECEMBER);
    append_calls(&log, 1);
    drop(log);
    let january = records_of(&place.path("audit-2027-01.jsonl"));
    assert_eq!(events(&place.records()), ["genesis", "call"]);
    assert_eq!(events(&january), ["genesis", "call", "call", "closed"]);
    assert!(place.verify().is_whole());
}

#[test]
fn a_second_writer_that_is_a_month_behind_follows_the_first() {
    let place = Place::new();
    let (one, other) = (place.open(), place.open());
    append_calls(&other, 1);
    place.turn_clock(DECEMBER + 31 * DAY);
    append_calls(&one, 1);
    place.turn_clock(DECEMBER + 31 * DAY - 1);
    append_calls(&other, 1);
    assert_eq!(place.records().len(), 2);
    drop((one, other));
    assert!(place.verify().is_whole());
}

#[test]
fn several_threads_and_logs_make_one_chain() {
    let place = Place::new();
    let logs = [Arc::new(place.open()), Arc::new(place.open())];
    let barrier = Arc::new(Barrier::new(4));
    let threads: Vec<_> = (0..4)
        .map(|number| {
            let (log, barrier) = (logs[number % 2].clone(), barrier.clone());
            thread::spawn(move || {
                barrier.wait();
                append_calls(&log, 100);
            })
        })
        .collect();
    threads
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
    drop(logs);
    let report = place.verify();
    assert!(report.is_whole(), "{report}");
    assert_eq!(report.records, 1 + 400 + 2);
}

#[test]
fn entries_of_one_append_stand_together_in_order_whatever_is_synced() {
    let place = Place::new();
    let config = AuditConfig {
        durability: Durability::Strict,
        ..place.config()
    };
    let (strict, _) = AuditLog::open(config).unwrap();
    let grouped = place.open();
    let batch = |id: &str| {
        vec![
            Entry::call(call_ref(id), "{}"),
            Entry::intent(call_ref(id), "g"),
            Entry::void(call_ref(id), "g"),
        ]
    };
    thread::scope(|scope| {
        scope.spawn(|| (0..40).for_each(|n| drop(strict.append(batch(&format!("s{n}"))).unwrap())));
        scope
            .spawn(|| (0..40).for_each(|n| drop(grouped.append(batch(&format!("g{n}"))).unwrap())));
        scope.spawn(|| {
            (0..40).for_each(|n| drop(grouped.append_synced(batch(&format!("d{n}"))).unwrap()));
        });
    });
    drop((strict, grouped));
    assert!(place.verify().is_whole());
    let records = place.records();
    let calls = &records[1..records.len() - 2];
    for part in calls.chunks(3) {
        assert_eq!(events(part), ["call", "intent", "void"]);
        assert!(
            part.iter()
                .all(|record| record["call_id"] == part[0]["call_id"])
        );
    }
    for writer in ["s", "g", "d"] {
        let ids = calls.iter().step_by(3).filter_map(|record| {
            let id = record["call_id"].as_str().unwrap();
            id.strip_prefix(writer)
                .map(|number| number.parse::<u32>().unwrap())
        });
        assert!(ids.eq(0..40), "{writer}");
    }
}

fn refusal(place: &Place) -> String {
    AuditLog::open(place.config()).unwrap_err().to_string()
}

#[test]
fn a_folder_that_leads_elsewhere_is_refused() {
    let (place, elsewhere) = (Place::new(), tempfile::tempdir().unwrap());
    symlink(elsewhere.path(), &place.folder).unwrap();
    let message = refusal(&place);
    assert!(
        message.contains("symlink") && message.contains("name the real place"),
        "{message}"
    );
    assert_eq!(names(elsewhere.path()), [""; 0]);
}

#[test]
fn files_that_lead_elsewhere_are_refused() {
    for name in ["audit.head", "audit-2026-12.jsonl"] {
        let place = Place::with_calls(1);
        let elsewhere = place.folder.parent().unwrap().join("elsewhere");
        fs::rename(place.path(name), &elsewhere).unwrap();
        symlink(&elsewhere, place.path(name)).unwrap();
        let before = fs::read(&elsewhere).unwrap();
        let message = AuditLog::open(place.config())
            .and_then(|(log, _)| log.append(vec![Entry::mode_changed("a", "b")]))
            .unwrap_err()
            .to_string();
        assert!(
            message.contains("symlink") && message.contains(name),
            "{message}"
        );
        assert_eq!(fs::read(&elsewhere).unwrap(), before);
    }
}

#[test]
fn what_others_may_write_is_refused() {
    let place = Place::with_calls(1);
    for (path, mode) in [
        (place.folder.clone(), 0o770),
        (place.folder.clone(), 0o702),
        (place.path("audit.head"), 0o620),
        (place.log_path(), 0o666),
    ] {
        let good = fs::metadata(&path).unwrap().permissions();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let message = refusal(&place);
        assert!(message.contains(&format!("mode {mode:03o}")), "{message}");
        assert!(message.contains("chmod go-w"), "{message}");
        fs::set_permissions(&path, good).unwrap();
    }
    place.open();
}

#[test]
fn something_else_in_the_place_of_a_folder_or_a_file_is_refused() {
    let place = Place::new();
    fs::write(&place.folder, "").unwrap();
    assert!(refusal(&place).contains("is no folder"));
    let place = Place::new();
    fs::create_dir_all(place.path("audit.head")).unwrap();
    assert!(refusal(&place).contains("audit.head"));
}

#[test]
fn a_note_that_another_process_holds_up_is_written_before_what_comes_next() {
    let place = Place::new();
    let (log, _) = AuditLog::open(AuditConfig {
        max_wait: Duration::ZERO,
        ..place.config()
    })
    .unwrap();
    append_calls(&log, 1);
    let holder = fs::File::open(place.path("audit.head")).unwrap();
    holder.lock().unwrap();
    log.note(vec![Entry::void(call_ref("noted"), "g1")]);
    let intent = || vec![Entry::intent(call_ref("refused"), "g2")];
    let refused = log.append(intent()).unwrap_err();
    assert!(matches!(refused, AuditError::Busy { .. }), "{refused}");
    holder.unlock().unwrap();
    let range = log.append(intent()).unwrap();
    assert_eq!(range.first_seq, range.last_seq, "its own entry alone");
    drop(log);
    let expected = ["genesis", "call", "void", "intent", "closed"];
    assert_eq!(events(&place.records()), expected);
    assert!(place.verify().is_whole());
}
