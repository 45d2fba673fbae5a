use std::fmt;
use std::sync::{Arc, Mutex, Weak};

use crate::ops::lock;
use crate::running::Running;

/// What extensions of one session tell each other (`pi.events`): JSON, since each has an engine of
/// its own.
#[derive(Clone, Default)]
pub struct ScriptBus(Arc<Mutex<Vec<Weak<Running>>>>);

impl ScriptBus {
    /// Makes a bus that nobody is on.
    pub fn new() -> Self {
        Self::default()
    }

    pub(crate) fn join(&self, running: &Arc<Running>) {
        lock(&self.0).push(Arc::downgrade(running));
    }

    /// Tells all but the one who speaks.
    pub(crate) fn tell(&self, from: &Arc<Running>, channel: &str, json: &str) {
        let mut all = lock(&self.0);
        all.retain(|one| one.strong_count() > 0);
        let others = all.iter().filter_map(Weak::upgrade);
        let others: Vec<_> = others.filter(|one| !Arc::ptr_eq(one, from)).collect();
        drop(all);
        for other in others {
            other.tell("bus", vec![channel.to_owned(), json.to_owned()]);
        }
    }
}

impl fmt::Debug for ScriptBus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ScriptBus")
    }
}
