use serde_json::value::RawValue;

use super::{EntryId, LabelText, SessionTree};
use crate::error::SessionError;
use crate::index::{Kind, SlotNumber};

/// An entry and those that follow it.
///
/// Shape: names, not the nodes themselves: a session is a branch of thousands, and nesting it would
/// need as deep a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeNode {
    /// The entry.
    pub id: EntryId,
    /// What follows it, oldest first.
    pub children: Vec<EntryId>,
    /// The mark on it.
    pub label: Option<LabelText>,
}

impl SessionTree {
    /// All entries in the order of the file, each with those that follow it.
    pub fn nodes(&self) -> Vec<TreeNode> {
        let links = self.links();
        let ids = |numbers: &[SlotNumber]| {
            let numbers = numbers.iter();
            numbers
                .map(|number| self.index.shared_id(*number))
                .collect()
        };
        self.index
            .slots()
            .iter()
            .zip(&links.children)
            .map(|(slot, children)| TreeNode {
                id: slot.id.clone(),
                children: ids(children),
                label: self.index.label(&slot.id).cloned(),
            })
            .collect()
    }

    /// The whole tree as Pi's clients read it: a list of roots, each
    /// `{entry, children, label?, labelTimestamp?}`.
    ///
    /// Errors: the file cannot be read.
    pub fn nested_json(&self) -> Result<Box<RawValue>, SessionError> {
        let links = self.links();
        let mut reader = self.reader();
        let mut json = String::from("[");
        let mut open = vec![(links.roots.as_slice(), None)];
        while let Some((siblings, owner)) = open.last_mut() {
            let Some((first, rest)) = siblings.split_first() else {
                json.push(']');
                if let Some(owner) = *owner {
                    self.close_node(owner, &mut json)?;
                }
                open.pop();
                continue;
            };
            if !json.ends_with('[') {
                json.push(',');
            }
            *siblings = rest;
            json.push_str("{\"entry\":");
            match self.index.get(*first) {
                Some(slot) if slot.kind != Kind::Broken => {
                    json.push_str(&self.text_from(&mut reader, slot)?);
                }
                _ => self.push_broken(*first, &mut json)?,
            }
            json.push_str(",\"children\":[");
            let children = links.children.get(*first as usize);
            open.push((
                children.map(Vec::as_slice).unwrap_or_default(),
                Some(*first),
            ));
        }
        Ok(RawValue::from_string(json)?)
    }

    fn close_node(&self, number: SlotNumber, json: &mut String) -> Result<(), SessionError> {
        if let Some(label) = self.index.label(&self.index.shared_id(number)) {
            json.push_str(",\"label\":");
            json.push_str(&serde_json::to_string(&label.text)?);
            json.push_str(",\"labelTimestamp\":");
            json.push_str(&serde_json::to_string(&label.timestamp)?);
        }
        json.push('}');
        Ok(())
    }

    /// What can be said of an entry whose line cannot be read.
    fn push_broken(&self, number: SlotNumber, json: &mut String) -> Result<(), SessionError> {
        let slot = self.index.get(number);
        let parent = slot.and_then(|slot| slot.parent);
        let shown = serde_json::json!({
            "type": "deed.unreadable",
            "id": self.index.shared_id(number),
            "parentId": parent.map(|parent| self.index.shared_id(parent)),
        });
        json.push_str(&serde_json::to_string(&shown)?);
        Ok(())
    }

    fn links(&self) -> Links {
        let mut links = Links {
            roots: Vec::new(),
            children: vec![Vec::new(); self.index.len()],
        };
        for (number, slot) in self.index.numbered() {
            let siblings = match slot.parent {
                None => Some(&mut links.roots),
                Some(parent) => links.children.get_mut(parent as usize),
            };
            if let Some(siblings) = siblings {
                siblings.push(number);
            }
        }
        links
    }
}

/// Who follows whom.
struct Links {
    roots: Vec<SlotNumber>,
    children: Vec<Vec<SlotNumber>>,
}
