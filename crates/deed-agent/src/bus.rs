use std::fmt;
use std::future::poll_fn;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use deed_protocol::{Event, EventBody};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::BoxFuture;
use crate::caught::Caught;

mod observer;

pub use observer::Observer;
use observer::Offers;

/// How long a barrier sink may take for an event once the run was cancelled.
const SINK_GRACE: Duration = Duration::from_secs(2);

tokio::task_local! {
    /// Set while an event is being delivered: emitting then only enqueues.
    static DELIVERING: ();
}

/// A consumer that the loop waits for: extensions, the session, a writer of a stream.
pub trait BarrierSink: Send + Sync + 'static {
    /// Returns its name, for faults.
    fn name(&self) -> &str;

    /// Takes one event. What it emits meanwhile is delivered after this event.
    ///
    /// Errors: end the run.
    ///
    /// Cancellation: two seconds after the run was cancelled it counts as dead and hears no more.
    fn deliver<'a>(&'a self, event: &'a Arc<Event>) -> BoxFuture<'a, Result<(), String>>;
}

/// A barrier sink that could not take an event.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{sink} could not take an event: {reason}")]
pub struct SinkError {
    /// The sink.
    pub sink: String,
    /// What it said.
    pub reason: String,
}

/// One queue of events with one drainer: every consumer sees the same order.
#[derive(Clone)]
pub struct EventBus(Arc<Inner>);

/// A bus that is not kept alive.
#[derive(Clone)]
pub struct WeakEventBus(std::sync::Weak<Inner>);

impl WeakEventBus {
    /// Tells the bus without waiting; nothing, if it is gone.
    pub fn post(&self, body: EventBody) {
        if let Some(inner) = self.0.upgrade() {
            EventBus(inner).post(body);
        }
    }
}

impl fmt::Debug for WeakEventBus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WeakEventBus")
    }
}

struct Inner {
    queue: mpsc::UnboundedSender<Envelope>,
    consumers: Mutex<Consumers>,
}

struct Envelope {
    body: EventBody,
    delivered: Option<oneshot::Sender<()>>,
}

#[derive(Default)]
struct Consumers {
    undrained: Option<mpsc::UnboundedReceiver<Envelope>>,
    sinks: Vec<Arc<dyn BarrierSink>>,
    observers: Vec<Offers>,
    watched: Vec<(u64, CancellationToken)>,
    next_watch: u64,
    faults: Vec<SinkError>,
}

impl EventBus {
    /// Makes a bus that nobody listens to.
    pub fn new() -> Self {
        let (queue, undrained) = mpsc::unbounded_channel();
        let consumers = Consumers {
            undrained: Some(undrained),
            ..Consumers::default()
        };
        Self(Arc::new(Inner {
            queue,
            consumers: Mutex::new(consumers),
        }))
    }

    /// Returns a handle that does not keep the bus alive, for consumers that tell something themselves.
    pub fn downgrade(&self) -> WeakEventBus {
        WeakEventBus(Arc::downgrade(&self.0))
    }

    /// Adds a consumer that is waited for, after those that are there.
    pub fn add_sink(&self, sink: Arc<dyn BarrierSink>) {
        self.0.lock().sinks.push(sink);
    }

    /// Adds a consumer that nobody waits for.
    ///
    /// Errors: its thread could not be started.
    pub fn add_observer(&self, observer: Arc<dyn Observer>) -> io::Result<()> {
        let offers = Offers::start(observer)?;
        self.0.lock().observers.push(offers);
        Ok(())
    }

    /// Waits until every observer has taken all that was delivered before.
    pub async fn observers_caught_up(&self) {
        let marks: Vec<_> = self.0.lock().observers.iter().map(Offers::mark).collect();
        for mark in marks {
            mark.await.ok();
        }
    }

    /// Emits an event and returns when every barrier sink has taken it; inside a delivery, returns
    /// at once, and the event follows the one that is being delivered.
    pub async fn emit(&self, body: EventBody) {
        if !self.0.ensure_drained() {
            return;
        }
        if DELIVERING.try_with(|()| ()).is_ok() {
            // Waiting here would wait for ourselves.
            self.0.enqueue(body, None);
            return;
        }
        let (delivered, wait) = oneshot::channel();
        if self.0.enqueue(body, Some(delivered)) {
            wait.await.ok();
        }
    }

    /// Emits an event and waits for nobody, so that also what a sink itself waits for may do so.
    pub(crate) fn post(&self, body: EventBody) {
        if self.0.ensure_drained() {
            self.0.enqueue(body, None);
        }
    }

    /// Adds a token by which sinks that hang are given up, for as long as the watch is held.
    pub(crate) fn watch(&self, cancel: CancellationToken) -> Watch {
        let mut consumers = self.0.lock();
        let id = consumers.next_watch;
        consumers.next_watch += 1;
        consumers.watched.push((id, cancel));
        Watch {
            bus: self.clone(),
            id,
        }
    }

    /// Notes what ends the run, as if a sink had said so.
    pub(crate) fn report(&self, fault: SinkError) {
        self.0.lock().faults.push(fault);
    }

    /// Returns what sinks could not take since the last call.
    pub fn take_faults(&self) -> Vec<SinkError> {
        std::mem::take(&mut self.0.lock().faults)
    }
}

/// Ends a [`EventBus::watch`] when it is dropped.
pub(crate) struct Watch {
    bus: EventBus,
    id: u64,
}

impl Drop for Watch {
    fn drop(&mut self) {
        let mut consumers = self.bus.0.lock();
        consumers.watched.retain(|(id, _)| *id != self.id);
    }
}

impl Default for EventBus {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for EventBus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EventBus")
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, Consumers> {
        self.consumers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn enqueue(&self, body: EventBody, delivered: Option<oneshot::Sender<()>>) -> bool {
        self.queue.send(Envelope { body, delivered }).is_ok()
    }

    /// Starts the drainer once somebody listens; tells whether somebody does.
    fn ensure_drained(self: &Arc<Self>) -> bool {
        let mut consumers = self.lock();
        if consumers.sinks.is_empty() && consumers.observers.is_empty() {
            return false;
        }
        if let Some(queue) = consumers.undrained.take() {
            // Weak, so that dropping the last bus ends the drainer.
            let drainer = Drainer {
                inner: Arc::downgrade(self),
                next_sequence: 1,
            };
            tokio::spawn(DELIVERING.scope((), drainer.run(queue)));
        }
        true
    }
}

struct Drainer {
    inner: std::sync::Weak<Inner>,
    next_sequence: u64,
}

impl Drainer {
    async fn run(mut self, mut queue: mpsc::UnboundedReceiver<Envelope>) {
        while let Some(envelope) = queue.recv().await {
            let event = Arc::new(Event {
                sequence: self.next_sequence,
                body: envelope.body,
            });
            self.next_sequence += 1;
            let Some(inner) = self.inner.upgrade() else {
                return;
            };
            deliver(&inner, &event).await;
            if let Some(delivered) = envelope.delivered {
                delivered.send(()).ok();
            }
        }
    }
}

async fn deliver(inner: &Inner, event: &Arc<Event>) {
    let (sinks, observers, watched) = {
        let consumers = inner.lock();
        (
            consumers.sinks.clone(),
            consumers.observers.clone(),
            consumers.watched.clone(),
        )
    };
    for observer in &observers {
        observer.event(event);
    }
    for sink in &sinks {
        let taken = tokio::select! {
            biased;
            taken = Caught::new(|| sink.deliver(event)) => taken.unwrap_or_else(Err),
            () = sink_grace_over(&watched) => {
                inner.lock().sinks.retain(|other| !Arc::ptr_eq(other, sink));
                Err("it hangs; it will hear no more".to_owned())
            }
        };
        if let Err(reason) = taken {
            inner.lock().faults.push(SinkError {
                sink: sink.name().to_owned(),
                reason,
            });
        }
    }
}

async fn sink_grace_over(watched: &[(u64, CancellationToken)]) {
    let mut waits: Vec<_> = watched
        .iter()
        .map(|(_, cancel)| Box::pin(cancel.cancelled()))
        .collect();
    poll_fn(|context| {
        let is_over = waits
            .iter_mut()
            .any(|wait| wait.as_mut().poll(context).is_ready());
        if is_over {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
    tokio::time::sleep(SINK_GRACE).await;
}
