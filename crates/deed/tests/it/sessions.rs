//! Sessions of the program: kept, continued, read and handed on.

use std::path::PathBuf;
use std::process::Stdio;

use rustix::process::Signal;
use serde_json::{Value, json};

use super::support::{Ran, Running, Sandbox, run};

fn play(sandbox: &Sandbox, script: &Value, args: &[&str]) -> Ran {
    sandbox.write("script.json", script.to_string());
    let words = [&["-p", "--model", "script:script.json"], args].concat();
    run(&mut sandbox.command(&words), b"")
}

fn say(text: &str) -> Value {
    json!([{ "say": text }])
}

/// Returns the session files of a home.
fn files(sandbox: &Sandbox) -> Vec<PathBuf> {
    let root = sandbox.home().join(".local/share/deed/sessions");
    let Ok(folders) = std::fs::read_dir(root) else {
        return Vec::new();
    };
    let folders = folders.map(|folder| folder.unwrap().path());
    let files = folders.flat_map(|folder| std::fs::read_dir(folder).unwrap());
    files.map(|file| file.unwrap().path()).collect()
}

fn id_of(sandbox: &Sandbox) -> String {
    let listed = sandbox.deed(&["session", "list", "--json"]);
    listed.lines()[0]["id"].as_str().unwrap().to_owned()
}

fn prompts(sandbox: &Sandbox, id: &str) -> Vec<String> {
    let shown = sandbox.deed(&["session", "show", id, "--json"]);
    let messages = shown
        .lines()
        .into_iter()
        .map(|entry| entry["message"].clone());
    messages
        .filter(|message| message["role"] == "user")
        .map(|message| message["content"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_session_goes_on_by_continue_by_id_and_by_the_beginning_of_its_id() {
    let sandbox = Sandbox::new();
    play(&sandbox, &say("one"), &["first"]).assert_clean();
    let id = id_of(&sandbox);
    play(&sandbox, &say("two"), &["-c", "second"]).assert_clean();
    play(&sandbox, &say("three"), &["--session", &id, "third"]).assert_clean();
    play(&sandbox, &say("four"), &["--resume", &id[..20], "fourth"]).assert_clean();
    assert_eq!(
        prompts(&sandbox, &id),
        ["first", "second", "third", "fourth"]
    );
    assert_eq!(files(&sandbox).len(), 1);
}

#[test]
fn a_session_is_named_forked_and_left_out() {
    let sandbox = Sandbox::new();
    play(&sandbox, &say("one"), &["--name", "the first", "hello"]).assert_clean();
    let id = id_of(&sandbox);
    let listed = sandbox.deed(&["session", "list"]);
    assert!(listed.stdout.contains("the first"), "{listed:?}");
    play(&sandbox, &say("two"), &["--fork", &id, "aside"]).assert_clean();
    assert_eq!(files(&sandbox).len(), 2);
    assert_eq!(prompts(&sandbox, &id), ["hello"]);
    play(&sandbox, &say("three"), &["--no-session", "secret"]).assert_clean();
    assert_eq!(files(&sandbox).len(), 2);
}

#[test]
fn a_session_that_is_not_there_is_told_and_nothing_runs() {
    let sandbox = Sandbox::new();
    for args in [["--session", "none"], ["--fork", "none"]] {
        let ran = play(&sandbox, &say("no"), &[&args[..], &["hello"]].concat());
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(
            ran.stderr.contains("no session is called \"none\""),
            "{ran:?}"
        );
    }
    let ran = play(&sandbox, &say("no"), &["-c", "hello"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("there is no session of"), "{ran:?}");
    assert_eq!(files(&sandbox).len(), 0);
}

#[test]
fn a_second_program_is_refused_while_a_session_is_in_use() {
    let sandbox = Sandbox::new();
    play(&sandbox, &say("one"), &["first"]).assert_clean();
    let command = "echo $$ > pid; while [ ! -e go ]; do sleep 0.01; done";
    let script = json!([
        { "calls": [{ "name": "bash", "arguments": { "command": command } }] },
        { "say": "done" },
    ]);
    sandbox.write("slow.json", script.to_string());
    let args = [
        "-p",
        "--model",
        "script:slow.json",
        "--permission-mode",
        "bypass",
        "-c",
        "slow",
    ];
    let mut running = Running::start(sandbox.command(&args).stdin(Stdio::null()));
    running.close_input();
    sandbox.pid_in("pid");
    let second = play(&sandbox, &say("no"), &["-c", "me too"]);
    assert_eq!(second.code, 2, "{second:?}");
    assert!(second.stderr.contains("another process"), "{second:?}");
    sandbox.write("go", "");
    let first = running.end();
    assert_eq!(
        (first.code, first.stdout.as_str()),
        (0, "done\n"),
        "{first:?}"
    );
}

#[test]
fn a_killed_run_goes_on_and_repeats_nothing_that_must_not_be() {
    let sandbox = Sandbox::new();
    let command = "echo ran >> log; echo $$ > pid; sleep 300";
    let script = json!([
        { "calls": [{ "id": "x", "name": "bash", "arguments": { "command": command } }] },
        { "say": "no" },
    ]);
    sandbox.write("slow.json", script.to_string());
    let args = [
        "-p",
        "--model",
        "script:slow.json",
        "--permission-mode",
        "bypass",
        "go",
    ];
    let mut running = Running::start(sandbox.command(&args).stdin(Stdio::null()));
    running.close_input();
    let pid = sandbox.pid_in("pid");
    running.signal(Signal::KILL);
    running.wait();
    rustix::process::kill_process(pid, Signal::KILL).ok();
    let script = json!([{ "expect": "", "say": "I looked." }]);
    let args = ["--permission-mode", "bypass", "-c", "go on"];
    let ran = play(&sandbox, &script, &args);
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (0, "I looked.\n"),
        "{ran:?}"
    );
    assert_eq!(sandbox.read("log"), "ran\n");
    let shown = sandbox.deed(&["session", "show", &id_of(&sandbox), "--json"]);
    let results: Vec<Value> = shown
        .lines()
        .into_iter()
        .filter(|entry| entry["message"]["role"] == "toolResult")
        .collect();
    assert_eq!(results.len(), 1);
    let text = results[0]["message"]["content"][0]["text"]
        .as_str()
        .unwrap();
    assert!(
        text.starts_with("The outcome of this call is unknown"),
        "{text}"
    );
}

#[test]
fn a_session_is_exported_as_a_page_and_as_a_document() {
    let sandbox = Sandbox::new();
    sandbox.write("a.txt", "hello\n");
    let script = json!([
        { "calls": [{ "name": "read", "arguments": { "path": "a.txt" } }] },
        { "say": "It says <b>hello</b>." },
    ]);
    play(&sandbox, &script, &["what does it say"]).assert_clean();
    let id = id_of(&sandbox);
    let export = |args: &[&str]| sandbox.deed(&[&["session", "export", &id], args].concat());
    export(&["page.html"]).assert_clean();
    let page = sandbox.read("page.html");
    assert!(page.starts_with("<!DOCTYPE html>"), "{page}");
    assert!(!page.contains("<b>hello"), "what is said is no markup");
    export(&["notes.md"]).assert_clean();
    let document = sandbox.read("notes.md");
    assert!(document.contains("> **read** `a.txt`"), "{document}");
    let again = export(&["notes.md"]);
    assert_eq!(again.code, 2);
    assert!(again.stderr.contains("--force writes over"), "{again:?}");
    export(&["notes.md", "--force"]).assert_clean();
}

#[test]
fn nothing_runs_that_the_session_cannot_record() {
    let sandbox = Sandbox::new();
    play(&sandbox, &say(&"x".repeat(3000)), &["first"]).assert_clean();
    let script = json!([
        { "calls": [{ "name": "bash", "arguments": { "command": "touch ran" } }] },
        { "say": "y".repeat(3000) },
    ]);
    sandbox.write("script.json", script.to_string());
    let deed = sandbox.command(&[]);
    let mut command = std::process::Command::new("bash");
    let line = "ulimit -f 4 && exec \"$0\" -p -c --no-audit --model script:script.json \
                --permission-mode bypass go";
    command
        .args(["-c", line])
        .arg(deed.get_program())
        .env_clear()
        .current_dir(sandbox.path(""))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    for (name, value) in deed.get_envs() {
        command.env(name, value.unwrap());
    }
    let ran = run(&mut command, b"");
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stderr.contains("session"), "{ran:?}");
    // What is on record is whole, and the session can go on.
    play(&sandbox, &say("on"), &["-c", "again"]).assert_clean();
}
