//! `deed --mode rpc` and what else programs read: real pipes, files and records.

use std::process::{Command, Stdio};

use rustix::process::Signal;
use serde_json::{Value, json};

use super::support::{Running, Sandbox, run};

fn say(text: &str) -> Value {
    json!({ "say": text })
}

fn command(text: &str) -> Value {
    json!({ "calls": [{ "name": "bash", "arguments": { "command": text } }] })
}

/// The program and what a client does with it.
struct Client {
    running: Running,
    next_id: usize,
}

impl Client {
    fn start(sandbox: &Sandbox, script: &Value, args: &[&str]) -> Self {
        sandbox.write("script.json", script.to_string());
        let words = [&["--mode", "rpc", "--model", "script:script.json"], args].concat();
        Self {
            running: Running::start(&mut sandbox.command(&words)),
            next_id: 0,
        }
    }

    fn next(&mut self) -> Value {
        let line = self.running.line();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    fn until(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let record = self.next();
            if is_it(&record) {
                return record;
            }
        }
    }

    fn until_type(&mut self, kind: &str) -> Value {
        self.until(|record| record["type"] == kind)
    }

    fn send(&mut self, record: &Value) {
        self.running.say(format!("{record}\n").as_bytes());
    }

    fn ask(&mut self, mut command: Value) -> Value {
        self.next_id += 1;
        let id = format!("c{}", self.next_id);
        command["id"] = id.as_str().into();
        self.send(&command);
        self.until(|record| record["type"] == "response" && record["id"] == id.as_str())
    }

    #[track_caller]
    fn ok(&mut self, command: Value) -> Value {
        let response = self.ask(command.clone());
        assert_eq!(response["success"], true, "{command}: {response}");
        response["data"].clone()
    }

    fn prompt(&mut self, text: &str) {
        self.ok(json!({ "type": "prompt", "message": text }));
        self.until_type("agent_settled");
    }

    fn state(&mut self) -> Value {
        self.ok(json!({ "type": "get_state" }))
    }
}

#[test]
fn a_client_prompts_runs_commands_and_ends_it_by_closing_its_input() {
    let sandbox = Sandbox::new();
    let mut client = Client::start(&sandbox, &json!([say("hello")]), &[]);
    client.prompt("hi");
    let text = client.ok(json!({ "type": "get_last_assistant_text" }));
    assert_eq!(text["text"], "hello");
    let ran = client.ok(json!({ "type": "bash", "command": "pwd" }));
    assert_eq!(
        sandbox.steady(ran["output"].as_str().unwrap()),
        "ROOT/work\n"
    );
    let page = client.ok(json!({ "type": "export_html", "outputPath": "page.html" }));
    assert_eq!(
        sandbox.steady(page["path"].as_str().unwrap()),
        "ROOT/work/page.html"
    );
    let page = sandbox.read("page.html");
    assert!(page.contains("hello") && page.contains("pwd"));
    let ran = client.running.end();
    ran.assert_clean();
}

#[test]
fn an_approval_through_the_client_is_on_record_as_verified() {
    let sandbox = Sandbox::new();
    let script = json!([command("touch made"), command("touch other"), say("done")]);
    let mut client = Client::start(&sandbox, &script, &[]);
    client.ok(json!({ "type": "prompt", "message": "go" }));
    let question = client.until_type("extension_ui_request");
    client.send(&json!({
        "type": "extension_ui_response",
        "id": question["id"],
        "value": "Allow once",
        "displaySha256": question["displaySha256"],
    }));
    let question = client.until_type("extension_ui_request");
    client.send(&json!({
        "type": "extension_ui_response",
        "id": question["id"],
        "value": "Allow once",
        "displaySha256": "0".repeat(64),
    }));
    client.until_type("agent_settled");
    client.running.end().assert_clean();
    assert!(sandbox.path("made").exists() && !sandbox.path("other").exists());
    let shown = sandbox.deed(&["audit", "show", "--event", "approval", "--json"]);
    let answers = shown.lines();
    assert_eq!(answers[0]["approval"]["verified"], true);
    assert_eq!(answers[0]["approval"]["channel"], "rpc");
    assert_eq!(answers[1]["approval"]["decision"], "deny");
    assert_eq!(sandbox.deed(&["audit", "verify"]).code, 0);
}

#[test]
fn sessions_are_left_gone_back_to_and_forked() {
    let sandbox = Sandbox::new();
    let mut client = Client::start(
        &sandbox,
        &json!([say("one"), say("two")]),
        &["--name", "first"],
    );
    client.prompt("begin");
    let first = client.state();
    assert_eq!(first["sessionName"], "first");
    client.ok(json!({ "type": "new_session" }));
    let second = client.state();
    assert_ne!(second["sessionFile"], first["sessionFile"]);
    assert_eq!(second.get("sessionName"), None);
    client.prompt("again");
    let back = json!({ "type": "switch_session", "sessionPath": first["sessionFile"] });
    client.ok(back);
    assert_eq!(client.state()["messageCount"], 2);
    let messages = client.ok(json!({ "type": "get_fork_messages" }));
    let entry = &messages["messages"][0]["entryId"];
    let forked = client.ok(json!({ "type": "fork", "entryId": entry }));
    assert_eq!(forked["text"], "begin");
    client.prompt("other");
    client.running.end().assert_clean();
    let listed = sandbox.deed(&["session", "list", "--json"]);
    assert_eq!(listed.lines().len(), 3, "{listed:?}");
}

#[test]
fn a_session_of_another_folder_runs_there() {
    let sandbox = Sandbox::new();
    let other = sandbox.path("other");
    std::fs::create_dir(&other).unwrap();
    let mut client = Client::start(&sandbox, &json!([say("one")]), &[]);
    client.prompt("begin");
    let file = client.state()["sessionFile"].as_str().unwrap().to_owned();
    client.running.end().assert_clean();
    let moved = std::fs::read_to_string(&file).unwrap();
    let (here, there) = (sandbox.path(""), other.display().to_string());
    let here = here.display().to_string();
    let cwd = |path: &str| format!("\"cwd\":\"{}\"", path.trim_end_matches('/'));
    assert!(moved.contains(&cwd(&here)), "{moved}");
    sandbox.write("moved.jsonl", moved.replace(&cwd(&here), &cwd(&there)));
    let mut client = Client::start(&sandbox, &json!([say("one")]), &[]);
    client.ok(json!({ "type": "switch_session", "sessionPath": "moved.jsonl" }));
    let ran = client.ok(json!({ "type": "bash", "command": "pwd" }));
    assert_eq!(
        sandbox.steady(ran["output"].as_str().unwrap()),
        "ROOT/work/other\n"
    );
    client.ok(json!({ "type": "new_session" }));
    let ran = client.ok(json!({ "type": "bash", "command": "pwd" }));
    assert_eq!(
        sandbox.steady(ran["output"].as_str().unwrap()),
        "ROOT/work/other\n"
    );
    client.running.end().assert_clean();
    std::fs::remove_dir(&other).unwrap();
    let mut client = Client::start(&sandbox, &json!([say("one")]), &[]);
    let switch = json!({ "type": "switch_session", "sessionPath": "moved.jsonl" });
    let refused = client.ask(switch);
    let error = sandbox.steady(refused["error"].as_str().unwrap());
    assert_eq!(
        error,
        "the session belongs to ROOT/work/other, which is no folder any more"
    );
    client.prompt("still here");
    client.running.end().assert_clean();
}

#[test]
fn without_a_record_on_disk_a_client_has_all_the_same() {
    let sandbox = Sandbox::new();
    let mut client = Client::start(
        &sandbox,
        &json!([say("one"), say("two")]),
        &["--no-session"],
    );
    client.prompt("begin");
    let state = client.state();
    assert_eq!(state.get("sessionFile"), None);
    let entries = client.ok(json!({ "type": "get_entries" }));
    assert!(entries["entries"].as_array().unwrap().len() >= 2);
    let page = client.ok(json!({ "type": "export_html" }));
    let page = std::fs::read_to_string(page["path"].as_str().unwrap()).unwrap();
    assert!(page.contains("begin"));
    client.ok(json!({ "type": "clone" }));
    assert_eq!(client.state()["messageCount"], 2);
    client.running.end().assert_clean();
    let files = sandbox.everything();
    assert!(
        !files
            .keys()
            .any(|path| path.extension().is_some_and(|end| end == "jsonl")
                && path.to_string_lossy().contains("sessions"))
    );
}

#[test]
fn the_end_of_the_input_in_the_middle_of_a_run_ends_it_in_order() {
    let sandbox = Sandbox::new();
    let script = json!([
        command("echo $$ > pid; sleep 300; touch survived"),
        say("no")
    ]);
    let mut client = Client::start(&sandbox, &script, &["--permission-mode", "bypass"]);
    client.ok(json!({ "type": "prompt", "message": "go" }));
    sandbox.pid_in("pid");
    let ran = client.running.end();
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
    let last = ran.lines().pop().unwrap();
    assert_eq!(
        (&last["type"], &last["aborted"]),
        (&json!("agent_settled"), &json!(true))
    );
    assert!(!sandbox.path("survived").exists());
}

#[test]
fn a_signal_ends_it_in_order_and_the_exit_code_says_so() {
    let sandbox = Sandbox::new();
    let script = json!([
        command("echo $$ > pid; sleep 300; touch survived"),
        say("no")
    ]);
    let mut client = Client::start(&sandbox, &script, &["--permission-mode", "bypass"]);
    client.ok(json!({ "type": "prompt", "message": "go" }));
    sandbox.pid_in("pid");
    client.running.signal(Signal::TERM);
    let ran = client.running.end_by_itself();
    assert_eq!(ran.code, 143, "{ran:?}");
    assert!(!sandbox.path("survived").exists());
}

#[test]
fn a_client_that_closes_its_end_ends_it_quietly() {
    let sandbox = Sandbox::new();
    let mut script: Vec<Value> = (0..200).map(|_| command("seq 1 2000")).collect();
    script.push(say("no"));
    let mut client = Client::start(&sandbox, &script.into(), &["--permission-mode", "bypass"]);
    client.ok(json!({ "type": "prompt", "message": "go" }));
    client.running.stop_reading();
    let ran = client.running.end_by_itself();
    assert_eq!((ran.code, ran.stderr.as_str()), (141, ""), "{ran:?}");
}

#[test]
fn what_cannot_begin_is_a_usage_error_and_nothing_is_printed() {
    let sandbox = Sandbox::new();
    sandbox.write("script.json", json!([say("no")]).to_string());
    let words = run(
        &mut sandbox.command(&["--mode", "rpc", "--model", "script:script.json", "hi"]),
        b"",
    );
    assert_eq!((words.code, words.stdout.as_str()), (2, ""));
    insta::assert_snapshot!(words.stderr.trim_end(), @"deed: --mode rpc takes no prompt; the client sends it with the command `prompt`");
    let model = run(
        &mut sandbox.command(&["--mode", "rpc", "--model", "script:none"]),
        b"",
    );
    assert_eq!((model.code, model.stdout.as_str()), (2, ""));
    assert!(model.stderr.contains("none"), "{model:?}");
}

#[test]
fn the_json_stream_begins_with_the_header_and_has_cards_if_wanted() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "script.json",
        json!([command("true"), say("done")]).to_string(),
    );
    let args = [
        "-p",
        "--model",
        "script:script.json",
        "--mode",
        "json",
        "--permission-mode",
        "bypass",
    ];
    let ran = run(
        &mut sandbox.command(&[&args[..], &["--cards", "go"]].concat()),
        b"",
    );
    let lines = ran.lines();
    assert_eq!(
        (&lines[0]["type"], &lines[0]["version"]),
        (&json!("session"), &json!(3))
    );
    assert_eq!(lines[1]["type"], "agent_start");
    assert_eq!(lines.last().unwrap()["type"], "agent_settled");
    let start = lines
        .iter()
        .find(|line| line["type"] == "tool_execution_start");
    assert_eq!(start.unwrap()["card"]["title"], "bash");
    let without = run(
        &mut sandbox.command(&[&args[..], &["--no-session", "go"]].concat()),
        b"",
    );
    let lines = without.lines();
    assert_eq!(lines[0]["type"], "agent_start");
    assert!(lines.iter().all(|line| line.get("card").is_none()));
}

#[test]
fn the_example_in_python_prompts_and_answers_an_approval() {
    let probe = Command::new("python3")
        .arg("--version")
        .stdout(Stdio::null())
        .status();
    if !probe.is_ok_and(|status| status.success()) {
        assert!(
            std::env::var("CI").as_deref() != Ok("true"),
            "there is no python3"
        );
        return;
    }
    let sandbox = Sandbox::new();
    let script = json!([command("echo made > made.txt"), say("It is made.")]);
    sandbox.write("script.json", script.to_string());
    let deed = sandbox.command(&[]);
    let example = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/rpc_from_python.py"
    );
    let mut python = Command::new("python3");
    python
        .arg(example)
        .arg("--deed")
        .arg(deed.get_program())
        .args(["--yes", "make it", "--", "--model", "script:script.json"])
        .env("HOME", sandbox.home())
        .current_dir(sandbox.path(""))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let ran = run(&mut python, b"");
    assert_eq!((ran.code, ran.stdout.trim()), (0, "It is made."), "{ran:?}");
    assert!(
        ran.stderr.contains("command: echo made > made.txt"),
        "{ran:?}"
    );
    assert_eq!(sandbox.read("made.txt"), "made\n");
    let shown = sandbox.deed(&["audit", "show", "--event", "approval", "--json"]);
    assert_eq!(shown.lines()[0]["approval"]["verified"], true);
}
