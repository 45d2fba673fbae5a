use super::{edit, edited, edits};
use crate::support::Bench;

#[tokio::test]
async fn b005_curly_quotes_outside_the_changed_word_survive() {
    assert_eq!(
        edited(
            "He said \u{201c}Yes.\u{201d} twice.\n",
            "\"Yes.\"",
            "\"No.\""
        )
        .await,
        "He said \u{201c}No.\u{201d} twice.\n".as_bytes()
    );
}

#[tokio::test]
async fn b008_only_the_matched_block_changes() {
    let bench = Bench::new();
    bench.put("file", "one\u{a0}space\nx\nnine  \nten\t\n");
    let called = edit(&bench, "x\nnine\nten", "x\n9\nten").await;
    assert!(
        called.ok().contains("was not there exactly"),
        "{}",
        called.text()
    );
    assert_eq!(called.detail("tolerantEdits"), serde_json::json!([0]));
    assert_eq!(
        bench.content("file"),
        "one\u{a0}space\nx\n9  \nten\t\n".as_bytes()
    );
}

#[tokio::test]
async fn an_exact_match_counts_even_if_something_looks_the_same() {
    let content = "foo\nfoo  \nbar \u{2014} baz\nbar - baz\n";
    assert_eq!(
        edited(content, "bar - baz", "new").await,
        "foo\nfoo  \nbar \u{2014} baz\nnew\n".as_bytes()
    );
}

#[tokio::test]
async fn what_looks_the_same_twice_is_refused() {
    let bench = Bench::new();
    bench.put("file", "a \u{2013} b\nx\na \u{2014} b\n");
    let error = edit(&bench, "a - b", "c").await.error();
    insta::assert_snapshot!(error, @"file was not changed: the old text is not in the file exactly, and what looks the same (quotes, dashes, spaces, blanks at line ends aside) occurs 2 times (lines 1, 3); take more of the lines round the one that is meant, exactly as read shows them");
}

#[tokio::test]
async fn dashes_spaces_and_composed_letters_are_kept_where_nothing_changes() {
    let content = "caf\u{65}\u{301}\u{a0}\u{2014} it\u{2019}s \u{201c}open\u{201d}\u{3000}now";
    assert_eq!(
        edited(
            content,
            "caf\u{e9} - it's \"open\" now",
            "caf\u{e9} - it's \"closed\" today"
        )
        .await,
        "caf\u{65}\u{301}\u{a0}\u{2014} it\u{2019}s \u{201c}closed\u{201d}\u{3000}today".as_bytes()
    );
}

#[tokio::test]
async fn blanks_at_the_end_of_the_old_text_stand_for_those_of_the_file() {
    assert_eq!(
        edited("x \u{2014} y = 5;\n", "x - y = ", "x - z = ").await,
        "x \u{2014} z = 5;\n".as_bytes()
    );
    assert_eq!(
        edited("x \u{2014} y = 5;\n", "x - y = ", "x - y=").await,
        "x \u{2014} y=5;\n".as_bytes()
    );
    assert_eq!(
        edited("\u{2018}a\u{2019}\n    b\n", "'a'\n    ", "'a'\n  ").await,
        "\u{2018}a\u{2019}\n  b\n".as_bytes()
    );
}

#[tokio::test]
async fn blanks_that_the_file_does_not_have_before_more_text_are_no_match() {
    let bench = Bench::new();
    for (content, old) in [
        ("a \u{2014} bcd\n", "a - b "),
        ("\u{2018}a\u{2019}\nb\n", "'a'\n  "),
    ] {
        bench.put("file", content);
        edit(&bench, old, "x").await.error();
        assert_eq!(bench.content("file"), content.as_bytes());
    }
}

#[tokio::test]
async fn indentation_is_never_relaxed() {
    let bench = Bench::new();
    bench.put("file", "  a \u{2014} b\n");
    edit(&bench, "\n a - b", "x").await.error();
    edit(&bench, "    a - b", "x").await.error();
}

#[tokio::test]
async fn a_match_does_not_begin_inside_a_character() {
    let bench = Bench::new();
    bench.put("file", "e\u{fb03}cient \u{2014} x\n");
    edit(&bench, "icient - x", "y").await.error();
    assert_eq!(
        edited(
            "e\u{fb03}cient \u{2014} x\n",
            "efficient - x",
            "efficient - y"
        )
        .await,
        "e\u{fb03}cient \u{2014} y\n".as_bytes()
    );
}

#[tokio::test]
async fn a_character_that_half_stays_is_written_as_the_new_text_has_it() {
    assert_eq!(edited("1\u{2026}2\n", "1...2", "1..2").await, b"1..2\n");
    assert_eq!(
        edited(
            "\u{fb01}x caf\u{65}\u{301}s\n",
            "fix caf\u{e9}s",
            "fax caf\u{e9}"
        )
        .await,
        "fax caf\u{65}\u{301}\n".as_bytes()
    );
}

#[tokio::test]
async fn exact_and_tolerant_edits_go_together() {
    let bench = Bench::new();
    bench.put("file", "\u{2018}a\u{2019}\r\nb\r\nc\u{ff}\r\n");
    let called = edits(&bench, &[("b", "B"), ("'a'\n", "'A'\nx\n")]).await;
    assert!(
        called.ok().contains("The old text of edits[1]"),
        "{}",
        called.text()
    );
    assert_eq!(
        bench.content("file"),
        "\u{2018}A\u{2019}\r\nx\r\nB\r\nc\u{ff}\r\n".as_bytes()
    );
}

#[tokio::test]
async fn bytes_that_are_not_utf8_do_not_hinder_a_tolerant_match() {
    let content = [
        b"\xff\xfe \xe2\x80\x98a\xe2\x80\x99 \xc3".as_slice(),
        b"\n\x80b",
    ]
    .concat();
    let expected = [
        b"\xff\xfe \xe2\x80\x98b\xe2\x80\x99 \xc3".as_slice(),
        b"\n\x80b",
    ]
    .concat();
    assert_eq!(edited(content, "'a'", "'b'").await, expected);
}
