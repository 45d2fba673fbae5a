//! Commands of people: nobody is asked, what denies holds, and all of it is on record.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use deed_guard::audit::{AuditConfig, AuditLog};
use deed_guard::policy::PermissionMode;
use deed_guard::redact::{KnownSecret, SecretRedactor};
use deed_guard::{GuardConfig, PersonCommand, PersonOutcome};
use serde_json::{Value, json};

use super::Place;

fn command(text: &str) -> PersonCommand<'_> {
    PersonCommand {
        id: "user-1",
        command: text,
        cwd: Path::new("/proj"),
    }
}

fn well(output: &str) -> PersonOutcome<'_> {
    PersonOutcome {
        code: None,
        output,
        truncated: false,
        elapsed: Duration::from_millis(3),
    }
}

fn detail<'r>(records: &'r [Value], event: &str, pointer: &str) -> &'r Value {
    let of_event = records.iter().find(|record| record["event"] == event);
    of_event.unwrap().pointer(pointer).unwrap()
}

#[tokio::test]
async fn a_command_runs_unasked_in_every_mode_and_is_on_record() {
    for mode in [
        PermissionMode::Plan,
        PermissionMode::DontAsk,
        PermissionMode::Default,
        PermissionMode::Bypass,
    ] {
        let place = Place::with_rules(json!({ "ask": ["Bash(git push *)"] }));
        place.gate.set_mode(mode);
        let grant = place.gate.admit_command(&command("git push origin")).await;
        let grant = grant.unwrap();
        assert_eq!(
            place.events(),
            ["call", "decision allow", "intent"],
            "{mode}: before it runs"
        );
        grant.ended(well("pushed\n"));
        let records = place.records();
        assert_eq!(detail(&records, "decision", "/rule_id"), "built-in:person");
        assert_eq!(detail(&records, "intent", "/tool"), "user_bash");
        assert_eq!(detail(&records, "intent", "/tool_source"), "person");
        assert_eq!(detail(&records, "outcome", "/result/bytes"), 7);
        assert_eq!(detail(&records, "outcome", "/result/is_error"), false);
        assert!(place.person.asked().is_empty());
    }
}

#[tokio::test]
async fn rules_that_deny_hold_and_so_do_doubts() {
    let denied = json!({ "deny": ["Bash(sudo *)", "Read(**/.env)"] });
    let cases = [
        "sudo id",
        "make; sudo id",
        "env X=1 sudo id",
        "eval \"su\"do id; sudo x",
        "cat .env",
    ];
    for text in cases {
        let place = Place::with_rules(denied.clone());
        let refused = place.gate.admit_command(&command(text)).await;
        let reason = refused.map(drop).unwrap_err().reason;
        assert!(reason.contains("terminal of your own"), "{text}: {reason}");
        assert_eq!(place.events(), ["call", "decision deny"], "{text}");
    }
    let place = Place::with_rules(denied);
    let grant = place.gate.admit_command(&command("make test")).await;
    grant.unwrap().ended(well(""));
    let bare = Place::with_rules(json!({ "deny": ["Bash"] }));
    assert!(bare.gate.admit_command(&command("ls")).await.is_err());
}

#[tokio::test]
async fn a_refusal_names_the_rule() {
    let place = Place::with_rules(json!({ "deny": ["Bash(sudo *)"] }));
    let refused = place.gate.admit_command(&command("make; sudo id")).await;
    insta::assert_snapshot!(refused.unwrap_err().reason, @"Not run: `sudo id`: `Bash(sudo *)` (policy.json:1) denies this. Rules that deny hold for your own commands here too; change the rule, or run it in a terminal of your own.");
}

#[tokio::test]
async fn what_was_dropped_half_way_has_an_unknown_outcome_and_what_never_began_is_void() {
    let place = Place::with_rules(json!({}));
    drop(place.gate.admit_command(&command("make")).await.unwrap());
    let records = place.records();
    let code = detail(&records, "outcome", "/result/code");
    assert_eq!(code, "outcome_unknown");
    let place = Place::with_rules(json!({}));
    place
        .gate
        .admit_command(&command("make"))
        .await
        .unwrap()
        .void();
    assert_eq!(place.events().last().unwrap(), "void");
}

#[tokio::test]
async fn secrets_are_not_on_record_and_marks_of_them_do_not_run() {
    let secret = KnownSecret {
        kind: "test".into(),
        value: "hunter2-hunter2".into(),
    };
    let redactor = Arc::new(SecretRedactor::new([secret]).0);
    let place = Place::new(json!({}), |config: &mut GuardConfig| {
        config.redactor = redactor.clone();
    });
    let log = |folder: &Path| AuditConfig {
        redactor: redactor.clone(),
        ..AuditConfig::new(folder, "s1", "boot")
    };
    let folder = place.folder.path().join("audit-of-secrets");
    let guarded = Place::new(json!({}), |config: &mut GuardConfig| {
        config.redactor = redactor.clone();
        config.audit = Some(Arc::new(AuditLog::open(log(&folder)).unwrap().0));
    });
    let text = "curl -H 'X: hunter2-hunter2' a.test";
    let grant = guarded.gate.admit_command(&command(text)).await;
    grant.unwrap().ended(well("fine"));
    let written = std::fs::read_dir(&folder).unwrap().map(|file| {
        let path = file.unwrap().path();
        std::fs::read_to_string(path).unwrap_or_default()
    });
    let written: String = written.collect();
    assert!(written.contains("curl -H"), "{written}");
    assert!(!written.contains("hunter2"), "{written}");

    let stream = redactor.clone();
    let mut stream = deed_agent::Redactor::stream(stream.as_ref()).unwrap();
    let mut marked = stream.push(b"hunter2-hunter2").into_owned();
    marked.extend(stream.finish());
    let marked = String::from_utf8(marked).unwrap();
    let refused = place.gate.admit_command(&command(&marked)).await;
    let reason = refused.map(drop).unwrap_err().reason;
    assert!(reason.contains("[redacted:"), "{reason}");
}

#[tokio::test]
async fn what_cannot_be_recorded_does_not_run() {
    let place = Place::with_rules(json!({}));
    std::fs::remove_dir_all(place.folder.path().join("audit")).unwrap();
    std::fs::write(place.folder.path().join("audit"), "in the way").unwrap();
    let refused = place.gate.admit_command(&command("make")).await;
    let reason = refused.map(drop).unwrap_err().reason;
    assert!(reason.contains("audit log"), "{reason}");
}
