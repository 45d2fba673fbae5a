use deed_protocol::{ErrorKind, StopReason};
use serde_json::json;

use super::{answer_of, finished, parts, stream};

#[tokio::test]
async fn each_reason_to_finish_has_its_meaning() {
    for (reason, stop, kind) in [
        ("STOP", StopReason::Stop, None),
        ("MAX_TOKENS", StopReason::Length, None),
        ("SAFETY", StopReason::Error, Some(ErrorKind::Other)),
        ("RECITATION", StopReason::Error, Some(ErrorKind::Other)),
        ("LANGUAGE", StopReason::Error, Some(ErrorKind::Other)),
        (
            "PROHIBITED_CONTENT",
            StopReason::Error,
            Some(ErrorKind::Other),
        ),
        (
            "MALFORMED_FUNCTION_CALL",
            StopReason::Error,
            Some(ErrorKind::Server),
        ),
        (
            "UNEXPECTED_TOOL_CALL",
            StopReason::Error,
            Some(ErrorKind::Server),
        ),
        (
            "TOO_MANY_TOOL_CALLS",
            StopReason::Error,
            Some(ErrorKind::Other),
        ),
        (
            "MISSING_THOUGHT_SIGNATURE",
            StopReason::Error,
            Some(ErrorKind::InvalidRequest),
        ),
        ("OTHER", StopReason::Error, Some(ErrorKind::Server)),
        ("SOMETHING_NEW", StopReason::Error, Some(ErrorKind::Other)),
    ] {
        let body = stream(&[parts(&json!([{ "text": "so" }])), finished(reason)]);
        let message = answer_of(&body).await;
        assert_eq!(message.stop_reason, stop, "{reason}");
        assert_eq!(message.error_kind, kind, "{reason}");
        assert_eq!(message.raw_stop_reason.as_deref(), Some(reason));
        assert_eq!(message.content[0].as_text(), Some("so"), "{reason}");
    }
}

#[tokio::test]
async fn a_broken_call_is_told_in_the_words_of_the_provider() {
    let chunk = json!({ "candidates": [{ "finishReason": "MALFORMED_FUNCTION_CALL",
        "finishMessage": "Malformed function call: print(\n'x')" }] });
    let text = answer_of(&stream(&[chunk])).await.error_message.unwrap();
    insta::assert_snapshot!(text, @r#"acme: the model wrote a tool call that cannot be read; send the request again (MALFORMED_FUNCTION_CALL: Malformed function call: print( 'x'))"#);
}

#[tokio::test]
async fn a_prompt_that_is_blocked_is_told() {
    let chunk = json!({ "promptFeedback": { "blockReason": "PROHIBITED_CONTENT" },
                        "usageMetadata": { "promptTokenCount": 7 } });
    let message = answer_of(&stream(&[chunk])).await;
    assert_eq!(message.usage.input, 7);
    insta::assert_snapshot!(message.error_message.unwrap(), @r#"acme: its filter does not let this request through; ask in other words (PROHIBITED_CONTENT)"#);
}

#[tokio::test]
async fn only_the_first_candidate_counts() {
    let body = stream(&[
        json!({ "candidates": [
            { "index": 1, "content": { "parts": [{ "text": "other" }] } },
            { "content": { "parts": [{ "text": "so" }, { "inlineData": { "data": "AA==" } }, {}] } } ] }),
        json!({ "candidates": null, "usageMetadata": null }),
        finished("STOP"),
    ]);
    let message = answer_of(&body).await;
    assert_eq!(message.content.len(), 1);
    assert_eq!(message.content[0].as_text(), Some("so"));
}

#[tokio::test]
async fn an_answer_in_one_list_is_read_too() {
    let list = json!([
        parts(
            &json!([{ "text": "so" }, { "functionCall": { "name": "read", "args": { "say": 1 } } }])
        ),
        finished("STOP"),
    ]);
    let message = answer_of(&list.to_string()).await;
    assert_eq!(message.stop_reason, StopReason::ToolUse);
    let call = message.tool_calls().next().unwrap();
    assert_eq!((&*call.id, call.arguments.get()), ("", r#"{"say":1}"#));
}

#[tokio::test]
async fn counts_beyond_reason_do_no_harm() {
    let body = stream(&[json!({
        "candidates": [{ "finishReason": "STOP" }],
        "usageMetadata": { "promptTokenCount": u64::MAX, "toolUsePromptTokenCount": 9,
                           "candidatesTokenCount": 1e300, "thoughtsTokenCount": 5,
                           "cachedContentTokenCount": "many" } })]);
    let message = answer_of(&body).await;
    assert_eq!(message.usage.total_tokens, u64::MAX);
}

#[tokio::test]
async fn what_is_no_piece_of_an_answer_is_a_fault_of_the_protocol() {
    let message = answer_of("data: {\"candidates\":7}\n\n").await;
    assert_eq!(message.error_kind, Some(ErrorKind::Protocol));
    let text = message.error_message.unwrap();
    assert!(
        text.contains("acme sent what Gemini does not know"),
        "{text}"
    );
}
