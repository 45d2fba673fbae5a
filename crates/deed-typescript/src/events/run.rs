//! What scripts are told and have nothing to answer to.

use deed_extensions::{
    AgentEndEvent, AgentSettledEvent, AgentStartEvent, MessageStartEvent, MessageUpdateEvent,
    ToolExecutionEndEvent, ToolExecutionStartEvent, ToolExecutionUpdateEvent, TurnEndEvent,
    TurnStartEvent,
};
use serde_json::json;

use super::wire::{told, value};

told! {
    AgentStartEvent: |_e| json!({});
    AgentEndEvent: |e| json!({ "messages": value(&e.messages) });
    AgentSettledEvent: |e| json!({ "aborted": e.aborted });
    TurnStartEvent: |e| json!({ "turnIndex": e.turn_index, "timestamp": e.timestamp_ms });
    TurnEndEvent: |e| json!({
        "turnIndex": e.turn_index,
        "message": value(&e.message),
        "toolResults": value(&e.tool_results),
    });
    MessageStartEvent: |e| json!({ "message": value(&e.message) });
    MessageUpdateEvent: |e| json!({
        "message": value(&e.message),
        "usage": value(&e.usage),
        "assistantMessageEvent": value(&e.assistant_message_event),
    });
    ToolExecutionStartEvent: |e| json!({
        "toolCallId": e.tool_call_id,
        "toolName": e.tool_name,
        "args": value(&e.args),
    });
    ToolExecutionUpdateEvent: |e| json!({
        "toolCallId": e.tool_call_id,
        "toolName": e.tool_name,
        "args": value(&e.args),
        "partialResult": value(&e.partial_result),
    });
    ToolExecutionEndEvent: |e| json!({
        "toolCallId": e.tool_call_id,
        "toolName": e.tool_name,
        "result": value(&e.result),
        "isError": e.is_error,
    });
}
