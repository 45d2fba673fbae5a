use std::ops::AddAssign;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::Extra;

/// What one or several model answers used.
///
/// Units: tokens.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Tokens read without the cache.
    #[serde(default)]
    pub input: u64,
    /// Tokens written, thinking included.
    #[serde(default)]
    pub output: u64,
    /// Tokens read from the cache.
    #[serde(default)]
    pub cache_read: u64,
    /// Tokens put into the cache.
    #[serde(default)]
    pub cache_write: u64,
    /// The part of `cache_write` that is kept for an hour.
    #[serde(
        default,
        rename = "cacheWrite1h",
        skip_serializing_if = "Option::is_none"
    )]
    pub cache_write_1h: Option<u64>,
    /// The part of `output` that was thinking.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<u64>,
    /// All of them.
    #[serde(default)]
    pub total_tokens: u64,
    /// The price.
    #[serde(default)]
    pub cost: Cost,
    /// Fields that Deed does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

/// What a [`Usage`] cost.
///
/// Units: US dollars.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cost {
    /// For tokens read without the cache.
    #[serde(default, serialize_with = "as_pi_writes")]
    pub input: f64,
    /// For tokens written.
    #[serde(default, serialize_with = "as_pi_writes")]
    pub output: f64,
    /// For tokens read from the cache.
    #[serde(default, serialize_with = "as_pi_writes")]
    pub cache_read: f64,
    /// For tokens put into the cache.
    #[serde(default, serialize_with = "as_pi_writes")]
    pub cache_write: f64,
    /// All of them.
    #[serde(default, serialize_with = "as_pi_writes")]
    pub total: f64,
    /// Whether the provider stated the total; of a sum, whether it did for every part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_from_provider: Option<bool>,
    /// Fields that Deed does not know.
    #[serde(flatten)]
    pub extra: Extra,
}

impl AddAssign<&Usage> for Usage {
    fn add_assign(&mut self, other: &Usage) {
        let is_first = *self == Usage::default();
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
        self.cache_write_1h = add(self.cache_write_1h, other.cache_write_1h);
        self.reasoning = add(self.reasoning, other.reasoning);
        self.total_tokens = self.total_tokens.saturating_add(other.total_tokens);
        let (cost, more) = (&mut self.cost, &other.cost);
        cost.input += more.input;
        cost.output += more.output;
        cost.cache_read += more.cache_read;
        cost.cache_write += more.cache_write;
        cost.total += more.total;
        cost.total_from_provider = if is_first {
            more.total_from_provider
        } else {
            (cost.total_from_provider == Some(true) && more.total_from_provider == Some(true))
                .then_some(true)
        };
    }
}

fn add(left: Option<u64>, right: Option<u64>) -> Option<u64> {
    match (left, right) {
        (None, None) => None,
        _ => Some(left.unwrap_or(0).saturating_add(right.unwrap_or(0))),
    }
}

/// Writes a number as JavaScript does: whole ones without a fraction, small ones without an
/// exponent down to a millionth.
fn as_pi_writes<S: Serializer>(value: &f64, to: S) -> Result<S::Ok, S::Error> {
    const MAX_WHOLE: f64 = 1e15;
    const SMALL: std::ops::Range<f64> = 1e-6..1e-5;
    if value.fract() == 0.0 && value.abs() < MAX_WHOLE {
        return to.serialize_i64(*value as i64);
    }
    if SMALL.contains(&value.abs())
        && let Ok(digits) = RawValue::from_string(value.to_string())
    {
        return digits.serialize(to);
    }
    to.serialize_f64(*value)
}
