//! The entries of a session: for each its place in the tree and in the file, not its content.

use std::collections::HashMap;
use std::sync::Arc;

use deed_protocol::{Entry, LabelEntry, Message};

use crate::own::OwnKind;
use crate::place::Place;
use crate::tree::{EntryId, LabelText};

/// What an entry is, as far as finding the right ones needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Message(Role),
    ModelChange,
    ThinkingLevelChange,
    Compaction,
    BranchSummary,
    ContextEdit,
    Custom(OwnKind),
    CustomMessage,
    Label,
    SessionInfo,
    Usage,
    /// A type that Deed does not know.
    Unknown,
    /// A line of which no more can be read than its place in the tree.
    Broken,
}

/// Who speaks in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    User,
    Assistant,
    ToolResult {
        /// Whether it names tools that the call made active.
        adds_tools: bool,
    },
    Other,
}

const KINDS: &[(&str, Kind)] = &[
    ("message", Kind::Message(Role::Other)),
    ("model_change", Kind::ModelChange),
    ("thinking_level_change", Kind::ThinkingLevelChange),
    ("compaction", Kind::Compaction),
    ("branch_summary", Kind::BranchSummary),
    ("context_edit", Kind::ContextEdit),
    ("custom", Kind::Custom(OwnKind::Foreign)),
    ("custom_message", Kind::CustomMessage),
    ("label", Kind::Label),
    ("session_info", Kind::SessionInfo),
    ("usage", Kind::Usage),
];

impl Kind {
    /// The kind that goes with the word in `type`, before role and custom type are looked at.
    pub(crate) fn of_word(word: &str) -> Self {
        KINDS
            .iter()
            .find(|(known, _)| *known == word)
            .map_or(Self::Unknown, |(_, kind)| *kind)
    }

    /// Whether such an entry can give something to the context.
    pub(crate) fn speaks(self) -> bool {
        matches!(
            self,
            Self::Message(_) | Self::CustomMessage | Self::BranchSummary | Self::Compaction
        )
    }

    /// Whether a session with such an entry is worth a file.
    pub(crate) fn is_conversation(self) -> bool {
        matches!(self, Self::Message(Role::User | Role::Assistant))
    }

    pub(crate) fn of(entry: &Entry) -> Self {
        match entry {
            Entry::Message(entry) => Self::Message(Role::of(&entry.message)),
            Entry::ModelChange(_) => Self::ModelChange,
            Entry::ThinkingLevelChange(_) => Self::ThinkingLevelChange,
            Entry::Compaction(_) => Self::Compaction,
            Entry::BranchSummary(_) => Self::BranchSummary,
            Entry::ContextEdit(_) => Self::ContextEdit,
            Entry::Custom(entry) => Self::Custom(OwnKind::of_word(&entry.custom_type)),
            Entry::CustomMessage(_) => Self::CustomMessage,
            Entry::Label(_) => Self::Label,
            Entry::SessionInfo(_) => Self::SessionInfo,
            Entry::Usage(_) => Self::Usage,
            Entry::Unknown(_) => Self::Unknown,
        }
    }
}

impl Role {
    fn of(message: &Message) -> Self {
        match message {
            Message::User(_) => Self::User,
            Message::Assistant(_) => Self::Assistant,
            Message::ToolResult(result) => Self::ToolResult {
                adds_tools: !result.added_tool_names.is_empty(),
            },
            _ => Self::Other,
        }
    }

    pub(crate) fn of_word(word: &str, adds_tools: bool) -> Self {
        match word {
            "user" => Self::User,
            "assistant" => Self::Assistant,
            "toolResult" => Self::ToolResult { adds_tools },
            _ => Self::Other,
        }
    }
}

/// The number of an entry in its session, in the order of the file.
pub(crate) type SlotNumber = u32;

/// One entry.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub(crate) id: EntryId,
    pub(crate) parent: Option<SlotNumber>,
    pub(crate) kind: Kind,
    pub(crate) place: Place,
    /// The line it was read from; 0 if it was made here.
    pub(crate) line_1based: u64,
}

/// All entries, and what is looked up often.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    slots: Vec<Slot>,
    by_id: HashMap<EntryId, SlotNumber>,
    labels: HashMap<EntryId, LabelText>,
    name: Option<String>,
}

impl Index {
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(crate) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    pub(crate) fn slots_mut(&mut self) -> &mut [Slot] {
        &mut self.slots
    }

    pub(crate) fn get(&self, number: SlotNumber) -> Option<&Slot> {
        self.slots.get(number as usize)
    }

    pub(crate) fn number_of(&self, id: &str) -> Option<SlotNumber> {
        self.by_id.get(id).copied()
    }

    pub(crate) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    pub(crate) fn label(&self, id: &str) -> Option<&LabelText> {
        self.labels.get(id)
    }

    /// Adds an entry behind all others; its id stands for it from now on.
    pub(crate) fn push(&mut self, slot: Slot) -> SlotNumber {
        let number = SlotNumber::try_from(self.slots.len()).unwrap_or(SlotNumber::MAX);
        self.by_id.insert(slot.id.clone(), number);
        self.slots.push(slot);
        number
    }

    pub(crate) fn set_parent(&mut self, number: SlotNumber, parent: Option<SlotNumber>) {
        if let Some(slot) = self.slots.get_mut(number as usize) {
            slot.parent = parent;
        }
    }

    pub(crate) fn set_name(&mut self, name: Option<&str>) {
        let name = name.map(str::trim).filter(|name| !name.is_empty());
        self.name = name.map(str::to_owned);
    }

    pub(crate) fn set_label(&mut self, entry: &LabelEntry) {
        let target = entry.target_id.clone();
        match entry.label.as_deref().filter(|text| !text.is_empty()) {
            None => {
                self.labels.remove(&target);
            }
            Some(text) => {
                let label = LabelText {
                    text: text.to_owned(),
                    timestamp: entry.base.timestamp.clone(),
                };
                self.labels.insert(target, label);
            }
        }
    }

    /// The branch that ends at an entry, from its root on.
    pub(crate) fn branch(&self, leaf: Option<SlotNumber>) -> Vec<SlotNumber> {
        let mut branch = Vec::new();
        let mut next = leaf;
        while let Some(number) = next
            && let Some(slot) = self.get(number)
            && branch.len() < self.slots.len()
        {
            branch.push(number);
            next = slot.parent;
        }
        branch.reverse();
        branch
    }

    /// The last entry that is more than a place.
    pub(crate) fn last(&self) -> Option<SlotNumber> {
        let at = self
            .slots
            .iter()
            .rposition(|slot| slot.kind != Kind::Broken)?;
        SlotNumber::try_from(at).ok()
    }

    pub(crate) fn numbered(&self) -> impl Iterator<Item = (SlotNumber, &Slot)> {
        (0..).zip(&self.slots)
    }

    pub(crate) fn is_conversation(&self) -> bool {
        self.slots.iter().any(|slot| slot.kind.is_conversation())
    }

    pub(crate) fn shared_id(&self, number: SlotNumber) -> EntryId {
        self.get(number)
            .map_or_else(|| Arc::from(""), |slot| slot.id.clone())
    }
}
