//! `--mode json`: every event of the run as a line.

use std::sync::Arc;

use deed_agent::BoxFuture;
use deed_harness::AgentSession;
use deed_protocol::to_json_line;
use deed_rpc::{EventSink, LineSink};

use crate::writer::Writer;

/// Begins to write events; before them stands the header of the session, if it has a record.
pub(super) async fn begin(
    session: &AgentSession,
    writer: &Writer,
    with_cards: bool,
) -> anyhow::Result<()> {
    let header = session.on_record(|record| to_json_line(record.header()));
    if let Some(header) = header.transpose()? {
        writer.text(header).await;
    }
    let mut sink = EventSink::new(Arc::new(ToWriter(writer.clone())));
    if with_cards {
        sink = sink.with_cards_of(session);
    }
    session.add_sink(Arc::new(sink));
    Ok(())
}

/// Lines that go to standard output.
pub(super) struct ToWriter(pub(super) Writer);

impl LineSink for ToWriter {
    fn write<'a>(&'a self, line: String) -> BoxFuture<'a, bool> {
        Box::pin(self.0.text(line))
    }
}
