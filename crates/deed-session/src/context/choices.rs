//! Model, thinking level and tools: what the whole branch says, summarised parts included.

use std::sync::Arc;

use deed_protocol::{Entry, Message};

use super::{Context, ModelChoice};
use crate::entry_text::read_entry;
use crate::error::SessionError;
use crate::index::{Kind, Role, Slot, SlotNumber};
use crate::own::{ActiveToolsNote, OwnKind};
use crate::tree::SessionTree;

pub(super) fn read(
    tree: &SessionTree,
    branch: &[SlotNumber],
    context: &mut Context,
) -> Result<(), SessionError> {
    let slots: Vec<&Slot> = branch
        .iter()
        .filter_map(|number| tree.index.get(*number))
        .collect();
    context.model = last(tree, &slots, model_of)?;
    context.thinking_level = last(tree, &slots, thinking_of)?;
    read_tools(tree, &slots, context)
}

/// Gives an entry's answer to a question, if its kind makes it worth reading.
type Asked<T> = fn(Kind) -> Option<fn(Entry) -> Option<T>>;

/// Finds the last entry that has an answer.
fn last<T>(
    tree: &SessionTree,
    slots: &[&Slot],
    asked: Asked<T>,
) -> Result<Option<T>, SessionError> {
    let mut reader = tree.reader();
    for slot in slots.iter().rev() {
        let Some(answer) = asked(slot.kind) else {
            continue;
        };
        let text = tree.text_from(&mut reader, slot)?;
        let entry = read_entry(slot.kind, &text).ok();
        if let Some(found) = entry.and_then(answer) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn model_of(kind: Kind) -> Option<fn(Entry) -> Option<ModelChoice>> {
    let is_asked = matches!(kind, Kind::ModelChange | Kind::Message(Role::Assistant));
    is_asked.then_some(|entry| match entry {
        Entry::ModelChange(entry) => Some(ModelChoice {
            provider: entry.provider,
            model_id: entry.model_id,
        }),
        Entry::Message(entry) => {
            let answer = entry.message.as_assistant()?;
            let is_known = !answer.model.is_empty();
            is_known.then(|| ModelChoice {
                provider: answer.provider.clone(),
                model_id: answer.model.clone(),
            })
        }
        _ => None,
    })
}

fn thinking_of(kind: Kind) -> Option<fn(Entry) -> Option<String>> {
    (kind == Kind::ThinkingLevelChange).then_some(|entry| match entry {
        Entry::ThinkingLevelChange(entry) => Some(entry.thinking_level),
        _ => None,
    })
}

fn read_tools(
    tree: &SessionTree,
    slots: &[&Slot],
    context: &mut Context,
) -> Result<(), SessionError> {
    let mut reader = tree.reader();
    let tools = &mut context.tools;
    for slot in slots {
        let is_asked = matches!(
            slot.kind,
            Kind::Custom(OwnKind::ActiveTools)
                | Kind::Message(Role::ToolResult { adds_tools: true })
        );
        if !is_asked {
            continue;
        }
        let text = tree.text_from(&mut reader, slot)?;
        match read_entry(slot.kind, &text) {
            Ok(Entry::Custom(entry)) => {
                let data = entry.data.as_ref().map_or("", |data| data.get());
                if let Ok(note) = serde_json::from_str::<ActiveToolsNote>(data) {
                    tools.set = Some(note.names);
                    tools.added.clear();
                }
            }
            Ok(Entry::Message(entry)) => {
                add(&entry.message, tools.set.as_deref(), &mut tools.added)
            }
            _ => {}
        }
    }
    Ok(())
}

fn add(message: &Message, set: Option<&[Arc<str>]>, added: &mut Vec<Arc<str>>) {
    let Some(result) = message.as_tool_result() else {
        return;
    };
    for name in &result.added_tool_names {
        if !added.contains(name) && !set.unwrap_or_default().contains(name) {
            added.push(name.clone());
        }
    }
}
