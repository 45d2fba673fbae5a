use std::sync::Arc;

use deed_protocol::{AssistantMessage, ContentBlock, Extra, StopReason, ToolCall, empty_arguments};
use serde::Deserialize;
use serde_json::value::RawValue;

/// What an item may be, for messages.
const WANTED: &str = "expected a tool call {\"id\"?, \"name\", \"arguments\"}, an array of them, \
                      or an assistant message";

/// One tool call as a person or a program writes it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Call {
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    id: Option<String>,
    name: String,
    #[serde(default)]
    arguments: Option<Arc<RawValue>>,
    #[serde(default)]
    arguments_error: Option<String>,
    #[serde(default)]
    thought_signature: Option<String>,
}

/// Makes a message of the item that is the `count`th of the input, from 1.
///
/// Errors: what is wrong with the item, and what is wanted.
pub(super) fn message(raw: &RawValue, count: usize) -> Result<AssistantMessage, String> {
    match raw.get().as_bytes().first() {
        Some(b'[') => array(raw, count),
        Some(b'{') if has_role(raw) => assistant(raw, count),
        Some(b'{') => Ok(calling(vec![call(raw.get(), &format!("call_{count}"))?])),
        _ => Err(format!(
            "{} is no tool call; {WANTED}",
            shortened(raw.get())
        )),
    }
}

fn array(raw: &RawValue, count: usize) -> Result<AssistantMessage, String> {
    let items: Vec<&RawValue> = serde_json::from_str(raw.get()).map_err(|error| plain(&error))?;
    if items.is_empty() {
        return Err(format!("the array is empty; {WANTED}"));
    }
    let calls = items.iter().enumerate().map(|(index, item)| {
        let number = index + 1;
        call(item.get(), &format!("call_{count}_{number}"))
            .map_err(|reason| format!("call {number} of the array: {reason}"))
    });
    Ok(calling(calls.collect::<Result<_, _>>()?))
}

fn call(text: &str, made_up_id: &str) -> Result<ToolCall, String> {
    if !text.starts_with('{') {
        return Err(format!("{} is no tool call; {WANTED}", shortened(text)));
    }
    let call: Call = serde_json::from_str(text)
        .map_err(|error| format!("this is no tool call: {}; {WANTED}", plain(&error)))?;
    if let Some(kind) = call.kind.filter(|kind| kind != "toolCall") {
        return Err(format!(
            "a block of type {kind:?} is no tool call; {WANTED}"
        ));
    }
    if call.name.is_empty() {
        return Err(format!("the name of the tool is empty; {WANTED}"));
    }
    let id = call
        .id
        .filter(|id| !id.trim().is_empty())
        .unwrap_or_else(|| made_up_id.to_owned());
    Ok(ToolCall {
        id: id.into(),
        name: call.name.into(),
        arguments: call.arguments.unwrap_or_else(empty_arguments),
        thought_signature: call.thought_signature,
        arguments_error: call.arguments_error,
        extra: Extra::new(),
    })
}

fn assistant(raw: &RawValue, count: usize) -> Result<AssistantMessage, String> {
    let mut value: serde_json::Value =
        serde_json::from_str(raw.get()).map_err(|error| plain(&error))?;
    if value.get("role").and_then(serde_json::Value::as_str) != Some("assistant") {
        return Err(format!(
            "a message of this role has no tool calls; {WANTED}"
        ));
    }
    if value.get("stopReason").is_none()
        && let Some(members) = value.as_object_mut()
    {
        members.insert("stopReason".to_owned(), "toolUse".into());
    }
    let mut message: AssistantMessage = serde_json::from_str(&value.to_string())
        .map_err(|error| format!("this is no assistant message: {}", plain(&error)))?;
    for (index, block) in message.content.iter_mut().enumerate() {
        if let ContentBlock::ToolCall(call) = block
            && call.id.trim().is_empty()
        {
            call.id = format!("call_{count}_{}", index + 1).into();
        }
    }
    if message.tool_calls().next().is_none() {
        return Err("the assistant message has no tool calls".to_owned());
    }
    Ok(message)
}

fn has_role(raw: &RawValue) -> bool {
    #[derive(Deserialize)]
    struct Role<'a> {
        #[serde(borrow)]
        role: Option<&'a RawValue>,
    }
    serde_json::from_str::<Role<'_>>(raw.get()).is_ok_and(|item| item.role.is_some())
}

fn calling(calls: Vec<ToolCall>) -> AssistantMessage {
    let mut message = AssistantMessage::new(StopReason::ToolUse, 0);
    message.content = calls.into_iter().map(ContentBlock::ToolCall).collect();
    message
}

/// Returns what is wrong without the place, which is that inside of the item.
fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_owned()
}

fn shortened(text: &str) -> String {
    let mut chars = text.chars();
    let start: String = chars.by_ref().take(40).collect();
    if chars.next().is_some() {
        format!("{start}…")
    } else {
        start
    }
}
