use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

/// Timers of a script, by the ids it gives them.
#[derive(Default)]
pub(crate) struct Timers {
    /// By time, and among those of one time in the order in which they were set.
    due: BTreeMap<(Instant, u64), u32>,
    by_id: HashMap<u32, (Instant, u64)>,
    set: u64,
}

/// Beyond this, a timer never fires as far as anybody can tell.
const MAX_DELAY_MS: f64 = 2_147_483_647.0;

impl Timers {
    /// Units: milliseconds; what is no sensible number counts as 0.
    pub(crate) fn set(&mut self, id: u32, delay_ms: f64) {
        let delay_ms = if delay_ms.is_nan() {
            0.0
        } else {
            delay_ms.clamp(0.0, MAX_DELAY_MS)
        };
        self.clear(id);
        self.set += 1;
        let key = (
            Instant::now() + Duration::from_secs_f64(delay_ms / 1000.0),
            self.set,
        );
        self.due.insert(key, id);
        self.by_id.insert(id, key);
    }

    pub(crate) fn clear(&mut self, id: u32) {
        if let Some(key) = self.by_id.remove(&id) {
            self.due.remove(&key);
        }
    }

    pub(crate) fn next(&self) -> Option<Instant> {
        self.due.keys().next().map(|(at, _)| *at)
    }

    /// Takes the timers whose time has come; those set meanwhile wait for the next turn.
    pub(crate) fn take_due(&mut self) -> Vec<u32> {
        let now = Instant::now();
        let mut due = Vec::new();
        while let Some(entry) = self.due.first_entry()
            && entry.key().0 <= now
        {
            let id = entry.remove();
            self.by_id.remove(&id);
            due.push(id);
        }
        due
    }
}
