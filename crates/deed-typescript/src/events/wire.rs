//! Pieces of events, as scripts see them.

use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Writes what has a shape on the wire.
pub(super) fn value(of: impl Serialize) -> Value {
    // What is in events was read from JSON or is written to it elsewhere.
    serde_json::to_value(of).unwrap_or_default()
}

/// Adds a member to an object.
pub(super) fn put(object: &mut Value, key: &str, member: Value) {
    if let Some(object) = object.as_object_mut() {
        object.insert(key.to_owned(), member);
    }
}

/// Takes a member of an answer; `None` if it is not there.
///
/// Errors: it has another shape.
pub(super) fn take<T: DeserializeOwned>(
    answer: &mut Value,
    key: &str,
) -> Result<Option<T>, String> {
    let member = answer
        .as_object_mut()
        .and_then(|answer| answer.shift_remove(key));
    let Some(member) = member else {
        return Ok(None);
    };
    let read = serde_json::from_value(member);
    read.map(Some).map_err(|error| format!("`{key}`: {error}"))
}

/// Takes a list of shared things.
pub(super) fn take_shared<T: DeserializeOwned>(
    answer: &mut Value,
    key: &str,
) -> Result<Option<Vec<Arc<T>>>, String> {
    let list: Option<Vec<T>> = take(answer, key)?;
    Ok(list.map(|list| list.into_iter().map(Arc::new).collect()))
}

/// Says how events are written to which scripts have nothing to answer.
macro_rules! told {
    ($($event:ty: |$this:ident| $wire:expr;)+) => {
        $(impl crate::events::Bridged for $event {
            fn wire(&self, _: &crate::bridge::Bridge) -> serde_json::Value {
                let $this = self;
                $wire
            }

            fn answer(&mut self, _: serde_json::Value) -> Result<(), String> {
                Ok(())
            }
        })+
    };
}

pub(super) use told;
