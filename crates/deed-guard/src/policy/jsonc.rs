use std::collections::HashSet;
use std::sync::Arc;

use jsonc_parser::ast::{Array, NumberLit, Object, ObjectProp, StringLit, Value};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::fault::{Place, PolicyFault};

/// A text in JSON with comments, read with an eye on where everything stands.
pub(crate) struct Reader<'t> {
    file: Arc<str>,
    text: &'t str,
    pub(crate) faults: Vec<PolicyFault>,
}

/// What a key is allowed to be.
pub(crate) type Keys<'k> = &'k [&'k str];

impl<'t> Reader<'t> {
    pub(crate) fn new(file: Arc<str>, text: &'t str) -> Self {
        Self {
            file,
            text,
            faults: Vec::new(),
        }
    }

    /// Reads the text; `None` after a fault.
    pub(crate) fn root(&mut self) -> Option<Object<'t>> {
        let options = ParseOptions {
            allow_comments: true,
            allow_trailing_commas: true,
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        match parse_to_ast(self.text, &CollectOptions::default(), &options) {
            Ok(parsed) => match parsed.value {
                Some(Value::Object(object)) => return Some(object),
                Some(other) => self.fault(other.range().start, "a policy is a JSON object `{…}`"),
                None => self.fault(
                    0,
                    "the file is empty; a policy begins with `{\"version\": 1}`",
                ),
            },
            Err(error) => {
                let reason = format!("not JSON: {}; mend it here", error.kind());
                self.fault(error.range().start, reason);
            }
        }
        None
    }

    pub(crate) fn fault(&mut self, offset: usize, reason: impl Into<String>) {
        let place = Some(self.place(offset));
        let reason = reason.into();
        self.faults.push(PolicyFault { place, reason });
    }

    pub(crate) fn place(&self, offset: usize) -> Place {
        let before = self.text.get(..offset).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let lines = before.bytes().filter(|byte| *byte == b'\n').count();
        let columns = before.get(line_start..).unwrap_or_default().chars().count();
        Place {
            file: Arc::clone(&self.file),
            line_1based: count_from_one(lines),
            column_1based: count_from_one(columns),
        }
    }

    /// Returns the members of an object, noting keys that are unknown or there twice.
    pub(crate) fn members<'o>(
        &mut self,
        object: &'o Object<'t>,
        keys: Keys<'_>,
    ) -> Vec<(&'o str, &'o ObjectProp<'t>)> {
        let mut seen = HashSet::new();
        let mut members = Vec::with_capacity(object.properties.len());
        for member in &object.properties {
            let (name, at) = (member.name.as_str(), member.range.start);
            if !seen.insert(name) {
                self.fault(at, format!("`{name}` is there twice; keep one of them"));
            } else if keys.contains(&name) {
                members.push((name, member));
            } else if name == "sandbox" {
                let reason = "`sandbox` is not in this version, so nothing would be fenced in; \
                              take the block out";
                self.fault(at, reason);
            } else {
                let known = keys.join("`, `");
                let reason = format!("`{name}` is not a known key; the keys here are `{known}`");
                self.fault(at, reason);
            }
        }
        members
    }

    pub(crate) fn object<'o>(&mut self, member: &'o ObjectProp<'t>) -> Option<&'o Object<'t>> {
        let found = member.value.as_object();
        self.expected(found, member, "an object `{…}`")
    }

    pub(crate) fn array<'o>(&mut self, member: &'o ObjectProp<'t>) -> Option<&'o Array<'t>> {
        let found = member.value.as_array();
        self.expected(found, member, "a list `[…]`")
    }

    pub(crate) fn text<'o>(&mut self, member: &'o ObjectProp<'t>) -> Option<&'o StringLit<'t>> {
        let found = member.value.as_string_lit();
        self.expected(found, member, "a text `\"…\"`")
    }

    /// Reads a whole number of at least one.
    pub(crate) fn count(&mut self, member: &ObjectProp<'t>) -> Option<u64> {
        let parse = |number: &NumberLit<'_>| number.value.parse().ok();
        let found = member.value.as_number_lit().and_then(parse);
        let in_bounds = found.filter(|count| (1..=MAX_COUNT).contains(count));
        self.expected(
            in_bounds,
            member,
            "a whole number from 1 to 9007199254740991",
        )
    }

    /// Reads a word of a table.
    pub(crate) fn word<T: Copy>(
        &mut self,
        member: &ObjectProp<'t>,
        words: &[(&str, T)],
    ) -> Option<T> {
        let found = member.value.as_string_lit().and_then(|text| {
            let named = |(word, value): &(&str, T)| (*word == text.value).then_some(*value);
            words.iter().find_map(named)
        });
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        self.expected(found, member, &format!("one of `{}`", known.join("`, `")))
    }

    fn expected<T>(&mut self, found: Option<T>, member: &ObjectProp<'t>, what: &str) -> Option<T> {
        if found.is_none() {
            let name = member.name.as_str();
            let at = range_of(&member.value).start;
            self.fault(at, format!("`{name}` is not {what}; write that instead"));
        }
        found
    }
}

/// The largest whole number that every reader of JSON understands alike.
const MAX_COUNT: u64 = (1 << 53) - 1;

pub(crate) fn range_of(value: &Value<'_>) -> Range {
    value.range()
}

fn count_from_one(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX).saturating_add(1)
}
