use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;

use super::ask::system_role;
use crate::ModelSpec;
use crate::transcript::{Answer, AssistantPart, AssistantUnit, Call, Part, Unit};
use crate::wire::openai::is_openai;
use crate::wire::{self, FAILED, Items};

#[derive(Serialize)]
struct Message<'a> {
    role: &'a str,
    content: Option<Content<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(Cow<'a, str>),
    Blocks(Vec<Block<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block<'a> {
    Text { text: Cow<'a, str> },
    ImageUrl { image_url: ImageUrl },
}

#[derive(Serialize)]
struct ImageUrl {
    url: String,
}

#[derive(Serialize)]
struct Assistant<'a> {
    role: &'static str,
    content: Option<String>,
    #[serde(flatten)]
    thought: Option<Thought<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<ToolCall<'a>>,
}

/// What a model thought, under the name that its server wants back.
struct Thought<'a> {
    member: &'a str,
    text: ThoughtText<'a>,
}

enum ThoughtText<'a> {
    Plain(String),
    /// Details as they came, a JSON array.
    Details(&'a RawValue),
}

impl Serialize for Thought<'_> {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        let mut map = to.serialize_map(Some(1))?;
        match &self.text {
            ThoughtText::Plain(text) => map.serialize_entry(self.member, text)?,
            ThoughtText::Details(details) => map.serialize_entry(self.member, details)?,
        }
        map.end()
    }
}

#[derive(Serialize)]
struct ToolCall<'a> {
    id: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    arguments: &'a str,
}

#[derive(Serialize)]
struct ToolResult<'a> {
    role: &'static str,
    tool_call_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    content: Cow<'a, str>,
}

pub(super) fn unit(spec: &ModelSpec, unit: &Unit<'_>, items: &mut Items<'_>) {
    match unit {
        Unit::User(parts) => items.push(&Message {
            role: "user",
            content: Some(content(parts)),
        }),
        Unit::System(text) => items.push(&instruction(spec, text)),
        Unit::Assistant(unit) => assistant(spec, unit, items),
    }
}

/// Writes an instruction that came between two messages: the templates of many open models take
/// one at the beginning only.
fn instruction<'a>(spec: &ModelSpec, text: &'a str) -> Message<'a> {
    let (role, text) = if is_openai(spec) {
        (system_role(spec), text.into())
    } else {
        ("user", wire::instruction(text).into())
    };
    Message {
        role,
        content: Some(Content::Text(text)),
    }
}

fn content<'a>(parts: &'a [Part<'a>]) -> Content<'a> {
    match parts {
        [Part::Text(text)] => Content::Text(text.as_ref().into()),
        parts => Content::Blocks(parts.iter().map(block).collect()),
    }
}

fn block<'a>(part: &'a Part<'a>) -> Block<'a> {
    match part {
        Part::Text(text) => Block::Text {
            text: text.as_ref().into(),
        },
        Part::Image { data, mime_type } => image(data, mime_type),
    }
}

fn image<'a>(data: &str, mime_type: &str) -> Block<'a> {
    let url = format!("data:{mime_type};base64,{data}");
    Block::ImageUrl {
        image_url: ImageUrl { url },
    }
}

fn assistant(spec: &ModelSpec, unit: &AssistantUnit<'_>, items: &mut Items<'_>) {
    let mut message = Assistant {
        role: "assistant",
        content: text(unit),
        thought: thought(spec, unit),
        tool_calls: calls(unit).collect(),
    };
    // A thought that stays here leaves a message with nothing in it, which servers refuse.
    if message.content.is_some() || message.thought.is_some() || !message.tool_calls.is_empty() {
        if spec.quirks.empty_content.unwrap_or_else(|| spec.is_here()) {
            message.content.get_or_insert_default();
        }
        items.push(&message);
    }
    for answer in &unit.answers {
        items.push(&result(spec, answer));
    }
    if let Some(pictures) = pictures(&unit.answers) {
        items.push(&pictures);
    }
    for note in &unit.notes {
        items.push(&instruction(spec, note));
    }
}

fn text(unit: &AssistantUnit<'_>) -> Option<String> {
    let texts: Vec<&str> = unit
        .parts
        .iter()
        .filter_map(|part| match part {
            AssistantPart::Text { text, .. } => Some(text.as_ref()),
            _ => None,
        })
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

fn calls<'a>(unit: &'a AssistantUnit<'a>) -> impl Iterator<Item = ToolCall<'a>> {
    let calls = unit.parts.iter().filter_map(|part| match part {
        AssistantPart::Call(call) => Some(call),
        _ => None,
    });
    calls.map(|call: &Call<'_>| ToolCall {
        id: &call.id,
        kind: "function",
        function: Function {
            name: &call.name,
            arguments: &call.arguments,
        },
    })
}

/// Returns what goes back of the thoughts of a message: details that came signed always do, plain
/// text only where the server wants it.
fn thought<'a>(spec: &'a ModelSpec, unit: &'a AssistantUnit<'a>) -> Option<Thought<'a>> {
    let thoughts = || {
        unit.parts.iter().filter_map(|part| match part {
            AssistantPart::Thinking {
                text, signature, ..
            } => Some((text.as_ref(), *signature)),
            _ => None,
        })
    };
    let details = thoughts().find_map(|(_, signature)| {
        let signature = signature.filter(|signature| signature.starts_with('['))?;
        serde_json::from_str::<&RawValue>(signature).ok()
    });
    if let Some(details) = details {
        return Some(Thought {
            member: "reasoning_details",
            text: ThoughtText::Details(details),
        });
    }
    let member = spec.quirks.thinking_replay.as_deref()?;
    let texts: Vec<&str> = thoughts().map(|(text, _)| text).collect();
    (!texts.is_empty()).then(|| Thought {
        member,
        text: ThoughtText::Plain(texts.join("\n")),
    })
}

fn result<'a>(spec: &ModelSpec, answer: &'a Answer<'a>) -> ToolResult<'a> {
    let mut content = answer.text();
    if content.is_empty() {
        content = "the result is a picture, which follows".into();
    }
    if answer.is_error {
        content = format!("{FAILED} {content}").into();
    }
    let has_name = spec.quirks.tool_result_name.unwrap_or(false);
    ToolResult {
        role: "tool",
        tool_call_id: &answer.call_id,
        name: has_name.then_some(&*answer.tool_name),
        content,
    }
}

/// Returns the pictures of all results in a message of the user's side: results take text only.
fn pictures<'a>(answers: &'a [Answer<'a>]) -> Option<Message<'a>> {
    let mut blocks = Vec::new();
    for answer in answers {
        let mut images = answer.images().peekable();
        if images.peek().is_none() {
            continue;
        }
        let (tool, id) = (&answer.tool_name, &answer.call_id);
        let caption = format!("From the result of {tool} (call {id}):");
        blocks.push(Block::Text {
            text: caption.into(),
        });
        blocks.extend(images.map(|(data, mime_type)| image(data, mime_type)));
    }
    (!blocks.is_empty()).then_some(Message {
        role: "user",
        content: Some(Content::Blocks(blocks)),
    })
}
