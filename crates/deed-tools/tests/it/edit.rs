use serde_json::{Value, json};

use crate::support::{Bench, Called};

mod faults;
mod files;
mod order;
mod property;
mod shapes;
mod tolerant;

/// Makes one replacement in `file`.
async fn edit(bench: &Bench, old: &str, new: &str) -> Called {
    edits(bench, &[(old, new)]).await
}

/// Makes replacements in `file`.
async fn edits(bench: &Bench, edits: &[(&str, &str)]) -> Called {
    let edits: Vec<Value> = edits
        .iter()
        .map(|(old, new)| json!({ "oldText": old, "newText": new }))
        .collect();
    bench
        .call("edit", json!({ "path": "file", "edits": edits }))
        .await
}

/// Replaces in a content and returns what became of it.
async fn edited(content: impl AsRef<[u8]>, old: &str, new: &str) -> Vec<u8> {
    let bench = Bench::new();
    bench.put("file", content);
    edit(&bench, old, new).await.ok();
    bench.content("file")
}

#[tokio::test]
async fn a_replacement_is_told_with_its_difference() {
    let bench = Bench::new();
    let lines: String = (1..=30).map(|line| format!("line {line}\n")).collect();
    bench.put("file", lines);
    let called = edits(
        &bench,
        &[("line 25\n", ""), ("line 12\n", "line 12\nnew\n")],
    )
    .await;
    assert_eq!(called.ok(), "Edited file: 2 replacements.");
    insta::assert_snapshot!(called.detail("diff").as_str().unwrap(), @r"
        ...
      9 line 9
     10 line 10
     11 line 11
     12 line 12
    +13 new
     13 line 13
     14 line 14
     15 line 15
     16 line 16
        ...
     21 line 21
     22 line 22
     23 line 23
     24 line 24
    -25 line 25
     26 line 26
     27 line 27
     28 line 28
     29 line 29
        ...
    ");
    insta::assert_snapshot!(called.detail("patch").as_str().unwrap(), @r"
    --- file
    +++ file
    @@ -9,8 +9,9 @@
     line 9
     line 10
     line 11
     line 12
    +new
     line 13
     line 14
     line 15
     line 16
    @@ -21,9 +22,8 @@
     line 21
     line 22
     line 23
     line 24
    -line 25
     line 26
     line 27
     line 28
     line 29
    ");
    assert_eq!(called.detail("firstChangedLine"), 13);
    assert_eq!(called.detail("atomic"), true);
}

#[tokio::test]
async fn the_shape_of_the_details_is_the_documented_one() {
    let bench = Bench::new();
    bench.put("file", "a\nb\nc\n");
    let called = edit(&bench, "b", "B").await;
    assert_eq!(
        called.result.details.unwrap(),
        json!({
            "diff": " 1 a\n-2 b\n+2 B\n 3 c",
            "patch": "--- file\n+++ file\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n",
            "firstChangedLine": 2,
            "atomic": true,
        })
    );
}

#[tokio::test]
async fn the_patch_is_one_that_patch_takes() {
    let bench = Bench::new();
    let old: String = (1..=60).map(|line| format!("{line}\n")).collect::<String>() + "end";
    bench.put("file", &old);
    let changes = [
        ("1\n2\n", "0\n2\n"),
        ("\n30\n", "\n"),
        ("59\n60\nend", "59\nmore\nend\n"),
    ];
    let called = edits(&bench, &changes).await;
    called.ok();
    let new = bench.content("file");
    let patch = called.detail("patch").as_str().unwrap().to_owned();
    bench.put("file", &old);
    let git = ["git", "apply", "-p0", "--unidiff-zero", "-"];
    let mut git = std::process::Command::new(git[0])
        .args(&git[1..])
        .current_dir(bench.folder())
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(git.stdin.as_mut().unwrap(), patch.as_bytes()).unwrap();
    assert!(git.wait().unwrap().success(), "{patch}");
    assert_eq!(bench.content("file"), new);
}

#[tokio::test]
async fn long_differences_are_bounded() {
    let bench = Bench::new();
    bench.put("file", "x\n");
    let new: String = (0..60_000).map(|line| format!("{line}\n")).collect();
    let called = edit(&bench, "x\n", &new).await;
    called.ok();
    for name in ["diff", "patch"] {
        let text = called.detail(name).as_str().unwrap().to_owned();
        assert!(text.len() <= 64 * 1024, "{name}: {}", text.len());
        assert!(
            text.trim_end()
                .ends_with("[the rest of the diff is left out]")
        );
    }
}

#[tokio::test]
async fn replacement_text_is_literal() {
    assert_eq!(edited("a b c", "b", "$& \\1 $1").await, b"a $& \\1 $1 c");
}

#[tokio::test]
async fn touching_replacements_are_two() {
    let bench = Bench::new();
    bench.put("file", "abcd");
    edits(&bench, &[("cd", "2"), ("ab", "1")]).await.ok();
    assert_eq!(bench.content("file"), b"12");
}

#[tokio::test]
async fn an_edit_that_changes_nothing_beside_others_is_told() {
    let bench = Bench::new();
    bench.put("file", "a b");
    let called = edits(&bench, &[("a", "a"), ("b", "c")]).await;
    assert_eq!(
        called.ok(),
        "Edited file: 2 replacements. Nothing to change in edits[0]."
    );
    assert_eq!(bench.content("file"), b"a c");
}
