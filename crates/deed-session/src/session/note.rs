//! Putting on record what was repaired.

use deed_protocol::{CustomEntry, Entry, Extra};
use serde_json::value::to_raw_value;

use super::Session;
use crate::context::{Context, Repair, note_of};
use crate::error::SessionError;
use crate::own::REPAIRED;

impl Session {
    pub(super) fn remember_repairs(&mut self, context: &Context) {
        let repairs = context.repairs.iter();
        self.unnoted = Some(repairs.filter(|it| !it.is_noted).cloned().collect());
    }

    /// Appends a note of the repairs that are not on record, once for each.
    pub(super) fn note_repairs(&mut self) -> Result<(), SessionError> {
        if self.unnoted.is_none() {
            let context = self.tree.context()?;
            self.remember_repairs(&context);
        }
        let repairs: Vec<Repair> = self.unnoted.take().unwrap_or_default();
        self.unnoted = Some(Vec::new());
        if repairs.is_empty() {
            return Ok(());
        }
        let data = to_raw_value(&note_of(&repairs))?;
        let make = |base| {
            Entry::Custom(CustomEntry {
                base,
                custom_type: REPAIRED.to_owned(),
                data: Some(data),
                extra: Extra::new(),
            })
        };
        let written = self.write_all(vec![make]);
        if written.is_err() {
            self.unnoted = Some(repairs);
        }
        written.map(|_| ())
    }
}
