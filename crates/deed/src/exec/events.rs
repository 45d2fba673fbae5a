use std::sync::Arc;

use deed_agent::{BarrierSink, BoxFuture};
use deed_protocol::{Event, to_json_line};

use crate::writer::Writer;

/// Writes every event as one JSON line.
pub(crate) struct Lines(pub(crate) Writer);

impl BarrierSink for Lines {
    fn name(&self) -> &str {
        "standard output"
    }

    fn deliver<'a>(&'a self, event: &'a Arc<Event>) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            let line = to_json_line(event.as_ref()).map_err(|error| error.to_string())?;
            self.0.text(line).await;
            Ok(())
        })
    }
}
