//! Finds known values, in every form, in bytes.

use aho_corasick::automaton::Automaton;
use aho_corasick::nfa::contiguous::NFA;
use aho_corasick::{Anchored, MatchKind};

use super::forms::forms_of;
use super::markers::Markers;

/// The bytes of a window; all forms are longer, and longer windows skip no better.
const MAX_WINDOW: usize = 32;

/// The forms of all known values.
///
/// An automaton alone looks at every byte. Most bytes need not be looked at: no form is shorter than
/// a window of eight bytes, so the last two bytes of a window tell how far the next match may be.
/// Measured over 64 MB with the 80 forms of 20 values: 40 ms against 105 ms.
pub(super) struct KnownValues {
    forms: NFA,
    /// The value that each form belongs to.
    owners: Vec<usize>,
    window: usize,
    max_len: usize,
    /// By the last two bytes of a window: how many bytes further a form may begin; zero is here.
    skips: Box<[u8]>,
}

/// A form of a known value in bytes.
struct Found {
    start: usize,
    end: usize,
    owner: usize,
}

impl KnownValues {
    /// Takes the values in the order of their numbers; `None` without values.
    pub(super) fn new<'a>(values: impl Iterator<Item = &'a str>) -> Option<Self> {
        let (mut forms, mut owners) = (Vec::new(), Vec::new());
        for (owner, value) in values.enumerate() {
            for form in forms_of(value) {
                forms.push(form);
                owners.push(owner);
            }
        }
        let window = forms.iter().map(Vec::len).min()?.min(MAX_WINDOW);
        let max_len = forms.iter().map(Vec::len).max()?;
        let skips = skips_of(&forms, window);
        let forms = NFA::builder()
            .match_kind(MatchKind::Standard)
            .build(&forms)
            .ok()?;
        Some(Self {
            forms,
            owners,
            window,
            max_len,
            skips,
        })
    }

    /// Writes to `clean` what comes before `end`, with markers, if anything is to be replaced.
    ///
    /// A form that begins before `end` is replaced whole. Returns where the rest begins; `None` if
    /// nothing was replaced.
    pub(super) fn replace(
        &self,
        bytes: &[u8],
        end: usize,
        clean: &mut Vec<u8>,
        markers: &Markers,
    ) -> Option<usize> {
        let mut at = 0;
        let mut end = end;
        while let Some(found) = self.find(bytes, at, end) {
            clean.extend_from_slice(bytes.get(at..found.start)?);
            clean.extend_from_slice(markers.of_known(found.owner).as_bytes());
            at = found.end;
            if at > end {
                end = self.open_end(bytes, at);
            }
        }
        if at == 0 {
            return None;
        }
        clean.extend_from_slice(bytes.get(at..end)?);
        Some(end)
    }

    /// Where a form may begin that goes on behind `bytes`; their length if nowhere.
    pub(super) fn open_end(&self, bytes: &[u8], from: usize) -> usize {
        let mut at = from.max(bytes.len().saturating_sub(self.max_len - 1));
        while let Some(start) = self.candidate(bytes, at) {
            if self.walk(bytes, start, |_, _| ()) {
                return start;
            }
            at = start + 1;
        }
        let at = at.max(bytes.len().saturating_sub(self.window - 1));
        let may_go_on = |at: &usize| self.walk(bytes, *at, |_, _| ());
        (at..bytes.len()).find(may_go_on).unwrap_or(bytes.len())
    }

    /// Finds the first form that begins in `from..end`, and of those the longest.
    fn find(&self, bytes: &[u8], from: usize, end: usize) -> Option<Found> {
        let mut at = from;
        while let Some(start) = self.candidate(bytes, at).filter(|start| *start < end) {
            let found = self.longest_at(bytes, start);
            if found.is_some() {
                return found;
            }
            at = start + 1;
        }
        None
    }

    /// Finds the next whole window that may be the beginning of a form.
    fn candidate(&self, bytes: &[u8], from: usize) -> Option<usize> {
        let mut start = from;
        loop {
            let last_two = bytes.get(start + self.window - 2..start + self.window)?;
            match self.skips.get(block(last_two)).copied() {
                Some(skip) if skip > 0 => start += usize::from(skip),
                _ => return Some(start),
            }
        }
    }

    fn longest_at(&self, bytes: &[u8], start: usize) -> Option<Found> {
        let mut longest = None;
        self.walk(bytes, start, |end, owner| {
            longest = Some(Found { start, end, owner });
        });
        longest
    }

    /// Follows the forms that begin at `start`; whether one may go on behind the last byte.
    fn walk(&self, bytes: &[u8], start: usize, mut on_form: impl FnMut(usize, usize)) -> bool {
        let Ok(mut state) = self.forms.start_state(Anchored::Yes) else {
            return false;
        };
        let rest = bytes.iter().enumerate().skip(start);
        for (at, byte) in rest {
            state = self.forms.next_state(Anchored::Yes, state, *byte);
            if !self.forms.is_special(state) {
                continue;
            }
            if self.forms.is_dead(state) {
                return false;
            }
            if self.forms.is_match(state) {
                // The first is the longest; the others end here too, but began later.
                let form = self.forms.match_pattern(state, 0);
                if self.forms.pattern_len(form) == at + 1 - start {
                    let owner = self.owners.get(form.as_usize());
                    owner.into_iter().for_each(|owner| on_form(at + 1, *owner));
                }
            }
        }
        true
    }
}

fn skips_of(forms: &[Vec<u8>], window: usize) -> Box<[u8]> {
    let furthest = u8::try_from(window - 1).unwrap_or(u8::MAX);
    let mut skips = vec![furthest; 1 << 16].into_boxed_slice();
    for form in forms {
        let blocks = form.windows(2).take(window - 1).rev();
        for (distance, bytes) in (0..furthest).zip(blocks) {
            if let Some(skip) = skips.get_mut(block(bytes)) {
                *skip = distance.min(*skip);
            }
        }
    }
    skips
}

fn block(bytes: &[u8]) -> usize {
    match bytes {
        [first, second] => usize::from(u16::from_le_bytes([*first, *second])),
        _ => 0,
    }
}
