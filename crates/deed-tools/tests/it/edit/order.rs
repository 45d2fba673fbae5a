use std::time::Duration;

use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::edit;
use crate::meddling::Meddling;
use crate::support::Bench;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn b014_edits_of_one_file_in_one_batch_all_land() {
    let bench = Bench::new();
    let lines: String = (1..=40).map(|line| format!("line <{line}>\n")).collect();
    for _ in 0..20 {
        bench.put("file", &lines);
        let calls = [5, 30, 1, 40, 6].map(|line| {
            let (old, new) = (format!("<{line}>"), format!("<changed {line}>"));
            let edits = json!([{ "oldText": old, "newText": new }]);
            ("edit", json!({ "path": "file", "edits": edits }))
        });
        for called in bench.batch(calls).await {
            called.ok();
        }
        let text = String::from_utf8(bench.content("file")).unwrap();
        assert_eq!(text.matches("changed").count(), 5);
        assert_eq!(text.lines().count(), 40);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn b016_the_order_of_the_message_holds_when_finding_a_file_takes_long() {
    let delay = Duration::from_millis(50);
    let bench = Bench::with(|parts| {
        parts.wrap = Some(Box::new(move |env| {
            Meddling::slow_to_find(env, "link", delay)
        }));
    });
    bench.put("file", "0");
    std::os::unix::fs::symlink("file", bench.path("link")).unwrap();
    let edits = json!([{ "oldText": "1", "newText": "2" }]);
    let called = bench
        .batch([
            ("write", json!({ "path": "link", "content": "1" })),
            ("edit", json!({ "path": "file", "edits": edits })),
        ])
        .await;
    called[0].ok();
    called[1].ok();
    assert_eq!(bench.content("file"), b"2");
}

#[tokio::test]
async fn a_file_that_an_earlier_call_makes_can_be_edited_in_the_same_batch() {
    let bench = Bench::new();
    let edits = json!([{ "oldText": "old", "newText": "new" }]);
    let called = bench
        .batch([
            ("write", json!({ "path": "a/file", "content": "old" })),
            ("edit", json!({ "path": "a/file", "edits": edits })),
        ])
        .await;
    called[0].ok();
    called[1].ok();
    assert_eq!(bench.content("a/file"), b"new");
}

#[tokio::test]
async fn what_somebody_writes_between_reading_and_writing_is_kept() {
    let bench = Bench::with(|parts| {
        let mut is_done = false;
        parts.wrap = Some(Box::new(move |env| {
            Meddling::before_replace(env, move |path| {
                if !std::mem::replace(&mut is_done, true) {
                    std::fs::write(path, "somebody's one\ntwo\n").unwrap();
                }
            })
        }));
    });
    bench.put("file", "one\ntwo\n");
    edit(&bench, "two", "2").await.ok();
    assert_eq!(bench.content("file"), b"somebody's one\n2\n");
}

#[tokio::test]
async fn a_file_that_keeps_changing_is_left_alone() {
    let bench = Bench::with(|parts| {
        let mut count = 0;
        parts.wrap = Some(Box::new(move |env| {
            Meddling::before_replace(env, move |path| {
                count += 1;
                std::fs::write(path, format!("two {}", "x".repeat(count))).unwrap();
            })
        }));
    });
    bench.put("file", "two");
    let error = edit(&bench, "two", "2").await.error();
    assert!(error.contains("somebody else keeps writing it"), "{error}");
    assert_eq!(bench.content("file"), b"two xx");
}

#[tokio::test]
async fn a_call_cancelled_after_the_write_is_not_called_aborted() {
    let token = CancellationToken::new();
    let cancel = token.clone();
    let bench = Bench::with(|parts| {
        parts.wrap = Some(Box::new(move |env| {
            Meddling::before_replace(env, move |_| cancel.cancel())
        }));
    });
    bench.put("file", "one");
    let edits = json!([{ "oldText": "one", "newText": "two" }]);
    let call = ("edit", json!({ "path": "file", "edits": edits }));
    let called = bench.batch_until([call], token, |_| false).await.remove(0);
    // Whatever the moment, the answer and the file agree.
    assert_eq!(
        called.result.is_error,
        bench.content("file") == b"one",
        "{}",
        called.text()
    );
}
