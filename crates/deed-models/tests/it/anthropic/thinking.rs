use std::sync::Arc;

use deed_agent::{ModelRequest, ToolSet};
use deed_protocol::ThinkingLevel;
use serde_json::{Value, json};

use super::body::sent_to_anthropic;
use super::{anthropic_spec, begun, model, over, piece, stopped, stream};
use crate::support::{Reply, Server, add, ask, request, tools};

#[tokio::test]
async fn each_generation_is_told_in_its_own_words() {
    use ThinkingLevel::{High, Low, Minimal, Off, Xhigh};
    let rows = [
        ("claude-3-7-sonnet-20250219", High),
        ("claude-haiku-4-5", Off),
        ("claude-haiku-4-5", Minimal),
        ("claude-haiku-4-5", Xhigh),
        ("claude-opus-4-6", Off),
        ("claude-opus-4-6", Low),
        ("claude-opus-4-6", Xhigh),
        ("claude-opus-4-8", Xhigh),
        ("claude-sonnet-5", Off),
        ("claude-fable-5", Off),
        ("claude-haiku-5-5", Off),
        ("claude-haiku-5-5", High),
        ("claude-opus-5-5", Off),
        ("claude-opus-5-5", High),
    ];
    let mut lines = Vec::new();
    for (id, level) in rows {
        let (body, betas) = sent_to_anthropic(id, level, Arc::new(ToolSet::default())).await;
        let mut said = vec![body["thinking"].to_string()];
        said.extend(body.get("output_config").map(Value::to_string));
        said.extend(betas);
        lines.push(format!("{id} {level}: {}", said.join(" ")));
    }
    insta::assert_snapshot!(lines.join("\n"), @r#"
    claude-3-7-sonnet-20250219 high: {"type":"enabled","budget_tokens":20480} interleaved-thinking-2025-05-14
    claude-haiku-4-5 off: null interleaved-thinking-2025-05-14
    claude-haiku-4-5 minimal: {"type":"enabled","budget_tokens":1024} interleaved-thinking-2025-05-14
    claude-haiku-4-5 xhigh: {"type":"enabled","budget_tokens":24000} interleaved-thinking-2025-05-14
    claude-opus-4-6 off: null
    claude-opus-4-6 low: {"type":"adaptive","display":"summarized"} {"effort":"low"}
    claude-opus-4-6 xhigh: {"type":"adaptive","display":"summarized"} {"effort":"max"}
    claude-opus-4-8 xhigh: {"type":"adaptive","display":"summarized"} {"effort":"xhigh"}
    claude-sonnet-5 off: {"type":"disabled"}
    claude-fable-5 off: {"type":"adaptive"} {"effort":"low"}
    claude-haiku-5-5 off: {"type":"disabled"}
    claude-haiku-5-5 high: {"type":"adaptive","display":"summarized"} {"effort":"high"}
    claude-opus-5-5 off: {"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"drop_block"}} {"effort":"low"} thinking-binding-controls-2026-08-01
    claude-opus-5-5 high: {"type":"adaptive","display":"summarized","block_binding":{"prefix_mismatch_behavior":"drop_block"}} {"effort":"high"} thinking-binding-controls-2026-08-01
    "#);
}

#[tokio::test]
async fn there_is_room_for_an_answer_behind_the_thoughts() {
    for (max_tokens, budget) in [
        (4_096, json!(3_072)),
        (1_200, Value::Null),
        (0, json!(6_144)),
    ] {
        let server = Server::start([Reply::events(&stream(&stopped("end_turn")))]).await;
        let mut spec = anthropic_spec(&server);
        spec.max_output_tokens = max_tokens;
        let request = ModelRequest {
            thinking: ThinkingLevel::High,
            ..request(&json!([{ "role": "user", "content": "hi" }]), tools(&[]))
        };
        ask(&model(spec), &request).await;
        let body = server.last_body();
        assert_eq!(body["thinking"]["budget_tokens"], budget, "{max_tokens}");
        let limit = body["max_tokens"].as_u64().unwrap();
        assert!(budget.as_u64().is_none_or(|budget| budget < limit));
    }
}

/// An answer with all kinds of thoughts between its words.
fn thoughtful() -> String {
    let mut events = vec![
        begun(
            0,
            json!({ "type": "thinking", "thinking": "", "signature": "" }),
        ),
        piece(0, json!({ "type": "thinking_delta", "thinking": "first" })),
        piece(0, json!({ "type": "signature_delta", "signature": "SI" })),
        piece(0, json!({ "type": "signature_delta", "signature": "G1" })),
        over(0),
        begun(1, json!({ "type": "text", "text": "" })),
        piece(1, json!({ "type": "text_delta", "text": "Well." })),
        over(1),
        begun(2, json!({ "type": "redacted_thinking", "data": "SECRET" })),
        over(2),
        begun(3, json!({ "type": "thinking", "thinking": "" })),
        piece(3, json!({ "type": "signature_delta", "signature": "SIG2" })),
        over(3),
        begun(
            4,
            json!({ "type": "tool_use", "id": "toolu_1", "name": "read", "input": {} }),
        ),
        piece(
            4,
            json!({ "type": "input_json_delta", "partial_json": "{\"say\":12345678901234567890}" }),
        ),
        over(4),
    ];
    events.extend(stopped("tool_use"));
    stream(&events)
}

async fn replayed(other_model: bool) -> Value {
    let reply = Reply::events(&thoughtful());
    let server = Server::start([reply.clone(), reply]).await;
    let mut spec = anthropic_spec(&server);
    let mut transcript = request(
        &json!([{ "role": "user", "content": "hi" }]),
        tools(&["read"]),
    );
    let (message, _) = ask(&model(spec.clone()), &transcript).await;
    // As a session file keeps it.
    let stored = serde_json::to_string(&deed_protocol::Message::from(message)).unwrap();
    add(&mut transcript, [serde_json::from_str(&stored).unwrap()]);
    if other_model {
        spec.id = "acme-2".into();
    }
    ask(&model(spec), &transcript).await;
    server.last_body()["messages"][1]["content"].clone()
}

#[tokio::test]
async fn thoughts_go_back_to_the_letter_and_in_order() {
    insta::assert_json_snapshot!(replayed(false).await, @r#"
    [
      {
        "type": "thinking",
        "thinking": "first",
        "signature": "SIG1"
      },
      {
        "type": "text",
        "text": "Well."
      },
      {
        "type": "redacted_thinking",
        "data": "SECRET"
      },
      {
        "type": "thinking",
        "thinking": "",
        "signature": "SIG2"
      },
      {
        "type": "tool_use",
        "id": "toolu_1",
        "name": "read",
        "input": {
          "say": 12345678901234567890
        }
      }
    ]
    "#);
}

#[tokio::test]
async fn another_model_gets_no_thoughts() {
    let kinds: Vec<String> = replayed(true)
        .await
        .as_array()
        .unwrap()
        .iter()
        .map(|block| block["type"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(kinds, ["text", "tool_use"]);
}
