use std::time::{Duration, Instant};

use deed_agent::UpdateSink;
use deed_protocol::ToolResult;
use serde_json::json;

const INTERVAL: Duration = Duration::from_millis(250);

/// Shows how far a query is, at most a few times a second.
#[derive(Debug)]
pub(crate) struct Progress {
    updates: UpdateSink,
    shown: Instant,
}

impl Progress {
    /// Says that the query begins.
    pub(crate) fn begin(updates: UpdateSink) -> Self {
        let details = json!({ "phase": "query" });
        updates.send(ToolResult::text("Querying…").with_details(details));
        Self {
            updates,
            shown: Instant::now(),
        }
    }

    /// Says how many rows there are.
    pub(crate) fn rows(&mut self, count: usize) {
        if self.shown.elapsed() < INTERVAL {
            return;
        }
        self.shown = Instant::now();
        let details = json!({ "phase": "query", "rowCount": count });
        let text = format!("Querying… {count} rows so far");
        self.updates
            .send(ToolResult::text(text).with_details(details));
    }
}
