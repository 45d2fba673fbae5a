//! No call changes what decides about calls, or the record of them.

use std::path::Path;

use super::{audit_folder, bash, write, write_project_policy, write_user_policy};
use crate::support::Sandbox;
use serde_json::{Value, json};

fn edit(path: &Path) -> Value {
    let edits = json!([{"oldText": "1", "newText": "2"}]);
    json!({"name": "edit", "arguments": {"path": path, "edits": edits}})
}

#[test]
fn rules_trust_and_records_are_written_by_no_tool_in_the_loosest_mode() {
    let sandbox = Sandbox::new();
    let share = sandbox.home().join(".local/share/deed");
    let policy = json!({"version": 1});
    let user_policy = write_user_policy(&sandbox, &policy);
    write_project_policy(&sandbox, &policy.to_string());
    sandbox.write("named.json", policy.to_string());
    sandbox.deed(&["trust", "named.json"]).assert_clean();
    let files = [
        user_policy,
        sandbox.path(".deed/policy.json"),
        sandbox.path(".deed/settings.json"),
        sandbox.path("named.json"),
        share.join("trust.json"),
        share.join("rules.json"),
        audit_folder(&sandbox).join("audit.head"),
        audit_folder(&sandbox).join("new.jsonl"),
    ];
    let link = sandbox.path("link");
    std::os::unix::fs::symlink(sandbox.home(), &link).unwrap();
    let mut calls: Vec<Value> = Vec::new();
    for file in &files {
        let shown = file.display();
        calls.push(write(&shown, "1"));
        calls.push(edit(file));
        calls.push(bash(&format!("echo 1 > {shown}")));
        calls.push(bash(&format!("true; true && cp /dev/null {shown}")));
    }
    let config = sandbox.home().join(".config/deed");
    calls.push(bash(&format!("cp named.json {}", config.display())));
    calls.push(bash(&format!("cd {} && rm policy.json", config.display())));
    calls.push(bash(&format!("rm -rf {}/", share.display())));
    calls.push(write("link/.config/deed/policy.json", "1"));
    calls.push(write("link/.local/state/deed/audit/x", "1"));
    let before = ["trust.json"].map(|name| std::fs::read(share.join(name)).unwrap());
    let input: String = calls.iter().map(|call| format!("{call}\n")).collect();
    let args = ["--policy", "named.json", "--permission-mode", "bypass"];
    let ran = sandbox.exec_with(&args, input);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    for (call, outcome) in calls.iter().zip(ran.outcomes()) {
        assert!(outcome.is_error(), "{call}");
        assert!(
            outcome
                .text()
                .contains("holds rules, trust or records of Deed"),
            "{call}: {outcome:?}"
        );
    }
    let after = ["trust.json"].map(|name| std::fs::read(share.join(name)).unwrap());
    assert_eq!(before, after);
    assert_eq!(sandbox.read("named.json"), policy.to_string());
    assert!(!share.join("rules.json").exists());
}

#[test]
fn a_folder_for_records_that_is_yet_to_be_made_is_protected_too() {
    let sandbox = Sandbox::new();
    let call = write("log/audit-2026-01.jsonl", "x").to_string();
    let ran = sandbox.exec_with(&["--audit", "log"], call);
    assert!(ran.only().text().starts_with("Denied: "), "{ran:?}");
    assert!(!sandbox.path("log/audit-2026-01.jsonl").exists());
    assert!(sandbox.path("log/audit.head").exists());
}

#[test]
fn a_policy_that_is_a_link_is_changed_by_no_tool_at_either_end() {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.path(".deed")).unwrap();
    let link = sandbox.path(".deed/policy.json");
    std::os::unix::fs::symlink("../rules.json", link).unwrap();
    let args = ["--permission-mode", "bypass"];
    let paths = ["rules.json", ".deed/policy.json"];
    let calls = paths
        .iter()
        .flat_map(|path| [write(path, "{}"), bash(&format!("echo 1 > {path}"))])
        .chain([bash("rm .deed/policy.json")]);
    for call in calls {
        let ran = sandbox.exec_with(&args, call.to_string());
        let outcome = ran.only();
        let said = "holds rules, trust or records of Deed";
        assert!(outcome.text().contains(said), "{call}: {outcome:?}");
    }
    assert!(!sandbox.path("rules.json").exists());
}

#[test]
fn folders_of_rules_and_records_that_are_links_are_replaced_by_no_command() {
    let sandbox = Sandbox::new();
    let home = sandbox.home();
    for folder in ["dotfiles/deed", "records", ".config"] {
        std::fs::create_dir_all(home.join(folder)).unwrap();
    }
    let link = |target: &str, name: &str| {
        std::os::unix::fs::symlink(target, home.join(name)).unwrap();
    };
    link("../dotfiles/deed", ".config/deed");
    link("records", "state");
    let audit = home.join("state/audit");
    let args = ["--permission-mode", "bypass", "--audit"];
    let args = [&args[..], &[audit.to_str().unwrap()]].concat();
    for command in [
        "rm ~/.config/deed",
        "touch ~/dotfiles/deed/policy.json",
        "rm ~/state",
        "rm ~/records/audit/audit.head",
    ] {
        let ran = sandbox.exec_with(&args, bash(command).to_string());
        let outcome = ran.only();
        let said = "holds rules, trust or records of Deed";
        assert!(outcome.text().contains(said), "{command}: {outcome:?}");
    }
    assert!(home.join(".config/deed").is_symlink());
    assert!(home.join("state").is_symlink());
}
