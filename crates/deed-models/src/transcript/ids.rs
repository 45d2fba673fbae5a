use std::borrow::Cow;
use std::collections::HashSet;

use deed_protocol::ToolCall;
use deed_schema::sha256_hex;

use super::{AssistantPart, Unit};
use crate::{Api, ModelSpec};

/// What the ids of tool calls look like on a wire: letters, digits, `_` and `-` everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdRule {
    /// The longest that is taken.
    pub max_length: usize,
    /// Whether only letters and digits of exactly that length are taken.
    pub is_exact: bool,
    /// Whether a model gets its own ids back as it wrote them, whatever printable characters they hold.
    pub keeps_own: bool,
    /// Whether an id names two things, joined by `|`: the call, and the item that held it.
    pub is_pair: bool,
}

/// The longest id that a model gets back as it wrote it.
const MAX_OWN: usize = 64;

impl IdRule {
    /// Returns the rule of a model's interface.
    ///
    /// Source: the error messages of the providers; Mistral takes nine letters and digits only.
    pub fn of(spec: &ModelSpec) -> Self {
        let plain = Self {
            max_length: 64,
            is_exact: false,
            keeps_own: false,
            is_pair: false,
        };
        match spec.api {
            Api::Chat if spec.quirks.short_call_ids == Some(true) => Self {
                max_length: 9,
                is_exact: true,
                ..plain
            },
            Api::Chat => Self {
                max_length: 40,
                keeps_own: true,
                ..plain
            },
            Api::Responses => Self {
                is_pair: true,
                ..plain
            },
            Api::Anthropic | Api::Gemini => plain,
        }
    }

    fn takes(&self, id: &str, is_own: bool) -> bool {
        if is_own && self.keeps_own && !id.contains('|') {
            return (1..=MAX_OWN).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_graphic());
        }
        if self.is_exact {
            return id.len() == self.max_length && id.bytes().all(|b| b.is_ascii_alphanumeric());
        }
        let is_plain = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
        (1..=self.max_length).contains(&id.len()) && id.bytes().all(is_plain)
    }
}

/// The ids that are taken in a transcript.
#[derive(Clone, Debug)]
pub(super) struct Ids {
    rule: IdRule,
    used: HashSet<Box<str>>,
}

/// The ids that one unit takes, before it is closed.
#[derive(Default)]
pub(super) struct Taken(HashSet<Box<str>>);

impl Ids {
    pub(super) fn new(rule: IdRule) -> Self {
        Self {
            rule,
            used: HashSet::new(),
        }
    }

    /// Remembers the ids of a unit that is closed.
    pub(super) fn keep(&mut self, unit: &Unit<'_>) {
        let Unit::Assistant(unit) = unit else {
            return;
        };
        let calls = unit.parts.iter().filter_map(|part| match part {
            AssistantPart::Call(call) => Some(Box::from(call.id.as_ref())),
            _ => None,
        });
        self.used.extend(calls);
    }

    /// Gives a call its id: its own if the wire takes it and no call before has it, else one made from
    /// it, the same for the same transcript.
    pub(super) fn assign<'m>(
        &self,
        call: &'m ToolCall,
        is_own: bool,
        taken: &mut Taken,
    ) -> Cow<'m, str> {
        let (id, _) = halves(&call.id);
        let is_free = |id: &str, taken: &Taken| !self.used.contains(id) && !taken.0.contains(id);
        let id = if self.rule.takes(id, is_own) && is_free(id, taken) {
            Cow::Borrowed(id)
        } else {
            // Counted from how many there are, so that a thousand empty ids are no million attempts.
            let first = self.used.len() + taken.0.len();
            let mut made = (first..).map(|attempt| self.made(&call.id, attempt));
            made.find(|id| is_free(id, taken))
                .map_or(Cow::Borrowed(id), Cow::Owned)
        };
        taken.0.insert(Box::from(id.as_ref()));
        id
    }

    /// Returns the name of the item that held a call, where the wire takes such names back.
    pub(super) fn item_of<'m>(&self, call: &'m ToolCall, is_own: bool) -> Option<&'m str> {
        let item = halves(&call.id).1?;
        let is_plain = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
        let is_valid = item.len() <= self.rule.max_length && item.bytes().all(is_plain);
        (is_own && self.rule.is_pair && is_valid).then_some(item)
    }

    fn made(&self, id: &str, attempt: usize) -> String {
        const PREFIX: &str = "call_";
        const DIGITS: usize = 24;
        let digits = sha256_hex(format!("{attempt}/{id}").as_bytes());
        if self.rule.is_exact {
            return digits.chars().take(self.rule.max_length).collect();
        }
        let digits = digits.chars().take(DIGITS);
        PREFIX.chars().chain(digits).collect()
    }
}

/// Splits an id of the Responses interface into the call and the item that held it, in either order.
fn halves(id: &str) -> (&str, Option<&str>) {
    // The second is of calls with a bare text.
    let is_item = |half: &str| half.starts_with("fc_") || half.starts_with("ctc_");
    match id.split_once('|') {
        Some((item, call)) if is_item(item) => (call, Some(item)),
        Some((call, item)) if is_item(item) => (call, Some(item)),
        Some((call, _)) => (call, None),
        None => (id, None),
    }
}
