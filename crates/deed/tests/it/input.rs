//! The forms in which `deed exec` takes tool calls.

use serde_json::json;

use super::support::{Outcome, Sandbox, bash};

fn ids(outcomes: &[Outcome]) -> Vec<&str> {
    outcomes.iter().map(Outcome::id).collect()
}

fn texts(outcomes: &[Outcome]) -> Vec<&str> {
    outcomes.iter().map(|one| one.text().trim()).collect()
}

#[test]
fn lines_pretty_printed_values_and_arrays_may_follow_one_another() {
    let sandbox = Sandbox::new();
    let mut input = format!("{}\n", bash("echo 1"));
    input.push_str(&serde_json::to_string_pretty(&bash("echo 2")).unwrap());
    input.push_str(&json!([bash("echo 3"), bash("echo 4")]).to_string());
    input.push_str("\n\n   \n");
    input.push_str(&serde_json::to_string_pretty(&json!([bash("echo 5")])).unwrap());
    let ran = sandbox.exec(input);
    let outcomes = ran.assert_clean().outcomes();
    assert_eq!(texts(&outcomes), ["1", "2", "3", "4", "5"]);
    assert_eq!(
        ids(&outcomes),
        ["call_1", "call_2", "call_3_1", "call_3_2", "call_4_1"]
    );
}

#[test]
fn made_up_ids_are_the_same_in_every_run_and_given_ones_stay() {
    let sandbox = Sandbox::new();
    let input = r#"{"name":"ls"}
        [{"name":"ls"},{"id":"mine","name":"ls"},{"id":"","name":"ls"},{"id":null,"name":"ls"}]"#;
    let (first, second) = (sandbox.exec(input), sandbox.exec(input));
    let expected = ["call_1", "call_2_1", "mine", "call_2_3", "call_2_4"];
    assert_eq!(ids(&first.assert_clean().outcomes()), expected);
    assert_eq!(ids(&second.assert_clean().outcomes()), expected);
}

#[test]
fn calls_with_one_id_are_answered_one_by_one() {
    let sandbox = Sandbox::new();
    let call = |text: &str| json!({"id": "x", "name": "bash", "arguments": {"command": text}});
    let ran = sandbox.exec(json!([call("echo 1"), call("echo 2")]).to_string());
    let outcomes = ran.assert_clean().outcomes();
    assert_eq!(ids(&outcomes), ["x", "x"]);
    assert_eq!(texts(&outcomes), ["1", "2"]);
}

#[test]
fn the_calls_of_an_assistant_message_are_one_batch() {
    let sandbox = Sandbox::new();
    let message = json!({"role": "assistant", "content": [
        {"type": "text", "text": "Let me see."},
        {"type": "toolCall", "id": "a", "name": "bash", "arguments": {"command": "echo 1"}},
        {"type": "toolCall", "name": "bash", "arguments": {"command": "echo 2"}},
    ]});
    for stop_reason in [None, Some("toolUse"), Some("stop")] {
        let mut message = message.clone();
        if let Some(reason) = stop_reason {
            message["stopReason"] = reason.into();
        }
        let ran = sandbox.exec(message.to_string());
        let outcomes = ran.assert_clean().outcomes();
        assert_eq!(ids(&outcomes), ["a", "call_1_3"], "{stop_reason:?}");
        assert_eq!(texts(&outcomes), ["1", "2"]);
    }
}

#[test]
fn a_message_cut_at_the_output_limit_runs_nothing_and_answers_every_call() {
    let sandbox = Sandbox::new();
    let call = json!({"type": "toolCall", "id": "a", "name": "bash",
        "arguments": {"command": "touch ran"}});
    let message = json!({"role": "assistant", "stopReason": "length", "content": [call, call]});
    let ran = sandbox.exec(message.to_string());
    let outcomes = ran.assert_clean().outcomes();
    assert_eq!(outcomes.len(), 2);
    for outcome in outcomes {
        assert!(outcome.is_error());
        assert!(outcome.text().starts_with("Not executed: "), "{outcome:?}");
    }
    assert!(!sandbox.path("ran").exists());
}

#[test]
fn input_without_any_item_is_no_fault() {
    let sandbox = Sandbox::new();
    for input in ["", "\n", " \r\n\t\n", "\u{feff}", "\u{feff}\n"] {
        let ran = sandbox.exec(input);
        assert_eq!(ran.assert_clean().stdout, "", "{input:?}");
    }
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_are_no_fault() {
    let sandbox = Sandbox::new();
    let input = format!("\u{feff}{}\r\n{}\r\n", bash("echo 1"), bash("echo 2"));
    let ran = sandbox.exec(input);
    assert_eq!(texts(&ran.assert_clean().outcomes()), ["1", "2"]);
}

#[test]
fn absent_null_and_empty_arguments_are_no_arguments() {
    let sandbox = Sandbox::new();
    sandbox.write("here", "");
    let input = r#"[{"name":"ls"},{"name":"ls","arguments":null},{"name":"ls","arguments":""},
        {"name":"ls","arguments":{}}]"#;
    let ran = sandbox.exec(input);
    assert_eq!(
        texts(&ran.assert_clean().outcomes()),
        ["here", "here", "here", "here"]
    );
}

#[test]
fn an_argument_of_five_megabytes_arrives_whole() {
    let sandbox = Sandbox::new();
    let content = "0123456789abcde\n".repeat(5 * 1024 * 1024 / 16);
    let call = json!({"name": "write", "arguments": {"path": "big", "content": content}});
    let ran = sandbox.exec(call.to_string());
    assert!(!ran.assert_clean().only().is_error());
    assert!(sandbox.read("big") == content, "the file differs");
}

#[test]
fn every_result_is_written_before_the_next_item_is_awaited() {
    let sandbox = Sandbox::new();
    let mut running = sandbox.start_exec(&[]);
    for number in 1..=3 {
        // Without a line end: the item is complete as it is.
        running.say(bash(&format!("echo {number}")).to_string().as_bytes());
        let line = running.line();
        let outcome = Outcome(serde_json::from_str(&line).unwrap());
        assert_eq!(outcome.text().trim(), number.to_string());
        assert!(running.is_running());
    }
    running.end().assert_clean();
}
