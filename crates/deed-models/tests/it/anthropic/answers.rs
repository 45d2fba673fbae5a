use deed_agent::Model;
use deed_protocol::{ContentBlock, ErrorKind, StopReason};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{answer_of, anthropic_spec, begun, model, over, piece, stopped, stream};
use crate::support::{Reply, Server, request, tools};

fn text_then(reason: &str) -> String {
    let mut events = vec![
        begun(0, json!({ "type": "text", "text": "" })),
        piece(0, json!({ "type": "text_delta", "text": "so" })),
        over(0),
    ];
    events.extend(stopped(reason));
    stream(&events)
}

#[tokio::test]
async fn each_reason_to_stop_has_its_meaning() {
    for (reason, stop, kind) in [
        ("end_turn", StopReason::Stop, None),
        ("stop_sequence", StopReason::Stop, None),
        ("pause_turn", StopReason::Stop, None),
        ("something_new", StopReason::Stop, None),
        ("max_tokens", StopReason::Length, None),
        ("refusal", StopReason::Error, Some(ErrorKind::Other)),
        (
            "model_context_window_exceeded",
            StopReason::Error,
            Some(ErrorKind::ContextOverflow),
        ),
    ] {
        let message = answer_of(&text_then(reason)).await;
        assert_eq!(message.stop_reason, stop, "{reason}");
        assert_eq!(message.error_kind, kind, "{reason}");
        assert_eq!(message.raw_stop_reason.as_deref(), Some(reason));
        assert_eq!(message.content[0].as_text(), Some("so"), "{reason}");
    }
}

#[tokio::test]
async fn a_refusal_says_what_to_do() {
    let text = answer_of(&text_then("refusal"))
        .await
        .error_message
        .unwrap();
    insta::assert_snapshot!(text, @r#"acme refuses to go on with this answer; ask in other words, or ask another model"#);
}

#[tokio::test]
async fn a_stream_that_stops_after_its_reason_is_whole() {
    let body = text_then("end_turn").replace(
        "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
        "",
    );
    assert!(!body.contains("message_stop"));
    assert_eq!(answer_of(&body).await.stop_reason, StopReason::Stop);
}

#[tokio::test]
async fn an_input_that_comes_whole_with_its_block_is_taken() {
    let mut events = vec![
        begun(
            0,
            json!({ "type": "tool_use", "id": "t1", "name": "read", "input": { "say": "a" } }),
        ),
        over(0),
        json!({ "type": "news_of_the_day", "message": "?" }),
        begun(
            1,
            json!({ "type": "server_tool_use", "id": "s1", "name": "web_search", "input": {} }),
        ),
        over(1),
    ];
    events.extend(stopped("tool_use"));
    let message = answer_of(&stream(&events)).await;
    let calls: Vec<_> = message
        .tool_calls()
        .map(|call| call.arguments.get())
        .collect();
    assert_eq!(calls, [r#"{"say":"a"}"#]);
    assert_eq!(message.content.len(), 1);
}

#[tokio::test]
async fn an_answer_that_is_not_streamed_is_read_too() {
    let whole = json!({ "id": "msg_1", "type": "message", "role": "assistant", "model": "acme-9",
        "content": [{ "type": "thinking", "thinking": "hm", "signature": "S" },
                    { "type": "text", "text": "so" },
                    { "type": "tool_use", "id": "t1", "name": "read", "input": { "say": 1 } }],
        "stop_reason": "tool_use",
        "usage": { "input_tokens": 7, "output_tokens": 3,
                   "cache_creation_input_tokens": 5,
                   "cache_creation": { "ephemeral_5m_input_tokens": 1, "ephemeral_1h_input_tokens": 4 } } });
    let message = answer_of(&whole.to_string()).await;
    assert_eq!(message.stop_reason, StopReason::ToolUse);
    assert!(
        matches!(&message.content[0], ContentBlock::Thinking(thought)
        if thought.thinking_signature.as_deref() == Some("S"))
    );
    let usage = &message.usage;
    assert_eq!((usage.input, usage.output, usage.cache_write), (7, 3, 5));
    assert_eq!((usage.cache_write_1h, usage.total_tokens), (Some(4), 15));
    // 7 read, 3 written, 1 kept for minutes, 4 for an hour.
    assert!((usage.cost.total - (7.0 + 30.0 + 2.0 + 8.0) / 1e6).abs() < 1e-12);
}

#[tokio::test]
async fn counts_beyond_reason_do_no_harm() {
    let mut events = vec![json!({ "type": "message_start", "message": { "usage": {
        "input_tokens": u64::MAX, "cache_read_input_tokens": 1e300, "output_tokens": -3,
        "cache_creation": "none" } } })];
    events.extend(stopped("end_turn"));
    let message = answer_of(&stream(&events)).await;
    assert_eq!(message.usage.total_tokens, u64::MAX);
    assert_eq!(message.usage.output, 0);
}

#[tokio::test]
async fn an_error_in_the_stream_is_told_in_the_words_of_the_provider() {
    for (event, kind) in [
        (
            json!({ "type": "error", "error": { "type": "api_error", "message": "Internal server error" } }),
            ErrorKind::Server,
        ),
        (
            json!({ "type": "error", "message": "rate limit reached" }),
            ErrorKind::RateLimit,
        ),
    ] {
        let message = answer_of(&stream(&[event])).await;
        assert_eq!(message.error_kind, Some(kind), "{message:?}");
    }
}

#[tokio::test]
async fn what_is_no_event_is_a_fault_of_the_protocol() {
    let bad: Value = json!({ "type": "content_block_delta", "delta": 7 });
    let message = answer_of(&stream(&[bad])).await;
    assert_eq!(message.error_kind, Some(ErrorKind::Protocol));
    let text = message.error_message.unwrap();
    assert!(
        text.contains("acme sent what Anthropic Messages do not know"),
        "{text}"
    );
}

#[tokio::test]
async fn what_was_read_is_told_with_the_first_words() {
    let usage = json!({ "input_tokens": 90, "cache_read_input_tokens": 10, "output_tokens": 1 });
    let events = [
        json!({ "type": "message_start", "message": { "id": "msg_1", "usage": usage } }),
        begun(0, json!({ "type": "text", "text": "so" })),
    ];
    let server = Server::start([Reply::begun([stream(&events).as_bytes()]).hang()]).await;
    let model = model(anthropic_spec(&server));
    let request = request(&json!([{ "role": "user", "content": "hi" }]), tools(&[]));
    let (to, mut from) = mpsc::channel(10);
    let cancel = CancellationToken::new();
    let listening = async {
        let first = from.recv().await.unwrap();
        cancel.cancel();
        first
    };
    let (message, first) = tokio::join!(model.respond(&request, to, &cancel), listening);
    let usage = first.usage.unwrap();
    assert_eq!((usage.input, usage.cache_read, usage.output), (90, 10, 1));
    assert!(usage.cost.total > 0.0, "{usage:?}");
    assert_eq!(message.usage, *usage);
}
