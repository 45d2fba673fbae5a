//! What `deed exec` makes of calls that are well formed.

use std::fs;

use serde_json::json;

use super::support::{Sandbox, bash};

#[test]
fn a_long_output_ends_in_a_notice_that_leads_to_all_of_it() {
    let sandbox = Sandbox::new();
    let ran = sandbox.exec(bash("seq 1 3000").to_string());
    let outcome = ran.assert_clean().only();
    assert!(!outcome.is_error());
    let (shown, notice) = outcome.text().split_once("\n\n[").unwrap();
    let shown: Vec<u32> = shown.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(shown, (1001..=3000).collect::<Vec<u32>>());
    assert!(notice.contains("lines 1001-3000 of 3000"), "{notice}");
    let path = outcome.0["details"]["fullOutputPath"].as_str().unwrap();
    assert!(notice.contains(path), "{notice}");
    let all = fs::read_to_string(path).unwrap();
    assert_eq!(all.lines().count(), 3000);

    let read_back = json!({"name": "read", "arguments": {"path": path, "limit": 2}});
    let again = sandbox.exec(read_back.to_string()).only();
    assert!(again.text().starts_with("1\n2\n"), "{}", again.text());
}

#[test]
fn output_that_may_not_be_saved_whole_ends_neither_command_nor_program() {
    let sandbox = Sandbox::new();
    let input = bash("seq 1 100000; echo done").to_string();
    let ran = sandbox.exec_with_small_files(64, &input);
    let outcome = ran.assert_clean().only();
    assert!(!outcome.is_error());
    assert!(outcome.text().contains("\ndone\n"), "{}", outcome.text());
    assert!(
        outcome.text().contains("saving stopped"),
        "{}",
        outcome.text()
    );
}

#[test]
fn five_edits_of_one_file_in_one_batch_all_apply() {
    let sandbox = Sandbox::new();
    sandbox.write("a", "one\ntwo\nthree\nfour\nfive\n");
    let edits: Vec<_> = ["one", "two", "three", "four", "five"]
        .iter()
        .map(|word| {
            let edit = json!({"oldText": word, "newText": word.to_uppercase()});
            json!({"name": "edit", "arguments": {"path": "a", "edits": [edit]}})
        })
        .collect();
    let ran = sandbox.exec(json!(edits).to_string());
    let outcomes = ran.assert_clean().outcomes();
    assert_eq!(outcomes.len(), 5);
    assert!(outcomes.iter().all(|outcome| !outcome.is_error()));
    assert_eq!(sandbox.read("a"), "ONE\nTWO\nTHREE\nFOUR\nFIVE\n");
}

#[test]
fn an_unknown_argument_is_named_and_nothing_is_read() {
    let sandbox = Sandbox::new();
    sandbox.write("a", "secret\n");
    let ran = sandbox.exec(r#"{"name":"read","arguments":{"path":"a","colour":1}}"#);
    let outcome = ran.assert_clean().only();
    assert!(outcome.is_error());
    assert!(
        outcome.text().contains("colour: not a known field"),
        "{}",
        outcome.text()
    );
    assert!(!ran.stdout.contains("secret"));
}

#[test]
fn an_unknown_tool_is_an_error_result_and_exit_0() {
    let sandbox = Sandbox::new();
    let ran = sandbox.exec(r#"{"name":"nope"}"#);
    let outcome = ran.assert_clean().only();
    assert!(outcome.is_error());
    insta::assert_snapshot!(outcome.text(), @"
    Tool nope not found

    Active tools: read, bash, edit, write, grep, find, ls, powershell
    ");
}

#[test]
fn fail_on_error_changes_the_exit_code_and_nothing_else() {
    let sandbox = Sandbox::new();
    let input = "{\"name\":\"nope\"}\n{\"name\":\"ls\"}\n";
    let ran = sandbox.exec_with(&["--fail-on-error"], input);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    let errors: Vec<bool> = ran.outcomes().iter().map(|one| one.is_error()).collect();
    assert_eq!(errors, [true, false], "the second call ran too");
    let ran = sandbox.exec_with(&["--fail-on-error"], "{\"name\":\"ls\"}");
    ran.assert_clean();
}

#[test]
fn relative_paths_start_from_cwd() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("sub")).unwrap();
    sandbox.write("sub/inner", "");
    let ran = sandbox.exec_with(&["--cwd", "sub"], r#"{"name":"ls"}"#);
    assert_eq!(ran.assert_clean().only().text(), "inner");
    let ran = sandbox.exec_with(&["--cwd", "sub"], bash("pwd").to_string());
    assert!(ran.only().text().trim().ends_with("/work/sub"), "{ran:?}");
}

#[test]
fn wrong_folders_and_files_are_usage_errors_in_words() {
    let sandbox = Sandbox::new();
    sandbox.write("file", "");
    let said = |args: &[&str]| {
        let ran = sandbox.exec_with(args, r#"{"name":"ls"}"#);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{args:?}");
        ran.stderr
    };
    insta::assert_snapshot!(said(&["--cwd", "missing"]), @"deed: --cwd missing: cannot use this folder: No such file or directory (os error 2)");
    insta::assert_snapshot!(said(&["--cwd", "file"]), @"deed: --cwd file: this is not a folder");
    insta::assert_snapshot!(said(&["missing.jsonl"]), @"deed: cannot read missing.jsonl: No such file or directory (os error 2)");
    insta::assert_snapshot!(said(&["."]), @"deed: cannot read .: it is a folder");
}

#[test]
fn a_file_argument_is_read_and_a_dash_means_standard_input() {
    let sandbox = Sandbox::new();
    sandbox.write("calls.jsonl", "{\"id\":\"from-file\",\"name\":\"ls\"}\n");
    let ran = sandbox.deed(&["exec", "calls.jsonl"]);
    assert_eq!(ran.assert_clean().only().id(), "from-file");
    let ran = sandbox.exec_with(&["-"], r#"{"id":"from-stdin","name":"ls"}"#);
    assert_eq!(ran.assert_clean().only().id(), "from-stdin");
}

#[test]
fn a_selection_decides_which_calls_run() {
    let sandbox = Sandbox::new();
    let input = json!([bash("touch ran"), {"name": "ls"}]).to_string();
    let ran = sandbox.exec_with(&["--tools", "ls"], &input);
    let outcomes = ran.assert_clean().outcomes();
    assert!(outcomes[0].is_error());
    assert!(outcomes[0].text().ends_with("Active tools: ls"));
    assert!(!outcomes[1].is_error());
    let ran = sandbox.exec_with(&["--exclude-tools", "b*"], &input);
    assert!(ran.outcomes()[0].is_error());
    assert!(!sandbox.path("ran").exists());
}

#[test]
fn without_a_home_to_write_to_the_result_says_why_nothing_was_saved() {
    let sandbox = Sandbox::new();
    sandbox.write("no-folder", "");
    let mut command = sandbox.command(&["exec", "--no-audit"]);
    command.env("HOME", sandbox.path("no-folder"));
    let ran = super::support::run(&mut command, bash("seq 1 3000").to_string().as_bytes());
    let outcome = ran.assert_clean().only();
    assert!(!outcome.is_error());
    assert!(
        outcome
            .text()
            .contains("The full output could not be saved: "),
        "{}",
        outcome.text()
    );
}
