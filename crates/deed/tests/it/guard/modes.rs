//! What runs without a question: by rule, by mode, by folder.

use super::{bash, unattended, write, write_user_policy};
use crate::support::Sandbox;
use serde_json::{Value, json};

/// What became of a call.
fn verdict(text: &str, is_error: bool) -> &'static str {
    match (is_error, text) {
        (false, _) => "ran",
        (true, text) if text.starts_with("Denied: ") => "denied",
        (true, text) if text.contains("interactive approval") => "asked",
        _ => panic!("{text}"),
    }
}

fn verdicts(sandbox: &Sandbox, args: &[&str], calls: &[Value]) -> Vec<&'static str> {
    let input: String = calls.iter().map(|call| format!("{call}\n")).collect();
    let ran = unattended(sandbox, args, input);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
    let outcomes = ran.outcomes();
    let of = outcomes.iter().map(|it| verdict(it.text(), it.is_error()));
    of.collect()
}

#[test]
fn each_mode_lets_run_what_it_says() {
    let calls = [
        json!({"name": "ls"}),
        json!({"name": "ls", "arguments": {"path": "/usr"}}),
        write("inside", "x"),
        write("../outside", "x"),
        bash("touch made"),
    ];
    let modes = [
        ("plan", ["ran", "asked", "denied", "denied", "denied"]),
        ("default", ["ran", "asked", "asked", "asked", "asked"]),
        ("acceptEdits", ["ran", "asked", "ran", "asked", "asked"]),
        ("dontAsk", ["ran", "denied", "denied", "denied", "denied"]),
        ("bypass", ["ran", "ran", "ran", "ran", "ran"]),
    ];
    for (mode, expected) in modes {
        let sandbox = Sandbox::new();
        let found = verdicts(&sandbox, &["--permission-mode", mode], &calls);
        assert_eq!(found, expected, "{mode}");
        assert_eq!(sandbox.path("made").exists(), mode == "bypass", "{mode}");
    }
}

#[test]
fn rules_of_a_named_file_allow_ask_and_deny() {
    let sandbox = Sandbox::new();
    let policy = json!({"version": 1, "permissions": {
        "allow": ["Bash(touch *)", "Write(./notes/**)"],
        "ask": ["Bash(touch asked)"],
        "deny": ["Bash(touch denied)"],
    }});
    sandbox.write("policy.json", policy.to_string());
    let calls = [
        bash("touch allowed"),
        bash("touch asked"),
        bash("touch denied"),
        bash("touch allowed2 && touch denied"),
        write("notes/a", "x"),
        write("a", "x"),
    ];
    let found = verdicts(&sandbox, &["--policy", "policy.json"], &calls);
    assert_eq!(found, ["ran", "asked", "denied", "denied", "ran", "asked"]);
    let made = ["allowed", "asked", "denied", "allowed2"].map(|name| sandbox.path(name).exists());
    assert_eq!(made, [true, false, false, false]);
}

#[test]
fn a13_b128_a_prefix_rule_does_not_cover_a_compound_command() {
    let sandbox = Sandbox::new();
    let policy = json!({"version": 1, "permissions": {"allow": ["Bash(echo *)"]}});
    sandbox.write("policy.json", policy.to_string());
    let commands = [
        "echo a; touch made",
        "echo a && touch made",
        "echo a | xargs touch made",
        "echo a\ntouch made",
        "echo $(touch made)",
        "echo `touch made`",
        "echo a > made",
    ];
    let calls: Vec<Value> = commands.iter().map(|command| bash(command)).collect();
    let found = verdicts(&sandbox, &["--policy", "policy.json"], &calls);
    assert_eq!(found, ["asked"; 7]);
    assert!(!sandbox.path("made").exists());
}

#[test]
fn without_mode_or_policy_who_writes_the_calls_is_trusted_but_deny_rules_hold() {
    let sandbox = Sandbox::new();
    write_user_policy(
        &sandbox,
        &json!({"version": 1, "mode": "plan", "permissions": {"deny": ["Bash(touch denied)"]}}),
    );
    let calls = [bash("touch made"), bash("touch denied")];
    assert_eq!(verdicts(&sandbox, &[], &calls), ["ran", "denied"]);
}

#[test]
fn a_folder_that_was_added_belongs_to_the_workspace() {
    let sandbox = Sandbox::new();
    let other = sandbox.tmp().join("other");
    std::fs::create_dir(&other).unwrap();
    let (other, mode) = (
        other.to_str().unwrap(),
        ["--permission-mode", "acceptEdits"],
    );
    let calls = [
        json!({"name": "ls", "arguments": {"path": other}}),
        write(format!("{other}/a"), "x"),
    ];
    assert_eq!(verdicts(&sandbox, &mode, &calls), ["asked", "asked"]);
    let added = [&mode[..], &["--add-dir", other]].concat();
    assert_eq!(verdicts(&sandbox, &added, &calls), ["ran", "ran"]);
    for folder in ["nowhere", "a-file"] {
        sandbox.write("a-file", "");
        let ran = unattended(&sandbox, &["--add-dir", folder], bash("touch made"));
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
        assert!(
            ran.stderr
                .starts_with(&format!("deed: --add-dir {folder}: "))
        );
    }
    assert!(!sandbox.path("made").exists());
}

#[test]
fn b146_a_tool_that_is_denied_whole_is_not_there() {
    let sandbox = Sandbox::new();
    write_user_policy(
        &sandbox,
        &json!({"version": 1, "permissions": {"deny": ["Bash", "find"]}}),
    );
    let calls = format!("{}\n{}\n", bash("touch made"), json!({"name": "find"}));
    let ran = sandbox.exec(calls);
    let outcomes = ran.assert_clean().outcomes();
    insta::assert_snapshot!(outcomes[0].text(), @"
    Tool bash not found

    Active tools: read, edit, write, grep, ls
    ");
    assert!(outcomes[1].text().starts_with("Tool find not found"));
    assert!(outcomes.iter().all(|outcome| outcome.is_error()));
    assert!(!sandbox.path("made").exists());
}
