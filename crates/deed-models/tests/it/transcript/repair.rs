//! What would make every later request fail is repaired.

use deed_models::Api;
use deed_models::transcript::{Target, units};
use insta::assert_snapshot;
use serde_json::{Value, json};

use super::drawn;
use super::make::{PIXEL, assistant, call, image, messages, result, target, text, user};

fn sent(api: Api, list: &[Value]) -> String {
    sent_to(&target(api), list)
}

fn sent_to(target: &Target, list: &[Value]) -> String {
    drawn(&units(&messages(list), target))
}

#[test]
fn b107_a_call_without_a_result_gets_one_and_a_result_without_a_call_goes() {
    let list = [
        result("old", "of a call that was compacted"),
        user("go"),
        assistant(Api::Chat, json!([call("a"), call("b")])),
        result("b", "B"),
        result("c", "nobody asked"),
        user("and?"),
        result("a", "too late"),
    ];
    assert_snapshot!(sent(Api::Chat, &list), @r#"
    user "go"
    call a - read {"path":"a"} None
    call b - read {"path":"b"} None
    failed a read "No result of this call is on record: it may have run, in part or not at all. Look before relying on either."
    result b read "B"
    user "and?"
    "#);
}

#[test]
fn b109_two_calls_of_one_id_keep_both_results() {
    let list = [
        assistant(Api::Chat, json!([call("c1"), call("c1")])),
        result("c1", "first"),
        result("c1", "second"),
        assistant(Api::Chat, json!([call("c1")])),
        result("c1", "third"),
    ];
    assert_snapshot!(sent(Api::Chat, &list), @r#"
    call c1 - read {"path":"c1"} None
    call call_8d61ee22b1fbeb6d8a61ab47 - read {"path":"c1"} None
    result c1 read "first"
    result call_8d61ee22b1fbeb6d8a61ab47 read "second"
    call call_67b88f95c0baf91fdd0f3d3d - read {"path":"c1"} None
    result call_67b88f95c0baf91fdd0f3d3d read "third"
    "#);
}

#[test]
fn b110_an_empty_id_gets_one_and_the_same_each_time() {
    let list = [
        assistant(Api::Chat, json!([call(""), call("")])),
        result("", "first"),
        result("", "second"),
    ];
    let once = sent(Api::Chat, &list);
    assert_eq!(once, sent(Api::Chat, &list));
    assert_snapshot!(once, @r#"
    call call_1ff70ec879acb37790026a01 - read {"path":""} None
    call call_102d4b5f5e701a1519ea10d0 - read {"path":""} None
    result call_1ff70ec879acb37790026a01 read "first"
    result call_102d4b5f5e701a1519ea10d0 read "second"
    "#);
}

#[test]
fn b098_an_answer_that_failed_is_left_out_with_its_results() {
    let mut failed = assistant(Api::Chat, json!([text("half"), call("x")]));
    failed["stopReason"] = json!("error");
    let mut aborted = assistant(Api::Chat, json!([call("y")]));
    aborted["stopReason"] = json!("aborted");
    let list = [
        user("go"),
        failed,
        result("x", "X"),
        aborted,
        result("y", "Y"),
        user("again"),
    ];
    assert_snapshot!(sent(Api::Chat, &list), @r#"
    user "go"
    user "again"
    "#);
}

#[test]
fn a_failed_answer_between_a_call_and_its_result_ends_the_wait() {
    let mut failed = assistant(Api::Chat, json!([]));
    failed["stopReason"] = json!("error");
    let list = [
        assistant(Api::Chat, json!([call("a")])),
        failed,
        result("a", "late"),
    ];
    assert_snapshot!(sent(Api::Chat, &list), @r#"
    call a - read {"path":"a"} None
    failed a read "No result of this call is on record: it may have run, in part or not at all. Look before relying on either."
    "#);
}

#[test]
fn an_instruction_between_call_and_result_moves_behind_the_results() {
    let list = [
        assistant(Api::Chat, json!([call("a")])),
        json!({ "role": "system", "content": "be brief" }),
        result("a", "A"),
        json!({ "role": "system", "content": "tools changed", "toolsRemoved": ["x"] }),
        user("go on"),
        json!({ "role": "system", "content": [text("be"), text("kind")] }),
    ];
    assert_snapshot!(sent(Api::Chat, &list), @r#"
    call a - read {"path":"a"} None
    result a read "A"
    note "be brief"
    user "go on"
    system "be\nkind"
    "#);
}

#[test]
fn b043_a_result_that_says_nothing_says_just_that() {
    let nothing = |content: Value| {
        json!({ "role": "toolResult", "toolCallId": "a", "toolName": "read", "isError": false,
                "content": content })
    };
    for content in [json!([]), json!([text("")]), json!([text(" \n")])] {
        let list = [assistant(Api::Chat, json!([call("a")])), nothing(content)];
        assert!(sent(Api::Chat, &list).ends_with(r#"result a read "(no output)""#));
    }
}

#[test]
fn b040_pictures_become_text_for_a_model_that_takes_none() {
    let with_pictures = json!([
        text("see"),
        image(PIXEL, "image/png"),
        image(PIXEL, "image/gif"),
        text("and"),
        image(PIXEL, "image/png")
    ]);
    let list = [
        json!({ "role": "user", "content": with_pictures }),
        assistant(Api::Chat, json!([call("a")])),
        json!({ "role": "toolResult", "toolCallId": "a", "toolName": "read", "isError": false,
                "content": [image(PIXEL, "image/png"), image(PIXEL, "image/png")] }),
    ];
    let blind = Target {
        takes_images: false,
        ..target(Api::Chat)
    };
    assert_snapshot!(sent_to(&blind, &list), @r#"
    user "see"
    user "[picture left out: this model takes text only]"
    user "and"
    user "[picture left out: this model takes text only]"
    call a - read {"path":"a"} None
    result a read "[picture in the result left out: this model takes text only]"
    "#);
    let blocked = Target {
        block_images: true,
        ..target(Api::Chat)
    };
    assert_snapshot!(sent_to(&blocked, &list), @r#"
    user "see"
    user "[picture left out: pictures are switched off]"
    user "and"
    user "[picture left out: pictures are switched off]"
    call a - read {"path":"a"} None
    result a read "[picture in the result left out: pictures are switched off]"
    "#);
    assert_eq!(sent(Api::Chat, &list).matches(PIXEL).count(), 5);
}

#[test]
fn b037_a_stored_picture_that_is_none_does_not_poison_the_session() {
    let list = [json!({ "role": "user", "content": [
        image("!!", "image/tiff"), image("not base64", "image/png"), image("", "image/png"),
        image(PIXEL, "image/svg+xml") ] })];
    assert_snapshot!(sent(Api::Anthropic, &list), @r#"user "[picture left out: of a kind that this provider does not take]""#);
}

#[test]
fn b034_a_picture_beyond_the_limit_of_the_provider_is_left_out() {
    let large = "A".repeat(5 * 1024 * 1024 + 4);
    let list = [json!({ "role": "user", "content": [image(&large, "image/png")] })];
    assert_snapshot!(sent(Api::Anthropic, &list), @r#"user "[picture left out: too large for this provider]""#);
    assert!(sent(Api::Gemini, &list).contains("image/png"));
}

#[test]
fn messages_of_the_users_side_become_text() {
    let list = [
        json!({ "role": "bashExecution", "command": "ls", "output": "a\nb\n", "exitCode": 0,
                "cancelled": false, "truncated": false }),
        json!({ "role": "bashExecution", "command": "make", "output": "boom", "exitCode": 2,
                "cancelled": false, "truncated": true, "fullOutputPath": "/out/1" }),
        json!({ "role": "bashExecution", "command": "secret", "output": "", "cancelled": false,
                "truncated": false, "excludeFromContext": true }),
        json!({ "role": "bashExecution", "command": "sleep 9", "output": "", "cancelled": true,
                "truncated": false }),
        json!({ "role": "custom", "customType": "x", "content": "from an extension", "display": true }),
        json!({ "role": "branchSummary", "summary": "tried A", "fromId": "1" }),
        json!({ "role": "compactionSummary", "summary": "so far\n", "tokensBefore": 9 }),
        json!({ "role": "user", "content": [] }),
        json!({ "role": "hologram", "content": "?" }),
    ];
    assert_snapshot!(sent(Api::Chat, &list), @r#"
    user "The user ran a command in the shell:\n$ ls\n\nIt printed:\na\nb"
    user "The user ran a command in the shell:\n$ make\n\nIt printed:\nboom\n\nIt ended with exit code 2.\n\nThis is not all it printed. All of it is in /out/1."
    user "The user ran a command in the shell:\n$ sleep 9\n\nIt printed nothing.\n\nIt was cancelled."
    user "from an extension"
    user "Work on another branch of this conversation was left, and the conversation goes on from an earlier point. What happened there:\n\n<summary>\ntried A\n</summary>"
    user "The conversation before this point was too long to keep. This stands for it:\n\n<summary>\nso far\n</summary>"
    user "(empty message)"
    "#);
}

#[test]
fn an_excluded_command_between_call_and_result_is_as_if_it_were_not_there() {
    let list = [
        assistant(Api::Chat, json!([call("a")])),
        json!({ "role": "bashExecution", "command": "x", "output": "", "cancelled": false,
                "truncated": false, "excludeFromContext": true }),
        json!({ "role": "hologram" }),
        result("a", "A"),
    ];
    assert!(sent(Api::Chat, &list).ends_with(r#"result a read "A""#));
}

#[test]
fn what_is_no_character_is_replaced() {
    let raw = [
        r#"{"role":"user","content":"a\u0000b\u001b[1m"}"#.to_owned(),
        format!(
            r#"{{"role":"assistant","api":"openai-completions","provider":"here","model":"m1",
               "stopReason":"stop","content":[{{"type":"toolCall","id":"a","name":"read",
               "arguments":{}}}]}}"#,
            r#"{"x":"\ud83d\ude00 \ud800 \\ud800 \u0000 \udc00\ud800\u0041 \n"}"#
        ),
        r#"{"role":"assistant","api":"x","provider":"y","model":"z","stopReason":"stop","content":[
            {"type":"toolCall","id":"b","name":"read","arguments":"text"}]}"#
            .to_owned(),
    ];
    let list: Vec<_> = raw
        .iter()
        .map(|line| std::sync::Arc::new(serde_json::from_str(line).unwrap()))
        .collect();
    assert_snapshot!(drawn(&units(&list, &target(Api::Chat))), @r#"
    user "a�b\u{1b}[1m"
    call a - read {"x":"\ud83d\ude00 \ufffd \\ud800 \ufffd \ufffd\ufffd\u0041 \n"} None
    failed a read "No result of this call is on record: it may have run, in part or not at all. Look before relying on either."
    call b - read {} None
    failed b read "No result of this call is on record: it may have run, in part or not at all. Look before relying on either."
    "#);
}

#[test]
fn b166_names_that_no_provider_takes_are_changed_in_the_history_too() {
    let odd = json!({ "type": "toolCall", "id": "a", "name": "my tool!", "arguments": {} });
    let list = [assistant(Api::Chat, json!([odd])), result("a", "A")];
    assert_snapshot!(sent(Api::Chat, &list), @r#"
    call a - my_tool__96caa15f0ba5 {} None
    result a my_tool__96caa15f0ba5 "A"
    "#);
}
