//! The ways in which servers write the same thing.

use deed_protocol::{ErrorKind, StopReason};
use serde_json::{Value, json};

use super::{answer_of, blocks, delta, finished, stream};

fn call(index: Option<u64>, id: Option<&str>, name: Option<&str>, arguments: &Value) -> Value {
    let mut call = json!({ "type": "function", "function": { "arguments": arguments } });
    if let Some(index) = index {
        call["index"] = index.into();
    }
    if let Some(id) = id {
        call["id"] = id.into();
    }
    if let Some(name) = name {
        call["function"]["name"] = name.into();
    }
    delta(&json!({ "tool_calls": [call] }))
}

async fn blocks_of(chunks: &[Value]) -> Vec<String> {
    let message = answer_of(&stream(chunks)).await;
    assert_eq!(message.error_message, None);
    blocks(&message)
}

#[tokio::test]
async fn id_and_name_may_stand_in_every_piece_and_beside_an_older_form() {
    let piece = |text: &str| {
        let mut chunk = call(Some(0), Some("c1"), Some("read"), &text.into());
        chunk["choices"][0]["delta"]["function_call"] =
            json!({ "name": "read", "arguments": text });
        chunk["choices"][0]["delta"]["content"] = Value::Null;
        chunk
    };
    let chunks = [
        piece(""),
        piece(" {\"a\""),
        piece(":1}"),
        piece("\n"),
        finished("tool_calls"),
    ];
    assert_eq!(blocks_of(&chunks).await, ["call \"c1\" read {\"a\":1}"]);
}

#[tokio::test]
async fn the_older_form_alone_is_a_call() {
    let piece = |function: Value| delta(&json!({ "function_call": function }));
    let chunks = [
        piece(json!({ "name": "read", "arguments": "" })),
        piece(json!({ "arguments": "{\"a\"" })),
        piece(json!({ "arguments": ":1}" })),
        finished("function_call"),
    ];
    assert_eq!(blocks_of(&chunks).await, ["call \"\" read {\"a\":1}"]);
}

#[tokio::test]
async fn calls_without_an_index_are_told_apart() {
    let by_id = [
        call(None, Some("c1"), Some("read"), &"{\"a\"".into()),
        call(None, Some("c1"), None, &":1}".into()),
        call(None, Some("c2"), Some("read"), &"{\"a\":2}".into()),
        call(None, None, None, &" ".into()),
    ];
    let wanted = ["call \"c1\" read {\"a\":1}", "call \"c2\" read {\"a\":2}"];
    assert_eq!(blocks_of(&by_id).await, wanted);
    let by_name = [
        call(None, None, Some("read"), &"{\"a\"".into()),
        call(None, None, Some("read"), &":1}".into()),
        call(None, None, Some("read"), &"{\"a\":2}".into()),
        call(None, None, Some("write"), &"{}".into()),
    ];
    let wanted = [
        "call \"\" read {\"a\":1}",
        "call \"\" read {\"a\":2}",
        "call \"\" write {}",
    ];
    assert_eq!(blocks_of(&by_name).await, wanted);
}

#[tokio::test]
async fn calls_that_all_have_index_0_are_told_apart() {
    let chunks = [
        call(Some(0), Some("c1"), Some("read"), &"{\"a\":1}".into()),
        call(Some(0), Some("c2"), Some("read"), &"{\"a\":2}".into()),
        call(Some(0), Some("c3"), Some("write"), &"{}".into()),
    ];
    let wanted = [
        "call \"c1\" read {\"a\":1}",
        "call \"c2\" read {\"a\":2}",
        "call \"c3\" write {}",
    ];
    assert_eq!(blocks_of(&chunks).await, wanted);
}

#[tokio::test]
async fn an_id_that_is_made_up_for_every_piece_is_no_new_call() {
    let chunks = [
        call(Some(0), Some("r1"), Some("read"), &"".into()),
        call(Some(0), Some("r2"), None, &"{\"a\":1".into()),
        call(Some(0), Some("r3"), None, &"}".into()),
    ];
    assert_eq!(blocks_of(&chunks).await, ["call \"r1\" read {\"a\":1}"]);
}

#[tokio::test]
async fn a_name_may_come_after_the_first_arguments() {
    let chunks = [
        call(Some(0), Some("c1"), None, &"{\"a\"".into()),
        call(Some(0), None, Some("read"), &":1}".into()),
    ];
    assert_eq!(blocks_of(&chunks).await, ["call \"c1\" read {\"a\":1}"]);
}

#[tokio::test]
async fn arguments_may_be_an_object_or_nothing() {
    let chunks = [
        call(Some(0), Some("c1"), Some("read"), &json!({ "a": [1, 2] })),
        call(Some(1), Some("c2"), Some("read"), &Value::Null),
    ];
    let wanted = ["call \"c1\" read {\"a\":[1,2]}", "call \"c2\" read {}"];
    assert_eq!(blocks_of(&chunks).await, wanted);
}

#[tokio::test]
async fn a_call_says_more_than_the_reason_of_the_end() {
    for reason in ["stop", "tool_calls", "eos", ""] {
        let chunks = [
            call(Some(0), Some("c1"), Some("read"), &"{}".into()),
            finished(reason),
        ];
        let message = answer_of(&stream(&chunks)).await;
        assert_eq!(message.stop_reason, StopReason::ToolUse, "{reason}");
    }
    let message = answer_of(&stream(&[
        delta(&json!({ "content": "x" })),
        finished("tool_calls"),
    ]))
    .await;
    assert_eq!(message.stop_reason, StopReason::Stop);
    assert_eq!(message.raw_stop_reason.as_deref(), Some("tool_calls"));
}

#[tokio::test]
async fn b098_a_limit_that_cuts_a_call_is_told() {
    let chunks = [
        call(Some(0), Some("c1"), Some("read"), &"{\"a".into()),
        finished("length"),
    ];
    let message = answer_of(&stream(&chunks)).await;
    assert_eq!(message.stop_reason, StopReason::Length);
    assert!(
        message
            .tool_calls()
            .all(|call| call.arguments_error.is_some())
    );
}

#[tokio::test]
async fn the_end_mark_may_lack_what_the_reason_says_and_the_other_way_round() {
    let text = delta(&json!({ "content": "x" }));
    let only_mark = format!("data: {text}\n\ndata: [DONE]\n\n");
    let only_reason = format!("data: {text}\n\ndata: {}\n\n", finished("stop"));
    for body in [
        only_mark,
        only_reason.clone(),
        only_reason.trim_end().to_owned(),
    ] {
        let message = answer_of(&body).await;
        assert_eq!(
            (blocks(&message), message.error_message),
            (vec!["text x".to_owned()], None)
        );
    }
}

#[tokio::test]
async fn only_the_first_of_several_choices_counts() {
    let choice = |index: u64, text: &str| json!({ "index": index, "delta": { "content": text } });
    let chunks = [
        json!({ "choices": [choice(0, "a"), choice(1, "b")] }),
        json!({ "choices": [choice(1, "b")] }),
        json!({ "choices": [choice(0, "a")] }),
        finished("stop"),
    ];
    assert_eq!(blocks_of(&chunks).await, ["text aa"]);
}

#[tokio::test]
async fn text_may_come_in_parts_with_thoughts_between() {
    let chunks = [
        delta(
            &json!({ "content": [{ "type": "thinking", "thinking": [{ "type": "text", "text": "hm" }] }] }),
        ),
        delta(&json!({ "content": [{ "type": "text", "text": "a" }] })),
        delta(&json!({ "content": "b" })),
        delta(&json!({ "refusal": "c", "content": null })),
        finished("stop"),
    ];
    assert_eq!(blocks_of(&chunks).await, ["thinking hm", "text abc"]);
}

#[tokio::test]
async fn members_of_odd_shapes_are_read_as_well_as_it_goes() {
    let chunks = [
        json!({ "id": 7, "model": null, "created": "x", "choices": null, "usage": null }),
        json!({ "choices": [{ "index": null, "delta": { "content": "a", "tool_calls": null,
            "reasoning_content": null, "role": ["x"] }, "finish_reason": null, "logprobs": {} }] }),
        json!({ "choices": [{ "delta": null, "finish_reason": "stop" }] }),
    ];
    let message = answer_of(&stream(&chunks)).await;
    assert_eq!(blocks(&message), ["text a"]);
    assert_eq!(message.response_id.as_deref(), Some("7"));
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_understood() {
    let body = json!({ "id": "x", "object": "chat.completion", "choices": [{ "index": 0,
        "message": { "role": "assistant", "content": "hi", "tool_calls": [{ "id": "c1",
            "type": "function", "function": { "name": "read", "arguments": "{\"a\":1}" } }] },
        "finish_reason": "tool_calls" }],
        "usage": { "prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7 } });
    let message = answer_of(&serde_json::to_string_pretty(&body).unwrap()).await;
    assert_eq!(blocks(&message), ["text hi", "call \"c1\" read {\"a\":1}"]);
    assert_eq!((message.usage.input, message.usage.output), (5, 2));
}

#[tokio::test]
async fn errors_come_in_many_shapes() {
    let text = delta(&json!({ "content": "x" }));
    let shapes = [
        (
            json!({ "error": "out of memory" }),
            ErrorKind::Other,
            "out of memory",
        ),
        (
            json!({ "error": { "message": "Rate limit reached", "code": "rate_limit_exceeded" } }),
            ErrorKind::RateLimit,
            "Rate limit reached",
        ),
        (
            json!({ "object": "error", "message": "maximum context length is 10", "code": 40303 }),
            ErrorKind::ContextOverflow,
            "maximum context length is 10",
        ),
        (
            json!({ "error": { "message": "Provider returned error", "code": 502,
                "metadata": { "raw": "upstream is overloaded" } }, "choices": [] }),
            ErrorKind::Overloaded,
            "upstream is overloaded",
        ),
        (
            json!({ "error": { "message": "Provider returned error", "code": 429 } }),
            ErrorKind::RateLimit,
            "Provider returned error",
        ),
        (
            json!({ "choices": [{ "delta": { "content": "" }, "finish_reason": "error",
                "error": { "message": "it broke", "code": 502 } }] }),
            ErrorKind::Server,
            "it broke",
        ),
    ];
    for (shape, kind, said) in shapes {
        // In the middle of a stream, and as all there is.
        for body in [stream(&[text.clone(), shape.clone()]), shape.to_string()] {
            let message = answer_of(&body).await;
            let error = message.error_message.unwrap();
            assert_eq!(message.error_kind, Some(kind), "{error}");
            assert!(
                error.starts_with("acme reports an error") && error.contains(said),
                "{error}"
            );
        }
    }
}

#[tokio::test]
async fn an_end_that_is_a_fault_is_one() {
    let text = delta(&json!({ "content": "x" }));
    let message = answer_of(&stream(&[text, finished("content_filter")])).await;
    insta::assert_snapshot!(message.error_message.as_ref().unwrap(), @"acme: its filter stopped the answer; ask in other words");
    assert_eq!(blocks(&message), ["text x"]);
}

#[tokio::test]
async fn what_is_not_of_this_interface_is_shown() {
    let message = answer_of("data: {\"choices\": [{\"delta\": \"x\"}]}\n\n").await;
    assert_eq!(message.error_kind, Some(ErrorKind::Protocol));
    let message = answer_of("it works!\n").await;
    let error = message.error_message.unwrap();
    assert!(
        error.contains("something that is no answer (status 200): it works!"),
        "{error}"
    );
}
