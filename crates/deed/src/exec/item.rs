use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use deed_protocol::{
    AssistantMessage, ContentBlock, Extra, Message, StopReason, ToolCall, empty_arguments,
};
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
        Some(b'{') if has_member(raw, "role") => assistant(raw, count),
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
    let text = with_stop_reason(raw);
    let message: Message = serde_json::from_str(&text)
        .map_err(|error| format!("this is no assistant message: {}", plain(&error)))?;
    let Message::Assistant(mut message) = message else {
        return Err(format!(
            "a message of this role has no tool calls; {WANTED}"
        ));
    };
    if let StopReason::Error | StopReason::Aborted = message.stop_reason {
        return Err(
            "the model did not finish this message (stopReason error or aborted), \
                    so its calls may be incomplete and none is run"
                .to_owned(),
        );
    }
    for (index, block) in message.content.iter_mut().enumerate() {
        if let ContentBlock::ToolCall(call) = block
            && call.id.trim().is_empty()
        {
            call.id = format!("call_{count}_{}", index + 1).into();
        }
    }
    if message.tool_calls().next().is_none() {
        return Err("the assistant message has no tool calls, which are blocks \
                    {\"type\": \"toolCall\", \"id\"?, \"name\", \"arguments\"} of its content"
            .to_owned());
    }
    Ok(message)
}

/// Adds what a message written by hand may leave out.
///
/// As text, because a parsed object would lose keys that are written twice.
fn with_stop_reason(raw: &RawValue) -> Cow<'_, str> {
    match raw.get().strip_suffix('}') {
        Some(open) if !has_member(raw, "stopReason") => {
            Cow::Owned(format!("{open},\"stopReason\":\"toolUse\"}}"))
        }
        _ => Cow::Borrowed(raw.get()),
    }
}

fn has_member(raw: &RawValue, name: &str) -> bool {
    serde_json::from_str::<HashMap<Cow<'_, str>, &RawValue>>(raw.get())
        .is_ok_and(|members| members.contains_key(name))
}

fn calling(calls: Vec<ToolCall>) -> AssistantMessage {
    let mut message = AssistantMessage::new(StopReason::ToolUse, 0);
    message.content = calls.into_iter().map(ContentBlock::ToolCall).collect();
    message
}

/// Returns what is wrong without the place, which is that inside of the item, and without the
/// fields there are, which the message names anyway.
fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let reason = text.split(" at line ").next().unwrap_or(&text);
    reason
        .split(", expected one of")
        .next()
        .unwrap_or(reason)
        .to_owned()
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
