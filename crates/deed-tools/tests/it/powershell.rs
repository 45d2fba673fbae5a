//! The powershell tool, with a stand-in for the program that tells what it was given.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::support::Bench;

/// Puts a program of this name into a folder of its own and makes that the search path.
fn bench_with(name: &str, script: &str) -> Bench {
    let programs = tempfile::tempdir().unwrap().keep();
    let program = programs.join(name);
    std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    Bench::with(|parts| parts.look_first_in(&programs))
}

#[tokio::test]
async fn pwsh_is_given_the_command_and_speaks_utf_8() {
    let bench = bench_with("pwsh", r#"printf '<%s>\n' "$@""#);
    let called = bench
        .call("powershell", json!({ "command": "Write-Output 'hé'" }))
        .await;
    let text = called.ok();
    assert!(
        text.starts_with("<-NoLogo>\n<-NoProfile>\n<-NonInteractive>\n<-Command>\n<"),
        "{text}"
    );
    assert!(
        text.contains("UTF8Encoding") && text.contains("\nWrite-Output 'hé'\n"),
        "{text}"
    );
}

#[tokio::test]
async fn the_old_name_is_taken_where_there_is_no_other() {
    let bench = bench_with("powershell", "seq 1 3000; exit 7");
    let called = bench.call("powershell", json!({ "command": "x" })).await;
    let text = called.error();
    assert!(text.contains("[Showing lines 1001-3000 of 3000"), "{text}");
    assert!(text.ends_with("\n\nCommand exited with code 7"), "{text}");
    let path = called.full_output();
    assert!(
        path.file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .starts_with("powershell-c1-")
    );
}

#[tokio::test]
async fn without_a_program_the_error_says_what_was_looked_for() {
    let bench =
        Bench::with(|parts| parts.config.variables = vec![("PATH".into(), "/nowhere".into())]);
    let text = bench
        .call("powershell", json!({ "command": "x" }))
        .await
        .error();
    for word in ["pwsh", "powershell", "bash"] {
        assert!(text.contains(word), "{text}");
    }
}

#[tokio::test]
async fn b056_a_nul_in_the_command_is_a_fault_of_the_arguments() {
    let text = Bench::new()
        .call("powershell", json!({ "command": "\u{0}" }))
        .await
        .error();
    assert!(
        text.contains("- command: contains a NUL character (character 1)"),
        "{text}"
    );
}
