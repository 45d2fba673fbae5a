//! `deed policy check --session`: what a recorded run would have met.

use super::{bash, write};
use crate::support::Sandbox;
use serde_json::{Value, json};

fn check(sandbox: &Sandbox, lines: &str) -> String {
    sandbox.write("run.jsonl", lines);
    let ran = sandbox.deed(&["policy", "check", "--session", "run.jsonl"]);
    sandbox.steady(&ran.assert_clean().stdout)
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.deed(&["policy", "init"]).assert_clean();
    sandbox
}

#[test]
fn the_events_of_a_run_are_judged() {
    let sandbox = sandbox();
    let calls = [
        bash("cargo test && touch made"),
        json!([write("a", "x"), {"name": "ls"}]),
        json!({"name": "nothing"}),
        json!({"name": "read", "arguments": {"file": "a"}}),
    ];
    let input: String = calls.iter().map(|call| format!("{call}\n")).collect();
    let ran = sandbox.exec_with(&["--output", "events"], input);
    insta::assert_snapshot!(check(&sandbox, &ran.assert_clean().stdout), @r#"
    line 1: ask     bash call_1  `touch made`: no rule allows this command  [mode:default]
    line 7: ask     write call_2_1  no rule allows writing `ROOT/work/a`  [mode:default]
    line 15: unknown nothing call_3  there is no tool nothing here  [-]
    line 19: unknown read call_4  Validation failed for tool "read": - path: required, but missing - file: not a known field  Received arguments: {   "file": "a" }  [-]
    5 calls: 1 allow, 2 ask, 2 unknown
    "#);
}

#[test]
fn messages_are_judged_whatever_else_they_hold() {
    let sandbox = sandbox();
    let call = |id: &str, command: &str| json!({"type": "toolCall", "id": id, "name": "bash", "arguments": {"command": command}});
    let lines = [
        json!({"role": "user", "content": "go"}),
        json!({"role": "assistant", "content": [{"type": "text", "text": "so"}, call("1", "sudo id")]}),
        json!({"type": "message", "message": {"role": "assistant", "content": [call("2", "cargo test")]}}),
        json!({"type": "message_end", "message": {"role": "assistant", "content": [call("3", "git push")]}}),
        json!({"type": "tool_execution_start", "toolCallId": "3", "toolName": "bash", "args": {"command": "git push"}}),
        json!({"type": "session", "version": 3}),
    ];
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    insta::assert_snapshot!(check(&sandbox, &lines), @"
    line 2: deny    bash 1  `Bash(sudo *)` (ROOT/home/.config/deed/policy.json:29) denies this; find another way, or ask the user to do it  [user:permissions.deny[4] Bash(sudo *)]
    line 4: ask     bash 3  `Bash(git push *)` (ROOT/home/.config/deed/policy.json:32) wants this asked  [user:permissions.ask[0] Bash(git push *)]
    3 calls: 1 allow, 1 ask, 1 deny
    ");
    let args = ["policy", "check", "--session", "run.jsonl", "--json"];
    let judged = sandbox.deed(&args).assert_clean().lines();
    let verdicts: Vec<&Value> = judged.iter().map(|one| &one["verdict"]).collect();
    assert_eq!(verdicts, ["deny", "allow", "ask"]);
}

#[test]
fn a_run_without_calls_is_none_to_judge() {
    let line = json!({"role": "user", "content": "go"});
    let said = check(&sandbox(), &format!("{line}\n"));
    assert_eq!(said, "no tool calls\n");
}

#[test]
fn names_in_a_recorded_run_cannot_move_the_cursor() {
    let sandbox = sandbox();
    let line =
        json!({"type": "tool_execution_start", "toolCallId": "\x1b[2J", "toolName": "x\r\x1b[1A"});
    let said = check(&sandbox, &format!("{line}\n"));
    assert!(!said.contains(['\x1b', '\r']), "{said:?}");
}

#[test]
fn what_is_no_recorded_run_is_a_mistake() {
    let sandbox = sandbox();
    let refused = |lines: &str| {
        sandbox.write("run.jsonl", lines);
        let ran = sandbox.deed(&["policy", "check", "--session", "run.jsonl"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
        ran.stderr
    };
    insta::assert_snapshot!(refused("\nnonsense\n"), @"deed: run.jsonl:2: this is no line of a session or of `--output events`: expected ident at line 1 column 2");
    insta::assert_snapshot!(refused("{\"name\": \"ls\"}\n"), @"deed: run.jsonl:1: this is no line of a session or of `--output events`: it has neither a type nor a role");
    let ran = sandbox.deed(&["policy", "check", "--session", "nowhere"]);
    assert_eq!(ran.code, 2);
    insta::assert_snapshot!(ran.stderr, @"deed: cannot read nowhere: No such file or directory (os error 2)");
}
