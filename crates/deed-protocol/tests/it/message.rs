use deed_protocol::{
    AssistantMessage, ContentBlock, Extra, Message, StopReason, SystemMessage, ToolResultMessage,
};
use serde::{Deserialize, Serialize};

use crate::{assert_known_message, rewritten};

const USAGE: &str = r#"{"input":9,"output":2,"cacheRead":0,"cacheWrite":0,"totalTokens":11,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0.01}}"#;

#[test]
fn what_people_and_programs_say_is_written_as_it_was_read() {
    for text in [
        r#"{"role":"user","content":"fix it","timestamp":1790000000123}"#,
        r#"{"role":"user","content":[{"type":"text","text":"see"},{"type":"image","data":"AA==","mimeType":"image/png"}],"timestamp":1}"#,
        r#"{"role":"user","content":"","timestamp":0,"origin":"rpc"}"#,
        r#"{"role":"system","content":"be brief","timestamp":1}"#,
        r#"{"role":"system","content":[{"type":"text","text":"a"}],"sections":[{"name":"tools"}],"timestamp":1,"toolsAdded":[{"name":"grep","parameters":{}}],"toolsRemoved":["ls"]}"#,
        r#"{"role":"bashExecution","command":"ls","output":"a\n","exitCode":0,"cancelled":false,"truncated":false,"timestamp":1}"#,
        r#"{"role":"bashExecution","command":"ls","output":"","cancelled":true,"truncated":true,"fullOutputPath":"/o/1","timestamp":1,"excludeFromContext":true}"#,
        r#"{"role":"custom","customType":"note","content":"x","display":true,"timestamp":1}"#,
        r#"{"role":"custom","customType":"note","content":[],"display":false,"details":{"a":[1]},"timestamp":1}"#,
        r#"{"role":"branchSummary","summary":"s","fromId":"8b9c0d1e","timestamp":1}"#,
        r#"{"role":"compactionSummary","summary":"s","tokensBefore":180000,"timestamp":1,"later":{}}"#,
    ] {
        assert_known_message(text);
    }
}

#[test]
fn an_answer_is_written_as_it_was_read() {
    let plain = format!(
        r#"{{"role":"assistant","content":[{{"type":"thinking","thinking":"t","thinkingSignature":"s"}},{{"type":"text","text":"a"}},{{"type":"toolCall","id":"k","name":"f","arguments":{{ "n":1e0 }}}}],"api":"messages","provider":"p","model":"m","usage":{USAGE},"stopReason":"toolUse","timestamp":1790000000123}}"#
    );
    assert_known_message(&plain);
    let full = format!(
        r#"{{"role":"assistant","content":[],"api":"a","provider":"p","model":"m","responseModel":"m2","responseId":"r","usage":{USAGE},"stopReason":"error","deferred":{{"id":1}},"errorMessage":"no","rawStopReason":"refusal","endTurn":true,"diagnostics":[{{"kind":"x"}}],"providerThinkingLevel":"high","timestamp":1,"durationMs":7,"thinkingLevel":"low","unheard":[]}}"#
    );
    assert_known_message(&full);
}

#[test]
fn the_results_of_the_contract_are_written_as_they_were_read() {
    for text in [
        r#"{"role":"toolResult","toolCallId":"k7","toolName":"bash","content":[{"type":"text","text":"ok\n"}],"isError":false,"durationMs":41,"timestamp":1790000000123}"#.to_owned(),
        format!(r#"{{"role":"toolResult","toolCallId":"k8","toolName":"query_database","content":[{{"type":"text","text":"3 rows"}}],"details":{{"rowCount":3}},"usage":{USAGE},"isError":false,"timestamp":1790000000456}}"#),
        r#"{"role":"toolResult","toolCallId":"k9","toolName":"foo","content":[{"type":"text","text":"…"}],"details":{},"isError":true,"timestamp":1796073132006}"#.to_owned(),
        r#"{"role":"toolResult","toolCallId":"","toolName":"","content":[],"addedToolNames":["grep","find"],"isError":false,"timestamp":1,"nestedCalls":{"calls":[],"complete":true}}"#.to_owned(),
    ] {
        assert_known_message(&text);
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    r#type: String,
    id: String,
    parent_id: String,
    timestamp: String,
    message: Message,
}

#[test]
fn a_message_inside_a_session_entry_keeps_its_bytes() {
    let text = r#"{"type":"message","id":"9c0d1e2f","parentId":"8b9c0d1e","timestamp":"2026-11-30T21:12:12.006Z","message":{"role":"toolResult","toolCallId":"k9","toolName":"foo","content":[{"type":"text","text":"…"}],"details":{},"isError":true,"timestamp":1796073132006}}"#;
    assert_eq!(rewritten::<Entry>(text), text);
    let text = r#"{"type":"message","id":"1","parentId":"0","timestamp":"t","message":{"role":"hermit", "n": 1.0, "n": 2}}"#;
    assert_eq!(rewritten::<Entry>(text), text);
}

#[test]
fn the_role_is_found_wherever_and_however_it_stands() {
    for text in [
        r#"{"role":"user","content":"x","timestamp":1}"#,
        r#"{ "role" : "user", "content":"x"}"#,
        r#"{"content":"\"role\":\"assistant\"","role":"user"}"#,
        r#"{"role":"us\u0065r","content":"x"}"#,
        "{\n\"role\":\"user\",\"content\":\"x\"}",
    ] {
        let message: Message = serde_json::from_str(text).unwrap();
        assert!(matches!(message, Message::User(_)), "{text}");
    }
}

#[test]
fn a_message_of_an_unknown_role_is_kept_to_the_letter() {
    for text in [
        r#"{ "role":"oracle", "content":[ 1.0, 1.0 ],"role2":null }"#,
        r#"{"content":"nobody said it"}"#,
    ] {
        let message: Message = serde_json::from_str(text).unwrap();
        assert!(matches!(message, Message::Unknown(_)), "{text}");
        assert_eq!(rewritten::<Message>(text), text);
    }
}

#[test]
fn every_stop_reason_is_kept() {
    for (word, reason) in [
        ("stop", StopReason::Stop),
        ("length", StopReason::Length),
        ("toolUse", StopReason::ToolUse),
        ("error", StopReason::Error),
        ("aborted", StopReason::Aborted),
        ("pending", StopReason::Pending),
        ("deferred", StopReason::Other("deferred".to_owned())),
        ("Stop", StopReason::Other("Stop".to_owned())),
        ("", StopReason::Other(String::new())),
    ] {
        let text = format!("{word:?}");
        assert_eq!(serde_json::from_str::<StopReason>(&text).unwrap(), reason);
        assert_eq!(serde_json::to_string(&reason).unwrap(), text);
    }
}

#[test]
fn what_a_message_lacks_is_never_written_as_null() {
    for text in [
        r#"{"role":"user","content":""}"#,
        r#"{"role":"assistant","stopReason":"stop"}"#,
        r#"{"role":"toolResult","toolCallId":"k","toolName":"f"}"#,
        r#"{"role":"toolResult","toolCallId":"k","toolName":"f","details":null,"usage":null}"#,
        r#"{"role":"system"}"#,
        r#"{"role":"bashExecution","command":"ls"}"#,
        r#"{"role":"custom","customType":"c","content":""}"#,
        r#"{"role":"branchSummary","summary":"","fromId":""}"#,
        r#"{"role":"compactionSummary","summary":""}"#,
    ] {
        let written = rewritten::<Message>(text);
        assert!(!written.contains("null"), "{written}");
        assert_known_message(&written);
    }
    let answer = Message::Assistant(AssistantMessage::new(StopReason::Stop, 5));
    let written = serde_json::to_string(&answer).unwrap();
    assert!(!written.contains("null"), "{written}");
    let system = Message::System(SystemMessage::default());
    assert_eq!(
        serde_json::to_string(&system).unwrap(),
        r#"{"role":"system","content":"","timestamp":0}"#
    );
}

#[test]
fn a_result_without_content_says_so() {
    let result = Message::ToolResult(ToolResultMessage {
        tool_call_id: "k".into(),
        tool_name: "f".into(),
        content: Vec::new(),
        details: None,
        usage: None,
        added_tool_names: Vec::new(),
        is_error: false,
        duration_ms: None,
        timestamp: 5,
        extra: Extra::new(),
    });
    assert_eq!(
        serde_json::to_string(&result).unwrap(),
        r#"{"role":"toolResult","toolCallId":"k","toolName":"f","content":[],"isError":false,"timestamp":5}"#
    );
}

#[test]
fn the_calls_of_an_answer_come_in_order() {
    let text = r#"{"role":"assistant","content":[{"type":"toolCall","id":"2","name":"b","arguments":{}},{"type":"text","text":"x"},{"type":"toolCall","id":"1","name":"a","arguments":{}}],"stopReason":"stop"}"#;
    let message: Message = serde_json::from_str(text).unwrap();
    let answer = message.as_assistant().unwrap();
    let ids: Vec<&str> = answer.tool_calls().map(|call| &*call.id).collect();
    assert_eq!(ids, ["2", "1"]);
    assert!(
        answer
            .content
            .iter()
            .any(|block| block.as_text() == Some("x"))
    );
    assert!(matches!(answer.content[0], ContentBlock::ToolCall(_)));
}
