use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock, Weak};

use deed_agent::BoxFuture;

use crate::{ExtensionContext, ExtensionError, ExtensionEvent};

/// What runs when an event happens.
pub(crate) type Handler<E> = Arc<
    dyn for<'a> Fn(
            &'a mut E,
            &'a ExtensionContext,
        ) -> BoxFuture<'a, Result<<E as ExtensionEvent>::Reply, ExtensionError>>
        + Send
        + Sync,
>;

/// The handlers of one extension, in order of registration.
#[derive(Default)]
pub(crate) struct Handlers(RwLock<Entries>);

#[derive(Default)]
struct Entries {
    next_id: u64,
    /// Under the type of an event stand handlers of that event.
    by_event: HashMap<TypeId, Vec<Entry>>,
}

struct Entry {
    id: u64,
    handler: Arc<dyn Any + Send + Sync>,
}

impl Handlers {
    pub(crate) fn add<E: ExtensionEvent>(self: &Arc<Self>, handler: Handler<E>) -> Subscription {
        let mut entries = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let id = entries.next_id;
        entries.next_id += 1;
        let handler = Arc::new(handler);
        let of_event = entries.by_event.entry(TypeId::of::<E>()).or_default();
        of_event.push(Entry { id, handler });
        Subscription {
            handlers: Arc::downgrade(self),
            id,
        }
    }

    /// Returns those of an event, as they are now.
    pub(crate) fn of<E: ExtensionEvent>(&self) -> Vec<Handler<E>> {
        let entries = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let of_event = entries.by_event.get(&TypeId::of::<E>());
        of_event
            .into_iter()
            .flatten()
            .filter_map(|entry| entry.handler.downcast_ref::<Handler<E>>().cloned())
            .collect()
    }

    /// Tells whether there are any of an event.
    pub(crate) fn has<E: ExtensionEvent>(&self) -> bool {
        let entries = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let of_event = entries.by_event.get(&TypeId::of::<E>());
        of_event.is_some_and(|of_event| !of_event.is_empty())
    }

    fn remove(&self, id: u64) {
        let mut entries = self.0.write().unwrap_or_else(PoisonError::into_inner);
        for of_event in entries.by_event.values_mut() {
            of_event.retain(|entry| entry.id != id);
        }
    }
}

/// A handler that listens; it goes on when this is dropped.
#[derive(Clone)]
pub struct Subscription {
    handlers: Weak<Handlers>,
    id: u64,
}

impl Subscription {
    /// Stops listening from the next event on; one that is under way still runs the handler.
    pub fn unsubscribe(&self) {
        if let Some(handlers) = self.handlers.upgrade() {
            handlers.remove(self.id);
        }
    }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Subscription")
    }
}
