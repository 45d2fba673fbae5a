//! `deed audit`, and what runs leave in the log.

use std::path::{Path, PathBuf};

use super::{audit_folder, bash, records, unattended};
use crate::support::{Ran, Sandbox};
use serde_json::{Value, json};

/// Returns the only file of records in a folder.
fn file_of(folder: &Path) -> PathBuf {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ext| ext == "jsonl"));
    assert_eq!(files.len(), 1, "{files:?}");
    files.remove(0)
}

/// Returns a folder with the log of a few runs, and its file.
fn recorded() -> (Sandbox, PathBuf) {
    let sandbox = Sandbox::new();
    for name in ["a", "b"] {
        let call = bash(&format!("touch {name}")).to_string();
        sandbox.exec(call).assert_clean();
    }
    let verified = sandbox.deed(&["audit", "verify"]);
    assert!(verified.assert_clean().stdout.starts_with("ok\n"));
    let file = file_of(&audit_folder(&sandbox));
    (sandbox, file)
}

/// Changes the lines of the log and verifies it.
fn verify_after(change: impl FnOnce(&mut Vec<String>)) -> Ran {
    let (sandbox, file) = recorded();
    let text = std::fs::read_to_string(&file).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    change(&mut lines);
    std::fs::write(&file, lines.join("\n") + "\n").unwrap();
    let ran = sandbox.deed(&["audit", "verify"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""), "{ran:?}");
    ran
}

#[test]
fn a_changed_byte_is_reported() {
    let ran = verify_after(|lines| {
        let call = lines.iter_mut().find(|line| line.contains("touch a"));
        let line = call.unwrap();
        *line = line.replacen("touch a", "touch b", 1);
    });
    assert!(ran.stdout.contains(": edited: "), "{ran:?}");
}

#[test]
fn a29_a_deleted_last_line_is_reported() {
    let ran = verify_after(|lines| {
        lines.pop();
    });
    assert!(ran.stdout.contains(": shorter than head: "), "{ran:?}");
}

#[test]
fn a29_two_swapped_lines_are_reported() {
    let ran = verify_after(|lines| lines.swap(4, 5));
    assert!(ran.stdout.contains(": reordered: "), "{ran:?}");
}

#[test]
fn a_line_taken_out_of_the_middle_is_reported() {
    let ran = verify_after(|lines| {
        lines.remove(5);
    });
    assert!(ran.stdout.contains(": gap: "), "{ran:?}");
}

#[test]
fn a_broken_log_is_said_at_the_next_start_and_stays_broken() {
    let (sandbox, file) = recorded();
    let text = std::fs::read_to_string(&file).unwrap();
    let (kept, _) = text.trim_end().rsplit_once('\n').unwrap();
    std::fs::write(&file, format!("{kept}\n")).unwrap();
    let ran = sandbox.exec(bash("touch c").to_string());
    assert!(!ran.only().is_error());
    assert!(
        ran.stderr
            .starts_with("deed: warning: the audit log is not as it was left: "),
        "{ran:?}"
    );
    assert_eq!(sandbox.deed(&["audit", "verify"]).code, 1);
}

#[test]
fn a_head_kept_elsewhere_shows_a_log_that_was_written_anew() {
    let (sandbox, _) = recorded();
    let report = sandbox.deed(&["audit", "verify", "--json"]);
    let report: Value = serde_json::from_str(&report.assert_clean().stdout).unwrap();
    let hash = report["last"]["sha256"].as_str().unwrap();
    let kept = format!("{}:{hash}", report["last"]["seq"]);
    let check = || sandbox.deed(&["audit", "verify", "--head", &kept]);
    check().assert_clean();
    std::fs::remove_dir_all(audit_folder(&sandbox)).unwrap();
    for _ in 0..3 {
        sandbox.exec(bash("touch b").to_string()).assert_clean();
    }
    sandbox.deed(&["audit", "verify"]).assert_clean();
    assert_eq!(check().code, 1);
    for wrong in ["5", "five:00", "5:00"] {
        let ran = sandbox.deed(&["audit", "verify", "--head", wrong]);
        assert_eq!(ran.code, 2, "{wrong}");
        assert!(ran.stderr.contains("expected SEQ:SHA256"), "{ran:?}");
    }
}

#[test]
fn records_are_filtered() {
    let sandbox = Sandbox::new();
    let calls = format!(
        "{}\n{}\n{}\n",
        json!({"id": "one", "name": "ls"}),
        json!({"id": "two", "name": "bash", "arguments": {"command": "touch made"}}),
        json!({"id": "three", "name": "nothing"}),
    );
    unattended(&sandbox, &["--permission-mode", "dontAsk"], calls).assert_clean();
    let found = |filter: &[&str]| -> Vec<String> {
        let records = records(&sandbox, filter);
        let text = |record: &Value, name: &str| record[name].as_str().unwrap_or("-").to_owned();
        let short = |it: &Value| format!("{} {}", text(it, "call_id"), text(it, "event"));
        records.iter().map(short).collect()
    };
    let all = found(&[]);
    assert_eq!(all.first().unwrap(), "- genesis");
    assert_eq!(all.last().unwrap(), "- closed");
    assert!(
        found(&["--tool", "ls"])
            .iter()
            .all(|it| it.starts_with("one "))
    );
    assert_eq!(
        found(&["--call", "one"]),
        ["one call", "one decision", "one intent", "one outcome"]
    );
    assert_eq!(found(&["--decision", "deny"]), ["two decision"]);
    assert_eq!(found(&["--event", "turned_away"]), ["three turned_away"]);
    assert_eq!(found(&["--limit", "2"]), all[all.len() - 2..]);
    assert_eq!(found(&["--limit", "1", "--tool", "ls"]), ["one outcome"]);
    assert_eq!(found(&["--since", "2020-01-01"]), all);
    assert!(found(&["--until", "2020-01-01T00:00:00Z"]).is_empty());
    assert!(found(&["--session", "another"]).is_empty());
    // For people, each record is a line.
    let shown = sandbox.deed(&["audit", "show"]);
    assert_eq!(shown.assert_clean().stdout.lines().count(), all.len());
}

#[test]
fn wrong_filters_and_missing_logs_are_explained() {
    let sandbox = Sandbox::new();
    let refused = |args: &[&str], code: i32| {
        let ran = sandbox.deed(&[&["audit"], args].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (code, ""), "{args:?}");
        sandbox.steady(&ran.stderr)
    };
    insta::assert_snapshot!(refused(&["verify"], 1), @"deed: there is no audit log in ROOT/home/.local/state/deed/audit; the first run that is recorded there begins it");
    insta::assert_snapshot!(refused(&["show", "nowhere"], 1), @"deed: there is no audit log in nowhere; the first run that is recorded there begins it");
    insta::assert_snapshot!(refused(&["show", "--since", "yesterday"], 2), @"deed: yesterday is no time; write it like 2026-12-01 or 2026-12-01T09:30:00Z");
    insta::assert_snapshot!(refused(&["show", "--decision", "maybe"], 2), @"deed: there is no maybe; the decisions are allow, ask, deny");
    insta::assert_snapshot!(refused(&["show", "--event", "party"], 2), @"deed: there is no party; the events are genesis, call, hook, turned_away, decision, approval_asked, approval, intent, progress, outcome, void, policy_loaded, mode_changed, hook_failed, extension_act, late_answer, recovered, closed");
}

#[test]
fn nothing_runs_that_cannot_be_recorded() {
    let sandbox = Sandbox::new();
    sandbox.write("file", "");
    std::os::unix::fs::symlink(sandbox.tmp(), sandbox.path("link")).unwrap();
    let refused = |folder: &str| {
        let call = bash("touch made").to_string();
        let ran = sandbox.exec_with(&["--audit", folder], call);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{folder}");
        sandbox.steady(&ran.stderr)
    };
    insta::assert_snapshot!(refused("file"), @"deed: ROOT/work/file is no folder; move it away, or name another folder; nothing runs unrecorded: --audit DIR names another folder, --no-audit does without");
    insta::assert_snapshot!(refused("link"), @"deed: ROOT/work/link is a symlink, so the audit log could lead anywhere; name the real place instead; nothing runs unrecorded: --audit DIR names another folder, --no-audit does without");
    assert!(!sandbox.path("made").exists());
    let call = bash("touch made").to_string();
    sandbox.exec_with(&["--no-audit"], call).assert_clean();
    assert!(sandbox.path("made").exists());
    assert!(!audit_folder(&sandbox).exists());
}

#[test]
fn two_runs_at_once_share_a_log_that_stays_whole() {
    let sandbox = Sandbox::new();
    let calls: String = (0..40)
        .map(|number| {
            format!(
                "{}\n",
                json!([bash(&format!("echo {number}")), {"name": "ls"}])
            )
        })
        .collect();
    let mut runs = [(); 2].map(|()| sandbox.start_exec(&["--audit", "log"]));
    for run in &mut runs {
        run.say(calls.as_bytes());
    }
    for run in runs {
        assert_eq!(run.end().assert_clean().lines().len(), 80);
    }
    let verified = sandbox.deed(&["audit", "verify", "log", "--json"]);
    let report: Value = serde_json::from_str(&verified.assert_clean().stdout).unwrap();
    assert_eq!(report["findings"], json!([]), "{report:#}");
    let intents = sandbox.deed(&["audit", "show", "log", "--event", "intent", "--json"]);
    assert_eq!(intents.lines().len(), 160);
}
