//! Each call gets one result, each result has a call: providers refuse anything else.

use std::collections::HashSet;
use std::sync::Arc;

use deed_protocol::{
    AssistantMessage, ContentBlock, Entry, Extra, Message, StopReason, ToolCall, ToolResultMessage,
};
use serde_json::{Map, Value};

use super::pieces::{Piece, Pieces};
use super::started::Started;
use super::{CallState, Context, ContextMessage, OpenCall, Recovery, Repair, RepairKind};
use crate::diagnostic::Finding;
use crate::error::SessionError;
use crate::index::{Kind, SlotNumber};
use crate::own::{OwnKind, RepairedCall, RepairedNote, RepairedResult};
use crate::tree::SessionTree;

const NEVER_STARTED: &str = "This call was not run: the session was left before it began.";
const OUTCOME_UNKNOWN: &str = "The session was left while this call was running. Its outcome is \
                               unknown: check what it changed before going on.";
const TAKEN_OUT: &str = "The result of this call was taken out of the conversation.";

/// Puts the messages into the context.
pub(super) fn pair(
    tree: &SessionTree,
    pieces: Pieces,
    context: &mut Context,
) -> Result<(), SessionError> {
    let taken = vec![false; pieces.list.len()];
    let mut pairing = Pairing {
        tree,
        pieces: &pieces,
        taken,
        started: Started::default(),
        context,
    };
    for at in 0..pieces.list.len() {
        pairing.take(at)?;
    }
    pairing.context.usage_counts_from = pairing.usage_counts_from();
    Ok(())
}

struct Pairing<'a> {
    tree: &'a SessionTree,
    pieces: &'a Pieces,
    /// Results that stand behind their call already.
    taken: Vec<bool>,
    started: Started,
    context: &'a mut Context,
}

impl<'a> Pairing<'a> {
    fn take(&mut self, at: usize) -> Result<(), SessionError> {
        let Some(piece) = self.pieces.list.get(at) else {
            return Ok(());
        };
        match &*piece.message {
            Message::ToolResult(result) => {
                if !self.taken.get(at).copied().unwrap_or_default() {
                    self.leave_out(piece, result);
                }
            }
            _ if piece.is_omitted => {}
            Message::Assistant(answer) if waits(answer) => {
                self.push(piece, piece.message.clone());
                self.answer_calls(at, piece, answer)?;
            }
            _ => self.push(piece, piece.message.clone()),
        }
        Ok(())
    }

    fn push(&mut self, piece: &Piece, message: Arc<Message>) {
        self.context.entries.push(ContextMessage {
            entry: Some(piece.entry.clone()),
            message,
        });
    }

    fn leave_out(&mut self, piece: &Piece, result: &ToolResultMessage) {
        if piece.is_omitted || self.pieces.edited_out.contains(&result.tool_call_id) {
            return;
        }
        self.context.repairs.push(Repair {
            kind: RepairKind::OrphanResult {
                entry: piece.entry.clone(),
                tool_call_id: result.tool_call_id.clone(),
            },
            is_noted: false,
        });
    }

    /// Puts one result behind the answer for each of its calls; the same id twice is told apart by
    /// the order.
    fn answer_calls(
        &mut self,
        at: usize,
        piece: &Piece,
        answer: &AssistantMessage,
    ) -> Result<(), SessionError> {
        let scope = self.scope(at);
        let is_tail = at + 1 + scope.len() == self.pieces.list.len()
            && scope.iter().all(|piece| !ends_waiting(piece));
        let mut open = Vec::new();
        for (call_index, call) in answer.tool_calls().enumerate() {
            if let Some(found) = self.result_of(at, scope, &call.id) {
                self.push_result(found, call);
                continue;
            }
            let state = self.started.state(self.tree, &piece.entry, call_index)?;
            if is_tail {
                open.push(OpenCall {
                    call_index,
                    call: call.clone(),
                    state,
                });
            } else {
                self.make_up(piece, answer.timestamp, (call_index, call), state);
            }
        }
        if !open.is_empty() {
            self.context.recovery = Some(Recovery {
                message_entry: piece.entry.clone(),
                calls: open,
            });
        }
        Ok(())
    }

    /// What stands between an answer and the next one.
    fn scope(&self, at: usize) -> &'a [Piece] {
        let rest = self.pieces.list.get(at + 1..).unwrap_or_default();
        let end = rest.iter().position(is_answer);
        rest.get(..end.unwrap_or(rest.len())).unwrap_or_default()
    }

    /// Takes the first result with this id that stands behind no call yet.
    fn result_of(&mut self, at: usize, scope: &'a [Piece], id: &str) -> Option<&'a Piece> {
        let found = scope.iter().enumerate().find(|(ahead, piece)| {
            let is_taken = self.taken.get(at + 1 + ahead) == Some(&true);
            let result = piece.message.as_tool_result();
            !is_taken && result.is_some_and(|result| &*result.tool_call_id == id)
        });
        let (ahead, piece) = found?;
        if let Some(taken) = self.taken.get_mut(at + 1 + ahead) {
            *taken = true;
        }
        Some(piece)
    }

    fn push_result(&mut self, piece: &Piece, call: &ToolCall) {
        match piece.message.as_tool_result() {
            Some(result) if piece.is_omitted => {
                let stand_in = made_up(call, TAKEN_OUT, result.is_error, result.timestamp);
                self.push(piece, stand_in);
            }
            _ => self.push(piece, piece.message.clone()),
        }
    }

    fn make_up(
        &mut self,
        piece: &Piece,
        time_ms: i64,
        (call_index, call): (usize, &ToolCall),
        state: CallState,
    ) {
        let text = match state {
            CallState::NeverStarted => NEVER_STARTED,
            CallState::OutcomeUnknown { .. } => OUTCOME_UNKNOWN,
        };
        self.context.entries.push(ContextMessage {
            entry: None,
            message: made_up(call, text, true, time_ms),
        });
        self.context.repairs.push(Repair {
            kind: RepairKind::OrphanCall {
                message_entry: piece.entry.clone(),
                call_index,
                tool_call_id: call.id.clone(),
                state,
            },
            is_noted: false,
        });
    }

    /// Counts the messages that were there when something was last summarised or edited.
    fn usage_counts_from(&self) -> usize {
        let Some(changed_at) = self.pieces.changed_at else {
            return 0;
        };
        let later = self.pieces.list.iter().find(|it| it.position > changed_at);
        let entries = &self.context.entries;
        later
            .and_then(|piece| {
                let is_it = |it: &ContextMessage| it.entry.as_ref() == Some(&piece.entry);
                entries.iter().position(is_it)
            })
            .unwrap_or(entries.len())
    }
}

/// Whether the calls of an answer are run: those of one that failed or was cancelled are not.
pub(crate) fn waits(answer: &AssistantMessage) -> bool {
    !matches!(answer.stop_reason, StopReason::Error | StopReason::Aborted)
        && answer.tool_calls().next().is_some()
}

fn is_answer(piece: &Piece) -> bool {
    !piece.is_omitted && matches!(&*piece.message, Message::Assistant(_))
}

/// Whether something was said after an answer, so that its calls wait no longer.
fn ends_waiting(piece: &Piece) -> bool {
    let is_silent = matches!(&*piece.message, Message::ToolResult(_) | Message::System(_));
    !piece.is_omitted && !is_silent
}

fn made_up(call: &ToolCall, text: &str, is_error: bool, time_ms: i64) -> Arc<Message> {
    Arc::new(Message::ToolResult(ToolResultMessage {
        tool_call_id: call.id.clone(),
        tool_name: call.name.clone(),
        content: vec![ContentBlock::text(text)],
        details: Some(Value::Object(Map::new())),
        usage: None,
        added_tool_names: Vec::new(),
        is_error,
        duration_ms: None,
        timestamp: time_ms,
        extra: Extra::new(),
    }))
}

/// Marks the repairs that the branch has on record.
pub(super) fn mark_noted(
    tree: &SessionTree,
    branch: &[SlotNumber],
    context: &mut Context,
) -> Result<(), SessionError> {
    if context.repairs.is_empty() {
        return Ok(());
    }
    let mut reader = tree.reader();
    let (mut calls, mut results) = (HashSet::new(), HashSet::new());
    for number in branch {
        let Some(slot) = tree.index.get(*number) else {
            continue;
        };
        if slot.kind != Kind::Custom(OwnKind::Repaired) {
            continue;
        }
        let text = tree.text_from(&mut reader, slot)?;
        if let Ok(Entry::Custom(entry)) = serde_json::from_str(&text)
            && let Some(data) = entry.data
            && let Ok(note) = serde_json::from_str::<RepairedNote>(data.get())
        {
            calls.extend(note.calls);
            results.extend(note.results);
        }
    }
    for repair in &mut context.repairs {
        let note = note_of(std::slice::from_ref(&*repair));
        repair.is_noted = note.calls.iter().all(|call| calls.contains(call))
            && note.results.iter().all(|result| results.contains(result));
    }
    Ok(())
}

/// What a session keeps on record of repairs.
pub(crate) fn note_of(repairs: &[Repair]) -> RepairedNote {
    let mut note = RepairedNote::default();
    for repair in repairs {
        match &repair.kind {
            RepairKind::OrphanCall {
                message_entry,
                call_index,
                tool_call_id,
                ..
            } => note.calls.push(RepairedCall {
                message_entry_id: message_entry.clone(),
                call_index: *call_index,
                tool_call_id: tool_call_id.to_string(),
            }),
            RepairKind::OrphanResult {
                entry,
                tool_call_id,
            } => note.results.push(RepairedResult {
                entry_id: entry.clone(),
                tool_call_id: tool_call_id.to_string(),
            }),
        }
    }
    note
}

/// Says a repair as a diagnostic.
pub(crate) fn finding_of(kind: &RepairKind) -> Finding {
    match kind {
        RepairKind::OrphanCall {
            message_entry,
            call_index,
            tool_call_id,
            ..
        } => Finding::OrphanCall {
            message_entry: message_entry.clone(),
            call_index: *call_index,
            tool_call_id: tool_call_id.to_string(),
        },
        RepairKind::OrphanResult {
            entry,
            tool_call_id,
        } => Finding::OrphanResult {
            entry: entry.clone(),
            tool_call_id: tool_call_id.to_string(),
        },
    }
}
