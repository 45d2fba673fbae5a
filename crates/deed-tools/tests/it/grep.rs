//! The grep tool.

use deed_protocol::{Block, ToolResult};
use deed_tooling::ResultView;
use deed_tools::{BUILTINS, ToolBasis, ToolSettings};
use serde_json::{Value, json};
use std::sync::Arc;

use crate::support::{Bench, Called};

async fn grep(bench: &Bench, arguments: Value) -> Called {
    bench.call("grep", arguments).await
}

#[tokio::test]
async fn matches_and_context_are_lines_with_path_and_number_in_order() {
    let bench = Bench::new();
    bench.put("b.txt", "one\ntwo needle\nthree\n");
    bench.put("a/z.txt", "needle\n");
    bench.put("a/b.txt", "no\nneedle");
    let text = grep(&bench, json!({ "pattern": "needle" })).await.ok();
    assert_eq!(
        text,
        "a/b.txt:2: needle\na/z.txt:1: needle\nb.txt:2: two needle"
    );
    let text = grep(
        &bench,
        json!({ "pattern": "NEEDLE", "ignoreCase": true, "context": 1, "path": "b.txt" }),
    )
    .await
    .ok();
    assert_eq!(text, "b.txt-1- one\nb.txt:2: two needle\nb.txt-3- three");
    let called = grep(&bench, json!({ "pattern": "needle", "glob": "z*" })).await;
    assert_eq!(called.ok(), "a/z.txt:1: needle");
    assert!(called.result.details.is_none());
    assert_eq!(
        grep(&bench, json!({ "pattern": "absent" })).await.ok(),
        "No matches found"
    );
}

#[tokio::test]
async fn b044_brackets_in_a_path_are_no_glob() {
    let bench = Bench::new();
    bench.put("app/[id]/(g)/p.rs", "fn page() {}\n");
    bench.put("app/i/(g)/p.rs", "fn page() {}\n");
    let text = grep(
        &bench,
        json!({ "pattern": "page", "path": "app/[id]/(g)/p.rs" }),
    )
    .await
    .ok();
    assert_eq!(text, "p.rs:1: fn page() {}");
    let text = grep(&bench, json!({ "pattern": "page", "path": "app/[id]" }))
        .await
        .ok();
    assert_eq!(text, "(g)/p.rs:1: fn page() {}");
}

#[tokio::test]
async fn b073_patterns_are_never_options() {
    let bench = Bench::new();
    bench.put("f", "x -77 y\nuse --pre=sh\na -> b\n");
    bench.put("-d", "-77\n");
    for (pattern, expected) in [
        ("-77", "-d:1: -77\nf:1: x -77 y"),
        ("--pre=sh", "f:2: use --pre=sh"),
        ("->", "f:3: a -> b"),
    ] {
        assert_eq!(
            grep(&bench, json!({ "pattern": pattern })).await.ok(),
            expected
        );
    }
    assert_eq!(
        grep(&bench, json!({ "pattern": "-77", "path": "-d" }))
            .await
            .ok(),
        "-d:1: -77"
    );
}

#[tokio::test]
async fn b074_no_configuration_changes_the_meaning() {
    let bench = Bench::with(|parts| {
        let config = parts.config.cwd.join(".ripgreprc");
        std::fs::write(&config, "--fixed-strings\n").unwrap();
        parts
            .config
            .variables
            .push(("RIPGREP_CONFIG_PATH".into(), config.into()));
    });
    bench.put("f", "abc\na.c\n");
    assert_eq!(
        grep(&bench, json!({ "pattern": "a.c" })).await.ok(),
        "f:1: abc\nf:2: a.c"
    );
    let literal = json!({ "pattern": "a.c", "literal": "true" });
    assert_eq!(grep(&bench, literal).await.ok(), "f:2: a.c");
}

#[tokio::test]
async fn b077_an_ignore_file_does_not_reach_its_siblings() {
    let bench = Bench::new();
    bench.put("a/.gitignore", "*.log\n");
    bench.put("a/x.log", "needle\n");
    bench.put("b/y.log", "needle\n");
    assert_eq!(
        grep(&bench, json!({ "pattern": "needle" })).await.ok(),
        "b/y.log:1: needle"
    );
}

#[tokio::test]
async fn b079_a_lone_carriage_return_does_not_shift_line_numbers() {
    let bench = Bench::new();
    bench.put("f", "a\rb\nneedle\nc\n");
    let text = grep(&bench, json!({ "pattern": "needle", "context": 1 }))
        .await
        .ok();
    assert_eq!(text, "f-1- a\rb\nf:2: needle\nf-3- c");
}

#[tokio::test]
async fn b080_a_limit_is_told_only_if_there_is_more() {
    let bench = Bench::new();
    for name in ["a", "b", "c"] {
        bench.put(name, "needle\n");
    }
    let called = grep(&bench, json!({ "pattern": "needle", "limit": 3 })).await;
    assert_eq!(called.ok(), "a:1: needle\nb:1: needle\nc:1: needle");
    let called = grep(&bench, json!({ "pattern": "needle", "limit": 2 })).await;
    let expected = "a:1: needle\nb:1: needle\n\n[Stopped after 2 matches, there are more: \
                    use limit=4 or a narrower pattern]";
    assert_eq!(called.ok(), expected);
    assert_eq!(called.detail("matchLimitReached"), 2);
    for limit in [0, -1] {
        let text = grep(&bench, json!({ "pattern": "needle", "limit": limit }))
            .await
            .error();
        assert!(text.contains("- limit: "), "{text}");
    }
}

#[tokio::test]
async fn the_context_of_the_last_match_is_whole_and_a_match_in_it_is_context() {
    let bench = Bench::new();
    bench.put("f", "hit 1\nhit 2\nx\ny\nz\n");
    let called = grep(
        &bench,
        json!({ "pattern": "hit", "limit": 1, "context": 2 }),
    )
    .await;
    assert!(
        called
            .ok()
            .starts_with("f:1: hit 1\nf-2- hit 2\nf-3- x\n\n["),
        "{}",
        called.text()
    );
    bench.put("f", "hit\na\nb\nc\nd\n");
    let called = grep(
        &bench,
        json!({ "pattern": "hit", "limit": 1, "context": 2 }),
    )
    .await;
    assert_eq!(called.ok(), "f:1: hit\nf-2- a\nf-3- b");
    bench.put("g", "x\ny\nhit\n");
    let called = grep(
        &bench,
        json!({ "pattern": "hit", "limit": 1, "context": 2 }),
    )
    .await;
    assert!(
        called
            .ok()
            .starts_with("f:1: hit\nf-2- a\nf-3- b\n\n[Stopped after 1 ")
    );
}

#[tokio::test]
async fn b082_a_bad_pattern_is_an_error_with_a_position() {
    let bench = Bench::new();
    bench.put("f", "call(\n");
    for (pattern, position) in [("x(", "character 2"), ("[z-a]", "character 2")] {
        let text = grep(&bench, json!({ "pattern": pattern })).await.error();
        assert!(
            text.contains(position) && text.contains("literal"),
            "{text}"
        );
    }
    let literal = json!({ "pattern": "call(", "literal": true });
    assert_eq!(grep(&bench, literal).await.ok(), "f:1: call(");
    let text = grep(&bench, json!({ "pattern": "x", "glob": "a[" }))
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
        json!({ "pattern": "a", "glob": "\u{0}" }),
    ] {
        let text = grep(&bench, arguments).await.error();
        assert!(text.contains("NUL"), "{text}");
    }
}

#[tokio::test]
async fn b088_a_long_line_is_cut_between_characters() {
    let bench = Bench::new();
    bench.put("f", format!("{}\n", "é😀".repeat(300)));
    bench.put("g", format!("{}\n", "x".repeat(500)));
    let called = grep(&bench, json!({ "pattern": "." })).await;
    let text = called.ok();
    let first = text.lines().next().unwrap();
    assert!(
        first.starts_with(&format!("f:1: {}", "é😀".repeat(250))),
        "{first}"
    );
    assert!(first.chars().count() < 530, "{first}");
    assert!(text.contains(&format!(
        "g:1: {}\n\n[Lines over 500 characters are cut",
        "x".repeat(500)
    )));
    assert_eq!(called.detail("linesTruncated"), true);
}

#[tokio::test]
async fn much_is_cut_at_50_kb_and_counted() {
    let bench = Bench::new();
    bench.put("f", format!("{}\n", "x".repeat(400)).repeat(1000));
    let called = grep(&bench, json!({ "pattern": "x", "limit": 5000 })).await;
    let text = called.ok();
    assert!(text.len() < 50 * 1024 + 200);
    assert!(
        text.contains("\n\n[Showing the first 125 of 1000 lines (limit 50.0KB)]"),
        "{}",
        &text[50_000..]
    );
    assert_eq!(called.detail("truncation")["totalLines"], 1000);
}

#[tokio::test]
async fn a_missing_path_is_named() {
    let bench = Bench::new();
    let text = grep(&bench, json!({ "pattern": "x", "path": "no/such" }))
        .await
        .error();
    assert!(text.contains("no/such"), "{text}");
}

#[tokio::test]
async fn a_card_is_a_table_of_matches() {
    let bench = Bench::new();
    bench.put("a-1-b.rs", "one\nneedle: 5\n");
    let args = json!({ "pattern": "needle", "context": 1 });
    let called = grep(&bench, args.clone()).await;
    let env = Arc::new(deed_env::LocalEnv::new(deed_env::LocalConfig::default()));
    let basis = ToolBasis {
        env,
        settings: Arc::new(ToolSettings::default()),
    };
    let builtin = BUILTINS
        .iter()
        .find(|builtin| builtin.name == "grep")
        .unwrap();
    let result = ToolResult {
        content: called.result.content.clone(),
        ..ToolResult::default()
    };
    let card = (builtin.make)(&basis)
        .render_result(&args, &result, ResultView::default())
        .await;
    assert_eq!(card.subject, "needle");
    let [
        Block::Table {
            rows,
            omitted_rows: 0,
            ..
        },
    ] = card.blocks.as_slice()
    else {
        panic!("{card:?}")
    };
    let cells = |row: usize| {
        rows[row]
            .iter()
            .map(|cell| cell.text.as_str())
            .collect::<Vec<_>>()
    };
    assert_eq!(cells(0), ["a-1-b.rs", "1", "one"]);
    assert_eq!(cells(1), ["a-1-b.rs", "2", "needle: 5"]);
}

#[tokio::test]
async fn a_name_with_a_line_break_makes_no_further_line() {
    let bench = Bench::new();
    bench.put("two\nlines\u{1b}[31m.rs", "needle\n");
    let called = bench.call("grep", json!({ "pattern": "needle" })).await;
    assert_eq!(called.ok(), "two\\nlines\\u{1b}[31m.rs:1: needle");
}
