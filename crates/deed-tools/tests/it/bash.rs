//! The bash tool: what a result says of a command's output and end.

use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::{Bench, Called};

mod ending;
mod limits;
mod output;
mod presentation;

/// Runs a command in a new bench.
async fn bash(command: &str) -> Called {
    Bench::new()
        .call("bash", json!({ "command": command }))
        .await
}

/// Runs a command with a time limit in seconds in a new bench.
async fn bash_for(command: &str, timeout: f64) -> Called {
    let arguments = json!({ "command": command, "timeout": timeout });
    Bench::new().call("bash", arguments).await
}

/// Tells whether a process runs; one that has ended but was not collected does not.
fn runs(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.is_ok_and(|stat| {
        !stat
            .rsplit(')')
            .next()
            .unwrap()
            .trim_start()
            .starts_with('Z')
    })
}

#[tokio::test]
async fn of_3000_lines_the_last_2000_are_shown_and_all_are_saved() {
    let bench = Bench::new();
    let called = bench.call("bash", json!({ "command": "seq 1 3000" })).await;
    let text = called.ok();
    let path = called.full_output();
    assert!(text.starts_with("1001\n1002\n"), "{text}");
    let end = format!(
        "\n3000\n\n[Showing lines 1001-3000 of 3000 (limit 2000 lines). Not shown: lines 1-1000. \
         Full output (13.6KB): {} (open it with read)]",
        path.display()
    );
    assert!(text.ends_with(&end), "{text}");
    let saved = std::fs::read_to_string(&path).unwrap();
    assert_eq!(saved.lines().count(), 3000);
    assert!(saved.starts_with("1\n2\n") && saved.ends_with("2999\n3000\n"));
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert!(
        path.file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .starts_with("bash-c1-")
    );
    assert_eq!(called.detail("totalLines"), 3000);
    assert_eq!(called.detail("truncation")["outputLines"], 2000);
    assert_eq!(called.detail("exitCode"), 0);
}

#[tokio::test]
async fn what_fits_is_shown_as_it_is_and_not_saved() {
    let bench = Bench::new();
    let called = bench
        .call("bash", json!({ "command": "echo one; echo two >&2" }))
        .await;
    let text = called.ok();
    assert!(text == "one\ntwo\n" || text == "two\none\n", "{text}");
    assert!(called.detail("fullOutputPath").is_null());
    assert_eq!(std::fs::read_dir(bench.output_folder()).unwrap().count(), 0);
    assert_eq!(bash("true").await.ok(), "(no output)");
    assert_eq!(bash("").await.ok(), "(no output)");
}

#[tokio::test]
async fn updates_are_whole_tails_in_order_and_the_last_is_the_state_before_the_end() {
    let called = bash("echo a; sleep 0.5; echo b; sleep 0.5; echo c").await;
    assert_eq!(called.ok(), "a\nb\nc\n");
    let shown: Vec<String> = called
        .updates
        .iter()
        .map(|update| update.joined_text())
        .collect();
    assert_eq!(shown.first().unwrap(), "");
    assert_eq!(shown.last().unwrap(), "a\nb\nc\n");
    for pair in shown.windows(2) {
        assert!(
            pair[1].len() > pair[0].len() && pair[1].starts_with(&pair[0]),
            "{shown:?}"
        );
    }
    assert!(shown.len() > 2, "nothing was shown on the way: {shown:?}");
    let last = called.updates.last().unwrap().details.clone().unwrap();
    assert_eq!(last, json!({ "totalLines": 3, "totalBytes": 6 }));
}

#[tokio::test]
async fn updates_are_few_and_bounded_while_much_is_printed() {
    let started = Instant::now();
    let called =
        bash("for i in $(seq 1 300); do echo line $i; sleep 0.002; done; seq 1 5000").await;
    let most = started.elapsed().as_millis() / 100 + 3;
    assert!(
        called.updates.len() as u128 <= most,
        "{} updates",
        called.updates.len()
    );
    let last = called.updates.last().unwrap();
    assert_eq!(last.joined_text().lines().count(), 2000);
    assert_eq!(
        last.details.as_ref().unwrap()["fullOutputPath"],
        called.detail("fullOutputPath")
    );
}

#[tokio::test]
async fn cancelling_answers_with_what_was_printed_and_leaves_no_process() {
    let bench = Bench::new();
    let command = "echo $$ > pids; (trap '' TERM; exec sleep 600) & echo $! >> pids; \
                   echo started; sleep 600";
    let started = Instant::now();
    let called = bench
        .call_cancelled_at("bash", json!({ "command": command }), "started")
        .await;
    assert!(
        started.elapsed() < Duration::from_secs(5),
        "within the grace of a call"
    );
    assert_eq!(
        called.error(),
        "started\n\nCommand aborted: it was cancelled and stopped"
    );
    assert_eq!(called.detail("aborted"), true);
    let pids = String::from_utf8(bench.content("pids")).unwrap();
    assert_eq!(pids.lines().count(), 2);
    for pid in pids.lines() {
        assert!(!runs(pid.parse().unwrap()), "process {pid} runs");
    }
}
