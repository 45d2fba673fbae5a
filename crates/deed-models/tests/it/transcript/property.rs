//! Whatever a transcript holds, what is sent of it is well formed, and closed units stay as they are.

use std::collections::HashSet;
use std::sync::Arc;

use deed_models::Api;
use deed_models::transcript::{AssistantPart, Normaliser, Part, Target, Unit, units};
use deed_protocol::Message;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::make::{PIXEL, assistant, call, image, messages, result, target, text, user};

/// Any message, from a small world of ids, so that they meet.
pub(crate) fn any_message() -> impl Strategy<Value = Value> {
    let id = prop::sample::select(vec![
        "a",
        "b",
        "",
        "call_1|fc_1",
        "call_1",
        "fc_1|call_1",
        "über",
        "functions.x:0",
        "0123456789012345678901234567890123456789012345678901234567890123456789",
    ]);
    let block = prop_oneof![
        3 => id.clone().prop_map(call),
        1 => Just(text("said")),
        1 => Just(text(" ")),
        1 => Just(json!({ "type": "thinking", "thinking": "hm", "thinkingSignature": "s" })),
        1 => Just(json!({ "type": "thinking", "thinking": "" })),
        1 => Just(json!({ "type": "image", "data": PIXEL, "mimeType": "image/png" })),
        1 => Just(json!({ "type": "hologram" })),
        1 => Just(json!({ "type": "toolCall", "id": "a", "name": "odd name", "arguments": null })),
    ];
    let stop = prop::sample::select(vec![
        "stop", "stop", "toolUse", "length", "error", "aborted",
    ]);
    let model = prop::sample::select(vec!["m1", "m1", "m2"]);
    let api = prop::sample::select(vec![Api::Chat, Api::Responses, Api::Anthropic, Api::Gemini]);
    let content = prop::collection::vec(block, 0..4);
    let answer = (content, stop, model, api).prop_map(|(content, stop, model, api)| {
        let mut message = assistant(api, Value::Array(content));
        message["stopReason"] = json!(stop);
        message["model"] = json!(model);
        message
    });
    prop_oneof![
        4 => answer,
        4 => (id.clone(), ".{0,3}").prop_map(|(id, text)| result(id, &text)),
        2 => ".{0,3}".prop_map(|text| user(&text)),
        1 => id.prop_map(|id| json!({ "role": "toolResult", "toolCallId": id, "toolName": "read",
            "isError": true, "content": [image(PIXEL, "image/png"), image("?", "image/png")] })),
        1 => Just(json!({ "role": "system", "content": "note" })),
        1 => Just(json!({ "role": "system", "content": "", "sections": [] })),
        1 => Just(json!({ "role": "custom", "customType": "x", "content": [], "display": false })),
        1 => any::<bool>().prop_map(|hidden| json!({ "role": "bashExecution", "command": "ls",
            "output": "", "cancelled": false, "truncated": false, "excludeFromContext": hidden })),
        1 => Just(json!({ "role": "compactionSummary", "summary": "s" })),
        1 => Just(json!({ "role": "hologram" })),
    ]
}

pub(crate) fn any_api() -> impl Strategy<Value = Api> {
    prop::sample::select(vec![Api::Chat, Api::Responses, Api::Anthropic, Api::Gemini])
}

fn any_target() -> impl Strategy<Value = Target> {
    (any_api(), any::<bool>(), any::<bool>()).prop_map(|(api, takes_images, block_images)| Target {
        takes_images,
        block_images,
        ..target(api)
    })
}

fn is_blank(part: &Part<'_>) -> bool {
    matches!(part, Part::Text(text) if text.trim().is_empty())
}

fn check(units: &[Unit<'_>], target: &Target) -> Result<(), TestCaseError> {
    let mut ids = HashSet::new();
    for unit in units {
        match unit {
            Unit::User(parts) => {
                prop_assert!(!parts.is_empty() && !parts.iter().any(is_blank));
            }
            Unit::System(text) => prop_assert!(!text.trim().is_empty()),
            Unit::Assistant(unit) => {
                prop_assert!(!unit.parts.is_empty());
                let calls: Vec<_> = unit
                    .parts
                    .iter()
                    .filter_map(|part| match part {
                        AssistantPart::Call(call) => Some(call),
                        _ => None,
                    })
                    .collect();
                let asked: Vec<_> = calls.iter().map(|call| call.id.as_ref()).collect();
                let answered: Vec<_> = unit.answers.iter().map(|it| it.call_id.as_ref()).collect();
                prop_assert_eq!(asked, answered);
                for call in calls {
                    prop_assert!(ids.insert(call.id.to_string()), "id twice: {}", call.id);
                    prop_assert!((1..=target.ids.max_length).contains(&call.id.len()));
                    prop_assert!(
                        serde_json::from_str::<serde_json::Map<String, Value>>(&call.arguments)
                            .is_ok()
                    );
                    prop_assert!(
                        call.name
                            .bytes()
                            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
                    );
                }
                for answer in &unit.answers {
                    prop_assert!(!answer.parts.is_empty() && !answer.parts.iter().any(is_blank));
                    let sends = target.takes_images && !target.block_images;
                    prop_assert!(sends || answer.images().next().is_none());
                }
                let own_only = unit.parts.iter().all(|part| match part {
                    AssistantPart::Thinking { .. } => unit.is_own,
                    AssistantPart::Text { signature, .. } => unit.is_own || signature.is_none(),
                    AssistantPart::Call(call) => {
                        unit.is_own || (call.item_id.is_none() && call.signature.is_none())
                    }
                });
                prop_assert!(own_only);
            }
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_transcript_is_sent_well_formed(
        list in prop::collection::vec(any_message(), 0..12),
        target in any_target(),
    ) {
        let list = messages(&list);
        check(&units(&list, &target), &target)?;
    }

    #[test]
    fn closed_units_never_change_when_messages_are_appended(
        list in prop::collection::vec(any_message(), 0..12),
        target in any_target(),
    ) {
        let list: Vec<Arc<Message>> = messages(&list);
        let whole = units(&list, &target);
        let mut normaliser = Normaliser::new(target.clone());
        let mut closed = Vec::new();
        for length in 0..=list.len() {
            let so_far = &list[..length];
            while let Some(unit) = normaliser.next_closed(so_far) {
                closed.push(format!("{unit:?}"));
            }
            let last = normaliser.open(so_far).map(|unit| format!("{unit:?}"));
            let at_once: Vec<_> = units(so_far, &target).iter().map(|it| format!("{it:?}")).collect();
            let in_steps: Vec<_> = closed.iter().cloned().chain(last).collect();
            prop_assert_eq!(at_once, in_steps);
        }
        let whole: Vec<_> = whole.iter().map(|unit| format!("{unit:?}")).collect();
        prop_assert_eq!(&whole[..closed.len()], &closed[..]);
        prop_assert!(whole.len() <= closed.len() + 1);
    }
}
