use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use serde_json::{Value, json};

use crate::support::{Bench, Called};

async fn write(bench: &Bench, path: &str, content: &str) -> Called {
    bench
        .call("write", json!({ "path": path, "content": content }))
        .await
}

#[tokio::test]
async fn a_new_file_is_made_with_its_folders() {
    let bench = Bench::new();
    let called = write(&bench, "a/b/c.txt", "one\r\ntwo").await;
    assert_eq!(called.ok(), "Created a/b/c.txt (2 lines, 8B).");
    assert_eq!(bench.content("a/b/c.txt"), b"one\r\ntwo");
    assert_eq!(called.detail("created"), true);
    assert_eq!(called.detail("atomic"), true);
    assert_eq!(called.detail("bytes"), 8);
    assert_eq!(called.detail("diff"), Value::Null);
}

#[tokio::test]
async fn an_existing_file_is_replaced_and_the_difference_told() {
    let bench = Bench::new();
    let path = bench.put("a.txt", "one\ntwo\nthree\n");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let called = write(&bench, "a.txt", "one\n2\nthree\n").await;
    assert_eq!(
        called.ok(),
        "Wrote a.txt (3 lines, 12B) in place of its old content."
    );
    insta::assert_snapshot!(called.detail("diff").as_str().unwrap(), @r"
     1 one
    -2 two
    +2 2
     3 three
    ");
    assert_eq!(called.detail("firstChangedLine"), 2);
    assert_eq!(std::fs::metadata(path).unwrap().mode() & 0o777, 0o755);
}

#[tokio::test]
async fn b017_a_file_that_somebody_else_changed_is_not_overwritten() {
    let bench = Bench::new();
    bench.put("a.txt", "one\n");
    bench.call("read", json!({ "path": "a.txt" })).await.ok();
    bench.put("a.txt", "changed by somebody\n");
    let called = write(&bench, "a.txt", "mine\n").await;
    insta::assert_snapshot!(called.error(), @"a.txt changed since it was last read in this session; nothing was written. Read it again, then write what takes the change into account");
    assert_eq!(bench.content("a.txt"), b"changed by somebody\n");
    write(&bench, "new.txt", "new\n").await.ok();
    bench.call("read", json!({ "path": "a.txt" })).await.ok();
    write(&bench, "a.txt", "mine\n").await.ok();
    assert_eq!(bench.content("a.txt"), b"mine\n");
}

#[tokio::test]
async fn asking_again_does_not_make_a_stale_file_fresh() {
    let bench = Bench::new();
    bench.put("a.txt", "one\n");
    bench.call("read", json!({ "path": "a.txt" })).await.ok();
    bench.put("a.txt", "changed by somebody\n");
    for _ in 0..3 {
        write(&bench, "a.txt", "mine\n").await.error();
    }
}

#[tokio::test]
async fn a_file_never_seen_and_one_written_before_are_overwritten() {
    let bench = Bench::new();
    bench.put("a.txt", "never seen\n");
    write(&bench, "a.txt", "first\n").await.ok();
    write(&bench, "a.txt", "second\n").await.ok();
    let called = write(&bench, "a.txt", "second\n").await;
    assert_eq!(
        called.ok(),
        "Wrote a.txt (1 line, 7B); its content is as it was before."
    );
}

#[tokio::test]
async fn b019_a_file_that_was_only_touched_is_fresh() {
    let bench = Bench::new();
    let path = bench.put("a.txt", "same\n");
    bench.call("read", json!({ "path": "a.txt" })).await.ok();
    for seconds in [1, 4_000_000_000] {
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        let file = std::fs::File::options().append(true).open(&path).unwrap();
        file.set_modified(time).unwrap();
        write(&bench, "a.txt", "same\n").await.ok();
    }
}

#[tokio::test]
async fn b023_a_placeholder_for_the_rest_is_pointed_out_and_the_rest_is_kept() {
    let bench = Bench::new();
    let old: String = (1..=300)
        .map(|line| format!("let x{line} = {line};\n"))
        .collect();
    bench.put("a.rs", &old);
    let new = "let x1 = 2;\n// ... rest of the file unchanged\n";
    let called = write(&bench, "a.rs", new).await;
    let text = called.ok();
    assert!(
        text.contains("Warning: line 2 (`// ... rest of the file unchanged`)"),
        "{text}"
    );
    assert_eq!(called.detail("placeholderLine"), 2);
    let kept = called.detail("originalPath");
    let kept = bench.call("read", json!({ "path": kept })).await;
    assert_eq!(kept.ok(), old);
}

#[tokio::test]
async fn words_that_only_look_like_a_placeholder_are_left_alone() {
    let bench = Bench::new();
    let old = "# The rest of the code...\n".to_owned() + &"x = 1\n".repeat(100);
    let texts = [
        "# The rest of the code...\n",
        "print('loading existing files...', n)\n",
        "args = [...rest]\n",
        "# keeps the previous value\n",
    ];
    for text in texts {
        bench.put("a.py", &old);
        bench.call("read", json!({ "path": "a.py" })).await.ok();
        let called = write(&bench, "a.py", text).await;
        called.ok();
        assert_eq!(called.detail("placeholderLine"), Value::Null, "{text}");
    }
}

#[tokio::test]
async fn a_link_is_written_through_and_kept() {
    let bench = Bench::new();
    bench.put("real.txt", "old");
    std::os::unix::fs::symlink("real.txt", bench.path("link.txt")).unwrap();
    write(&bench, "link.txt", "new").await.ok();
    assert_eq!(bench.content("real.txt"), b"new");
    assert!(
        bench
            .path("link.txt")
            .symlink_metadata()
            .unwrap()
            .is_symlink()
    );
}

#[tokio::test]
async fn what_is_no_file_is_refused() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("folder")).unwrap();
    bench.put("file", "x");
    let error = write(&bench, "folder", "x").await.error();
    assert_eq!(error, "folder is a directory; name a file in it");
    write(&bench, "file/under", "x").await.error();
    assert_eq!(bench.content("file"), b"x");
    let error = write(&bench, "/dev/null", "x").await.error();
    assert!(error.contains("character device"), "{error}");
}

#[tokio::test]
async fn writes_of_one_batch_land_in_call_order() {
    let bench = Bench::new();
    let calls = (1..=20).map(|number| {
        (
            "write",
            json!({ "path": "a.txt", "content": format!("{number}\n") }),
        )
    });
    for called in bench.batch(calls).await {
        called.ok();
    }
    assert_eq!(bench.content("a.txt"), b"20\n");
}

#[tokio::test]
async fn a_name_of_a_folder_makes_no_file() {
    let bench = Bench::new();
    let error = write(&bench, "new/", "x").await.error();
    assert_eq!(error, "new/ names a folder; name a file in it");
    assert!(!bench.path("new").exists());
}
