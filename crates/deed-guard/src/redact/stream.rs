//! Redaction of a stream.

use std::borrow::Cow;
use std::sync::Arc;

use deed_agent::RedactStream;

use super::Shared;

/// Replaces known values in a stream, holding back only what may be the beginning of one.
pub(super) struct KnownStream {
    shared: Arc<Shared>,
    held: Vec<u8>,
    /// What was held and what came, if both are needed in one piece.
    joined: Vec<u8>,
    clean: Vec<u8>,
}

impl KnownStream {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            held: Vec::new(),
            joined: Vec::new(),
            clean: Vec::new(),
        }
    }
}

impl RedactStream for KnownStream {
    fn push<'a>(&'a mut self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let Some(known) = &self.shared.known else {
            return Cow::Borrowed(bytes);
        };
        let mut bytes = bytes;
        if !self.held.is_empty() {
            self.joined.clear();
            self.joined.append(&mut self.held);
            self.joined.extend_from_slice(bytes);
            bytes = &self.joined;
        }
        self.clean.clear();
        let open = known.open_end(bytes, 0);
        let replaced = known.replace(bytes, open, &mut self.clean, &self.shared.markers);
        let (now, later) = bytes.split_at(replaced.unwrap_or(open));
        self.held.extend_from_slice(later);
        Cow::Borrowed(match replaced {
            Some(_) => &self.clean,
            None => now,
        })
    }

    fn finish(&mut self) -> Vec<u8> {
        let held = std::mem::take(&mut self.held);
        let Some(known) = &self.shared.known else {
            return held;
        };
        let mut clean = Vec::new();
        match known.replace(&held, held.len(), &mut clean, &self.shared.markers) {
            Some(_) => clean,
            None => held,
        }
    }
}
