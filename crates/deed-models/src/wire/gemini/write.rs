use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;

use super::is_third;
use crate::ModelSpec;
use crate::transcript::{self, Answer, AssistantPart, AssistantUnit, Call, Unit};
use crate::wire::Items;

/// Stands for the signature of a call that another model made; without one the request is refused.
///
/// Source: Google's documentation of thought signatures.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

#[derive(Serialize)]
struct Content<'a> {
    role: &'static str,
    parts: Vec<Part<'a>>,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Part<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    thought: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inline_data: Option<Blob<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function_call: Option<FunctionCall<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function_response: Option<FunctionResponse<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thought_signature: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Blob<'a> {
    mime_type: &'a str,
    data: &'a str,
}

#[derive(Serialize)]
struct FunctionCall<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<&'a RawValue>,
}

#[derive(Serialize)]
struct FunctionResponse<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    name: &'a str,
    response: Response<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<Part<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Response<'a> {
    Output(Cow<'a, str>),
    Error(Cow<'a, str>),
}

pub(super) fn unit(spec: &ModelSpec, unit: &Unit<'_>, items: &mut Items<'_>) {
    match unit {
        Unit::User(parts) => items.push(&user(parts.iter().map(part).collect())),
        Unit::System(text) => items.push(&user(vec![instruction(text)])),
        Unit::Assistant(unit) => assistant(is_third(spec), unit, items),
    }
}

fn user(parts: Vec<Part<'_>>) -> Content<'_> {
    Content {
        role: "user",
        parts,
    }
}

fn said<'a>(text: impl Into<Cow<'a, str>>) -> Part<'a> {
    Part {
        text: Some(text.into()),
        ..Part::default()
    }
}

/// The interface has no place for an instruction between two messages.
fn instruction<'a>(text: &str) -> Part<'a> {
    said(format!("<instruction>\n{text}\n</instruction>"))
}

fn part<'a>(part: &'a transcript::Part<'a>) -> Part<'a> {
    match part {
        transcript::Part::Text(text) => said(text.as_ref()),
        transcript::Part::Image { data, mime_type } => image(data, mime_type),
    }
}

fn image<'a>(data: &'a str, mime_type: &'a str) -> Part<'a> {
    Part {
        inline_data: Some(Blob { mime_type, data }),
        ..Part::default()
    }
}

fn assistant(is_third: bool, unit: &AssistantUnit<'_>, items: &mut Items<'_>) {
    let parts = model_parts(is_third, unit);
    if !parts.is_empty() {
        items.push(&Content {
            role: "model",
            parts,
        });
    }
    let results = unit.answers.iter().map(|answer| result(is_third, answer));
    let results: Vec<Part<'_>> = results.collect();
    if !results.is_empty() {
        // Nothing else may stand beside results: their number must be that of the calls.
        items.push(&user(results));
    }
    let mut behind = Vec::new();
    for answer in unit.answers.iter().filter(|_| !is_third) {
        let mut images = answer.images().peekable();
        if images.peek().is_some() {
            behind.push(said(caption(answer)));
            behind.extend(images.map(|(data, mime_type)| image(data, mime_type)));
        }
    }
    behind.extend(unit.notes.iter().map(|note| instruction(note)));
    if !behind.is_empty() {
        items.push(&user(behind));
    }
}

fn caption(answer: &Answer<'_>) -> String {
    let (tool, id) = (&answer.tool_name, &answer.call_id);
    format!("From the result of {tool} (call {id}):")
}

fn model_parts<'a>(is_third: bool, unit: &'a AssistantUnit<'a>) -> Vec<Part<'a>> {
    let mut had_call = false;
    let parts = unit.parts.iter().filter_map(|part| match part {
        AssistantPart::Text { text, signature } => Some(Part {
            thought_signature: *signature,
            ..said(text.as_ref())
        }),
        AssistantPart::Thinking {
            text, signature, ..
        } => {
            // What is shown of a thought is no use to the model; its signature is.
            let signature = (*signature)?;
            Some(Part {
                thought: Some(true),
                thought_signature: Some(signature),
                ..said(text.as_ref())
            })
        }
        AssistantPart::Call(call) => {
            let is_first = !std::mem::replace(&mut had_call, true);
            let stand_in = (is_third && is_first).then_some(NO_SIGNATURE);
            Some(Part {
                function_call: Some(function_call(is_third, call)),
                thought_signature: call.signature.or(stand_in),
                ..Part::default()
            })
        }
    });
    parts.collect()
}

fn function_call<'a>(has_id: bool, call: &'a Call<'a>) -> FunctionCall<'a> {
    FunctionCall {
        id: has_id.then_some(&*call.id),
        name: &call.name,
        args: serde_json::from_str(&call.arguments).ok(),
    }
}

fn result<'a>(is_third: bool, answer: &'a Answer<'a>) -> Part<'a> {
    let mut text = answer.text();
    let images = answer
        .images()
        .map(|(data, mime_type)| image(data, mime_type));
    let parts: Vec<Part<'a>> = images.filter(|_| is_third).collect();
    if text.is_empty() {
        let words = if is_third {
            "the result is a picture"
        } else {
            "the result is a picture, which follows"
        };
        text = words.into();
    }
    let response = if answer.is_error {
        Response::Error(text)
    } else {
        Response::Output(text)
    };
    Part {
        function_response: Some(FunctionResponse {
            id: is_third.then_some(&*answer.call_id),
            name: &answer.tool_name,
            response,
            parts,
        }),
        ..Part::default()
    }
}
