//! How calls of the file tools and their results are drawn.

use std::sync::Arc;

use deed_env::{LocalConfig, LocalEnv};
use deed_protocol::{Block, DiffLineKind, ToolCard, ToolResult};
use deed_tooling::ResultView;
use deed_tools::{ToolBasis, ToolSettings, create_all_tool_definitions};
use serde_json::{Value, json};

use crate::support::Bench;

const BRIEF: ResultView = ResultView {
    expanded: false,
    partial: false,
};
const ALL: ResultView = ResultView {
    expanded: true,
    partial: false,
};

/// Runs a call and draws what came of it.
async fn drawn(bench: &Bench, name: &str, arguments: Value, view: ResultView) -> String {
    let called = bench.call(name, arguments.clone()).await;
    let result = ToolResult {
        content: called.result.content,
        details: called.result.details,
        is_error: called.result.is_error,
        ..ToolResult::default()
    };
    let definitions = create_all_tool_definitions(&ToolBasis {
        env: Arc::new(LocalEnv::new(LocalConfig::default())),
        settings: Arc::new(ToolSettings::default()),
    });
    let tool = definitions
        .iter()
        .find(|tool| &*tool.spec().name == name)
        .unwrap();
    words(&tool.render_result(&arguments, &result, view).await)
}

/// Writes a card down.
fn words(card: &ToolCard) -> String {
    let badges: Vec<String> = card
        .badges
        .iter()
        .map(|badge| format!("[{}]", badge.text))
        .collect();
    let mut words = format!("{} {} {}", card.title, card.subject, badges.join(" "));
    for block in &card.blocks {
        words.push('\n');
        match block {
            Block::Code {
                text,
                language,
                first_line_1based,
            } => {
                words.push_str(&format!("code {language} {first_line_1based:?}\n{text}"));
            }
            Block::Diff { path, lines } => {
                words.push_str(&format!("diff {path}"));
                for line in lines {
                    let sign = match line.kind {
                        DiffLineKind::Added => "+",
                        DiffLineKind::Removed => "-",
                        DiffLineKind::Context => " ",
                        DiffLineKind::Gap => "~",
                    };
                    words.push_str(&format!("\n{sign} {:?} {}", line.line_1based, line.text));
                }
            }
            Block::Text { text } => words.push_str(&format!("text\n{text}")),
            Block::Notice { level, text } => words.push_str(&format!("{level:?}: {text}")),
            other => words.push_str(&format!("{other:?}")),
        }
    }
    words
}

#[tokio::test]
async fn read_draws_numbered_code_and_remarks() {
    let bench = Bench::new();
    let lines: String = (1..=20).map(|line| format!("let x{line};\n")).collect();
    bench.put("a.rs", lines);
    let arguments = json!({ "path": "a.rs", "offset": "5", "limit": 12 });
    let card = drawn(&bench, "read", arguments.clone(), BRIEF).await;
    insta::assert_snapshot!(card, @r"
    read a.rs:5-16 [12 of 20 lines]
    code rs Some(5)
    let x5;
    let x6;
    let x7;
    let x8;
    let x9;
    let x10;
    let x11;
    let x12;
    let x13;
    let x14;
    Info: 2 more lines
    Info: [4 more lines in the file. Use offset=17 to go on.]
    ");
    let card = drawn(&bench, "read", arguments, ALL).await;
    assert!(card.contains("let x16;\nInfo: ["), "{card}");
    let nulls = json!({ "path": "a.rs", "offset": null, "limit": null });
    let card = drawn(&bench, "read", nulls, BRIEF).await;
    assert!(
        card.starts_with("read a.rs [20 lines]\ncode rs Some(1)\nlet x1;"),
        "{card}"
    );
}

#[tokio::test]
async fn edit_draws_the_difference() {
    let bench = Bench::new();
    bench.put("a.txt", "one\n\u{201c}two\u{201d}\nthree\n");
    let edits = json!([{ "oldText": "\"two\"", "newText": "\"2\"" }]);
    let card = drawn(
        &bench,
        "edit",
        json!({ "path": "a.txt", "edits": edits }),
        BRIEF,
    )
    .await;
    insta::assert_snapshot!(card, @r"
    edit a.txt [+1] [-1] [tolerant match]
    diff a.txt
      Some(1) one
    - Some(2) “two”
    + Some(2) “2”
      Some(3) three
    ");
    let card = drawn(
        &bench,
        "edit",
        json!({ "path": "none", "edits": edits }),
        BRIEF,
    )
    .await;
    assert!(
        card.starts_with("edit none [error]\nError: none: no such file"),
        "{card}"
    );
}

#[tokio::test]
async fn write_draws_what_is_new_or_different() {
    let bench = Bench::new();
    let card = drawn(
        &bench,
        "write",
        json!({ "path": "a.py", "content": "a = 1\n" }),
        BRIEF,
    )
    .await;
    insta::assert_snapshot!(card, @r"
    write a.py [created] [6B]
    code py Some(1)
    a = 1
    ");
    let card = drawn(
        &bench,
        "write",
        json!({ "path": "a.py", "content": "a = 2\n" }),
        BRIEF,
    )
    .await;
    insta::assert_snapshot!(card, @r"
    write a.py [6B] [+1] [-1]
    diff a.py
    - Some(1) a = 1
    + Some(1) a = 2
    ");
}

#[tokio::test]
async fn ls_draws_the_entries() {
    let bench = Bench::new();
    bench.put("folder/file", "");
    bench.put("a", "");
    insta::assert_snapshot!(drawn(&bench, "ls", json!({}), BRIEF).await, @r"
    ls . [2 entries]
    text
    a
    folder/
    ");
}
