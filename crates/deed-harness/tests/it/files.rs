use std::fmt::Write as _;

use deed_protocol::ToolResult;
use serde_json::{Value, json};

use crate::support::{Place, host_tool, run_calls, text_of};

fn edit(id: impl Into<Value>, path: &str, old: &str, new: &str) -> Value {
    let edits = json!([{ "oldText": old, "newText": new }]);
    json!({ "id": id.into(), "name": "edit", "arguments": { "path": path, "edits": edits } })
}

fn write(id: &str, path: &str, content: &str) -> Value {
    json!({ "id": id, "name": "write", "arguments": { "path": path, "content": content } })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn b014_two_edits_of_one_file_in_one_batch_both_land() {
    let place = Place::new();
    let lines: String = (1..=40).fold(String::new(), |mut text, line| {
        writeln!(text, "line {line}.").unwrap();
        text
    });
    place.put("f", &lines);
    let script = json!([
        { "calls": [edit("a", "f", "line 5.", "five"), edit("b", "f", "line 30.", "thirty")] },
        { "say": "done" },
    ]);
    let played = place.play(script, |builder| builder).await;
    let expected = lines
        .replace("line 5.", "five")
        .replace("line 30.", "thirty");
    assert_eq!(place.content("f"), expected);
    for (id, line) in [("a", 5), ("b", 30)] {
        let result = played.result(id);
        assert!(!result.is_error, "{}", text_of(&result));
        assert_eq!(result.details.unwrap()["firstChangedLine"], line);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn b016_calls_on_one_file_run_in_call_order_however_long_its_path_is_to_find() {
    let place = Place::new();
    place.put("f", "0");
    let mut target = "f".to_owned();
    for link in 0..30 {
        let name = format!("link{link}");
        std::os::unix::fs::symlink(&target, place.path(&name)).unwrap();
        target = name;
    }
    let rounds = (0..10).map(|round| {
        let calls = [
            write(&format!("w{round}"), &target, "<1>"),
            edit(format!("e{round}"), "f", "<1>", "<2>"),
            write(&format!("x{round}"), "f", "0"),
        ];
        json!({ "calls": calls })
    });
    let mut script: Vec<Value> = rounds.collect();
    script.push(json!({ "calls": [write("w", &target, "<1>"), edit("e", "f", "<1>", "<2>")] }));
    script.push(json!({ "say": "done" }));
    let played = place.play(script.into(), |builder| builder).await;
    for result in played.results() {
        assert!(!result.is_error, "{}", text_of(&result));
    }
    assert_eq!(place.content("f"), "<2>");
    assert!(place.path("link0").is_symlink());
}

#[tokio::test]
async fn b017_a_file_that_changed_since_it_was_read_is_not_overwritten() {
    let place = Place::new();
    place.put("f", "mine\n");
    let path = place.path("f");
    let person = host_tool("person", move |_| {
        std::fs::write(&path, "what a person wrote\n").unwrap();
        ToolResult::text("ok")
    });
    let script = json!([
        { "calls": [{ "name": "read", "arguments": { "path": "f" } }] },
        { "calls": [{ "name": "person" }] },
        { "calls": [write("over", "f", "the model's\n"), write("new", "g", "new\n")] },
        { "calls": [{ "name": "read", "arguments": { "path": "f" } }] },
        { "calls": [write("again", "f", "both\n")] },
        { "say": "done" },
    ]);
    let played = place.session(script, |builder| builder.tool(person.shared()));
    played.prompt().await;
    let over = played.result("over");
    assert!(over.is_error);
    let text = text_of(&over);
    assert!(text.starts_with("f changed since"), "{text}");
    assert!(!played.result("new").is_error);
    assert_eq!(place.content("g"), "new\n");
    assert!(!played.result("again").is_error, "it was read again");
    assert_eq!(place.content("f"), "both\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_hundred_edits_of_one_file_in_one_batch_land_in_call_order() {
    let place = Place::new();
    place.put("f", "<0> stays\n");
    let session = place.builder().build().unwrap();
    let calls: Vec<(&str, Value)> = (0..200)
        .map(|at| {
            // Each finds only what the one before it left.
            let call = edit("", "f", &format!("<{at}>"), &format!("<{}>", at + 1));
            ("edit", call["arguments"].clone())
        })
        .collect();
    let results = run_calls(&session, &calls).await;
    assert_eq!(results.len(), 200);
    for result in results {
        assert!(
            !result.is_error,
            "{}: {}",
            result.tool_call_id,
            text_of(&result)
        );
    }
    assert_eq!(place.content("f"), "<200> stays\n");
}
