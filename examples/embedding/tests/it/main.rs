//! The small programs are run as they stand, with the scripted model.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    missing_docs,
    reason = "tests fail by panicking"
)]

use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

fn run(program: &str, folder: &TempDir, script: &Value) -> String {
    std::fs::write(folder.path().join("script.json"), script.to_string()).unwrap();
    let ran = Command::new(program)
        .arg("script:script.json")
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(ran.status.success(), "{ran:?}");
    String::from_utf8(ran.stdout).unwrap()
}

fn call(id: &str, name: &str, arguments: Value) -> Value {
    json!({ "id": id, "name": name, "arguments": arguments })
}

#[test]
fn one_shot_prints_the_answer() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("a.txt"), "x").unwrap();
    let script = json!([
        { "calls": [call("l", "ls", json!({}))] },
        { "expect": "a.txt", "say": "One file." },
    ]);
    let program = env!("CARGO_BIN_EXE_one_shot");
    assert_eq!(run(program, &folder, &script), "One file.\n");
}

#[test]
fn custom_tool_is_called() {
    let folder = TempDir::new().unwrap();
    let script = json!([
        { "calls": [call("r", "roll_dice", json!({ "sides": 6 }))] },
        { "say": "Four." },
    ]);
    let said = run(env!("CARGO_BIN_EXE_custom_tool"), &folder, &script);
    assert_eq!(said, "roll_dice: A die with 6 sides fell on 4.\n");
}

#[test]
fn approval_allows_one_folder_and_refuses_the_rest() {
    let folder = TempDir::new().unwrap();
    std::fs::create_dir(folder.path().join("notes")).unwrap();
    let write = |path: &str| json!({ "path": path, "content": "x" });
    let script = json!([
        { "calls": [call("in", "write", write("notes/a.md")), call("out", "write", write("b.md"))] },
        { "say": "Done." },
    ]);
    let said = run(env!("CARGO_BIN_EXE_approval"), &folder, &script);
    assert!(said.ends_with("in: done\nout: refused\n"), "{said}");
    assert!(folder.path().join("notes/a.md").exists());
    assert!(!folder.path().join("b.md").exists());
}

#[test]
fn ui_store_has_one_card_a_call() {
    let folder = TempDir::new().unwrap();
    let command = json!({ "command": "for i in 1 2 3; do echo $i; sleep 0.15; done" });
    let script = json!([
        { "calls": [call("b", "bash", command), call("m", "read", json!({ "path": "none" }))] },
        { "say": "That was it." },
    ]);
    let said = run(env!("CARGO_BIN_EXE_ui_store"), &folder, &script);
    assert_eq!(
        said,
        "[b] bash: done, 3 lines\n[m] read: failed, 1 lines\nThat was it.\n"
    );
}
