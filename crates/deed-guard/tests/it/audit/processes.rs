//! Processes that share a log, die at it, or find the disk full.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use deed_guard::audit::{AuditConfig, AuditLog, Entry, FindingKind, Report, VerifyOptions, verify};

use super::support::{Place, append_calls, call_ref, kinds, names, records_of, rerun};

fn verified(folder: &Path) -> Report {
    verify(folder, &VerifyOptions::default()).unwrap()
}

fn only_log(folder: &Path) -> std::path::PathBuf {
    let names = names(folder);
    let name = names.iter().find(|name| name.ends_with(".jsonl")).unwrap();
    folder.join(name)
}

#[test]
fn a_process_killed_while_it_appends_loses_no_record_that_it_was_told_of() {
    const MARK: &str = "DEED_TEST_AUDIT_KILLED";
    if let Some(folder) = std::env::var_os(MARK) {
        append_for_ever(Path::new(&folder));
    }
    let test =
        "audit::processes::a_process_killed_while_it_appends_loses_no_record_that_it_was_told_of";
    for round in 0..20_u64 {
        let root = tempfile::tempdir().unwrap();
        let (folder, told) = (root.path().join("audit"), root.path().join("told"));
        let mut child = rerun(test, MARK, root.path());
        while fs::metadata(&told).map_or(0, |meta| meta.len()) < 40 {
            assert!(child.try_wait().unwrap().is_none());
            thread::yield_now();
        }
        // Not to wait for anything: the kill shall come at another moment in each round.
        thread::sleep(Duration::from_micros(round * 137 % 2500));
        child.kill().unwrap();
        child.wait().unwrap();
        let report = verified(&folder);
        let is_fine = report.is_whole() || kinds(&report) == [FindingKind::TornTail];
        assert!(is_fine, "round {round}: {report}");
        let (log, _) = AuditLog::open(AuditConfig::new(&folder, "after", "boot")).unwrap();
        append_calls(&log, 1);
        drop(log);
        let report = verified(&folder);
        assert!(report.is_whole(), "round {round}: {report}");
        let told = fs::read_to_string(&told).unwrap();
        let last_told: u64 = told.lines().last().unwrap().parse().unwrap();
        let records = records_of(&only_log(&folder));
        assert!(
            records
                .iter()
                .any(|record| record["seq"] == last_told && record["event"] == "void")
        );
    }
}

fn append_for_ever(root: &Path) -> ! {
    let config = AuditConfig::new(root.join("audit"), "killed", "boot");
    let (log, _) = AuditLog::open(config).unwrap();
    let mut told = fs::File::create(root.join("told")).unwrap();
    let args = "x".repeat(3000);
    loop {
        let entries = vec![
            Entry::call(call_ref("c"), args.as_str()),
            Entry::void(call_ref("c"), "g"),
        ];
        let range = log.append(entries).unwrap();
        // One write a line, so that the last line that is there is whole.
        told.write_all(format!("{:08}\n", range.last_seq).as_bytes())
            .unwrap();
    }
}

#[test]
fn two_processes_that_append_at_once_make_one_chain() {
    const MARK: &str = "DEED_TEST_AUDIT_SHARED";
    if let Some(folder) = std::env::var_os(MARK) {
        let config = AuditConfig::new(folder, &std::process::id().to_string(), "boot");
        let (log, findings) = AuditLog::open(config).unwrap();
        assert_eq!(findings, []);
        return append_calls(&log, 300);
    }
    let place = Place::new();
    let test = "audit::processes::two_processes_that_append_at_once_make_one_chain";
    let children = [(); 2].map(|()| rerun(test, MARK, &place.folder));
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let report = verified(&place.folder);
    assert!(report.is_whole(), "{report}");
    assert_eq!(report.records, 1 + 2 * 301);
    assert_eq!(report.findings, []);
}

/// A limit for the size of files makes a write fail in the middle of a line, as a full disk does.
#[test]
fn a_full_disk_leaves_no_torn_line_and_breaks_the_log_until_it_is_opened_anew() {
    const MARK: &str = "DEED_TEST_AUDIT_FULL";
    if let Some(folder) = std::env::var_os(MARK) {
        return fill(Path::new(&folder));
    }
    let place = Place::new();
    let test = "audit::processes::a_full_disk_leaves_no_torn_line_and_breaks_the_log_until_it_is_opened_anew";
    let output = Command::new("sh")
        .arg("-c")
        .arg(format!(
            "trap '' XFSZ; ulimit -f 8; exec \"$0\" --exact {test} --nocapture"
        ))
        .arg(std::env::current_exe().unwrap())
        .env(MARK, &place.folder)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let before = records_of(&only_log(&place.folder)).len();
    assert!(verified(&place.folder).is_whole());
    let (log, findings) = AuditLog::open(AuditConfig::new(&place.folder, "after", "boot")).unwrap();
    assert_eq!(findings, []);
    append_calls(&log, 1);
    assert_eq!(records_of(&only_log(&place.folder)).len(), before + 1);
}

fn fill(folder: &Path) {
    let (log, _) = AuditLog::open(AuditConfig::new(folder, "full", "boot")).unwrap();
    let append = || log.append(vec![Entry::call(call_ref("c"), "x".repeat(1000))]);
    let error = loop {
        match append() {
            Ok(range) => assert!(range.last_seq < 100),
            Err(error) => break error.to_string(),
        }
    };
    for part in [
        "File too large",
        "audit-",
        "make room",
        folder.to_str().unwrap(),
    ] {
        assert!(error.contains(part), "{error}");
    }
    assert!(log.check().is_err());
    assert_eq!(append().unwrap_err().to_string(), error);
    assert_eq!(
        log.append_synced(Vec::new()).unwrap_err().to_string(),
        error
    );
    assert_eq!(log.close().unwrap_err().to_string(), error);
    let report = verified(folder);
    assert!(report.is_whole() && report.findings.is_empty(), "{report}");
}
