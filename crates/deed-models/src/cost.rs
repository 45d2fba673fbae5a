use deed_protocol::Usage;

use crate::Prices;

/// How many tokens a price is for.
const TOKENS: f64 = 1_000_000.0;
/// What a token costs that the cache keeps for an hour, measured by one that is just read.
///
/// Source: Anthropic's price list; no other provider has such a cache.
const HOUR_FACTOR: f64 = 2.0;

/// Writes into a usage what it cost at these prices.
///
/// Shape: a total that the provider stated stays; the parts are by the prices all the same.
pub fn cost(prices: &Prices, usage: &mut Usage) {
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
