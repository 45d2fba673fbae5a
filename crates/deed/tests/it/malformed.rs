//! Input of `deed exec` that is wrong: what is said about it, and what ran.

use serde_json::json;

use super::support::{Ran, Sandbox, bash};

/// Runs input that is wrong and returns what is said about it.
#[track_caller]
fn refused(sandbox: &Sandbox, input: impl AsRef<[u8]>) -> String {
    let ran = sandbox.exec(input);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
    ran.stderr
}

#[test]
fn garbage_on_line_3_ends_the_run_after_items_1_and_2() {
    let sandbox = Sandbox::new();
    let (one, two, four) = (bash("echo 1"), bash("echo 2"), bash("touch ran"));
    let ran = sandbox.exec(format!("{one}\n{two}\nplease list the files\n{four}\n"));
    assert_eq!(ran.code, 2);
    insta::assert_snapshot!(ran.stderr, @"deed: line 3, column 1: this is not JSON: no JSON value begins like this");
    let texts: Vec<_> = ran.lines().iter().map(first_text).collect();
    assert_eq!(texts, ["1\n", "2\n"]);
    assert!(!sandbox.path("ran").exists());
}

fn first_text(line: &serde_json::Value) -> String {
    line["content"][0]["text"].as_str().unwrap().to_owned()
}

#[test]
fn nothing_of_an_array_runs_if_one_of_its_calls_is_wrong() {
    let sandbox = Sandbox::new();
    let call = bash("touch ran");
    let input = json!([call, {"nom": "ls"}, call]).to_string();
    insta::assert_snapshot!(refused(&sandbox, format!("\n\n{input}")), @r#"deed: line 3: call 2 of the array: this is no tool call: unknown field `nom`; expected a tool call {"id"?, "name", "arguments"}, an array of them, or an assistant message"#);
    assert!(!sandbox.path("ran").exists());
}

#[test]
fn a_misspelt_field_is_named() {
    let sandbox = Sandbox::new();
    let input = r#"{"name":"bash","args":{"command":"touch ran"}}"#;
    insta::assert_snapshot!(refused(&sandbox, input), @r#"deed: line 1: this is no tool call: unknown field `args`; expected a tool call {"id"?, "name", "arguments"}, an array of them, or an assistant message"#);
}

#[test]
fn items_that_are_no_objects_are_shown() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(refused(&sandbox, "\"ls\""), @r#"deed: line 1: "ls" is no tool call; expected a tool call {"id"?, "name", "arguments"}, an array of them, or an assistant message"#);
    insta::assert_snapshot!(refused(&sandbox, "12"), @r#"deed: line 1: 12 is no tool call; expected a tool call {"id"?, "name", "arguments"}, an array of them, or an assistant message"#);
    insta::assert_snapshot!(refused(&sandbox, "[[{\"name\":\"ls\"}]]"), @r#"deed: line 1: call 1 of the array: [{"name":"ls"}] is no tool call; expected a tool call {"id"?, "name", "arguments"}, an array of them, or an assistant message"#);
    insta::assert_snapshot!(refused(&sandbox, "[]"), @r#"deed: line 1: the array is empty; expected a tool call {"id"?, "name", "arguments"}, an array of them, or an assistant message"#);
    let long = json!("x".repeat(500)).to_string();
    assert!(refused(&sandbox, long).len() < 250);
}

#[test]
fn calls_without_a_name_or_with_two_are_refused() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(refused(&sandbox, "{}"), @r#"deed: line 1: this is no tool call: missing field `name`; expected a tool call {"id"?, "name", "arguments"}, an array of them, or an assistant message"#);
    insta::assert_snapshot!(refused(&sandbox, r#"{"name":""}"#), @r#"deed: line 1: the name of the tool is empty; expected a tool call {"id"?, "name", "arguments"}, an array of them, or an assistant message"#);
    insta::assert_snapshot!(refused(&sandbox, r#"{"name":"ls","name":"bash"}"#), @r#"deed: line 1: this is no tool call: duplicate field `name`; expected a tool call {"id"?, "name", "arguments"}, an array of them, or an assistant message"#);
}

#[test]
fn input_that_ends_too_early_names_the_line_where_the_item_begins() {
    let sandbox = Sandbox::new();
    let ran = sandbox.exec(format!(
        "{}\n\n{{\"name\":\"bash\",\n\"argum",
        bash("echo 1")
    ));
    assert_eq!((ran.code, ran.lines().len()), (2, 1));
    insta::assert_snapshot!(ran.stderr, @"deed: line 3: the input ends before the item that begins here is complete");
    for input in [
        "{",
        "[",
        "\"",
        "{\"name\":\"ls\"",
        "[{\"name\":\"ls\"}",
        "tru",
    ] {
        let said = refused(&sandbox, input);
        assert!(said.contains("line 1: the input ends"), "{input}: {said}");
    }
}

#[test]
fn bytes_that_are_no_text_are_named_by_line() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(refused(&sandbox, b"\n{\"name\":\"l\xff\"}"), @"deed: line 2, column 11: this is not JSON: the item has bytes that are not UTF-8");
    insta::assert_snapshot!(refused(&sandbox, b"\0"), @"deed: line 1, column 1: this is not JSON: no JSON value begins like this");
    let ran = sandbox.exec(b"{\"name\":\"ls\"}\0\n");
    assert_eq!((ran.code, ran.lines().len()), (2, 1));
    let utf_16: Vec<u8> = "{\"name\":\"ls\"}"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    assert!(refused(&sandbox, utf_16).contains("line 1"));
}

#[test]
fn messages_that_hold_no_calls_to_run_are_refused() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(refused(&sandbox, r#"{"role":"user","content":"ls"}"#), @r#"deed: line 1: a message of this role has no tool calls; expected a tool call {"id"?, "name", "arguments"}, an array of them, or an assistant message"#);
    insta::assert_snapshot!(refused(&sandbox, r#"{"role":"assistant","content":[{"type":"tool_use","name":"ls"}]}"#), @r#"deed: line 1: the assistant message has no tool calls, which are blocks {"type": "toolCall", "id"?, "name", "arguments"} of its content"#);
    insta::assert_snapshot!(refused(&sandbox, r#"{"role":"assistant","content":5}"#), @"deed: line 1: this is no assistant message: invalid type: integer `5`, expected a sequence");
    insta::assert_snapshot!(refused(&sandbox, r#"{"role":"assistant","content":[{"type":"toolCall","id":"a"}]}"#), @"deed: line 1: this is no assistant message: missing field `name`");
}

#[test]
fn an_answer_that_the_model_did_not_finish_runs_nothing() {
    let sandbox = Sandbox::new();
    for reason in ["error", "aborted"] {
        let call = json!({"type": "toolCall", "id": "a", "name": "bash",
            "arguments": {"command": "touch ran"}});
        let message = json!({"role": "assistant", "stopReason": reason, "content": [call]});
        let said = refused(&sandbox, message.to_string());
        insta::allow_duplicates! {
            insta::assert_snapshot!(said, @"deed: line 1: the model did not finish this message (stopReason error or aborted), so its calls may be incomplete and none is run");
        }
    }
    assert!(!sandbox.path("ran").exists());
}

/// Runs one call whose arguments are wrong and returns what its result says.
#[track_caller]
fn fault(sandbox: &Sandbox, input: &str) -> String {
    let ran: Ran = sandbox.exec(input);
    let outcome = ran.assert_clean().only();
    assert!(outcome.is_error(), "{outcome:?}");
    let text = outcome.text();
    text.split("\n\n").next().unwrap().to_owned()
}

#[test]
fn a_key_written_twice_in_the_arguments_is_an_error_result() {
    let sandbox = Sandbox::new();
    let arguments = r#""arguments":{"command":"echo 1","command":"touch ran"}"#;
    let call = format!(r#"{{"name":"bash",{arguments}}}"#);
    insta::assert_snapshot!(fault(&sandbox, &call), @r#"
    Validation failed for tool "bash":
    - command: the key is written twice
    "#);
    let block = format!(r#"{{"type":"toolCall","id":"a","name":"bash",{arguments}}}"#);
    for stop_reason in ["", r#","stopReason":"toolUse""#] {
        let message = format!(r#"{{"role":"assistant","content":[{block}]{stop_reason}}}"#);
        let said = fault(&sandbox, &message);
        assert!(said.contains("command: the key is written twice"), "{said}");
    }
    assert!(!sandbox.path("ran").exists());
}

#[test]
fn arguments_that_are_no_object_are_error_results() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(fault(&sandbox, r#"{"name":"ls","arguments":[]}"#), @r#"
    Validation failed for tool "ls":
    - root: expected an object with the arguments, got an array
    "#);
    assert!(fault(&sandbox, r#"{"name":"ls","arguments":7}"#).contains("root: "));
}

#[test]
fn arguments_nested_without_end_are_an_error_result() {
    let sandbox = Sandbox::new();
    for depth in [100, 100_000] {
        let (open, close) = ("[".repeat(depth), "]".repeat(depth));
        let call = format!(r#"{{"name":"ls","arguments":{{"path":{open}{close}}}}}"#);
        let said = fault(&sandbox, &call);
        assert!(said.contains("nested deeper than 64 levels"), "{said}");
    }
}
