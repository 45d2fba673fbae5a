use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use super::{edit, edited};
use crate::support::Bench;

#[tokio::test]
async fn b001_mixed_line_ends_stay_as_they_are() {
    assert_eq!(
        edited("p\r\nq\nr\rs\r\n", "q", "Q").await,
        b"p\r\nQ\nr\rs\r\n"
    );
}

#[tokio::test]
async fn b004_carriage_returns_and_hard_breaks_survive() {
    let content = "alpha  \r\nbeta\r\n";
    assert_eq!(
        edited(content, "beta", "gamma").await,
        b"alpha  \r\ngamma\r\n"
    );
}

#[tokio::test]
async fn a_text_with_lf_is_found_where_the_file_has_crlf() {
    let content = "one\r\ntwo\r\nthree\r\nfour\n";
    assert_eq!(
        edited(content, "two\nthree\n", "2\n3\n3b\n").await,
        b"one\r\n2\r\n3\r\n3b\r\nfour\n"
    );
    assert_eq!(
        edited(content, "two\nthree", "2").await,
        b"one\r\n2\r\nfour\n"
    );
    assert_eq!(
        edited(content, "\ntwo", "\n2").await,
        b"one\r\n2\r\nthree\r\nfour\n"
    );
    assert_eq!(
        edited(content, "\ntwo\n", "\n").await,
        b"one\r\nthree\r\nfour\n"
    );
}

#[tokio::test]
async fn new_lines_end_like_the_line_where_they_begin() {
    assert_eq!(edited("a\r\nb\n", "a", "a\nx").await, b"a\r\nx\r\nb\n");
    assert_eq!(edited("a\r\nb\n", "b", "b\nx").await, b"a\r\nb\nx\n");
    assert_eq!(edited("a\r\nb", "b", "b\nx").await, b"a\r\nb\r\nx");
    assert_eq!(edited("a\rb\rc", "a\nb", "1\n2").await, b"1\r2\rc");
    assert_eq!(edited("a\nb\n", "a\r\nb", "1\r\n2").await, b"1\n2\n");
}

#[tokio::test]
async fn b007_bytes_that_are_not_utf8_stay() {
    let content = b"n = 1\n# r\xe9sum\xe9\n";
    assert_eq!(
        edited(content, "n = 1", "n = 2").await,
        b"n = 2\n# r\xe9sum\xe9\n"
    );
}

#[tokio::test]
async fn a_file_in_utf16_is_refused() {
    let bench = Bench::new();
    for content in [b"\xff\xfe7\0\n\0".as_slice(), b"\xfe\xff\x007\0\n"] {
        bench.put("file", content);
        let error = edit(&bench, "7", "80").await.error();
        assert!(error.contains("UTF-16"), "{error}");
        assert_eq!(bench.content("file"), content);
    }
}

#[tokio::test]
async fn a_byte_order_mark_stays() {
    assert_eq!(
        edited("\u{feff}a\nb\n", "a\n", "c\n").await,
        "\u{feff}c\nb\n".as_bytes()
    );
}

#[tokio::test]
async fn b011_the_mode_stays_through_two_edits() {
    let bench = Bench::new();
    for mode in [0o755, 0o600, 0o444] {
        let path = bench.put("file", "one two");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        edit(&bench, "one", "1").await.ok();
        edit(&bench, "two", "2").await.ok();
        assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, mode);
        assert_eq!(bench.content("file"), b"1 2");
        std::fs::remove_file(path).unwrap();
    }
}

#[tokio::test]
async fn hard_links_are_not_split() {
    let bench = Bench::new();
    bench.put("file", "one");
    std::fs::hard_link(bench.path("file"), bench.path("other")).unwrap();
    let called = edit(&bench, "one", "two").await;
    assert!(called.ok().contains("overwritten in place"));
    assert_eq!(called.detail("atomic"), false);
    assert_eq!(bench.content("other"), b"two");
}

#[tokio::test]
async fn b020_a_changed_file_is_edited_where_the_text_is_unique() {
    let bench = Bench::new();
    let lines: String = (1..=50)
        .map(|line| format!("line {line} of fifty\n"))
        .collect();
    bench.put("file", &lines);
    bench
        .call("read", serde_json::json!({ "path": "file" }))
        .await
        .ok();
    bench.put("file", lines.replace("line 1 of", "first of"));
    edit(&bench, "line 50 of", "last of").await.ok();
    let expected = lines
        .replace("line 1 of", "first of")
        .replace("line 50 of", "last of");
    assert_eq!(bench.content("file"), expected.as_bytes());
}

#[tokio::test]
async fn wide_characters_in_a_file_of_single_bytes_are_told() {
    let bench = Bench::new();
    bench.put("file", b"caf\xe9\nabc\n");
    let text = edit(&bench, "abc", "xyz").await.ok();
    assert_eq!(text, "Edited file: 1 replacement.");
    let text = edit(&bench, "xyz", "\u{e9}").await.ok();
    assert!(text.contains("The file is not in UTF-8"), "{text}");
    assert_eq!(bench.content("file"), b"caf\xe9\n\xc3\xa9\n");
}
