use std::sync::Arc;

/// What a running tool may make its host do.
///
/// None of these waits: the host acts as soon as it can.
pub trait HostActions: Send + Sync + 'static {
    /// Cancels the run.
    fn abort(&self) {}

    /// Compacts the transcript when the run has ended.
    fn compact(&self, instructions: Option<&str>) {
        let _ = instructions;
    }

    /// Returns the names of the active tools in order.
    fn active_tools(&self) -> Vec<Arc<str>> {
        Vec::new()
    }

    /// Changes the active set from the next model request on, in one step.
    ///
    /// Names that are not known or not allowed are ignored.
    fn change_active_tools(&self, change: &ActiveChange) -> ActiveChanged {
        let _ = change;
        ActiveChanged::default()
    }

    /// Makes exactly these tools active.
    fn set_active_tools(&self, names: &[Arc<str>]) -> ActiveChanged {
        self.change_active_tools(&ActiveChange::Set(names.to_vec()))
    }

    /// Makes these tools active too.
    fn activate_tools(&self, names: &[Arc<str>]) -> ActiveChanged {
        self.change_active_tools(&ActiveChange::Add(names.to_vec()))
    }

    /// Makes these tools inactive.
    fn deactivate_tools(&self, names: &[Arc<str>]) -> ActiveChanged {
        self.change_active_tools(&ActiveChange::Remove(names.to_vec()))
    }
}

/// What should become of the active set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActiveChange {
    /// These and no others.
    Set(Vec<Arc<str>>),
    /// These too.
    Add(Vec<Arc<str>>),
    /// No longer these.
    Remove(Vec<Arc<str>>),
}

/// What became of the active set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActiveChanged {
    /// All that are active now, in order.
    pub active: Vec<Arc<str>>,
    /// Those that were not active before.
    pub added: Vec<Arc<str>>,
    /// Those that were active before.
    pub removed: Vec<Arc<str>>,
}

/// Nothing can be done.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoActions;

impl HostActions for NoActions {}
