use deed_protocol::{Cost, Usage};

use crate::rewritten;

#[test]
fn usage_is_written_as_it_was_read() {
    for text in [
        r#"{"input":9,"output":2,"cacheRead":0,"cacheWrite":0,"totalTokens":11,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0.01}}"#,
        r#"{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"cacheWrite1h":4,"reasoning":1,"totalTokens":10,"cost":{"input":0.000003,"output":0.00003,"cacheRead":2.5e-7,"cacheWrite":1,"total":12.345678,"totalFromProvider":true}}"#,
        r#"{"input":1,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":1,"cost":{"input":0.0000012345,"output":0.1,"cacheRead":0,"cacheWrite":0,"total":0.1000012345,"totalFromProvider":false,"currency":"USD"},"calls":2}"#,
    ] {
        assert_eq!(rewritten::<Usage>(text), text);
    }
}

#[test]
fn what_usage_lacks_counts_as_nothing() {
    assert_eq!(
        rewritten::<Usage>("{}"),
        r#"{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}"#
    );
}

fn usage(tokens: u64, from_provider: Option<bool>) -> Usage {
    let dollars = tokens as f64 / 8.0;
    Usage {
        input: tokens,
        output: tokens * 2,
        cache_read: tokens * 3,
        cache_write: tokens * 4,
        total_tokens: tokens * 10,
        cost: Cost {
            input: dollars,
            output: dollars,
            cache_read: dollars,
            cache_write: dollars,
            total: dollars * 4.0,
            total_from_provider: from_provider,
            ..Cost::default()
        },
        ..Usage::default()
    }
}

#[test]
fn a_sum_adds_every_number() {
    let mut sum = usage(1, None);
    sum += &Usage {
        cache_write_1h: Some(5),
        reasoning: Some(6),
        ..usage(2, None)
    };
    sum += &Usage {
        reasoning: Some(1),
        ..usage(0, None)
    };
    let expected = Usage {
        cache_write_1h: Some(5),
        reasoning: Some(7),
        ..usage(3, None)
    };
    assert_eq!(sum, expected);
}

#[test]
fn a_total_is_the_providers_only_if_every_part_is() {
    let sum = |parts: &[Option<bool>]| {
        let mut sum = Usage::default();
        for part in parts {
            sum += &usage(1, *part);
        }
        sum.cost.total_from_provider
    };
    assert_eq!(sum(&[Some(true)]), Some(true));
    assert_eq!(sum(&[Some(true), Some(true)]), Some(true));
    assert_ne!(sum(&[Some(true), None]), Some(true));
    assert_ne!(sum(&[None, Some(true)]), Some(true));
    assert_ne!(sum(&[Some(true), Some(false), Some(true)]), Some(true));
}

#[test]
fn a_sum_beyond_all_bounds_stops_there() {
    let mut sum = Usage {
        reasoning: Some(u64::MAX),
        total_tokens: u64::MAX,
        ..Usage::default()
    };
    sum += &Usage {
        reasoning: Some(1),
        ..usage(1, None)
    };
    assert_eq!(
        (sum.total_tokens, sum.reasoning),
        (u64::MAX, Some(u64::MAX))
    );
}
