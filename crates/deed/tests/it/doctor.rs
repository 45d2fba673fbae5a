//! `deed doctor`: what works, and what to do about the rest.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use super::support::{Ran, Sandbox, bash, run};

fn checks(ran: &Ran) -> Vec<Value> {
    let whole: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(whole["works"].as_bool().unwrap(), ran.code == 0, "{ran:?}");
    whole["checks"].as_array().unwrap().clone()
}

/// Returns a check by its name.
#[track_caller]
fn check(ran: &Ran, name: &str) -> Value {
    let checks = checks(ran);
    let found = checks.iter().find(|check| check["name"] == name);
    found
        .unwrap_or_else(|| panic!("no {name} in {ran:?}"))
        .clone()
}

fn examine(sandbox: &Sandbox) -> Ran {
    sandbox.deed(&["doctor", "--json"])
}

#[track_caller]
fn assert_status(ran: &Ran, name: &str, status: &str) {
    let check = check(ran, name);
    assert_eq!(check["status"], status, "{check}");
    assert_eq!(check.get("remedy").is_some(), status != "ok", "{check}");
}

fn config(sandbox: &Sandbox, name: &str, text: &str) {
    let folder = sandbox.home().join(".config/deed");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(name), text).unwrap();
}

#[test]
fn a_new_machine_works_and_nothing_on_it_is_changed() {
    let sandbox = Sandbox::new();
    let before = sandbox.everything();
    let ran = examine(&sandbox);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(sandbox.everything(), before);
    for name in [
        "deed",
        "settings folder",
        "settings",
        "project",
        "policy",
        "shell",
        "terminal",
    ] {
        assert_status(&ran, name, "ok");
    }
    assert_status(&ran, "sandbox", "warn");
}

#[test]
fn the_table_for_people_has_a_line_for_each_check_and_the_remedy_below() {
    let sandbox = Sandbox::new();
    config(&sandbox, "settings.json", "{\n  \"modle\": 1\n}");
    let ran = sandbox.deed(&["doctor"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let lines: Vec<&str> = ran.stdout.lines().collect();
    let at = lines
        .iter()
        .position(|line| line.contains(" settings  "))
        .unwrap();
    insta::assert_snapshot!(sandbox.steady(&lines[at..at + 3].join("\n")), @"
    warn  settings         parts of the settings do not count:
                           ROOT/home/.config/deed/settings.json:2:3: `modle` is no setting, and was ignored; did you mean `model`?
                           -> mend the lines
    ");
}

#[test]
fn what_is_wrong_with_the_files_fails_with_its_place() {
    let sandbox = Sandbox::new();
    config(&sandbox, "settings.json", "{\"maxTurns\": 0}");
    config(&sandbox, "policy.json", "{\"version\": 2}");
    let ran = examine(&sandbox);
    assert_eq!(ran.code, 1);
    assert_status(&ran, "settings", "fail");
    assert_status(&ran, "policy", "fail");
    let told = check(&ran, "settings")["told"].to_string();
    assert!(
        told.contains("settings.json:1:14: `maxTurns` must be"),
        "{told}"
    );
    let told = check(&ran, "policy")["told"].to_string();
    assert!(told.contains("policy.json:1:13"), "{told}");
}

#[test]
fn a_folder_that_cannot_be_written_fails() {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.home().join(".local")).unwrap();
    fs::write(sandbox.home().join(".local/state"), "a file").unwrap();
    let ran = examine(&sandbox);
    assert_eq!(ran.code, 1);
    assert_status(&ran, "audit folder", "fail");
    assert_status(&ran, "output folder", "fail");
    assert_status(&ran, "trust folder", "ok");
}

#[test]
fn keys_are_told_by_where_they_come_from_and_none_is_shown() {
    let sandbox = Sandbox::new();
    let set = |args: &[&str], key: &[u8]| {
        let mut command = sandbox.command(&[&["auth", "set"], args].concat());
        run(&mut command, key).assert_clean();
    };
    set(&["anthropic"], b"sk-stored");
    set(&["groq", "--env", "NOT_SET"], b"");
    config(
        &sandbox,
        "settings.json",
        "{\"providers\": {\"acme\": {\"apiKey\": \"sk-settings\"}}}",
    );
    let settings = sandbox.home().join(".config/deed/settings.json");
    fs::set_permissions(&settings, fs::Permissions::from_mode(0o644)).unwrap();
    let ran = examine(&sandbox);
    assert_eq!(ran.code, 1);
    assert_status(&ran, "key anthropic", "ok");
    assert_status(&ran, "key acme", "ok");
    assert_status(&ran, "key groq", "fail");
    assert_status(&ran, "settings keys", "warn");
    assert!(!ran.stdout.contains("sk-"), "{ran:?}");

    let auth = sandbox.home().join(".config/deed/auth.json");
    fs::set_permissions(&auth, fs::Permissions::from_mode(0o644)).unwrap();
    let ran = examine(&sandbox);
    assert_status(&ran, "keys", "fail");
}

#[test]
fn a_project_that_is_not_trusted_and_one_whose_trust_cannot_be_read() {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.path(".deed/skills")).unwrap();
    let ran = examine(&sandbox);
    assert_status(&ran, "project", "warn");
    sandbox.deed(&["trust", "--project", "."]).assert_clean();
    assert_status(&examine(&sandbox), "project", "ok");
    fs::write(
        sandbox.home().join(".local/share/deed/trust.json"),
        "nonsense",
    )
    .unwrap();
    let ran = examine(&sandbox);
    assert_eq!(ran.code, 1);
    assert_status(&ran, "project", "fail");
}

#[test]
fn a_record_that_was_changed_fails() {
    let sandbox = Sandbox::new();
    sandbox.exec(bash("true").to_string()).assert_clean();
    assert_status(&examine(&sandbox), "audit record", "ok");
    let folder = sandbox.home().join(".local/state/deed/audit");
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let is_log = |path: &std::path::PathBuf| path.extension().is_some_and(|it| it == "jsonl");
    let log = files.into_iter().find(is_log).unwrap();
    let text = fs::read_to_string(&log).unwrap();
    fs::write(&log, text.replace("\"bash\"", "\"read\"")).unwrap();
    let ran = examine(&sandbox);
    assert_eq!(ran.code, 1);
    assert_status(&ran, "audit record", "fail");
}

#[test]
fn a_shell_that_is_not_there_or_runs_nothing_fails() {
    let sandbox = Sandbox::new();
    for shell in ["/bin/false", "no-such-shell"] {
        config(
            &sandbox,
            "settings.json",
            &format!("{{\"shellPath\": \"{shell}\"}}"),
        );
        let ran = examine(&sandbox);
        assert_eq!(ran.code, 1, "{shell}");
        assert_status(&ran, "shell", "fail");
    }
}

#[test]
fn without_a_home_folder_it_says_so() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(&["doctor", "--json"]);
    command.env("HOME", "");
    let ran = run(&mut command, b"");
    assert!(ran.code == 1 || ran.code == 0, "{ran:?}");
    assert!(!checks(&ran).is_empty());
}

#[test]
fn a_folder_that_is_not_there_is_a_mistake() {
    let sandbox = Sandbox::new();
    let ran = sandbox.deed(&["doctor", "--cwd", "nowhere"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
}
