//! Lines that go out.

use std::fmt;
use std::sync::Arc;

use deed_agent::BoxFuture;
use deed_protocol::to_json_line;
use serde::Serialize;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Remarks that may wait for a client that does not read; further ones are lost.
const MAX_REMARKS: usize = 256;

/// Takes whole lines for the client.
pub trait LineSink: Send + Sync + 'static {
    /// Writes a line, which has its end, and waits for who reads; `false` if nobody does any more.
    ///
    /// Cancellation: dropping the future may lose the line, but never a part of it.
    fn write<'a>(&'a self, line: String) -> BoxFuture<'a, bool>;
}

/// The way to the client. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Outlet {
    sink: Arc<dyn LineSink>,
    remarks: mpsc::Sender<String>,
    /// Cancelled when nobody reads any more.
    gone: CancellationToken,
}

impl Outlet {
    /// Makes the way; a task sends remarks until the last outlet is gone.
    pub(crate) fn new(sink: Arc<dyn LineSink>) -> Self {
        let (remarks, mut waiting) = mpsc::channel::<String>(MAX_REMARKS);
        let gone = CancellationToken::new();
        let (to, is_gone) = (sink.clone(), gone.clone());
        tokio::spawn(async move {
            while let Some(line) = waiting.recv().await {
                if !to.write(line).await {
                    is_gone.cancel();
                    return;
                }
            }
        });
        Self {
            sink,
            remarks,
            gone,
        }
    }

    /// Returns what is cancelled when nobody reads any more.
    pub(crate) fn gone(&self) -> &CancellationToken {
        &self.gone
    }

    /// Writes a line and waits for who reads; `false` if nobody does any more.
    pub(crate) async fn line(&self, line: String) -> bool {
        let is_written = self.sink.write(line).await;
        if !is_written {
            self.gone.cancel();
        }
        is_written
    }

    /// As [`Outlet::line`], for a record.
    pub(crate) async fn record(&self, record: &impl Serialize) -> bool {
        match to_json_line(record) {
            Ok(line) => self.line(line).await,
            // Every record is made of what JSON can say.
            Err(_) => true,
        }
    }

    /// Writes a record from where nobody can wait.
    pub(crate) fn remark(&self, record: &impl Serialize) {
        if let Ok(line) = to_json_line(record) {
            self.remarks.try_send(line).ok();
        }
    }
}

impl LineSink for Outlet {
    fn write<'a>(&'a self, line: String) -> BoxFuture<'a, bool> {
        Box::pin(self.line(line))
    }
}

impl fmt::Debug for Outlet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Outlet")
    }
}
