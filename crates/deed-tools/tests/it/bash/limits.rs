//! What a call may ask for, and what it may cost.

use std::time::Duration;

use serde_json::json;

use super::bash;
use crate::support::Bench;

fn status_kb(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn open_descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

#[tokio::test]
async fn b052_memory_stays_flat_whatever_is_printed() {
    let bench = Bench::new();
    bench
        .call("bash", json!({ "command": "seq 1 30000" }))
        .await
        .ok();
    let before = status_kb("VmHWM");
    let called = bench
        .call("bash", json!({ "command": "yes | head -c 100000000" }))
        .await;
    called.ok();
    assert_eq!(called.detail("totalBytes"), 100_000_000);
    assert_eq!(called.full_output().metadata().unwrap().len(), 100_000_000);
    let grown = status_kb("VmHWM") - before;
    assert!(grown < 20_000, "{grown} KB more");
}

#[tokio::test]
async fn b056_a_nul_in_the_command_is_a_fault_of_the_arguments() {
    let bench = Bench::new();
    let called = bench
        .call("bash", json!({ "command": "touch x; echo a\u{0}b" }))
        .await;
    let text = called.error();
    assert!(
        text.contains("- command: contains a NUL character (character 16)"),
        "{text}"
    );
    assert!(!bench.path("x").exists());
}

#[tokio::test]
async fn b065_odd_time_limits_are_faults() {
    let bench = Bench::new();
    for timeout in [
        json!(0),
        json!(-5),
        json!(1e12),
        json!("soon"),
        json!("NaN"),
    ] {
        let arguments = json!({ "command": "touch x", "timeout": timeout });
        let text = bench.call("bash", arguments).await.error();
        assert!(text.contains("- timeout: "), "{timeout}: {text}");
    }
    assert!(!bench.path("x").exists());
    let arguments = json!({ "command": "echo hi", "timeout": "30" });
    assert_eq!(bench.call("bash", arguments).await.ok(), "hi\n");
}

#[tokio::test]
async fn without_a_limit_of_its_own_a_call_has_that_of_the_settings() {
    let bench = Bench::with(|parts| {
        parts.settings.command_timeout = Duration::from_millis(300);
    });
    let text = bench
        .call("bash", json!({ "command": "sleep 60" }))
        .await
        .error();
    assert_eq!(
        text,
        "(no output)\n\nCommand timed out after 0.3 seconds and was stopped"
    );
}

#[tokio::test]
async fn b070_nothing_is_left_open_and_saved_output_is_private_and_unique() {
    let bench = Bench::new();
    let run = || bench.call("bash", json!({ "command": "seq 1 3000" }));
    run().await.ok();
    let before = open_descriptors();
    let mut paths = std::collections::HashSet::new();
    for _ in 0..100 {
        assert!(paths.insert(run().await.full_output()));
    }
    assert_eq!(open_descriptors(), before);
    assert_eq!(
        std::fs::read_dir(bench.output_folder()).unwrap().count(),
        101
    );
}

#[tokio::test]
async fn b071_the_same_command_at_once_in_two_sessions_has_two_files() {
    let one = Bench::new();
    let folder = one.output_folder();
    let other = Bench::with(|parts| parts.config.output_folder = folder.clone());
    let calls = |name| {
        [(
            "bash",
            json!({ "command": format!("yes {name} | head -n 3000") }),
        )]
    };
    let (first, second) = tokio::join!(one.batch(calls("first")), other.batch(calls("second")));
    for (called, word) in [(&first[0], "first\n"), (&second[0], "second\n")] {
        let saved = std::fs::read_to_string(called.full_output()).unwrap();
        assert_eq!(saved, word.repeat(3000));
    }
}

#[tokio::test]
async fn the_settings_choose_the_shell_and_what_stands_before_each_command() {
    let bench = Bench::with(|parts| {
        parts.settings.shell_path = Some("/bin/sh".to_owned());
        parts.settings.shell_command_prefix = Some("greeting=hello".to_owned());
    });
    let text = bench
        .call("bash", json!({ "command": "echo $greeting $0" }))
        .await
        .ok();
    assert_eq!(text, "hello /bin/sh\n");
    let bench = Bench::with(|parts| {
        parts.settings.shell_path = Some("/nowhere/zsh".to_owned());
    });
    let text = bench
        .call("bash", json!({ "command": "true" }))
        .await
        .error();
    assert!(text.contains("/nowhere/zsh"), "{text}");
}

#[tokio::test]
async fn secrets_of_the_host_are_not_in_the_environment_of_a_command() {
    let bench = Bench::with(|parts| {
        parts
            .config
            .variables
            .push(("API_KEY".into(), "hunter2".into()));
        parts.config.withheld_variables.push("API_KEY".into());
    });
    let text = bench
        .call("bash", json!({ "command": "echo key=$API_KEY" }))
        .await
        .ok();
    assert_eq!(text, "key=\n");
    assert_eq!(bash("echo $BASH_ENV").await.ok(), "\n");
}
