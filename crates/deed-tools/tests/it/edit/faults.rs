use serde_json::json;

use super::{edit, edits};
use crate::support::Bench;

const CODE: &str = "fn one() {\n    first();\n}\n\nfn two() {\n    second(1, 2);\n}\n";

#[tokio::test]
async fn a_text_that_is_not_there_brings_the_closest_lines() {
    let bench = Bench::new();
    bench.put("file", CODE);
    let called = edit(&bench, "fn two() {\n  second(1, 2);\n}\n", "x").await;
    insta::assert_snapshot!(called.error(), @r"
    file was not changed: the old text is not in the file. It must be there exactly, white space included. The closest lines are:
    5  fn two() {
    6      second(1, 2);
    7  }
    ");
    let called = edit(&bench, "seccond(1, 2)", "x").await;
    insta::assert_snapshot!(called.error(), @r"
    file was not changed: the old text is not in the file. It must be there exactly, white space included. The closest lines are:
    6      second(1, 2);
    ");
    let called = edit(&bench, "nothing like it", "x").await;
    insta::assert_snapshot!(called.error(), @"file was not changed: the old text is not in the file. Read the file again to see what it holds");
    assert_eq!(bench.content("file"), CODE.as_bytes());
}

#[tokio::test]
async fn a_text_that_is_there_often_brings_count_and_lines() {
    let bench = Bench::new();
    bench.put("file", CODE);
    let called = edits(&bench, &[("one", "1"), ("() {\n", "x")]).await;
    insta::assert_snapshot!(called.error(), @"file was not changed: edits[1]: the old text occurs 2 times (lines 1, 5); take more of the lines round the one that is meant, so that it occurs once");
    assert_eq!(bench.content("file"), CODE.as_bytes());
}

#[tokio::test]
async fn overlapping_occurrences_count() {
    let bench = Bench::new();
    bench.put("file", "aaa");
    let error = edit(&bench, "aa", "b").await.error();
    assert!(error.contains("occurs 2 times (line 1)"), "{error}");
    bench.put("file", "ab".repeat(500));
    let error = edit(&bench, "ab", "b").await.error();
    assert!(error.contains("occurs at least 100 times"), "{error}");
}

#[tokio::test]
async fn overlapping_edits_are_named() {
    let bench = Bench::new();
    bench.put("file", CODE);
    let changes = [("two", "2"), ("first();\n}", "x"), ("}\n\nfn", "y")];
    let called = edits(&bench, &changes).await;
    insta::assert_snapshot!(called.error(), @"file was not changed: edits[1] and edits[2] overlap at line 3; put them into one, or make their old texts shorter");
    let error = edits(&bench, &[("two", "2"), ("two", "3")]).await.error();
    assert!(
        error.contains("edits[0] and edits[1] overlap at line 5"),
        "{error}"
    );
    assert_eq!(bench.content("file"), CODE.as_bytes());
}

#[tokio::test]
async fn b010_an_empty_file_and_an_empty_old_text_are_ordinary_errors() {
    let bench = Bench::new();
    bench.put("file", "");
    let error = edit(&bench, "x", "y").await.error();
    assert!(error.contains("the old text is not in the file"), "{error}");
    let error = edit(&bench, "", "y").await.error();
    assert!(error.contains("the old text must not be empty"), "{error}");
    let error = bench
        .call("edit", json!({ "path": "file", "edits": [] }))
        .await
        .error();
    assert!(error.contains("- edits: "), "{error}");
}

#[tokio::test]
async fn b002_identical_bytes_are_no_success() {
    let bench = Bench::new();
    bench.put("file", "m\r\nn");
    let error = edit(&bench, "m\nn", "m\r\nn").await.error();
    assert!(error.contains("nothing to change"), "{error}");
    let error = edit(&bench, "n", "n").await.error();
    assert!(error.contains("nothing to change"), "{error}");
    edit(&bench, "m\r\nn", "m\nn").await.ok();
    assert_eq!(bench.content("file"), b"m\nn");
}

#[tokio::test]
async fn b022_a_file_above_the_limit_is_refused_without_reading() {
    let bench = Bench::new();
    let file = std::fs::File::create(bench.path("file")).unwrap();
    file.set_len(1_288_490_188).unwrap();
    let error = edit(&bench, "x", "y").await.error();
    insta::assert_snapshot!(error, @"file is 1228.8MB large; edit changes files of up to 256.0MB. Change it with a command instead");
}

#[tokio::test]
async fn what_is_no_file_is_refused() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("file")).unwrap();
    let error = edit(&bench, "x", "y").await.error();
    assert_eq!(
        error,
        "file is a directory; edit changes nothing but regular files"
    );
    std::fs::remove_dir(bench.path("file")).unwrap();
    let error = edit(&bench, "x", "y").await.error();
    assert!(
        error.starts_with("file: no such file or directory"),
        "{error}"
    );
}
