use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::ModelSpec;
use crate::transcript::{Answer, AssistantPart, AssistantUnit, Call, Part, Unit};
use crate::wire::openai::is_openai;
use crate::wire::{FAILED, Items};

/// How the names of items begin that call a tool with a bare text.
const TEXT_CALL: &str = "ctc_";

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: Content<'a>,
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
    InputText {
        text: &'a str,
    },
    InputImage {
        detail: &'static str,
        image_url: String,
    },
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Item<'a> {
    Message {
        role: &'static str,
        id: Cow<'a, str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        phase: Option<Cow<'a, str>>,
        status: &'static str,
        content: [OutputText<'a>; 1],
    },
    FunctionCall {
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<&'a str>,
        call_id: &'a str,
        name: &'a str,
        arguments: &'a str,
    },
    FunctionCallOutput {
        call_id: &'a str,
        output: Content<'a>,
    },
    CustomToolCall {
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<&'a str>,
        call_id: &'a str,
        name: &'a str,
        input: String,
    },
    CustomToolCallOutput {
        call_id: &'a str,
        output: Content<'a>,
    },
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "output_text")]
struct OutputText<'a> {
    text: &'a str,
    annotations: [(); 0],
}

/// What is kept beside a text, so that it goes back as the item that it was.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct TextMark<'a> {
    #[serde(borrow)]
    pub(super) id: Cow<'a, str>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub(super) phase: Option<Cow<'a, str>>,
}

pub(super) fn unit(spec: &ModelSpec, unit: &Unit<'_>, items: &mut Items<'_>) {
    match unit {
        Unit::User(parts) => items.push(&Message {
            role: "user",
            content: Content::Blocks(parts.iter().map(block).collect()),
        }),
        Unit::System(text) => items.push(&instruction(spec, text)),
        Unit::Assistant(unit) => assistant(spec, unit, items),
    }
}

fn instruction<'a>(spec: &ModelSpec, text: &'a str) -> Message<'a> {
    Message {
        role: if is_openai(spec) {
            "developer"
        } else {
            "system"
        },
        content: Content::Text(text.into()),
    }
}

fn block<'a>(part: &'a Part<'a>) -> Block<'a> {
    match part {
        Part::Text(text) => Block::InputText { text },
        Part::Image { data, mime_type } => Block::InputImage {
            detail: "auto",
            image_url: format!("data:{mime_type};base64,{data}"),
        },
    }
}

fn assistant(spec: &ModelSpec, unit: &AssistantUnit<'_>, items: &mut Items<'_>) {
    let keeps_names = keeps_names(unit);
    let mut with_text = Vec::new();
    for part in &unit.parts {
        match part {
            AssistantPart::Thinking { signature, .. } => {
                if let Some(item) = signature.and_then(reasoning_item) {
                    items.push(&item);
                }
            }
            AssistantPart::Text { text, signature } => {
                push_text(text, signature.filter(|_| keeps_names), items);
            }
            AssistantPart::Call(call) => match bare_text(call) {
                Some(text) => {
                    with_text.push(&*call.id);
                    items.push(&custom_call(call, text, keeps_names));
                }
                None => items.push(&function_call(call, keeps_names)),
            },
        }
    }
    for answer in &unit.answers {
        let (call_id, output) = (&*answer.call_id, output(answer));
        items.push(&if with_text.contains(&call_id) {
            Item::CustomToolCallOutput { call_id, output }
        } else {
            Item::FunctionCallOutput { call_id, output }
        });
    }
    for note in &unit.notes {
        items.push(&instruction(spec, note));
    }
}

/// Tells whether items keep the names that the provider gave them: one that is known to follow a
/// thought is refused without it.
fn keeps_names(unit: &AssistantUnit<'_>) -> bool {
    unit.parts.iter().all(|part| match part {
        AssistantPart::Thinking { signature, .. } => signature.and_then(reasoning_item).is_some(),
        _ => true,
    })
}

/// Returns a thought as it came, if it is one of this interface.
fn reasoning_item(signature: &str) -> Option<&RawValue> {
    if !signature.starts_with('{') {
        return None;
    }
    serde_json::from_str(signature).ok()
}

/// Writes a text as the item that it was. One of another model was none: it goes as plain words,
/// which need no name.
fn push_text(text: &str, signature: Option<&str>, items: &mut Items<'_>) {
    let mark = signature.and_then(|mark| serde_json::from_str::<TextMark<'_>>(mark).ok());
    let role = "assistant";
    match mark {
        Some(mark) => items.push(&Item::Message {
            role,
            id: mark.id,
            phase: mark.phase,
            status: "completed",
            content: [OutputText {
                text,
                annotations: [],
            }],
        }),
        None => items.push(&Message {
            role,
            content: Content::Text(text.into()),
        }),
    }
}

fn function_call<'a>(call: &'a Call<'a>, keeps_names: bool) -> Item<'a> {
    Item::FunctionCall {
        id: call.item_id.filter(|_| keeps_names),
        call_id: &call.id,
        name: &call.name,
        arguments: &call.arguments,
    }
}

/// Returns the text that the model itself called a tool with; it goes back as what it was.
fn bare_text(call: &Call<'_>) -> Option<String> {
    call.item_id.filter(|id| id.starts_with(TEXT_CALL))?;
    let arguments: BTreeMap<String, String> = serde_json::from_str(&call.arguments).ok()?;
    let mut texts = arguments.into_values();
    texts.next().filter(|_| texts.next().is_none())
}

fn custom_call<'a>(call: &'a Call<'a>, input: String, keeps_names: bool) -> Item<'a> {
    Item::CustomToolCall {
        id: call.item_id.filter(|_| keeps_names),
        call_id: &call.id,
        name: &call.name,
        input,
    }
}

fn output<'a>(answer: &'a Answer<'a>) -> Content<'a> {
    if answer.images().next().is_some() {
        let mark = answer.is_error.then_some(Block::InputText { text: FAILED });
        Content::Blocks(
            mark.into_iter()
                .chain(answer.parts.iter().map(block))
                .collect(),
        )
    } else if answer.is_error {
        Content::Text(format!("{FAILED} {}", answer.text()).into())
    } else {
        Content::Text(answer.text())
    }
}
