use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc};

use deed_protocol::Event;
use tokio::sync::oneshot;

/// A consumer that nobody waits for: a terminal, a browser. It keeps its own state by call id.
///
/// It has a thread of its own: however slow it is, it holds up no tool and no other consumer. What
/// it has not taken waits in memory.
pub trait Observer: Send + Sync + 'static {
    /// Takes one event.
    fn offer(&self, event: &Arc<Event>);
}

/// Hands events to an observer on a thread that ends with it.
#[derive(Clone)]
pub(super) struct Offers(mpsc::Sender<Offer>);

enum Offer {
    Event(Arc<Event>),
    /// Answered once everything before it was taken.
    Mark(oneshot::Sender<()>),
}

impl Offers {
    pub(super) fn start(observer: Arc<dyn Observer>) -> io::Result<Self> {
        let (offers, waiting) = mpsc::channel();
        std::thread::Builder::new()
            .name("deed-observer".to_owned())
            .spawn(move || take_all(observer.as_ref(), &waiting))?;
        Ok(Self(offers))
    }

    pub(super) fn event(&self, event: &Arc<Event>) {
        self.0.send(Offer::Event(event.clone())).ok();
    }

    pub(super) fn mark(&self) -> oneshot::Receiver<()> {
        let (taken, wait) = oneshot::channel();
        self.0.send(Offer::Mark(taken)).ok();
        wait
    }
}

fn take_all(observer: &dyn Observer, waiting: &mpsc::Receiver<Offer>) {
    for offer in waiting {
        match offer {
            // A broken picture of the run must not break the run.
            Offer::Event(event) => {
                catch_unwind(AssertUnwindSafe(|| observer.offer(&event))).ok();
            }
            Offer::Mark(taken) => {
                taken.send(()).ok();
            }
        }
    }
}
