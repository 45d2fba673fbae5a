//! How a command ended: each way told apart, and nothing that holds the call.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{bash, bash_for, runs};
use crate::support::Bench;

#[tokio::test]
async fn an_exit_code_is_an_error_that_keeps_the_output() {
    let called = bash("echo out; exit 3").await;
    assert_eq!(called.error(), "out\n\nCommand exited with code 3");
    assert_eq!(called.detail("exitCode"), 3);
    assert_eq!(
        bash("exit 4").await.error(),
        "(no output)\n\nCommand exited with code 4"
    );
}

#[tokio::test]
async fn a_signal_is_named() {
    let called = bash("echo out; kill -9 $$").await;
    assert_eq!(
        called.error(),
        "out\n\nCommand was killed by SIGKILL (exit code 137)"
    );
    assert_eq!(called.detail("signal"), "SIGKILL");
    assert_eq!(called.detail("exitCode"), 137);
}

#[tokio::test]
async fn b058_a_holder_that_left_the_group_does_not_hold_the_call_beyond_the_limit() {
    let started = Instant::now();
    let called = bash_for("setsid sleep 300 & echo hi; sleep 300", 1.0).await;
    assert!(started.elapsed() < Duration::from_secs(10));
    assert_eq!(
        called.error(),
        "hi\n\nCommand timed out after 1 second and was stopped"
    );
    assert_eq!(called.detail("timedOut"), true);
}

#[tokio::test]
async fn b059_a_process_substitution_that_holds_stdout_does_not_hang() {
    let started = Instant::now();
    let called = bash("exec > >(cat -n); echo done").await;
    assert!(called.ok().contains("1\tdone"), "{}", called.text());
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn b061_a_timeout_ends_every_descendant() {
    let bench = Bench::new();
    let command = "(echo $BASHPID > pid; while :; do echo t; sleep 0.1; done) | cat";
    let called = bench
        .call("bash", json!({ "command": command, "timeout": 1.5 }))
        .await;
    let text = called.error();
    assert!(text.starts_with("t\n"), "{text}");
    assert!(
        text.ends_with("\n\nCommand timed out after 1.5 seconds and was stopped"),
        "{text}"
    );
    let pid = String::from_utf8(bench.content("pid"))
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    assert!(!runs(pid));
}

#[tokio::test]
async fn b062_a_timeout_tells_that_the_shell_had_exited_before() {
    let called = bash_for("(while :; do echo t; sleep 0.05; done) & exit 3", 1.5).await;
    let text = called.error();
    let says = "\n\nCommand timed out after 1.5 seconds: the shell itself had exited with code 3 \
                after ";
    assert!(text.contains(says), "{text}");
    assert_eq!(called.detail("exitCode"), 3);
    assert_eq!(called.detail("timedOut"), true);
    assert!(called.detail("exitedAfterMs").as_u64().unwrap() < 1500);
}

#[tokio::test]
async fn b064_a_command_that_ignores_term_is_killed() {
    let started = Instant::now();
    let called = bash_for("trap '' TERM; while :; do sleep 0.1; done", 0.3).await;
    assert!(
        called.error().contains("timed out after 0.3 seconds"),
        "{}",
        called.text()
    );
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[tokio::test]
async fn b067_a_missing_working_folder_is_named_and_later_works_again() {
    let bench = Bench::new();
    std::fs::remove_dir(bench.folder()).unwrap();
    let folder = bench.path("");
    let called = bench.call("bash", json!({ "command": "pwd" })).await;
    let text = called.error();
    assert!(
        text.contains(folder.to_str().unwrap().trim_end_matches('/')),
        "{text}"
    );
    assert!(text.contains("does not exist"), "{text}");
    std::fs::create_dir(&folder).unwrap();
    let text = bench.call("bash", json!({ "command": "pwd" })).await.ok();
    assert_eq!(
        text.trim_end(),
        folder.to_str().unwrap().trim_end_matches('/')
    );
}

#[tokio::test]
async fn b068_there_is_no_terminal_and_no_input() {
    let started = Instant::now();
    let called = bash("read x < /dev/tty; echo $?; cat; echo end").await;
    let text = called.ok();
    assert!(
        text.contains("/dev/tty") && text.contains("1\n") && text.contains("end\n"),
        "{text}"
    );
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn a_background_process_goes_on_and_is_named() {
    let bench = Bench::new();
    let started = Instant::now();
    let called = bench
        .call(
            "bash",
            json!({ "command": "sleep 60 & echo $! > pid; echo hi" }),
        )
        .await;
    assert!(started.elapsed() < Duration::from_secs(30));
    let pid: u32 = String::from_utf8(bench.content("pid"))
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    let expected = format!("hi\n\nStill running in the background: sleep (pid {pid})");
    assert_eq!(called.ok(), expected);
    assert_eq!(
        called.detail("leftRunning"),
        json!([{ "pid": pid, "name": "sleep" }])
    );
    assert!(runs(pid));
}
