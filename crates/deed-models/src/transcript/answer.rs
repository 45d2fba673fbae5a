use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use deed_protocol::{AssistantMessage, ContentBlock, Message, ToolCall, ToolResultMessage};

use super::ids::{Ids, Taken};
use super::scan::{has_content, is_instruction};
use super::text::{self, safe_arguments, safe_text};
use super::user::{Side, push_blocks};
use super::{Answer, AssistantPart, AssistantUnit, Call, Part, Target};
use crate::schema::wire_name;

/// Makes the unit of a model's answer and of what follows it up to the next unit.
pub(super) fn unit<'m>(
    message: &'m AssistantMessage,
    rest: &'m [Arc<Message>],
    target: &Target,
    ids: &Ids,
) -> AssistantUnit<'m> {
    let is_own = target.wrote(message);
    let mut taken = Taken::default();
    let mut results = Results::of(rest);
    let mut answers = Vec::new();
    let mut parts = Vec::new();
    for block in &message.content {
        if !has_content(block, is_own) {
            continue;
        }
        let part = match block {
            ContentBlock::ToolCall(call) => {
                let sent = sent_call(call, is_own, ids, &mut taken);
                answers.push(answer(&sent, results.take(&call.id), target));
                AssistantPart::Call(sent)
            }
            other => match said(other, is_own) {
                Some(part) => part,
                None => continue,
            },
        };
        parts.push(part);
    }
    AssistantUnit {
        parts,
        answers,
        notes: notes(rest),
        is_own,
        response_id: message.response_id.as_deref().filter(|_| is_own),
    }
}

fn said(block: &ContentBlock, is_own: bool) -> Option<AssistantPart<'_>> {
    match block {
        ContentBlock::Text(block) => Some(AssistantPart::Text {
            text: safe_text(&block.text),
            signature: own(block.text_signature.as_deref(), is_own),
        }),
        ContentBlock::Thinking(block) => Some(AssistantPart::Thinking {
            text: safe_text(&block.thinking),
            signature: own(block.thinking_signature.as_deref(), is_own),
            is_redacted: block.redacted == Some(true),
        }),
        _ => None,
    }
}

fn own(signature: Option<&str>, is_own: bool) -> Option<&str> {
    signature.filter(|it| is_own && !it.is_empty())
}

fn sent_call<'m>(call: &'m ToolCall, is_own: bool, ids: &Ids, taken: &mut Taken) -> Call<'m> {
    Call {
        id: ids.assign(call, is_own, taken),
        item_id: ids.item_of(call, is_own),
        name: wire_name(&call.name),
        arguments: safe_arguments(call.arguments.get()),
        signature: own(call.thought_signature.as_deref(), is_own),
    }
}

fn answer<'m>(
    call: &Call<'m>,
    result: Option<&'m ToolResultMessage>,
    target: &Target,
) -> Answer<'m> {
    let mut parts = Vec::new();
    if let Some(result) = result {
        push_blocks(&mut parts, &result.content, Side::Tool, target);
    }
    let stand_in = match result {
        Some(_) => text::NO_OUTPUT,
        None => text::NO_RESULT,
    };
    if parts.is_empty() {
        parts.push(Part::Text(Cow::Borrowed(stand_in)));
    }
    Answer {
        call_id: call.id.clone(),
        tool_name: call.name.clone(),
        parts,
        is_error: result.is_none_or(|result| result.is_error),
    }
}

/// The results behind an answer, those of one id in their order.
struct Results<'m>(HashMap<&'m str, VecDeque<&'m ToolResultMessage>>);

impl<'m> Results<'m> {
    fn of(rest: &'m [Arc<Message>]) -> Self {
        let mut by_id: HashMap<_, VecDeque<_>> = HashMap::new();
        for result in rest.iter().filter_map(|message| message.as_tool_result()) {
            by_id
                .entry(result.tool_call_id.as_ref())
                .or_default()
                .push_back(result);
        }
        Self(by_id)
    }

    fn take(&mut self, id: &str) -> Option<&'m ToolResultMessage> {
        self.0.get_mut(id)?.pop_front()
    }
}

fn notes(rest: &[Arc<Message>]) -> Vec<Cow<'_, str>> {
    let notes = rest.iter().filter_map(|message| match message.as_ref() {
        Message::System(message) if is_instruction(message) => Some(text::joined(&message.content)),
        _ => None,
    });
    notes.collect()
}
