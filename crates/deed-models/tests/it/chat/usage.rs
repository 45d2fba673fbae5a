use deed_protocol::Usage;
use serde_json::{Value, json};

use super::{answer_of, delta, finished, stream};

async fn usage(said: Value) -> Usage {
    let chunks = [
        delta(&json!({ "content": "x" })),
        finished("stop"),
        json!({ "choices": [], "usage": said }),
    ];
    answer_of(&stream(&chunks)).await.usage
}

#[tokio::test]
async fn cached_tokens_are_counted_whatever_they_are_called() {
    let base = json!({ "prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110 });
    let forms = [
        json!({ "prompt_tokens_details": { "cached_tokens": 60 } }),
        json!({ "prompt_cache_hit_tokens": 60, "prompt_cache_miss_tokens": 40 }),
        json!({ "cached_tokens": 60, "prompt_tokens_details": null }),
    ];
    for form in forms {
        let mut said = base.clone();
        said.as_object_mut()
            .unwrap()
            .extend(form.as_object().unwrap().clone());
        let usage = usage(said).await;
        assert_eq!(
            (usage.input, usage.cache_read, usage.total_tokens),
            (40, 60, 110),
            "{form}"
        );
    }
}

#[tokio::test]
async fn thinking_is_output_even_where_it_is_counted_beside_it() {
    let said = |total: u64| {
        json!({ "prompt_tokens": 100, "completion_tokens": 10, "total_tokens": total,
            "completion_tokens_details": { "reasoning_tokens": 7 } })
    };
    let inside = usage(said(110)).await;
    assert_eq!(
        (inside.output, inside.reasoning, inside.total_tokens),
        (10, Some(7), 110)
    );
    let beside = usage(said(117)).await;
    assert_eq!(
        (beside.output, beside.reasoning, beside.total_tokens),
        (17, Some(7), 117)
    );
}

#[tokio::test]
async fn a_price_that_the_provider_states_stands() {
    let said =
        json!({ "prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110, "cost": 0.5 });
    let usage = usage(said).await;
    assert_eq!(usage.cost.total, 0.5);
    assert_eq!(usage.cost.total_from_provider, Some(true));
}

#[tokio::test]
async fn odd_counts_are_no_fault() {
    let said = json!({ "prompt_tokens": "many", "completion_tokens": 2.0, "total_tokens": -1 });
    let usage = usage(said).await;
    assert_eq!((usage.input, usage.output), (0, 2));
}
