//! The messages that the entries of a branch give, before calls and results are paired.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use deed_protocol::{
    BranchSummaryMessage, CompactionEntry, CompactionSummaryMessage, ContextEditEntry,
    CustomMessage, Entry, Extra, Message, Replacement,
};

use super::Context;
use super::edits::with_content;
use crate::clock::ms_of;
use crate::diagnostic::Finding;
use crate::entry_text::read_entry;
use crate::error::SessionError;
use crate::index::{Kind, Slot, SlotNumber};
use crate::place::LineReader;
use crate::tree::{EntryId, SessionTree};

/// The messages of a branch.
pub(super) struct Pieces {
    pub(super) list: Vec<Piece>,
    /// Calls that an edit took out: that their results have no call is no fault.
    pub(super) edited_out: HashSet<Arc<str>>,
    /// Where the last summary or edit stands in the branch.
    pub(super) changed_at: Option<usize>,
}

/// A message of a branch.
pub(super) struct Piece {
    pub(super) entry: EntryId,
    /// Where its entry stands in the branch.
    pub(super) position: usize,
    pub(super) message: Arc<Message>,
    /// Whether an edit left it out.
    pub(super) is_omitted: bool,
}

type Edits = HashMap<EntryId, Option<Replacement>>;

pub(super) fn read(
    tree: &SessionTree,
    branch: &[SlotNumber],
    context: &mut Context,
) -> Result<Pieces, SessionError> {
    let mut walk = Walk {
        tree,
        reader: tree.reader(),
        context,
        pieces: Pieces {
            list: Vec::new(),
            edited_out: HashSet::new(),
            changed_at: None,
        },
    };
    walk.pieces.changed_at = branch.iter().rposition(|number| {
        let kind = tree.index.get(*number).map(|slot| slot.kind);
        matches!(kind, Some(Kind::Compaction | Kind::ContextEdit))
    });
    let mut first = 0;
    if let Some((at, compaction)) = walk.last_compaction(branch)? {
        let from = walk.first_kept(branch, at, &compaction);
        let edits = walk.edits(branch, from)?;
        walk.push_summary(branch, at, &compaction);
        walk.context.compaction = Some(compaction);
        walk.push_all(branch, from..at, &edits)?;
        first = at + 1;
        walk.push_all(branch, first..branch.len(), &edits)?;
    } else {
        let edits = walk.edits(branch, first)?;
        walk.push_all(branch, first..branch.len(), &edits)?;
    }
    Ok(walk.pieces)
}

struct Walk<'a> {
    tree: &'a SessionTree,
    reader: LineReader<'a>,
    context: &'a mut Context,
    pieces: Pieces,
}

impl<'a> Walk<'a> {
    fn slot(&self, branch: &[SlotNumber], at: usize) -> Option<&'a Slot> {
        branch
            .get(at)
            .and_then(|number| self.tree.index.get(*number))
    }

    fn last_compaction(
        &mut self,
        branch: &[SlotNumber],
    ) -> Result<Option<(usize, Arc<CompactionEntry>)>, SessionError> {
        for at in (0..branch.len()).rev() {
            if let Some(slot) = self.slot(branch, at)
                && slot.kind == Kind::Compaction
                && let Some(Entry::Compaction(entry)) = self.entry(slot)?
            {
                return Ok(Some((at, Arc::new(entry))));
            }
        }
        Ok(None)
    }

    /// Where the entries begin that a compaction keeps; the compaction itself if none is.
    fn first_kept(&mut self, branch: &[SlotNumber], at: usize, entry: &CompactionEntry) -> usize {
        let first_kept = &entry.first_kept_entry_id;
        let found = (0..at).find(|before| {
            self.slot(branch, *before)
                .is_some_and(|slot| slot.id == *first_kept)
        });
        if found.is_none() && *first_kept != entry.base.id {
            let what = Finding::MissingKept {
                id: entry.base.id.clone(),
                first_kept: first_kept.clone(),
            };
            let diagnostic = self.tree.finding(self.slot(branch, at), what);
            self.context.diagnostics.push(diagnostic);
        }
        found.unwrap_or(at)
    }

    fn edits(&mut self, branch: &[SlotNumber], from: usize) -> Result<Edits, SessionError> {
        let mut edits = Edits::new();
        for at in from..branch.len() {
            if let Some(slot) = self.slot(branch, at)
                && slot.kind == Kind::ContextEdit
                && let Some(Entry::ContextEdit(entry)) = self.entry(slot)?
            {
                let ContextEditEntry {
                    target_id,
                    replacement,
                    ..
                } = entry;
                edits.insert(target_id, replacement);
            }
        }
        Ok(edits)
    }

    fn push_summary(&mut self, branch: &[SlotNumber], at: usize, entry: &CompactionEntry) {
        let summary = Message::CompactionSummary(CompactionSummaryMessage {
            summary: entry.summary.clone(),
            tokens_before: entry.tokens_before,
            timestamp: ms_of(&entry.base.timestamp).unwrap_or_default(),
            extra: Extra::new(),
        });
        let system = entry.system_message.clone();
        let system = system.filter(|message| matches!(&**message, Message::System(_)));
        if let Some(slot) = self.slot(branch, at) {
            for message in system.into_iter().chain([Arc::new(summary)]) {
                self.pieces.list.push(Piece {
                    entry: slot.id.clone(),
                    position: at,
                    message,
                    is_omitted: false,
                });
            }
        }
    }

    fn push_all(
        &mut self,
        branch: &[SlotNumber],
        range: std::ops::Range<usize>,
        edits: &Edits,
    ) -> Result<(), SessionError> {
        // What the summary stands for has its system messages in the compaction entry.
        let is_before_summary = self.context.compaction.is_some() && range.end < branch.len();
        for at in range {
            let Some(slot) = self.slot(branch, at) else {
                continue;
            };
            if !slot.kind.speaks() || slot.kind == Kind::Compaction {
                continue;
            }
            let Some(message) = self.entry(slot)?.and_then(message_of) else {
                continue;
            };
            if is_before_summary && matches!(&*message, Message::System(_)) {
                continue;
            }
            self.push(slot, at, message, edits);
        }
        Ok(())
    }

    fn push(&mut self, slot: &Slot, at: usize, mut message: Arc<Message>, edits: &Edits) {
        let edit = edits.get(&slot.id);
        if edit.is_some()
            && let Some(answer) = message.as_assistant()
        {
            let calls = answer.tool_calls().map(|call| call.id.clone());
            self.pieces.edited_out.extend(calls);
        }
        let is_omitted = matches!(edit, Some(None));
        if let Some(Some(replacement)) = edit {
            message = with_content(&message, &replacement.content);
        }
        self.pieces.list.push(Piece {
            entry: slot.id.clone(),
            position: at,
            message,
            is_omitted,
        });
    }

    /// Reads an entry; one that cannot be read gives nothing and is told.
    fn entry(&mut self, slot: &Slot) -> Result<Option<Entry>, SessionError> {
        let text = self.tree.text_from(&mut self.reader, slot)?;
        let what = match read_entry(slot.kind, &text) {
            Ok(entry) if entry.base().is_none_or(|base| base.id == slot.id) => {
                return Ok(Some(entry));
            }
            Ok(_) => Finding::ChangedOnDisk {
                id: slot.id.clone(),
            },
            Err(error) => Finding::UnreadableEntry {
                id: slot.id.clone(),
                reason: error.to_string(),
            },
        };
        let diagnostic = self.tree.finding(Some(slot), what);
        self.context.diagnostics.push(diagnostic);
        Ok(None)
    }
}

fn message_of(entry: Entry) -> Option<Arc<Message>> {
    match entry {
        Entry::Message(entry) => Some(entry.message),
        Entry::CustomMessage(entry) => Some(Arc::new(Message::Custom(CustomMessage {
            custom_type: entry.custom_type,
            content: entry.content,
            display: entry.display,
            details: entry.details,
            timestamp: ms_of(&entry.base.timestamp).unwrap_or_default(),
            extra: entry.extra,
        }))),
        Entry::BranchSummary(entry) if !entry.summary.is_empty() => {
            Some(Arc::new(Message::BranchSummary(BranchSummaryMessage {
                summary: entry.summary,
                from_id: entry.from_id,
                timestamp: ms_of(&entry.base.timestamp).unwrap_or_default(),
                extra: Extra::new(),
            })))
        }
        _ => None,
    }
}
