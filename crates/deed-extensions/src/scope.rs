use std::future::pending;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use crate::InputCell;

tokio::task_local! {
    /// The guard that runs here.
    static CURRENT: Arc<GuardScope>;
}

/// What one running guard does: whether it waits for others, and what a person confirmed to it.
#[derive(Debug)]
pub(crate) struct GuardScope {
    input: InputCell,
    open_waits: watch::Sender<usize>,
    confirmed: Mutex<Vec<Arc<Value>>>,
}

impl GuardScope {
    pub(crate) fn new(input: InputCell) -> Arc<Self> {
        Arc::new(Self {
            input,
            open_waits: watch::Sender::new(0),
            confirmed: Mutex::default(),
        })
    }

    /// Returns that of the guard which runs on this task, if one does.
    pub(crate) fn current() -> Option<Arc<Self>> {
        CURRENT.try_with(Arc::clone).ok()
    }

    /// Returns the arguments as they stand.
    pub(crate) fn input(&self) -> Arc<Value> {
        self.input.get()
    }

    /// Stops the clock for as long as the wait is held.
    pub(crate) fn wait(self: &Arc<Self>) -> OpenWait {
        self.open_waits.send_modify(|open| *open += 1);
        OpenWait(self.clone())
    }

    pub(crate) fn confirm(&self, shown: Arc<Value>) {
        let mut confirmed = self
            .confirmed
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        confirmed.push(shown);
    }

    pub(crate) fn take_confirmed(&self) -> Vec<Arc<Value>> {
        std::mem::take(
            &mut self
                .confirmed
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }

    /// Runs the guard; `None` if it used more than `limit` outside of waits.
    pub(crate) async fn run<T>(
        self: Arc<Self>,
        limit: Duration,
        guard: impl Future<Output = T>,
    ) -> Option<T> {
        let mut waits = self.open_waits.subscribe();
        let guard = CURRENT.scope(self, guard);
        tokio::pin!(guard);
        let mut left = limit;
        loop {
            let is_waiting = *waits.borrow_and_update() > 0;
            let since = Instant::now();
            let done = tokio::select! {
                biased;
                done = &mut guard => Some(done),
                _ = waits.wait_for(|open| (*open > 0) != is_waiting) => None,
                () = own_time(left, is_waiting) => return None,
            };
            if !is_waiting {
                // A guard that keeps its thread busy cannot be interrupted, only found out.
                left = left.checked_sub(since.elapsed())?;
            }
            if done.is_some() {
                return done;
            }
        }
    }
}

async fn own_time(left: Duration, is_waiting: bool) {
    if is_waiting {
        pending::<()>().await;
    }
    sleep(left).await;
}

/// A guard waits for a person or a program.
#[derive(Debug)]
pub(crate) struct OpenWait(Arc<GuardScope>);

impl Drop for OpenWait {
    fn drop(&mut self) {
        self.0.open_waits.send_modify(|open| *open -= 1);
    }
}
