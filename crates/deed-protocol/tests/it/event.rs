use std::sync::Arc;

use deed_protocol::{
    AssistantDelta, AssistantMessage, Event, EventBody, Message, SessionHeader, StopReason,
    ToolCall, ToolResult, Usage, empty_arguments, to_json_line,
};
use serde_json::json;
use serde_json::value::RawValue;

use crate::rewritten;

fn lines(bodies: impl IntoIterator<Item = EventBody>) -> String {
    bodies
        .into_iter()
        .map(|body| to_json_line(&body).unwrap())
        .collect()
}

fn raw(text: &str) -> Arc<RawValue> {
    Arc::from(RawValue::from_string(text.to_owned()).unwrap())
}

fn say(text: &str) -> Arc<Message> {
    Arc::new(Message::user(text, 5))
}

#[test]
fn events_of_a_run_have_pis_names_and_order() {
    let end = |result: ToolResult, duration_ms| EventBody::ToolExecutionEnd {
        tool_call_id: "k".into(),
        tool_name: "f".into(),
        is_error: result.is_error,
        result: Arc::new(result),
        duration_ms,
    };
    let rich = ToolResult {
        usage: Some(Usage::default()),
        terminate: true,
        added_tool_names: vec!["grep".into()],
        ..ToolResult::text("ok").with_details(json!({ "z": 1, "a": 2 }))
    };
    let events = lines([
        EventBody::AgentStart,
        EventBody::TurnStart,
        EventBody::MessageStart { message: say("go") },
        EventBody::MessageEnd { message: say("go") },
        EventBody::ToolExecutionStart {
            tool_call_id: "k".into(),
            tool_name: "f".into(),
            args: raw(r#"{"b":1, "a":1.0}"#),
        },
        EventBody::ToolExecutionUpdate {
            tool_call_id: "k".into(),
            tool_name: "f".into(),
            args: raw("{}"),
            partial_result: Arc::new(ToolResult::default()),
        },
        end(rich, Some(41)),
        end(ToolResult::error("no"), None),
        EventBody::TurnEnd {
            message: say("x"),
            tool_results: vec![say("y")],
        },
        EventBody::AgentEnd {
            messages: vec![say("go")],
            will_retry: false,
        },
        EventBody::AgentSettled { aborted: true },
    ]);
    insta::assert_snapshot!(events, @r#"
    {"type":"agent_start"}
    {"type":"turn_start"}
    {"type":"message_start","message":{"role":"user","content":"go","timestamp":5}}
    {"type":"message_end","message":{"role":"user","content":"go","timestamp":5}}
    {"type":"tool_execution_start","toolCallId":"k","toolName":"f","args":{"b":1, "a":1.0}}
    {"type":"tool_execution_update","toolCallId":"k","toolName":"f","args":{},"partialResult":{"content":[]}}
    {"type":"tool_execution_end","toolCallId":"k","toolName":"f","result":{"content":[{"type":"text","text":"ok"}],"details":{"z":1,"a":2},"usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"terminate":true,"addedToolNames":["grep"]},"isError":false,"durationMs":41}
    {"type":"tool_execution_end","toolCallId":"k","toolName":"f","result":{"content":[{"type":"text","text":"no"}],"details":{},"isError":true},"isError":true}
    {"type":"turn_end","message":{"role":"user","content":"x","timestamp":5},"toolResults":[{"role":"user","content":"y","timestamp":5}]}
    {"type":"agent_end","messages":[{"role":"user","content":"go","timestamp":5}],"willRetry":false}
    {"type":"agent_settled","aborted":true}
    "#);
}

#[test]
fn events_round_a_run_have_pis_names_and_order() {
    let compacted = |result, error_message| EventBody::CompactionEnd {
        reason: "manual".to_owned(),
        result,
        aborted: false,
        will_retry: true,
        error_message,
    };
    let events = lines([
        EventBody::QueueUpdate {
            steering: vec!["a".to_owned()],
            follow_up: Vec::new(),
        },
        EventBody::EntryAppended {
            entry: json!({ "type": "custom", "customType": "x" }),
        },
        EventBody::SessionInfoChanged { name: None },
        EventBody::SessionInfoChanged {
            name: Some("n".to_owned()),
        },
        EventBody::ThinkingLevelChanged {
            level: "high".to_owned(),
        },
        EventBody::CompactionStart {
            reason: "threshold".to_owned(),
        },
        compacted(Some(json!({ "summary": "s" })), None),
        compacted(None, Some("no".to_owned())),
        EventBody::AutoRetryStart {
            attempt: 1,
            max_attempts: 3,
            delay_ms: 2000,
            error_message: "busy".to_owned(),
        },
        EventBody::AutoRetryEnd {
            success: false,
            attempt: 3,
            final_error: Some("busy".to_owned()),
        },
        EventBody::AutoRetryEnd {
            success: true,
            attempt: 1,
            final_error: None,
        },
        EventBody::BashExecutionUpdate {
            id: None,
            delta: "\u{2028}\n".to_owned(),
        },
        EventBody::BashExecutionUpdate {
            id: Some("7".to_owned()),
            delta: String::new(),
        },
    ]);
    insta::assert_snapshot!(events, @r#"
    {"type":"queue_update","steering":["a"],"followUp":[]}
    {"type":"entry_appended","entry":{"type":"custom","customType":"x"}}
    {"type":"session_info_changed"}
    {"type":"session_info_changed","name":"n"}
    {"type":"thinking_level_changed","level":"high"}
    {"type":"compaction_start","reason":"threshold"}
    {"type":"compaction_end","reason":"manual","result":{"summary":"s"},"aborted":false,"willRetry":true}
    {"type":"compaction_end","reason":"manual","aborted":false,"willRetry":true,"errorMessage":"no"}
    {"type":"auto_retry_start","attempt":1,"maxAttempts":3,"delayMs":2000,"errorMessage":"busy"}
    {"type":"auto_retry_end","success":false,"attempt":3,"finalError":"busy"}
    {"type":"auto_retry_end","success":true,"attempt":1}
    {"type":"bash_execution_update","delta":" \n"}
    {"type":"bash_execution_update","id":"7","delta":""}
    "#);
}

#[test]
fn what_comes_of_an_answer_has_pis_names() {
    let content_index = 1;
    let text = || "t".to_owned();
    let mut call = ToolCall::new("k", "f", raw(r#"{"n": 1}"#));
    call.thought_signature = Some(text());
    let deltas = [
        AssistantDelta::TextStart { content_index },
        AssistantDelta::TextDelta {
            content_index,
            delta: text(),
        },
        AssistantDelta::TextEnd {
            content_index,
            content: text(),
        },
        AssistantDelta::ThinkingStart { content_index },
        AssistantDelta::ThinkingDelta {
            content_index,
            delta: text(),
        },
        AssistantDelta::ThinkingEnd {
            content_index,
            content: text(),
        },
        AssistantDelta::ToolCallStart {
            content_index,
            id: "k".into(),
            tool_name: "f".into(),
        },
        AssistantDelta::ToolCallDelta {
            content_index,
            delta: text(),
        },
        AssistantDelta::ToolCallEnd {
            content_index,
            tool_call: call,
        },
    ];
    let written: String = deltas
        .iter()
        .map(|delta| to_json_line(delta).unwrap())
        .collect();
    insta::assert_snapshot!(written, @r#"
    {"type":"text_start","contentIndex":1}
    {"type":"text_delta","contentIndex":1,"delta":"t"}
    {"type":"text_end","contentIndex":1,"content":"t"}
    {"type":"thinking_start","contentIndex":1}
    {"type":"thinking_delta","contentIndex":1,"delta":"t"}
    {"type":"thinking_end","contentIndex":1,"content":"t"}
    {"type":"toolcall_start","contentIndex":1,"id":"k","toolName":"f"}
    {"type":"toolcall_delta","contentIndex":1,"delta":"t"}
    {"type":"toolcall_end","contentIndex":1,"toolCall":{"type":"toolCall","id":"k","name":"f","arguments":{"n": 1},"thoughtSignature":"t"}}
    "#);
    let update = EventBody::MessageUpdate {
        usage: Usage::default(),
        assistant_message_event: AssistantDelta::TextStart { content_index: 0 },
    };
    insta::assert_snapshot!(lines([update]), @r#"{"type":"message_update","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"assistantMessageEvent":{"type":"text_start","contentIndex":0}}"#);
}

#[test]
fn an_event_is_written_as_its_body_alone() {
    let event = Event {
        sequence: 7,
        body: EventBody::AgentStart,
    };
    assert_eq!(
        serde_json::to_string(&event).unwrap(),
        r#"{"type":"agent_start"}"#
    );
}

#[test]
fn a_record_is_one_line_whatever_it_keeps_to_the_letter() {
    let mut answer = AssistantMessage::new(StopReason::ToolUse, 5);
    let call = ToolCall::new("k", "f", raw("{\n  \"a\": \"x\\ny\"\r\n}"));
    answer.content = vec![call.into()];
    let line = to_json_line(&Message::Assistant(answer)).unwrap();
    assert_eq!(line.lines().count(), 1, "{line}");
    assert!(line.ends_with('\n'));
    assert!(line.contains(r#""a": "x\ny""#), "{line}");
    assert_eq!(empty_arguments().get(), "{}");
}

#[test]
fn the_header_of_a_session_is_written_as_it_was_read() {
    for text in [
        r#"{"type":"session","version":3,"id":"0199","timestamp":"2026-11-30T21:12:12.006Z","cwd":"/w"}"#,
        r#"{"type":"session","version":3,"id":"0199","timestamp":"t","cwd":"/w","parentSession":"/s.jsonl"}"#,
    ] {
        assert_eq!(rewritten::<SessionHeader>(text), text);
    }
}
