//! `deed -p`: one run of the agent, with the scripted model and real tools.

use std::process::Stdio;

use rustix::process::Signal;
use serde_json::{Value, json};

use super::support::{Ran, Running, Sandbox, run};

/// Runs a prompt against a script with `deed -p` and nothing on standard input.
fn play(sandbox: &Sandbox, script: &Value, args: &[&str]) -> Ran {
    play_with(sandbox, script, args, "")
}

fn play_with(sandbox: &Sandbox, script: &Value, args: &[&str], stdin: &str) -> Ran {
    sandbox.write("script.json", script.to_string());
    let words = [&["-p", "--model", "script:script.json"], args].concat();
    run(&mut sandbox.command(&words), stdin.as_bytes())
}

fn say(text: &str) -> Value {
    json!({ "say": text })
}

fn calling(name: &str, arguments: Value) -> Value {
    json!({ "calls": [{ "name": name, "arguments": arguments }] })
}

fn command(text: &str) -> Value {
    calling("bash", json!({ "command": text }))
}

/// Returns the text of the first user message of a run in JSON.
fn prompted(ran: &Ran) -> String {
    let lines = ran.lines();
    let message = lines
        .iter()
        .find(|line| line["type"] == "message_end" && line["message"]["role"] == "user");
    let content = &message.unwrap()["message"]["content"];
    content
        .as_str()
        .unwrap_or_else(|| content[0]["text"].as_str().unwrap())
        .to_owned()
}

#[test]
fn a_pipe_gets_the_answer_alone() {
    let sandbox = Sandbox::new();
    sandbox.write("a.txt", "hello\n");
    let read = calling("read", json!({ "path": "a.txt" }));
    let mut looking = read.clone();
    looking["say"] = "I look.".into();
    let script = json!([looking, { "expect": "hello", "say": "It says hello.\n\n" }]);
    let ran = play(&sandbox, &script, &["what does a.txt say?"]);
    assert_eq!(ran.stdout, "It says hello.\n");
    ran.assert_clean();
}

#[test]
fn an_empty_answer_is_told_in_one_line() {
    let sandbox = Sandbox::new();
    sandbox.write("a.txt", "hello\n");
    let read = calling("read", json!({ "path": "a.txt" }));
    let scripts = [
        ("at once", json!([{}])),
        ("behind a call", json!([read, { "say": " \n" }])),
        ("cut", json!([{ "stopReason": "length" }])),
    ];
    let told = scripts.map(|(case, script)| {
        let ran = play(&sandbox, &script, &["go"]);
        assert_eq!(ran.code, 0, "{case}: {ran:?}");
        assert_eq!(ran.stdout.trim(), "", "{case}");
        ran.stderr
    });
    insta::assert_snapshot!(told.concat(), @r"
    deed: the model's last answer is empty: ask again in other words, or name another model with --model; --mode json shows all that came
    deed: the model's last answer is empty: ask again in other words, or name another model with --model; --mode json shows all that came
    deed: the model's last answer is empty, because it came to the end of what it may write: --thinking low leaves more of that to the answer, --model names another one
    ");
    let ran = play(&sandbox, &json!([{}]), &["--mode", "json", "go"]);
    ran.assert_clean();
}

#[test]
fn standard_input_and_files_go_with_the_prompt() {
    let sandbox = Sandbox::new();
    sandbox.write("a.rs", "fn a() {}\n");
    let args = ["--mode", "json", "review", "this", "@a.rs"];
    let ran = play_with(&sandbox, &json!([say("fine")]), &args, "piped\n");
    let text = sandbox.steady(&prompted(&ran));
    insta::assert_snapshot!(text, @r#"
    piped


    <file name="ROOT/work/a.rs">
    fn a() {}

    </file>

    review this
    "#);
}

#[test]
fn a_picture_goes_with_the_prompt_as_a_picture() {
    let sandbox = Sandbox::new();
    // The smallest PNG there is: one grey pixel.
    let png: &[u8] = &[
        0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', 0, 0, 0, 13, b'I', b'H', b'D', b'R', 0,
        0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0, 0x3a, 0x7e, 0x9b, 0x55, 0, 0, 0, 10, b'I', b'D', b'A',
        b'T', 0x78, 0x9c, 0x63, 0x60, 0, 0, 0, 2, 0, 1, 0x48, 0xaf, 0xa4, 0x71, 0, 0, 0, 0, b'I',
        b'E', b'N', b'D', 0xae, 0x42, 0x60, 0x82,
    ];
    sandbox.write("dot.png", png);
    let ran = play(
        &sandbox,
        &json!([say("a dot")]),
        &["--mode", "json", "what is it", "@dot.png"],
    );
    let lines = ran.lines();
    let message = lines
        .iter()
        .find(|line| line["type"] == "message_end")
        .unwrap();
    let picture = &message["message"]["content"][1];
    assert_eq!(picture["mimeType"], "image/png", "{message}");
}

#[test]
fn what_cannot_go_with_the_prompt_is_told_and_nothing_runs() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("folder")).unwrap();
    sandbox.write("bytes", [0xff, 0xfe, 0x00]);
    let cases = [
        (
            "@missing",
            "deed: cannot read ROOT/work/missing: No such file or directory (os error 2)",
        ),
        (
            "@folder",
            "deed: cannot read ROOT/work/folder: it is a folder; name files",
        ),
        (
            "@bytes",
            "deed: ROOT/work/bytes: this is neither UTF-8 text nor a picture",
        ),
    ];
    for (word, message) in cases {
        let ran = play(&sandbox, &json!([say("no")]), &["look", word]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert_eq!(sandbox.steady(ran.stderr.trim_end()), message);
    }
}

#[test]
fn without_anything_to_say_there_is_no_run() {
    let sandbox = Sandbox::new();
    let ran = play(&sandbox, &json!([say("no")]), &[]);
    assert_eq!(ran.code, 2);
    insta::assert_snapshot!(ran.stderr.trim_end(), @r#"deed: there is no prompt; write it behind -p or pipe it in: deed -p "what does this do?" < a.rs"#);
}

#[test]
fn exit_codes_tell_what_became_of_the_run() {
    let failing = json!([{ "error": "wrong key", "errorKind": "auth" }]);
    let refused = json!([command("touch made"), say("could not")]);
    let cases = [
        ("done", json!([say("done")]), 0),
        ("the model failed", failing, 1),
        ("something was refused", refused, 3),
    ];
    for (name, script, code) in cases {
        let sandbox = Sandbox::new();
        let ran = play(&sandbox, &script, &["go"]);
        assert_eq!(ran.code, code, "{name}: {ran:?}");
        assert!(!sandbox.path("made").exists());
    }
}

#[test]
fn a_refusal_is_told_with_what_to_do() {
    let sandbox = Sandbox::new();
    let ran = play(
        &sandbox,
        &json!([command("touch made"), say("could not")]),
        &["go"],
    );
    assert_eq!(ran.stdout, "could not\n");
    insta::assert_snapshot!(ran.stderr.trim_end(), @"deed: 1 tool call was refused; --permission-mode or a policy says what may run, `deed audit show --decision deny` tells what was refused and why");
    let script = json!([command("touch made"), say("made")]);
    play(&sandbox, &script, &["--permission-mode", "bypass", "go"]).assert_clean();
    assert!(sandbox.path("made").exists());
}

#[test]
fn a_run_ends_at_its_limit() {
    let sandbox = Sandbox::new();
    let script = json!([
        command("echo 1 >> log"),
        command("echo 2 >> log"),
        say("no")
    ]);
    let args = ["--permission-mode", "bypass", "--max-turns", "2", "go"];
    let ran = play(&sandbox, &script, &args);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.stderr
            .starts_with("deed: the run was ended after 2 turns"),
        "{ran:?}"
    );
    assert_eq!(sandbox.read("log"), "1\n2\n");
}

#[test]
fn ctrl_c_ends_the_running_command_and_the_run() {
    let sandbox = Sandbox::new();
    let script = json!([
        command("echo $$ > pid; sleep 300; touch survived"),
        say("no")
    ]);
    sandbox.write("script.json", script.to_string());
    let args = [
        "-p",
        "--model",
        "script:script.json",
        "--mode",
        "json",
        "--permission-mode",
    ];
    let args = [&args[..], &["bypass", "go"]].concat();
    let mut running = Running::start(sandbox.command(&args).stdin(Stdio::null()));
    // Standard input must end before the run begins.
    running.close_input();
    sandbox.pid_in("pid");
    running.signal(Signal::INT);
    let ran = running.end();
    assert_eq!(ran.code, 130, "{ran:?}");
    let lines = ran.lines();
    let kinds: Vec<&str> = lines
        .iter()
        .map(|line| line["type"].as_str().unwrap())
        .collect();
    assert_eq!(kinds.last(), Some(&"agent_settled"));
    let answered = lines
        .iter()
        .filter(|line| line["type"] == "message_end" && line["message"]["role"] == "toolResult");
    assert_eq!(answered.count(), 1, "{kinds:?}");
    assert!(!sandbox.path("survived").exists());
}

#[test]
fn a_reader_that_goes_away_ends_the_run_quietly() {
    let sandbox = Sandbox::new();
    let mut script: Vec<Value> = (0..200).map(|_| command("seq 1 2000")).collect();
    script.push(say("no"));
    sandbox.write("script.json", Value::from(script).to_string());
    let args = [
        "-p",
        "--model",
        "script:script.json",
        "--mode",
        "json",
        "--permission-mode",
    ];
    let args = [&args[..], &["bypass", "go"]].concat();
    let mut running = Running::start(&mut sandbox.command(&args));
    running.close_input();
    running.line();
    running.stop_reading();
    let ran = running.end();
    assert_eq!((ran.code, ran.stderr.as_str()), (141, ""), "{ran:?}");
}

#[test]
fn without_a_way_to_talk_the_program_says_how_to_run_it() {
    let sandbox = Sandbox::new();
    let ran = sandbox.deed(&["--mode", "xml", "hello"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("possible values: text, json, rpc"),
        "{ran:?}"
    );
}
