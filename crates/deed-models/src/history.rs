//! The transcript as it was written, so that each message is written once.

use std::sync::Arc;

use bytes::Bytes;
use deed_protocol::Message;

use crate::ModelSpec;
use crate::transcript::{Normaliser, Target};
use crate::wire::{Items, Wire};

/// From which size on what was written is put away as a segment.
///
/// Units: bytes. Small segments cost a write to the socket each, large ones a copy each request.
const SEGMENT_BYTES: usize = 64 * 1024;

/// What was written of a transcript that only grows.
///
/// A transcript that begins with the very messages of the last one (the same `Arc`s) is continued;
/// any other is written anew.
#[derive(Debug)]
pub(crate) struct History {
    normaliser: Normaliser,
    /// The messages of which all that they make is written.
    written: Vec<Arc<Message>>,
    segments: Vec<Bytes>,
    /// What is written, but not yet enough for a segment.
    filling: Vec<u8>,
}

/// The items of a transcript, each with a comma in front.
#[derive(Debug)]
pub(crate) struct Written {
    /// What requests to come will have in common with this one.
    pub(crate) segments: Vec<Bytes>,
    /// The rest.
    pub(crate) tail: Vec<u8>,
}

impl History {
    /// Starts with nothing written.
    pub(crate) fn new(target: Target) -> Self {
        Self {
            normaliser: Normaliser::new(target),
            written: Vec::new(),
            segments: Vec::new(),
            filling: Vec::new(),
        }
    }

    /// Returns a transcript as a wire writes it.
    pub(crate) fn write(
        &mut self,
        wire: &dyn Wire,
        spec: &ModelSpec,
        messages: &[Arc<Message>],
        target: Target,
    ) -> Written {
        if *self.normaliser.target() != target || !self.continues(messages) {
            *self = Self::new(target);
        }
        while let Some(unit) = self.normaliser.next_closed(messages) {
            wire.write(spec, &unit, false, &mut Items(&mut self.filling));
            if self.filling.len() >= SEGMENT_BYTES {
                let segment = std::mem::take(&mut self.filling);
                self.segments.push(segment.into());
            }
        }
        let position = self.normaliser.position();
        let new = messages.get(self.written.len()..position);
        self.written.extend_from_slice(new.unwrap_or_default());
        let mut tail = self.filling.clone();
        if let Some(unit) = self.normaliser.open(messages) {
            wire.write(spec, &unit, true, &mut Items(&mut tail));
        }
        Written {
            segments: self.segments.clone(),
            tail,
        }
    }

    fn continues(&self, messages: &[Arc<Message>]) -> bool {
        messages.len() >= self.written.len()
            && self
                .written
                .iter()
                .zip(messages)
                .all(|(old, new)| Arc::ptr_eq(old, new))
    }
}
