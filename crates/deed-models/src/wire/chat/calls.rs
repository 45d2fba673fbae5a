use serde::de::IgnoredAny;

use crate::assemble::{Assembler, Key};

/// The part of a key that tells calls from texts and thoughts.
const CALLS: u64 = 1;

/// Finds out which call a piece belongs to.
///
/// Servers leave out the index, give every call index 0, repeat id and name in every piece, or make
/// up a new id for each.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// The key of the call that an index means at present.
    by_index: Vec<(u64, Key)>,
    count: u64,
}

impl Calls {
    /// Returns the key of the call that a piece with these marks belongs to.
    pub(super) fn place(
        &mut self,
        index: Option<u64>,
        id: &str,
        name: &str,
        answer: &mut Assembler,
    ) -> Key {
        let current = match index {
            Some(index) => self
                .by_index
                .iter()
                .rev()
                .find(|(known, _)| *known == index)
                .map(|(_, key)| *key),
            None => self.of_id(id, answer).or_else(|| self.last()),
        };
        match current {
            Some(key) if !begins_another(key, id, name, answer) => key,
            _ => self.begin(index),
        }
    }

    fn begin(&mut self, index: Option<u64>) -> Key {
        let key = (CALLS, self.count);
        self.count += 1;
        // Without an index it must not be found by one.
        if let Some(index) = index {
            self.by_index.push((index, key));
        }
        key
    }

    fn last(&self) -> Option<Key> {
        Some((CALLS, self.count.checked_sub(1)?))
    }

    fn of_id(&self, id: &str, answer: &mut Assembler) -> Option<Key> {
        if id.is_empty() {
            return None;
        }
        let mut keys = (0..self.count).rev().map(|count| (CALLS, count));
        keys.find(|key| answer.draft(*key).is_some_and(|draft| &*draft.id == id))
    }
}

/// Tells whether a piece that seems to belong to a call begins another.
///
/// A name and an id of its own say so, if the call before has a whole object for arguments or
/// another name: a server that makes up an id for every piece repeats neither.
fn begins_another(key: Key, id: &str, name: &str, answer: &mut Assembler) -> bool {
    if name.is_empty() {
        return false;
    }
    let real = answer.real_name(name);
    let Some(draft) = answer.draft(key) else {
        return false;
    };
    if !id.is_empty() && *draft.id == *id {
        return false;
    }
    let is_other_id = !id.is_empty() && !draft.id.is_empty();
    let is_whole = || serde_json::from_str::<IgnoredAny>(&draft.arguments).is_ok();
    let is_other_name = !draft.name.is_empty() && draft.name != real;
    if id.is_empty() && draft.id.is_empty() {
        // Nothing but the name is left: one that repeats it says nothing before the call is whole.
        return is_other_name || is_whole();
    }
    is_other_id && (is_other_name || is_whole())
}
