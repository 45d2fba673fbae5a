//! Marks for the cache: on the prompt and on what came last, never on what was written before.

use serde_json::{Value, json};

use super::body_of;

/// Returns where marks are, as `message.block`.
fn marks(body: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for (at, message) in body["messages"].as_array().unwrap().iter().enumerate() {
        for (block, value) in message["content"].as_array().unwrap().iter().enumerate() {
            if value.get("cache_control").is_some() {
                assert_eq!(value["cache_control"], json!({ "type": "ephemeral" }));
                found.push(format!("{at}.{block}"));
            }
        }
    }
    found
}

fn batch(calls: usize) -> Value {
    let call =
        |at| json!({ "type": "toolCall", "id": format!("c{at}"), "name": "read", "arguments": {} });
    let mut content =
        vec![json!({ "type": "thinking", "thinking": "hm", "thinkingSignature": "S" })];
    content.extend((0..calls).map(call));
    json!([
        { "role": "user", "content": "go" },
        { "role": "assistant", "api": "anthropic-messages", "provider": "acme", "model": "acme-1",
          "stopReason": "toolUse", "content": content },
    ])
}

#[tokio::test]
async fn the_prompt_and_the_end_are_marked() {
    let body = body_of(&json!([
        { "role": "user", "content": "one" },
        { "role": "user", "content": [{ "type": "text", "text": "two" }, { "type": "text", "text": "three" }] },
    ]), |_| {}).await;
    assert_eq!(marks(&body), ["1.1"]);
    assert!(body["system"][0].get("cache_control").is_some());
}

#[tokio::test]
async fn a_wide_batch_is_marked_within_the_reach_of_the_provider() {
    let rows: [(usize, &[&str]); 3] = [
        (2, &["2.1"]),
        // 21 blocks: from the end, the eighteenth before it is in the calls.
        (10, &["1.2", "2.9"]),
        (40, &["2.3", "2.21", "2.39"]),
    ];
    for (calls, wanted) in rows {
        let body = body_of(&batch(calls), |_| {}).await;
        assert_eq!(marks(&body), wanted);
    }
}

#[tokio::test]
async fn marks_can_be_switched_off() {
    let body = body_of(&batch(3), |spec| spec.quirks.cache_marks = Some(false)).await;
    assert!(!body.to_string().contains("cache_control"));
}
