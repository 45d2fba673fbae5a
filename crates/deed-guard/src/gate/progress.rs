use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use deed_protocol::ToolResult;

/// Records of progress come no faster than this.
const INTERVAL: Duration = Duration::from_secs(1);

/// When the progress of running calls was last recorded.
#[derive(Debug, Default)]
pub(super) struct Progress(Mutex<HashMap<u64, Seen>>);

#[derive(Debug)]
struct Seen {
    recorded: Instant,
    updates: u64,
}

impl Progress {
    /// Counts an update; returns the count and the size of the content if it should be recorded.
    pub(super) fn due(&self, serial: u64, partial: &ToolResult) -> Option<(u64, u64)> {
        let now = Instant::now();
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = match calls.get_mut(&serial) {
            None => {
                let seen = Seen {
                    recorded: now,
                    updates: 1,
                };
                calls.insert(serial, seen);
                Some(1)
            }
            Some(seen) => {
                seen.updates += 1;
                let is_due = now.duration_since(seen.recorded) >= INTERVAL;
                if is_due {
                    seen.recorded = now;
                }
                is_due.then_some(seen.updates)
            }
        };
        is_due.map(|updates| (updates, text_bytes(partial)))
    }

    pub(super) fn forget(&self, serial: u64) {
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        calls.remove(&serial);
    }
}

fn text_bytes(result: &ToolResult) -> u64 {
    let texts = result.content.iter().filter_map(|block| block.as_text());
    texts.map(|text| text.len() as u64).sum()
}
