use serde_json::{Value, json};

use crate::support::Bench;

#[tokio::test]
async fn entries_are_sorted_and_folders_marked() {
    let bench = Bench::new();
    for name in ["b.txt", "A.txt", ".hidden", "10", "folder/inside"] {
        bench.put(name, "");
    }
    std::os::unix::fs::symlink("folder", bench.path("link")).unwrap();
    std::os::unix::fs::symlink("nowhere", bench.path("broken")).unwrap();
    let called = bench.call("ls", json!({})).await;
    insta::assert_snapshot!(called.ok(), @r"
    .hidden
    10
    A.txt
    b.txt
    folder/
    link/
    ");
    assert_eq!(called.detail("entries"), 6);
}

#[tokio::test]
async fn an_empty_folder_is_said_to_be_empty() {
    let bench = Bench::new();
    assert_eq!(
        bench.call("ls", json!({ "path": "." })).await.ok(),
        "(empty folder)"
    );
}

#[tokio::test]
async fn b080_the_limit_is_told_only_if_there_is_more() {
    let bench = Bench::new();
    for name in ["a", "b", "c"] {
        bench.put(name, "");
    }
    let exact = bench.call("ls", json!({ "limit": 3 })).await;
    assert_eq!(exact.ok(), "a\nb\nc");
    assert_eq!(exact.detail("entryLimitReached"), Value::Null);
    let less = bench.call("ls", json!({ "limit": 2 })).await;
    insta::assert_snapshot!(less.ok(), @r"
    a
    b

    [The first 2 of 3 entries: use limit=3 for all]
    ");
    assert_eq!(less.detail("entryLimitReached"), 2);
    for limit in [0, -1] {
        let error = bench.call("ls", json!({ "limit": limit })).await.error();
        assert!(error.contains("- limit: "), "{error}");
    }
}

#[tokio::test]
async fn a_name_with_a_line_break_is_one_entry() {
    let bench = Bench::new();
    bench.put("two\nlines", "");
    assert_eq!(bench.call("ls", json!({})).await.ok(), "two\\nlines");
}

#[tokio::test]
async fn a_long_listing_is_cut_by_size() {
    let bench = Bench::new();
    for number in 0..400 {
        bench.put(&format!("{number:03}{}", "n".repeat(197)), "");
    }
    let called = bench.call("ls", json!({})).await;
    assert!(called.ok().len() < 52_000);
    assert_eq!(called.detail("truncation")["totalLines"], 400);
}

#[tokio::test]
async fn what_is_no_folder_is_refused() {
    let bench = Bench::new();
    bench.put("file", "");
    let error = bench.call("ls", json!({ "path": "file" })).await.error();
    assert_eq!(
        error,
        "file is a file, not a folder; look into it with read"
    );
    let error = bench.call("ls", json!({ "path": "none" })).await.error();
    assert!(
        error.starts_with("none: no such file or directory"),
        "{error}"
    );
}
