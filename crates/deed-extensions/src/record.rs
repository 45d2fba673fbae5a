use serde_json::Value;
use serde_json::value::RawValue;

/// What is written down of a session, as far as extensions may read and add to it.
pub trait SessionRecord: Send + Sync + 'static {
    /// Returns all entries as they were written, and where the session stands among them.
    ///
    /// Errors: the record cannot be read.
    fn entries(&self) -> Result<RecordedEntries, String>;

    /// Adds an entry that models never see.
    ///
    /// Errors: the record cannot be written.
    fn append_custom(&self, custom_type: &str, data: Value) -> Result<(), String>;

    /// Marks an entry; without a text the mark is taken away.
    ///
    /// Errors: there is no such entry, or the record cannot be written.
    fn set_label(&self, entry_id: &str, label: Option<&str>) -> Result<(), String>;

    /// Names the session; an empty name takes it away.
    ///
    /// Errors: the record cannot be written.
    fn set_name(&self, name: &str) -> Result<(), String>;
}

/// What is written down.
#[derive(Clone, Debug, Default)]
pub struct RecordedEntries {
    /// In the order of the record, on all branches.
    pub entries: Vec<Box<RawValue>>,
    /// The last one of the branch that the session is on.
    pub leaf_id: Option<String>,
}
