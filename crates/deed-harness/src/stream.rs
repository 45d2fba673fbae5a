//! A run as a stream of events, for hosts that draw it.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use deed_agent::{AgentError, BarrierSink, BoxFuture, RunEnd};
use deed_protocol::{Event, Message};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::AgentSession;

/// Events that may wait before the run waits for who reads them.
const MAX_WAITING: usize = 256;

impl AgentSession {
    /// Prompts the model and gives the events of the run as they come.
    ///
    /// A reader that does not read holds the run up; one that drops the stream does not: the run
    /// goes on without it.
    ///
    /// Cancellation: by [`AgentSession::cancel`].
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    pub fn start(&self, messages: Vec<Message>) -> RunStream {
        let (open, events) = Open::new(&self.source.streams);
        let session = self.clone();
        let run = tokio::spawn(async move {
            // Closed when the run is over, in whatever way.
            let _open = open;
            session.prompt(messages).await
        });
        RunStream { events, run }
    }
}

/// A run that goes on, and its events.
pub struct RunStream {
    events: mpsc::Receiver<Arc<Event>>,
    run: JoinHandle<Result<RunEnd, AgentError>>,
}

impl RunStream {
    /// Returns the next event; `None` when the run is over and all its events were read.
    pub async fn next(&mut self) -> Option<Arc<Event>> {
        self.events.recv().await
    }

    /// Waits for the end of the run; events that were not read are dropped.
    ///
    /// Errors: a run was under way already.
    pub async fn end(mut self) -> Result<RunEnd, AgentError> {
        self.events.close();
        match self.run.await {
            Ok(end) => end,
            Err(panic) => Ok(RunEnd {
                error: Some(format!("the run failed inside: {panic}")),
                ..RunEnd::default()
            }),
        }
    }
}

impl fmt::Debug for RunStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RunStream")
    }
}

/// The streams that are open.
#[derive(Default)]
pub(crate) struct Streams(Mutex<Vec<mpsc::Sender<Arc<Event>>>>);

impl Streams {
    fn lock(&self) -> MutexGuard<'_, Vec<mpsc::Sender<Arc<Event>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A stream that is open until this is dropped.
struct Open {
    streams: Arc<Streams>,
    to: mpsc::Sender<Arc<Event>>,
}

impl Open {
    fn new(streams: &Arc<Streams>) -> (Self, mpsc::Receiver<Arc<Event>>) {
        let (to, events) = mpsc::channel(MAX_WAITING);
        streams.lock().push(to.clone());
        let streams = streams.clone();
        (Self { streams, to }, events)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let mut open = self.streams.lock();
        open.retain(|other| !other.same_channel(&self.to));
    }
}

/// The consumer of events that feeds [`Streams`].
pub(crate) struct StreamSink(pub(crate) Arc<Streams>);

impl BarrierSink for StreamSink {
    fn name(&self) -> &str {
        "streams of events"
    }

    fn deliver<'a>(&'a self, event: &'a Arc<Event>) -> BoxFuture<'a, Result<(), String>> {
        let open = self.0.lock().clone();
        Box::pin(async move {
            for to in open {
                // Who dropped the stream does not want the event.
                to.send(event.clone()).await.ok();
            }
            Ok(())
        })
    }
}
