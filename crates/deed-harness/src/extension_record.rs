//! The record of the session, as extensions see it.

use deed_extensions::{RecordedEntries, SessionRecord};
use deed_protocol::EventBody;
use deed_session::{Session, SessionError};
use serde_json::Value;

use crate::extensions::ExtensionSide;

impl ExtensionSide {
    /// Does something with the record, if the session keeps one that is open.
    fn on_record<T>(
        &self,
        act: impl FnOnce(&mut Session) -> Result<T, SessionError>,
    ) -> Result<Option<T>, String> {
        let journal = self.source.journal.as_ref();
        let done = journal.and_then(|journal| journal.with(act));
        done.transpose().map_err(|error| error.to_string())
    }
}

impl SessionRecord for ExtensionSide {
    fn entries(&self) -> Result<RecordedEntries, String> {
        let read = self.on_record(|record| {
            Ok(RecordedEntries {
                entries: record.view().raw_entries(None)?,
                leaf_id: record.leaf().map(ToString::to_string),
            })
        });
        Ok(read?.unwrap_or_default())
    }

    fn append_custom(&self, custom_type: &str, mut data: Value) -> Result<(), String> {
        if let Some(journal) = &self.source.journal {
            journal.redact(&mut data);
        }
        let added = self.on_record(|record| {
            let id = record.append_custom(custom_type, &data)?;
            Ok(serde_json::to_value(record.view().entry(&id)?)?)
        })?;
        if let Some(entry) = added {
            self.tell(EventBody::EntryAppended { entry });
        }
        Ok(())
    }

    fn set_label(&self, entry_id: &str, label: Option<&str>) -> Result<(), String> {
        let marked = self.on_record(|record| record.append_label(entry_id, label));
        marked.map(drop)
    }

    fn set_name(&self, name: &str) -> Result<(), String> {
        let named = self.on_record(|record| {
            record.append_name(name)?;
            Ok(record.view().name().map(str::to_owned))
        })?;
        if let Some(name) = named {
            self.tell(EventBody::SessionInfoChanged { name });
        }
        Ok(())
    }
}
