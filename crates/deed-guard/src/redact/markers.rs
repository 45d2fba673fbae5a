//! What stands in the place of a secret.

use std::collections::hash_map::RandomState;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::KnownSecret;

const BEGIN: &str = "[redacted:";
/// Longer than any marker.
const MAX_LEN: usize = 100;
const MAX_KIND: usize = 48;

/// The markers of a session.
pub(super) struct Markers {
    known: Vec<KnownMarker>,
    hasher: RandomState,
    state: Mutex<State>,
}

struct KnownMarker {
    text: Arc<str>,
    is_issued: AtomicBool,
}

struct State {
    /// By a keyed hash of the value; the value itself is not kept.
    seen: HashMap<u64, Arc<str>>,
    issued: HashSet<Arc<str>>,
    last_number: u64,
}

impl Markers {
    pub(super) fn new(secrets: &[KnownSecret]) -> Self {
        let numbered = (1..).zip(secrets);
        let known: Vec<_> = numbered
            .map(|(number, secret)| KnownMarker {
                text: marker(&secret.kind, number),
                is_issued: AtomicBool::new(false),
            })
            .collect();
        let state = State {
            seen: HashMap::new(),
            issued: HashSet::new(),
            last_number: secrets.len() as u64,
        };
        Self {
            known,
            hasher: RandomState::new(),
            state: Mutex::new(state),
        }
    }

    /// Issues the marker of a known secret.
    pub(super) fn of_known(&self, index: usize) -> &str {
        let Some(known) = self.known.get(index) else {
            return "[redacted]";
        };
        if !known.is_issued.swap(true, Ordering::Relaxed) {
            self.lock().issued.insert(known.text.clone());
        }
        &known.text
    }

    /// Issues the marker of a value that looks like a secret.
    pub(super) fn of_seen(&self, kind: &str, value: &str) -> Arc<str> {
        let hash = self.hasher.hash_one(value);
        let state = &mut *self.lock();
        let text = state.seen.entry(hash).or_insert_with(|| {
            state.last_number += 1;
            marker(kind, state.last_number)
        });
        state.issued.insert(text.clone());
        text.clone()
    }

    pub(super) fn are_in(&self, text: &str) -> bool {
        let mut candidates = candidates(text).peekable();
        if candidates.peek().is_none() {
            return false;
        }
        let state = self.lock();
        candidates.any(|candidate| state.issued.contains(candidate))
    }

    pub(super) fn adopt(&self, text: &str) {
        let state = &mut *self.lock();
        for candidate in candidates(text) {
            let number = candidate.trim_end_matches(']').rsplit(':').next();
            if let Some(number) = number.and_then(|number| number.parse().ok()) {
                state.last_number = state.last_number.max(number);
                state.issued.insert(candidate.into());
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn candidates(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices(BEGIN).filter_map(|(at, _)| {
        let rest = text.get(at..)?;
        let end = rest.bytes().take(MAX_LEN).position(|byte| byte == b']')?;
        rest.get(..=end)
    })
}

fn marker(kind: &str, number: u64) -> Arc<str> {
    let kind: String = kind
        .chars()
        .take(MAX_KIND)
        .map(|c| match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '-' | '.' => c,
            _ => '_',
        })
        .collect();
    match kind.as_str() {
        "" => format!("{BEGIN}secret:{number}]").into(),
        kind => format!("{BEGIN}{kind}:{number}]").into(),
    }
}
