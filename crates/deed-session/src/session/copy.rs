//! Copying entries from one session to another, to the letter but for what ties them together.

use std::collections::HashMap;
use std::sync::Arc;

use deed_protocol::{Entry, EntryBase, Extra, LabelEntry};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::Session;
use crate::clock::entry_id;
use crate::error::SessionError;
use crate::index::{Kind, Slot, SlotNumber};
use crate::place::Place;
use crate::tree::{EntryId, LabelText, SessionTree};

pub(super) struct Copying<'a> {
    source: &'a SessionTree,
    to: &'a mut SessionTree,
    /// The number of each copied entry in the copy.
    copied: HashMap<SlotNumber, SlotNumber>,
}

impl<'a> Copying<'a> {
    pub(super) fn new(source: &'a SessionTree, to: &'a mut SessionTree) -> Self {
        Self {
            source,
            to,
            copied: HashMap::new(),
        }
    }

    /// Copies those entries of some kinds that can be read; what is left out is bridged.
    pub(super) fn copy(
        &mut self,
        numbers: &[SlotNumber],
        is_wanted: fn(Kind) -> bool,
    ) -> Result<(), SessionError> {
        let index = &self.source.index;
        let (mut kept, mut stand_ins, mut left_out) = (Vec::new(), HashMap::new(), Vec::new());
        for number in numbers {
            let Some(slot) = index.get(*number) else {
                continue;
            };
            if slot.kind == Kind::Broken || !is_wanted(slot.kind) {
                left_out.push(slot.id.clone());
                continue;
            }
            for id in left_out.drain(..) {
                stand_ins.insert(id, slot.id.clone());
            }
            let new = SlotNumber::try_from(kept.len()).unwrap_or(SlotNumber::MAX);
            self.copied.insert(*number, new);
            kept.push((*number, slot));
        }
        let source = self.source;
        let mut reader = source.reader();
        for (number, slot) in kept {
            let parent = self.kept_ancestor(number);
            let text = source.text_from(&mut reader, slot)?;
            let parent_id = parent.map(|parent| source.index.shared_id(parent));
            let text = with_links(&text, parent_id.as_deref(), &stand_ins);
            let parent = parent.and_then(|parent| self.copied.get(&parent).copied());
            self.hold(slot, text, parent);
        }
        self.to.leaf = self.to.index.last();
        Ok(())
    }

    /// Appends copies of entries behind the leaf.
    pub(super) fn append(&mut self, numbers: &[SlotNumber]) -> Result<(), SessionError> {
        let mut reader = self.source.reader();
        for number in numbers {
            let Some(slot) = self.source.index.get(*number) else {
                continue;
            };
            let text = self.source.text_from(&mut reader, slot)?;
            let parent_id = self.to.leaf().cloned();
            let text = with_links(&text, parent_id.as_deref(), &HashMap::new());
            let leaf = self.to.leaf;
            self.to.leaf = Some(self.hold(slot, text, leaf));
        }
        Ok(())
    }

    fn kept_ancestor(&self, number: SlotNumber) -> Option<SlotNumber> {
        let parent_of = |number| self.source.index.get(number)?.parent;
        let mut next = parent_of(number);
        while let Some(parent) = next
            && !self.copied.contains_key(&parent)
        {
            next = parent_of(parent);
        }
        next
    }

    fn hold(&mut self, slot: &Slot, text: String, parent: Option<SlotNumber>) -> SlotNumber {
        match slot.kind {
            Kind::SessionInfo => {
                if let Ok(Entry::SessionInfo(entry)) = serde_json::from_str(&text) {
                    self.to.index.set_name(entry.name.as_deref());
                }
            }
            Kind::Label => {
                if let Ok(Entry::Label(entry)) = serde_json::from_str(&text) {
                    self.to.index.set_label(&entry);
                }
            }
            _ => {}
        }
        self.to.index.push(Slot {
            id: slot.id.clone(),
            parent,
            kind: slot.kind,
            place: Place::Held(text.into()),
            line_1based: 0,
        })
    }
}

impl Session {
    /// Puts a mark behind the leaf, with the time that it had.
    pub(super) fn hold_label(
        &mut self,
        target: &EntryId,
        label: &LabelText,
    ) -> Result<(), SessionError> {
        let entry = LabelEntry {
            base: EntryBase {
                id: entry_id(&self.config.random, |id| self.tree.contains(id)),
                parent_id: self.tree.leaf().cloned(),
                timestamp: label.timestamp.clone(),
            },
            target_id: target.clone(),
            label: Some(label.text.clone()),
            extra: Extra::new(),
        };
        self.tree.index.set_label(&entry);
        let id = entry.base.id.clone();
        let line = serde_json::to_string(&Entry::Label(entry))?;
        let number = self.tree.index.push(Slot {
            id,
            parent: self.tree.leaf,
            kind: Kind::Label,
            place: Place::Held(line.into()),
            line_1based: 0,
        });
        self.tree.leaf = Some(number);
        Ok(())
    }
}

/// What ties an entry to others, as it stands in its line.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Links<'a> {
    #[serde(default, borrow)]
    parent_id: Option<&'a RawValue>,
    #[serde(default, borrow)]
    first_kept_entry_id: Option<&'a RawValue>,
}

/// Ties an entry to another parent, and to what stands in for an entry that it names.
fn with_links(line: &str, parent: Option<&str>, stand_ins: &HashMap<EntryId, EntryId>) -> String {
    let Ok(links) = serde_json::from_str::<Links<'_>>(line) else {
        return line.to_owned();
    };
    let mut changes = Vec::new();
    let parent = parent.map_or_else(|| "null".to_owned(), quoted);
    match links.parent_id {
        Some(now) if now.get() == parent => {}
        Some(now) => changes.push((now.get(), parent)),
        None if parent == "null" => {}
        None => return with_links_added(line, &parent),
    }
    let first_kept = links.first_kept_entry_id.map(RawValue::get);
    if let Some(now) = first_kept
        && let Ok(id) = serde_json::from_str::<Arc<str>>(now)
        && let Some(stand_in) = stand_ins.get(&id)
    {
        changes.push((now, quoted(stand_in)));
    }
    changes.sort_by_key(|(now, _)| std::cmp::Reverse(now.as_ptr() as usize));
    let mut text = line.to_owned();
    for (now, new) in changes {
        let start = (now.as_ptr() as usize).saturating_sub(line.as_ptr() as usize);
        text.replace_range(start..start + now.len(), &new);
    }
    text
}

fn with_links_added(line: &str, parent: &str) -> String {
    match line.split_once('{') {
        Some((before, rest)) => format!("{before}{{\"parentId\":{parent},{rest}"),
        None => line.to_owned(),
    }
}

fn quoted(id: &str) -> String {
    serde_json::Value::from(id).to_string()
}
