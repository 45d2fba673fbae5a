use deed_protocol::Usage;
use serde::{Deserialize, Serialize};

/// How many tokens a price is for.
const TOKENS: f64 = 1_000_000.0;
/// What a token costs that the cache keeps for an hour, measured by one that is just read.
///
/// Source: Anthropic's price list; no other provider has such a cache.
const HOUR_FACTOR: f64 = 2.0;

/// What a model costs.
///
/// Shape: written in camel case, as settings, the bundled list and Pi's `models.json` have it.
///
/// Units: US dollars for a million tokens.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Prices {
    /// Tokens read without the cache.
    pub input: f64,
    /// Tokens written.
    pub output: f64,
    /// Tokens read from the cache.
    pub cache_read: f64,
    /// Tokens put into the cache.
    pub cache_write: f64,
    /// What long prompts cost, in any order; none where length makes no difference.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tiers: Vec<PriceTier>,
}

/// What an answer to a long prompt costs, all of it: not only what is beyond the limit.
///
/// Shape: no price is left out, so that none is taken for nothing.
///
/// Units: US dollars for a million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PriceTier {
    /// The longest prompt that is cheaper, with what is read from the cache and put into it.
    ///
    /// Units: tokens.
    pub input_tokens_above: u64,
    /// Tokens read without the cache.
    pub input: f64,
    /// Tokens written.
    pub output: f64,
    /// Tokens read from the cache.
    pub cache_read: f64,
    /// Tokens put into the cache.
    pub cache_write: f64,
}

impl Prices {
    /// Returns what holds for a prompt of this length: the tier with the highest limit below it.
    ///
    /// Units: tokens.
    pub fn at(&self, prompt_tokens: u64) -> PriceTier {
        let reached = |tier: &&PriceTier| tier.input_tokens_above < prompt_tokens;
        let highest = self
            .tiers
            .iter()
            .filter(reached)
            .max_by_key(|tier| tier.input_tokens_above);
        highest.copied().unwrap_or(PriceTier {
            input_tokens_above: 0,
            input: self.input,
            output: self.output,
            cache_read: self.cache_read,
            cache_write: self.cache_write,
        })
    }
}

/// Writes into a usage what it cost at these prices.
///
/// Shape: a total that the provider stated stays; the parts are by the prices all the same.
pub fn cost(prices: &Prices, usage: &mut Usage) {
    let prompt = [usage.input, usage.cache_read, usage.cache_write];
    let prices = prices.at(prompt.into_iter().fold(0, u64::saturating_add));
    let price = |tokens: u64, for_million: f64| tokens as f64 * for_million / TOKENS;
    let for_an_hour = usage.cache_write_1h.unwrap_or(0).min(usage.cache_write);
    let cost = &mut usage.cost;
    cost.input = price(usage.input, prices.input);
    cost.output = price(usage.output, prices.output);
    cost.cache_read = price(usage.cache_read, prices.cache_read);
    cost.cache_write = price(usage.cache_write - for_an_hour, prices.cache_write)
        + price(for_an_hour, prices.input * HOUR_FACTOR);
    if cost.total_from_provider != Some(true) {
        cost.total = cost.input + cost.output + cost.cache_read + cost.cache_write;
    }
}
