//! Which calls began.

use std::collections::{HashMap, HashSet};

use deed_protocol::Entry;

use super::CallState;
use crate::error::SessionError;
use crate::index::{Kind, SlotNumber};
use crate::own::{OwnKind, StartedNote};
use crate::tree::{EntryId, SessionTree};

/// The calls of a session that began, on whichever branch: an effect is no less one because
/// somebody went back before it.
#[derive(Default)]
pub(super) struct Started {
    hashes: Option<HashMap<(EntryId, usize), String>>,
}

impl Started {
    pub(super) fn state(
        &mut self,
        tree: &SessionTree,
        message_entry: &EntryId,
        call_index: usize,
    ) -> Result<CallState, SessionError> {
        let hashes = match self.hashes.take() {
            Some(hashes) => hashes,
            None => all(tree)?,
        };
        let hashes = self.hashes.insert(hashes);
        let found = hashes.get(&(message_entry.clone(), call_index));
        Ok(match found {
            None => CallState::NeverStarted,
            Some(args_sha256) => CallState::OutcomeUnknown {
                args_sha256: args_sha256.clone(),
            },
        })
    }
}

fn all(tree: &SessionTree) -> Result<HashMap<(EntryId, usize), String>, SessionError> {
    let notes = notes(tree)?.into_iter();
    Ok(notes
        .map(|(_, note)| ((note.message_entry_id, note.call_index), note.args_sha256))
        .collect())
}

/// Which calls of an answer began.
pub(crate) fn started_indices(
    tree: &SessionTree,
    message_entry: &str,
) -> Result<Vec<usize>, SessionError> {
    let notes = notes(tree)?.into_iter();
    Ok(notes
        .filter(|(_, note)| &*note.message_entry_id == message_entry)
        .map(|(_, note)| note.call_index)
        .collect())
}

/// The entries beside a branch that tell of calls of this branch that they began.
pub(crate) fn started_elsewhere(
    tree: &SessionTree,
    branch: &[SlotNumber],
) -> Result<Vec<SlotNumber>, SessionError> {
    let on_branch: HashSet<SlotNumber> = branch.iter().copied().collect();
    let notes = notes(tree)?.into_iter();
    Ok(notes
        .filter(|(number, note)| {
            let message = tree.index.number_of(&note.message_entry_id);
            let is_ours = message.is_some_and(|message| on_branch.contains(&message));
            is_ours && !on_branch.contains(number)
        })
        .map(|(number, _)| number)
        .collect())
}

fn notes(tree: &SessionTree) -> Result<Vec<(SlotNumber, StartedNote)>, SessionError> {
    let mut reader = tree.reader();
    let mut notes = Vec::new();
    for (number, slot) in tree.index.numbered() {
        if slot.kind != Kind::Custom(OwnKind::Started) {
            continue;
        }
        let text = tree.text_from(&mut reader, slot)?;
        if let Ok(Entry::Custom(entry)) = serde_json::from_str(&text)
            && let Some(data) = entry.data
            && let Ok(note) = serde_json::from_str(data.get())
        {
            notes.push((number, note));
        }
    }
    Ok(notes)
}
