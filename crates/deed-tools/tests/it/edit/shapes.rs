use serde_json::{Value, json};

use crate::support::Bench;

async fn shaped(arguments: Value) -> Vec<u8> {
    let bench = Bench::new();
    bench.put("file", "x and p");
    bench.call("edit", arguments).await.ok();
    bench.content("file")
}

#[tokio::test]
async fn b089_edits_may_be_json_text() {
    let list = json!({ "path": "file", "edits": r#"[{"oldText":"x","newText":"y"}]"# });
    assert_eq!(shaped(list).await, b"y and p");
    let one = json!({ "path": "file", "edits": r#"{"oldText":"x","newText":"y"}"# });
    assert_eq!(shaped(one).await, b"y and p");
}

#[tokio::test]
async fn b094_one_edit_may_stand_alone() {
    let one = json!({ "path": "file", "edits": { "oldText": "x", "newText": "y" } });
    assert_eq!(shaped(one).await, b"y and p");
}

#[tokio::test]
async fn texts_beside_the_path_are_one_more_edit() {
    let old = json!({ "path": "file", "oldText": "x", "newText": "y" });
    assert_eq!(shaped(old).await, b"y and p");
    let both = json!({
        "path": "file",
        "edits": [{ "oldText": "p", "newText": "q" }],
        "oldText": "x",
        "newText": "y",
    });
    assert_eq!(shaped(both).await, b"y and q");
}

#[tokio::test]
async fn b095_other_fields_are_refused_at_every_level() {
    let bench = Bench::new();
    bench.put("file", "x");
    let edit = json!({ "oldText": "x", "newText": "y", "reason": "z" });
    let inner = json!({ "path": "file", "edits": [edit] });
    let error = bench.call("edit", inner).await.error();
    assert!(
        error.contains("- edits.0.reason: not a known field"),
        "{error}"
    );
    let outer = json!({ "path": "file", "foo": 1, "oldText": "x", "newText": "y" });
    let error = bench.call("edit", outer).await.error();
    assert!(error.contains("- foo: not a known field"), "{error}");
    assert_eq!(bench.content("file"), b"x");
}

#[tokio::test]
async fn what_cannot_be_read_is_refused_and_not_guessed() {
    let bench = Bench::new();
    bench.put("file", "x");
    for edits in [
        json!("not json"),
        json!("[{]"),
        json!(5),
        json!([["x", "y"]]),
    ] {
        let called = bench
            .call("edit", json!({ "path": "file", "edits": edits }))
            .await;
        assert!(called.error().contains("- edits"), "{}", called.text());
    }
    let half = json!({ "path": "file", "oldText": "x" });
    bench.call("edit", half).await.error();
    assert_eq!(bench.content("file"), b"x");
}
