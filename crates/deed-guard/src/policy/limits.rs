use std::time::Duration;

use serde_json::{Map, Value};

use super::fault::Place;

/// Limits that hold for calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How long a question may stay open.
    pub approval_timeout: Duration,
    /// How long a command may take at most; without it the tool's own limit holds.
    pub bash_timeout: Option<Duration>,
    /// How long a statement may take.
    pub sql_timeout: Duration,
    /// How many rows a statement may return.
    pub sql_max_rows: u64,
    /// How much a statement may return.
    ///
    /// Units: bytes.
    pub sql_max_bytes: u64,
}

/// Keys in a file, and what holds without them.
///
/// Source: safety-design §6.
pub(crate) const LIMITS: [(&str, Option<u64>); 5] = [
    ("approval_timeout_s", Some(300)),
    ("bash_timeout_s", None),
    ("sql_timeout_ms", Some(5_000)),
    ("sql_rows", Some(1_000)),
    ("sql_bytes", Some(1 << 20)),
];

/// What a file says of limits, in the order of [`LIMITS`].
pub(crate) type LimitEntries = [Option<(u64, Place)>; LIMITS.len()];

/// Limits while files are put together.
#[derive(Clone, Debug, Default)]
pub(crate) struct LimitMerge {
    values: [Option<u64>; LIMITS.len()],
}

impl LimitMerge {
    /// Takes the limits of a file that counts: the smallest of those that are set holds.
    pub(crate) fn take(&mut self, entries: &LimitEntries) {
        for (value, entry) in self.values.iter_mut().zip(entries) {
            if let Some((new, _)) = entry {
                *value = Some(value.map_or(*new, |old| old.min(*new)));
            }
        }
    }

    /// Takes only what lowers a limit; returns the rest.
    pub(crate) fn tighten<'e>(
        &mut self,
        entries: &'e LimitEntries,
    ) -> Vec<(&'static str, u64, &'e Place)> {
        let mut raised = Vec::new();
        for ((value, entry), (name, default)) in self.values.iter_mut().zip(entries).zip(LIMITS) {
            let Some((new, place)) = entry else { continue };
            if value.or(default).is_none_or(|old| *new <= old) {
                *value = Some(*new);
            } else {
                raised.push((name, *new, place));
            }
        }
        raised
    }

    pub(crate) fn limits(&self) -> Limits {
        let [approval, bash, sql, rows, bytes] = self.effective();
        Limits {
            approval_timeout: Duration::from_secs(approval.unwrap_or_default()),
            bash_timeout: bash.map(Duration::from_secs),
            sql_timeout: Duration::from_millis(sql.unwrap_or_default()),
            sql_max_rows: rows.unwrap_or_default(),
            sql_max_bytes: bytes.unwrap_or_default(),
        }
    }

    pub(crate) fn to_json(&self) -> Value {
        let named = LIMITS.iter().zip(self.effective());
        let entries = named.map(|((name, _), value)| ((*name).to_owned(), value.into()));
        Value::Object(entries.collect::<Map<_, _>>())
    }

    fn effective(&self) -> [Option<u64>; LIMITS.len()] {
        let mut values = self.values;
        for (value, (_, default)) in values.iter_mut().zip(LIMITS) {
            *value = value.or(default);
        }
        values
    }
}
