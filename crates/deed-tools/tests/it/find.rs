//! The find tool.

use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{Bench, Called};

async fn find(bench: &Bench, arguments: Value) -> Called {
    bench.call("find", arguments).await
}

#[tokio::test]
async fn files_and_folders_are_listed_in_order_relative_to_the_searched_folder() {
    let bench = Bench::new();
    bench.put("src/main.rs", "");
    bench.put("src/.hidden.rs", "");
    bench.put("lib.rs/inner.rs", "");
    bench.put(".git/x.rs", "");
    bench.put(".gitignore", "target\n");
    bench.put("target/out.rs", "");
    let text = find(&bench, json!({ "pattern": "*.rs" })).await.ok();
    assert_eq!(
        text,
        "lib.rs/\nlib.rs/inner.rs\nsrc/.hidden.rs\nsrc/main.rs"
    );
    let text = find(&bench, json!({ "pattern": "*.rs", "path": "src" }))
        .await
        .ok();
    assert_eq!(text, ".hidden.rs\nmain.rs");
    let text = find(&bench, json!({ "pattern": "nothing" })).await.ok();
    assert_eq!(text, "No files found matching pattern");
}

#[tokio::test]
async fn b073_patterns_and_paths_with_a_dash_are_no_options() {
    let bench = Bench::new();
    bench.put("-x", "");
    bench.put("-d/-x", "");
    assert_eq!(
        find(&bench, json!({ "pattern": "-x" })).await.ok(),
        "-d/-x\n-x"
    );
    assert_eq!(
        find(&bench, json!({ "pattern": "-x", "path": "-d" }))
            .await
            .ok(),
        "-x"
    );
}

#[tokio::test]
async fn b076_a_path_pattern_is_relative_to_the_searched_folder() {
    let bench = Bench::with(|parts| {
        parts.config.cwd.push("src/app");
        std::fs::create_dir_all(&parts.config.cwd).unwrap();
    });
    bench.put("src/app/src/own.rs", "");
    bench.put("src/app/other/foreign.rs", "");
    let text = find(&bench, json!({ "pattern": "src/**/*.rs" })).await.ok();
    assert_eq!(text, "src/own.rs");
}

#[tokio::test]
async fn b080_a_limit_is_told_only_if_there_is_more() {
    let bench = Bench::new();
    for name in ["a.txt", "b.txt", "c.txt"] {
        bench.put(name, "");
    }
    let called = find(&bench, json!({ "pattern": "*.txt", "limit": 3 })).await;
    assert_eq!(called.ok(), "a.txt\nb.txt\nc.txt");
    assert!(called.result.details.is_none());
    let called = find(&bench, json!({ "pattern": "*.txt", "limit": 2 })).await;
    let expected = "a.txt\nb.txt\n\n[Stopped after 2 results, there are more: use limit=4 or a \
                    narrower pattern]";
    assert_eq!(called.ok(), expected);
    assert_eq!(called.detail("resultLimitReached"), 2);
    for limit in [0, -1] {
        let text = find(&bench, json!({ "pattern": "*", "limit": limit }))
            .await
            .error();
        assert!(text.contains("- limit: "), "{text}");
    }
}

#[tokio::test]
async fn b082_a_bad_pattern_is_an_error() {
    let text = find(&Bench::new(), json!({ "pattern": "a[" }))
        .await
        .error();
    assert!(text.contains("a["), "{text}");
}

#[tokio::test]
async fn b083_a_nul_is_a_fault() {
    let bench = Bench::new();
    for arguments in [
        json!({ "pattern": "a\u{0}" }),
        json!({ "pattern": "a", "path": "b\u{0}" }),
    ] {
        let text = find(&bench, arguments).await.error();
        assert!(text.contains("NUL"), "{text}");
    }
}

#[tokio::test]
async fn b085_a_broad_search_stops_when_it_is_cancelled() {
    let bench = Bench::new();
    for folder in 0..100 {
        for file in 0..100 {
            bench.put(&format!("d{}/d{folder}/f{file}", folder % 7), "");
        }
    }
    let cancel = CancellationToken::new();
    let calls = [
        ("find", json!({ "pattern": "*", "limit": 1_000_000 })),
        ("grep", json!({ "pattern": "x" })),
    ];
    let searching = bench.batch_until(calls, cancel.clone(), |_| false);
    let (called, cancelled) = tokio::join!(searching, async {
        // Both have begun, and ten thousand files are not gone through in a millisecond.
        tokio::time::sleep(Duration::from_millis(1)).await;
        cancel.cancel();
        Instant::now()
    });
    assert!(
        cancelled.elapsed() < Duration::from_secs(2),
        "{:?}",
        cancelled.elapsed()
    );
    for called in called {
        assert_eq!(called.error(), "Operation aborted");
    }
}

#[tokio::test]
async fn b086_circles_of_links_are_gone_through_once() {
    let bench = Bench::new();
    bench.put("d/f", "needle\n");
    bench.put("e/g", "");
    symlink("..", bench.path("d/self")).unwrap();
    symlink("../e", bench.path("d/e")).unwrap();
    symlink("../d", bench.path("e/d")).unwrap();
    symlink("nowhere", bench.path("broken")).unwrap();
    let text = find(&bench, json!({ "pattern": "*" })).await.ok();
    assert_eq!(text, "broken\nd/\nd/e\nd/f\nd/self\ne/\ne/d\ne/g");
    let text = bench
        .call("grep", json!({ "pattern": "needle" }))
        .await
        .ok();
    assert_eq!(text, "d/f:1: needle");
}

#[tokio::test]
async fn the_searched_path_must_be_a_folder_that_exists() {
    let bench = Bench::new();
    bench.put("file", "");
    let text = find(&bench, json!({ "pattern": "*", "path": "no/such" }))
        .await
        .error();
    assert!(text.contains("no/such"), "{text}");
    let text = find(&bench, json!({ "pattern": "*", "path": "file" }))
        .await
        .error();
    assert!(text.contains("file is not a folder"), "{text}");
}

#[tokio::test]
async fn much_is_cut_at_50_kb_and_counted() {
    let bench = Bench::new();
    for number in 0..300 {
        bench.put(&format!("{}{number:03}", "n".repeat(200)), "");
    }
    let called = find(&bench, json!({ "pattern": "n*" })).await;
    let text = called.ok();
    assert!(
        text.contains("\n\n[Showing the first 250 of 300 lines (limit 50.0KB)]"),
        "{text}"
    );
    assert_eq!(called.detail("truncation")["totalLines"], 300);
}

#[tokio::test]
async fn a_pattern_that_leads_out_of_the_searched_folder_says_so_when_nothing_is_found() {
    let bench = Bench::new();
    bench.put("here/a.rs", "");
    for pattern in ["../*.rs", "/etc/host*", "~/*.rs"] {
        let text = find(&bench, json!({ "pattern": pattern, "path": "here" }))
            .await
            .ok();
        assert!(text.contains("name another folder as path"), "{text}");
    }
    let whole = bench.path("here/*.rs");
    let text = find(&bench, json!({ "pattern": whole })).await.ok();
    assert_eq!(text, "here/a.rs");
}

#[tokio::test]
async fn a_name_with_a_line_break_is_one_result() {
    let bench = Bench::new();
    bench.put("two\nlines/\u{1b}[31m.rs", "");
    let text = find(&bench, json!({ "pattern": "*.rs" })).await.ok();
    assert_eq!(text, "two\\nlines/\\u{1b}[31m.rs");
}
