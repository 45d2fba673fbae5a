//! Attacks on a user's file through the tools.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{Bench, Called};

async fn edit(bench: &Bench, path: &str, old: &str, new: &str) -> Called {
    let edits = json!([{ "oldText": old, "newText": new }]);
    let arguments = json!({ "path": path, "edits": edits });
    bench.call("edit", arguments).await
}

async fn write(bench: &Bench, path: &str, content: &str) -> Called {
    let arguments = json!({ "path": path, "content": content });
    bench.call("write", arguments).await
}

async fn read(bench: &Bench, path: &str) -> Called {
    bench.call("read", json!({ "path": path })).await
}

#[tokio::test]
async fn b017_an_edit_does_not_show_the_model_what_somebody_else_changed() {
    let bench = Bench::new();
    for is_found in [true, false] {
        bench.put("f", "one\ntwo\nthree\n");
        read(&bench, "f").await.ok();
        bench.put("f", "one, by somebody\ntwo\nthree\n");
        let called = edit(&bench, "f", if is_found { "two" } else { "four" }, "2").await;
        assert_eq!(called.result.is_error, !is_found);
        let before = bench.content("f");
        for _ in 0..2 {
            let error = write(&bench, "f", "one\n2\n3\n").await.error();
            assert!(error.contains("changed since it was last read"), "{error}");
        }
        assert_eq!(bench.content("f"), before);
        read(&bench, "f").await.ok();
        write(&bench, "f", "one\n2\n3\n").await.ok();
    }
}

#[tokio::test]
async fn a_write_after_own_edits_is_not_refused() {
    let bench = Bench::new();
    let path = bench.put("f", "one\ntwo\nthree\n");
    edit(&bench, "f", "one", "1").await.ok();
    write(&bench, "f", "1\ntwo\nthree\n").await.ok();
    edit(&bench, "f", "two", "2").await.ok();
    let file = fs::File::options().append(true).open(path).unwrap();
    file.set_modified(std::time::UNIX_EPOCH).unwrap();
    edit(&bench, "f", "three", "3").await.ok();
    write(&bench, "f", "all new\n").await.ok();
    assert_eq!(bench.content("f"), b"all new\n");
}

#[tokio::test]
async fn b017_a_change_of_the_same_size_under_the_old_time_is_noticed() {
    let bench = Bench::new();
    let path = bench.put("f", "one\n");
    read(&bench, "f").await.ok();
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    bench.put("f", "two\n");
    let file = fs::File::options().append(true).open(path).unwrap();
    file.set_modified(time).unwrap();
    write(&bench, "f", "mine\n").await.error();
    assert_eq!(bench.content("f"), b"two\n");
}

#[tokio::test]
async fn blanks_that_end_the_old_text_need_a_blank_or_a_line_end_in_the_file() {
    let bench = Bench::new();
    for (content, old) in [
        ("a \u{2014} bcd\n", "a - b "),
        ("\u{2018}a\u{2019}\n\tb\n", "'a'\n    b"),
        ("\u{2018}a\u{2019}\nb\n", "'a'\n  "),
    ] {
        bench.put("f", content);
        edit(&bench, "f", old, "x ").await.error();
        assert_eq!(bench.content("f"), content.as_bytes());
    }
    bench.put("f", "a \u{2014} b\ncd\n");
    edit(&bench, "f", "a - b ", "a - x ").await.ok();
    assert_eq!(bench.content("f"), "a \u{2014} x\ncd\n".as_bytes());
}

#[tokio::test]
async fn b007_a_file_of_two_byte_characters_is_not_torn_apart() {
    let bench = Bench::new();
    let text = "port = 7\r\nname = x\r\n";
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    for (mark, units) in [(b"\xff\xfe", little), (b"\xfe\xff", big)] {
        let content = [mark.as_slice(), &units].concat();
        bench.put("f", &content);
        let error = edit(&bench, "f", "7", "80").await.error();
        assert!(error.contains("UTF-16"), "{error}");
        assert_eq!(bench.content("f"), content);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_hundred_writes_through_any_spelling_of_one_path_land_in_order() {
    let bench = Bench::new();
    bench.put("folder/f", "");
    fs::create_dir(bench.path("other")).unwrap();
    symlink("folder", bench.path("folder-link")).unwrap();
    symlink("folder/f", bench.path("link")).unwrap();
    symlink(bench.path("link"), bench.path("other/link")).unwrap();
    fs::hard_link(bench.path("folder/f"), bench.path("name")).unwrap();
    let absolute = bench.path("folder/f").display().to_string();
    let spellings = [
        "folder/f",
        "./other/../folder/f",
        "folder-link/f",
        "link",
        "other/link",
        "@folder/./f",
        &absolute,
        "name",
    ];
    let call = |(index, path): (usize, &str)| {
        let step =
            json!([{ "oldText": format!("<{index}>"), "newText": format!("<{}>", index + 1) }]);
        ("edit", json!({ "path": path, "edits": step }))
    };
    for run in 0..3 {
        fs::write(bench.path("folder/f"), "<0>").unwrap();
        if run == 1 {
            fs::remove_file(bench.path("name")).unwrap();
            symlink("folder/f", bench.path("name")).unwrap();
        }
        let paths = spellings.iter().copied().cycle().take(200);
        let calls: Vec<(&str, Value)> = paths.enumerate().map(call).collect();
        for called in bench.batch(calls).await {
            called.ok();
        }
        assert_eq!(bench.content("folder/f"), b"<200>");
    }
}

#[tokio::test]
async fn lines_are_deleted_at_either_end_of_a_file_without_a_final_line_end() {
    let bench = Bench::new();
    for (content, old, expected) in [
        ("a\nb\nc", "a\n", "b\nc"),
        ("a\nb\nc", "\nc", "a\nb"),
        ("a\r\nb\r\nc", "\nc", "a\r\nb"),
        ("a\r\nb\r\nc", "b\n", "a\r\nc"),
        ("a\r\n\u{2014}\r\nc", "-\n", "a\r\nc"),
        ("a\r\n\u{2014} b", "\n- b", "a"),
        ("x", "x", ""),
    ] {
        bench.put("f", content);
        edit(&bench, "f", old, "").await.ok();
        assert_eq!(bench.content("f"), expected.as_bytes(), "{content:?}");
    }
}

#[tokio::test]
async fn letters_that_stand_for_several_are_replaced_whole_or_kept_whole() {
    let bench = Bench::new();
    for (content, old, new, expected) in [
        ("\u{fb03}x", "ffix", "ffiy", "\u{fb03}y"),
        ("\u{fb03}x", "ffix", "fix", "fix"),
        ("1\u{bd}x", "1 1\u{2044}2x", "", ""),
        ("\u{ff41}\u{ff42}c", "abc", "abd", "\u{ff41}\u{ff42}d"),
        ("a\u{2026}\u{2026}b", "a......b", "a...b", ""),
    ] {
        bench.put("f", content);
        let called = edit(&bench, "f", old, new).await;
        let after = String::from_utf8(bench.content("f")).unwrap();
        if called.result.is_error {
            assert_eq!(after, content);
        } else if !expected.is_empty() {
            assert_eq!(after, expected, "{content:?}");
        }
        assert!(!after.contains('\u{fffd}'));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_call_cancelled_at_any_moment_says_truly_whether_the_file_changed() {
    let bench = Bench::new();
    let rest = "line of text\n".repeat(100_000);
    let (old, new) = (format!("{rest}old\n{rest}"), format!("{rest}new\n{rest}"));
    let edits = json!([{ "oldText": "\nold\n", "newText": "\nnew\n" }]);
    for step in 0..24_u64 {
        bench.put("f", &old);
        let call = match step % 2 {
            0 => ("edit", json!({ "path": "f", "edits": edits })),
            _ => ("write", json!({ "path": "f", "content": new })),
        };
        bench
            .call("read", json!({ "path": "f", "limit": 1 }))
            .await
            .ok();
        let token = CancellationToken::new();
        let cancel = token.clone();
        let canceller = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(step * 2));
            cancel.cancel();
        });
        let called = bench.batch_until([call], token, |_| false).await.remove(0);
        canceller.join().unwrap();
        let expected = if called.result.is_error { &old } else { &new };
        assert!(
            bench.content("f") == expected.as_bytes(),
            "{}",
            called.text()
        );
        let names: Vec<_> = fs::read_dir(bench.folder()).unwrap().collect();
        assert_eq!(names.len(), 1, "{names:?}");
        fs::remove_file(bench.path("f")).unwrap();
    }
}
