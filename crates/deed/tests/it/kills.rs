//! Runs that are killed at any point go on: nothing is lost, and what must not run twice does not.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Stdio;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};

use super::support::{Running, Sandbox, run};

const TURNS: usize = 8;

/// A model that in each turn runs a command that leaves a mark, and reads a file.
fn script() -> Value {
    let mut turns: Vec<Value> = (0..TURNS)
        .map(|turn| {
            let mark = json!({ "command": format!("echo mark{turn} >> log") });
            json!({ "calls": [
                { "id": format!("bash{turn}"), "name": "bash", "arguments": mark },
                { "id": format!("read{turn}"), "name": "read", "arguments": { "path": "a.txt" } },
            ] })
        })
        .collect();
    turns.push(json!({ "say": "done" }));
    turns.into()
}

/// Runs, kills after this long, goes on, and checks what is on record and on disk.
///
/// Shape: whether there was a session to go on with.
fn kill_and_go_on(after: Duration) -> bool {
    let sandbox = Sandbox::new();
    sandbox.write("a.txt", "there\n");
    sandbox.write("run.json", script().to_string());
    sandbox.write("again.json", r#"[{"say":"I go on."}]"#);
    let args = ["-p", "--no-audit", "--permission-mode", "bypass", "--model"];
    let with = |model: &'static str, rest: &[&'static str]| {
        let words: Vec<&str> = args.iter().copied().chain([model]).collect();
        sandbox.command(&[&words[..], rest].concat())
    };
    let mut running = Running::start(with("script:run.json", &["go"]).stdin(Stdio::null()));
    running.close_input();
    // Any moment will do, so that all are met in the long run.
    std::thread::sleep(after);
    running.signal(Signal::KILL);
    running.wait();
    let again = run(&mut with("script:again.json", &["-c", "go on"]), b"");
    if again.code == 2 && again.stderr.contains("there is no session") {
        assert!(
            !sandbox.path("log").exists(),
            "nothing ran before it was on record"
        );
        return false;
    }
    assert_eq!(
        (again.code, again.stdout.as_str()),
        (0, "I go on.\n"),
        "{again:?}"
    );
    check_record(&sandbox);
    let log = std::fs::read_to_string(sandbox.path("log")).unwrap_or_default();
    let marks: BTreeSet<&str> = log.lines().collect();
    let count = log.lines().count();
    assert_eq!(marks.len(), count, "a command ran twice:\n{log}");
    true
}

/// Every call has exactly one result, and all that was said is there.
fn check_record(sandbox: &Sandbox) {
    let list = sandbox.deed(&["session", "list", "--json"]);
    let id = list.lines()[0]["id"].as_str().unwrap().to_owned();
    let shown = sandbox.deed(&["session", "show", &id, "--json"]);
    let messages: Vec<Value> = shown
        .lines()
        .into_iter()
        .map(|entry| entry["message"].clone())
        .filter(Value::is_object)
        .collect();
    let users = messages.iter().filter(|message| message["role"] == "user");
    let said: Vec<&str> = users
        .map(|user| user["content"].as_str().unwrap())
        .collect();
    assert_eq!(said, ["go", "go on"]);
    let mut answered: BTreeMap<String, usize> = BTreeMap::new();
    let mut called = 0;
    for message in &messages {
        if message["role"] == "toolResult" {
            let id = message["toolCallId"].as_str().unwrap().to_owned();
            *answered.entry(id).or_default() += 1;
        }
        let blocks = message["content"].as_array().into_iter().flatten();
        called += blocks.filter(|block| block["type"] == "toolCall").count();
    }
    assert_eq!(answered.len(), called, "{messages:#?}");
    assert!(answered.values().all(|count| *count == 1), "{answered:?}");
}

/// Kills fifty runs, spread over the time that a run takes here.
fn fifty(offset: u64) {
    let met = (0..50_u64)
        .filter(|index| kill_and_go_on(Duration::from_micros((index * 4 + offset) * 1000)))
        .count();
    assert!(met > 0, "no run lived long enough to have a session");
}

#[test]
fn fifty_runs_are_killed_and_go_on() {
    fifty(0);
}

#[test]
fn fifty_more_runs_are_killed_and_go_on() {
    fifty(1);
}

#[test]
fn a_third_fifty_runs_are_killed_and_go_on() {
    fifty(2);
}

#[test]
fn a_fourth_fifty_runs_are_killed_and_go_on() {
    fifty(3);
}
