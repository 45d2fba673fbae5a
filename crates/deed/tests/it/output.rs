//! What `deed exec` prints, when, and what happens if it cannot.

use std::fs::File;

use serde_json::{Value, json};

use super::support::{Sandbox, bash, is_alive, run, wait_for};

#[test]
fn a_result_is_written_while_the_next_item_runs() {
    let sandbox = Sandbox::new();
    let mut running = sandbox.start_exec(&[]);
    let waiting = bash("until [ -e go ]; do sleep 0.02; done; echo 2");
    running.say(format!("{}\n{waiting}\n", bash("echo 1")).as_bytes());
    let line: Value = serde_json::from_str(&running.line()).unwrap();
    assert_eq!(line["content"][0]["text"], "1\n");
    assert!(running.is_running());
    sandbox.write("go", "");
    assert_eq!(running.end().assert_clean().only().text(), "2\n");
}

/// Takes out what is different in every run.
fn steady(line: &Value) -> String {
    fn clean(value: &mut Value) {
        match value {
            Value::Object(members) => {
                for (name, value) in members {
                    if matches!(name.as_str(), "durationMs" | "timestamp") {
                        *value = json!(0);
                    }
                    clean(value);
                }
            }
            Value::Array(items) => items.iter_mut().for_each(clean),
            _ => {}
        }
    }
    let mut line = line.clone();
    clean(&mut line);
    line.to_string()
}

#[test]
fn events_have_the_names_and_fields_of_the_json_stream() {
    let sandbox = Sandbox::new();
    sandbox.write("a", "text\n");
    let input = r#"[{"id":"1","name":"read","arguments":{"path":"a"}},{"id":"2","name":"nope"}]"#;
    let ran = sandbox.exec_with(&["--output", "events"], input);
    let lines: Vec<String> = ran.assert_clean().lines().iter().map(steady).collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    {"type":"tool_execution_start","toolCallId":"1","toolName":"read","args":{"path":"a"}}
    {"type":"tool_execution_start","toolCallId":"2","toolName":"nope","args":{}}
    {"type":"tool_execution_end","toolCallId":"2","toolName":"nope","result":{"content":[{"type":"text","text":"Tool nope not found\n\nActive tools: read, bash, edit, write, grep, find, ls, powershell"}],"details":{},"isError":true},"isError":true}
    {"type":"tool_execution_end","toolCallId":"1","toolName":"read","result":{"content":[{"type":"text","text":"text\n"}],"details":{"firstLine":1,"lines":1,"totalLines":1}},"isError":false,"durationMs":0}
    {"type":"message_start","message":{"role":"toolResult","toolCallId":"1","toolName":"read","content":[{"type":"text","text":"text\n"}],"details":{"firstLine":1,"lines":1,"totalLines":1},"isError":false,"durationMs":0,"timestamp":0}}
    {"type":"message_end","message":{"role":"toolResult","toolCallId":"1","toolName":"read","content":[{"type":"text","text":"text\n"}],"details":{"firstLine":1,"lines":1,"totalLines":1},"isError":false,"durationMs":0,"timestamp":0}}
    {"type":"message_start","message":{"role":"toolResult","toolCallId":"2","toolName":"nope","content":[{"type":"text","text":"Tool nope not found\n\nActive tools: read, bash, edit, write, grep, find, ls, powershell"}],"details":{},"isError":true,"timestamp":0}}
    {"type":"message_end","message":{"role":"toolResult","toolCallId":"2","toolName":"nope","content":[{"type":"text","text":"Tool nope not found\n\nActive tools: read, bash, edit, write, grep, find, ls, powershell"}],"details":{},"isError":true,"timestamp":0}}
    "#);
}

#[test]
fn updates_of_a_call_come_between_its_start_and_its_end() {
    let sandbox = Sandbox::new();
    let mut running = sandbox.start_exec(&["--output", "events"]);
    let call = bash("echo begun; until [ -e go ]; do sleep 0.02; done; echo done");
    running.say(format!("{call}\n").as_bytes());
    let mut kinds = Vec::new();
    loop {
        let event: Value = serde_json::from_str(&running.line()).unwrap();
        kinds.push(event["type"].as_str().unwrap().to_owned());
        if event["partialResult"]["content"][0]["text"] == "begun\n" {
            break;
        }
    }
    assert_eq!(kinds[0], "tool_execution_start");
    sandbox.write("go", "");
    let rest = running.end();
    let last: Vec<Value> = rest.assert_clean().lines();
    let last: Vec<&str> = last[last.len() - 3..]
        .iter()
        .map(|event| event["type"].as_str().unwrap())
        .collect();
    assert_eq!(last, ["tool_execution_end", "message_start", "message_end"]);
}

const CARDS: &str = r#"{"name":"write","arguments":{"path":"a.sh","content":"echo hi\n"}}
    {"name":"bash","arguments":{"command":"bash a.sh; exit 3"}}
    {"name":"edit","arguments":{"path":"a.sh","edits":[{"oldText":"hi","newText":"ho"}]}}"#;

#[test]
fn text_output_in_a_pipe_is_plain_cards() {
    let sandbox = Sandbox::new();
    let ran = sandbox.exec_with(&["--output", "text"], CARDS);
    assert!(!ran.assert_clean().stdout.contains('\u{1b}'));
    insta::assert_snapshot!(ran.stdout, @"
    ● write  a.sh   created · 8B
      │ 1  echo hi

    ● bash  $ bash a.sh; exit 3   exit 3
      │ hi
      │
      │ Command exited with code 3

    ● edit  a.sh   +1 · -1
      │ 1 − echo hi
      │ 1 + echo ho
    ");
}

#[test]
fn colour_is_there_if_it_is_asked_for() {
    let sandbox = Sandbox::new();
    let coloured = sandbox.exec_with(&["--output", "text", "--color", "always"], CARDS);
    assert!(coloured.assert_clean().stdout.contains("\u{1b}[31m"));
    let plain = sandbox.exec_with(&["--output", "text", "--color", "never"], CARDS);
    assert!(!plain.assert_clean().stdout.contains('\u{1b}'));
}

#[test]
fn output_of_commands_cannot_reach_the_terminal_raw() {
    let sandbox = Sandbox::new();
    let call = bash(r"printf '\033]0;title\007\033[2J\rgone\b\b'").to_string();
    let ran = sandbox.exec_with(&["--output", "text", "--color", "never"], call);
    let raw: Vec<char> = ran
        .assert_clean()
        .stdout
        .chars()
        .filter(|c| c.is_control() && *c != '\n')
        .collect();
    assert!(raw.is_empty(), "{raw:?}");
}

#[test]
fn a_reader_that_leaves_ends_the_run_with_141_and_leaves_no_process() {
    let sandbox = Sandbox::new();
    let mut running = sandbox.start_exec(&[]);
    running.say(
        bash("sleep 300 >/dev/null 2>&1 & echo $! > pid")
            .to_string()
            .as_bytes(),
    );
    running.line();
    let background = sandbox.pid_in("pid");
    assert!(is_alive(background), "a background child outlives its call");
    running.stop_reading();
    running.say(bash("echo nobody reads this").to_string().as_bytes());
    assert_eq!(running.wait(), 141);
    wait_for("the background child to end", || !is_alive(background));
    assert_eq!(
        running.end().stderr,
        "",
        "no reader is no fault to talk about"
    );
}

#[test]
fn a_full_disk_is_an_error_in_words() {
    let Ok(full) = File::options().write(true).open("/dev/full") else {
        // Only Linux has it.
        return;
    };
    let sandbox = Sandbox::new();
    let said = |args: &[&str]| {
        let mut command = sandbox.command(args);
        command.stdout(full.try_clone().unwrap());
        let ran = run(&mut command, br#"{"name":"ls"}"#);
        assert_eq!(ran.code, 1, "{args:?}");
        ran.stderr
    };
    for args in [
        &["exec"][..],
        &["exec", "--output", "events"],
        &["exec", "--output", "text"],
        &["demo"],
        &["tools"],
        &["man"],
        &["completions", "bash"],
        &["--help"],
    ] {
        assert_eq!(
            said(args),
            "deed: cannot write to standard output: No space left on device (os error 28)\n",
            "{args:?}"
        );
    }
}
