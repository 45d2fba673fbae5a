use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use deed_guard::audit::{
    AuditConfig, AuditLog, CallRef, Entry, FindingKind, Moment, Report, VerifyOptions, verify,
};
use deed_schema::Sha256Hash;
use serde_json::Value;
use tempfile::TempDir;

/// The start of December 2026.
pub(crate) const DECEMBER: i64 = 1_796_083_200;
pub(crate) const DAY: i64 = 86_400;

/// A folder for a log, with a clock that a test turns.
pub(crate) struct Place {
    _root: TempDir,
    pub(crate) folder: PathBuf,
    seconds: Arc<AtomicI64>,
}

impl Place {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        Self {
            folder: root.path().join("audit"),
            _root: root,
            seconds: Arc::new(AtomicI64::new(DECEMBER)),
        }
    }

    pub(crate) fn turn_clock(&self, seconds: i64) {
        self.seconds.store(seconds, Ordering::Relaxed);
    }

    pub(crate) fn config(&self) -> AuditConfig {
        let seconds = self.seconds.clone();
        AuditConfig {
            clock: Arc::new(move || Moment {
                wall: jiff::Timestamp::from_second(seconds.load(Ordering::Relaxed)).unwrap(),
                mono_us: 5,
            }),
            ..AuditConfig::new(&self.folder, "s1", "boot-1")
        }
    }

    pub(crate) fn open(&self) -> AuditLog {
        let (log, findings) = AuditLog::open(self.config()).unwrap();
        assert_eq!(findings, []);
        log
    }

    /// A closed log of this many calls, between a genesis and the end.
    pub(crate) fn with_calls(calls: u64) -> Self {
        let place = Self::new();
        append_calls(&place.open(), calls);
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub(crate) fn log_path(&self) -> PathBuf {
        self.path("audit-2026-12.jsonl")
    }

    pub(crate) fn verify(&self) -> Report {
        verify(&self.folder, &VerifyOptions::default()).unwrap()
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        let text = fs::read_to_string(self.log_path()).unwrap();
        text.split_inclusive('\n').map(str::to_owned).collect()
    }

    pub(crate) fn set_lines(&self, lines: &[String]) {
        fs::write(self.log_path(), lines.concat()).unwrap();
    }

    /// The records of the first file.
    pub(crate) fn records(&self) -> Vec<Value> {
        records_of(&self.log_path())
    }
}

pub(crate) fn records_of(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["r"].clone())
        .collect()
}

pub(crate) fn call_ref(id: &str) -> CallRef {
    CallRef {
        turn: Some(1),
        serial: Some(7),
        source: Some("builtin:bash".into()),
        args_sha256: Some(Sha256Hash::of(b"args")),
        context_sha256: Some(Sha256Hash::of(b"context")),
        ..CallRef::new("run-1", id, "bash")
    }
}

pub(crate) fn append_calls(log: &AuditLog, calls: u64) {
    for number in 0..calls {
        let id = format!("c{number}");
        log.append(vec![Entry::call(call_ref(&id), r#"{"command":"ls"}"#)])
            .unwrap();
    }
}

pub(crate) fn events(records: &[Value]) -> Vec<&str> {
    let events = records
        .iter()
        .map(|record| record["event"].as_str().unwrap());
    events.collect()
}

pub(crate) fn kinds(report: &Report) -> Vec<FindingKind> {
    report.findings.iter().map(|finding| finding.kind).collect()
}

/// The names in a folder, sorted.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

pub(crate) fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
}

/// Runs a test again as a process of its own, with `value` in the variable that it looks at.
pub(crate) fn rerun(test: &str, variable: &str, value: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(variable, value)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}
