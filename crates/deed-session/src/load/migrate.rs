//! Reading the versions 1 and 2 as version 3, without taking their lines apart.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::tree::EntryId;

/// The role of extension messages in version 2.
pub(super) const HOOK_ROLE: &str = "hookMessage";

/// The ids that entries of a version 1 file get: it has none, and its entries follow one another.
#[derive(Debug, Default)]
pub(super) struct LinearIds {
    /// For each line that could be read its id, in the order of the file; the header has none.
    by_line: Vec<Option<EntryId>>,
    last: Option<EntryId>,
}

impl LinearIds {
    pub(super) fn of_header() -> Self {
        Self {
            by_line: vec![None],
            last: None,
        }
    }

    /// Makes the version 2 line of the next entry.
    ///
    /// Shape: the same ids at each reading, so that what names an entry stays right.
    pub(super) fn line_of_next(&mut self, line: &str) -> (EntryId, Option<EntryId>, String) {
        let id: EntryId = Arc::from(format!("{:08x}", self.by_line.len()));
        let parent = self.last.replace(id.clone());
        self.by_line.push(Some(id.clone()));
        let parent_json = match &parent {
            Some(parent) => format!("\"{parent}\""),
            None => "null".to_owned(),
        };
        let mut added = format!("\"id\":\"{id}\",\"parentId\":{parent_json}");
        if let Some(kept) = self.first_kept(line) {
            added.push_str(&format!(",\"firstKeptEntryId\":\"{kept}\""));
        }
        (id, parent, with_members(line, &added))
    }

    /// Version 1 names the first kept entry by its number in the file.
    fn first_kept(&self, line: &str) -> Option<&EntryId> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Numbered {
            first_kept_entry_index: Option<usize>,
        }
        if !line.contains("firstKeptEntryIndex") {
            return None;
        }
        let numbered: Numbered = serde_json::from_str(line).ok()?;
        self.by_line.get(numbered.first_kept_entry_index?)?.as_ref()
    }
}

/// Puts members before those of an object; the line is known to be one that is not empty.
fn with_members(line: &str, members: &str) -> String {
    match line.split_once('{') {
        Some((before, rest)) => format!("{before}{{{members},{rest}"),
        None => line.to_owned(),
    }
}

/// Gives a message of version 2 the role that it has in version 3.
pub(super) fn with_custom_role(line: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Spoken<'a> {
        #[serde(borrow)]
        message: Roled<'a>,
    }
    #[derive(Deserialize)]
    struct Roled<'a> {
        #[serde(borrow)]
        role: &'a RawValue,
    }
    let role = serde_json::from_str::<Spoken<'_>>(line)
        .ok()?
        .message
        .role
        .get();
    let start = (role.as_ptr() as usize).checked_sub(line.as_ptr() as usize)?;
    let (before, after) = (line.get(..start)?, line.get(start + role.len()..)?);
    Some(format!("{before}\"custom\"{after}"))
}
