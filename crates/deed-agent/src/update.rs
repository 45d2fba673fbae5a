use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use deed_protocol::ToolResult;
use tokio::sync::Notify;

const MAX_WAITING: usize = 64;

/// Takes what a running call has to show.
///
/// Sending never blocks and never fails. When 64 updates wait, the newest takes the place of the
/// last one; after the call returned, updates are dropped.
#[derive(Clone, Debug)]
pub struct UpdateSink(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    waiting: Mutex<Waiting>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    updates: VecDeque<ToolResult>,
    closed: bool,
}

impl UpdateSink {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Shared {
            waiting: Mutex::default(),
            changed: Notify::new(),
        }))
    }

    /// Makes a sink that drops everything.
    pub fn closed() -> Self {
        let sink = Self::new();
        sink.close();
        sink
    }

    /// Offers all there is to show so far, not a difference.
    pub fn send(&self, partial: ToolResult) {
        {
            let mut waiting = self
                .0
                .waiting
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            if waiting.closed {
                return;
            }
            if waiting.updates.len() == MAX_WAITING {
                waiting.updates.pop_back();
            }
            waiting.updates.push_back(partial);
        }
        self.0.changed.notify_one();
    }

    pub(crate) fn close(&self) {
        self.0
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .closed = true;
    }

    pub(crate) fn take(&self) -> Option<ToolResult> {
        self.0
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .updates
            .pop_front()
    }

    /// Waits for an update.
    pub(crate) async fn next(&self) -> ToolResult {
        loop {
            if let Some(update) = self.take() {
                return update;
            }
            self.0.changed.notified().await;
        }
    }
}
