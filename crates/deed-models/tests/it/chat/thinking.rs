use deed_agent::ModelRequest;
use deed_models::{Quirks, ThinkingStyle};
use deed_protocol::ThinkingLevel;
use serde_json::{Map, Value, json};

use super::{answer_of, blocks, chat_spec, delta, finished, model, stream};
use crate::support::{Reply, Server, add, ask, request, tools};

/// Returns the members by which a model is told how much to think.
async fn told(quirks: Quirks, level: ThinkingLevel) -> Value {
    let server = Server::start([Reply::events(&stream(&[finished("stop")]))]).await;
    let mut spec = chat_spec(&server);
    spec.quirks = quirks;
    let request = ModelRequest {
        thinking: level,
        ..request(&json!([{ "role": "user", "content": "hi" }]), tools(&[]))
    };
    ask(&model(spec), &request).await;
    let known = [
        "reasoning_effort",
        "reasoning",
        "thinking",
        "enable_thinking",
        "chat_template_kwargs",
    ];
    let body = server.last_body();
    let members: Map<String, Value> = known
        .iter()
        .filter_map(|name| Some((name.to_string(), body.get(*name)?.clone())))
        .collect();
    Value::Object(members)
}

#[tokio::test]
async fn each_style_says_it_in_its_way() {
    use ThinkingLevel::{High, Minimal, Off, Xhigh};
    use ThinkingStyle::{Effort, Enable, Nested, Template, Toggle};
    let rows = [
        (Effort, Off, json!({})),
        (Effort, High, json!({ "reasoning_effort": "high" })),
        // The spec knows low and high only.
        (Effort, Minimal, json!({ "reasoning_effort": "low" })),
        (Effort, Xhigh, json!({ "reasoning_effort": "high" })),
        (Nested, Off, json!({ "reasoning": { "enabled": false } })),
        (Nested, High, json!({ "reasoning": { "effort": "high" } })),
        (Toggle, Off, json!({ "thinking": { "type": "disabled" } })),
        (Toggle, High, json!({ "thinking": { "type": "enabled" } })),
        (Enable, Off, json!({ "enable_thinking": false })),
        (
            Template,
            High,
            json!({ "chat_template_kwargs": { "enable_thinking": true } }),
        ),
    ];
    for (style, level, wanted) in rows {
        let quirks = Quirks {
            thinking_style: Some(style),
            ..Quirks::default()
        };
        assert_eq!(told(quirks, level).await, wanted, "{style:?} {level}");
    }
}

#[tokio::test]
async fn words_of_levels_may_be_others() {
    let words = [(ThinkingLevel::Off, "none"), (ThinkingLevel::High, "max")];
    let quirks = Quirks {
        thinking_words: words.map(|(level, word)| (level, word.to_owned())).into(),
        ..Quirks::default()
    };
    let off = told(quirks.clone(), ThinkingLevel::Off).await;
    assert_eq!(off, json!({ "reasoning_effort": "none" }));
    let high = told(quirks, ThinkingLevel::High).await;
    assert_eq!(high, json!({ "reasoning_effort": "max" }));
    let none = Quirks {
        reasoning_effort: Some(false),
        ..Quirks::default()
    };
    assert_eq!(told(none, ThinkingLevel::High).await, json!({}));
}

#[tokio::test]
async fn a_thought_is_read_under_any_name_and_once() {
    for names in [
        &["reasoning_content"][..],
        &["reasoning"],
        &["reasoning_text"],
        &["reasoning", "reasoning_content"],
    ] {
        let piece = |text: &str| {
            let members: Map<String, Value> = names
                .iter()
                .map(|name| (name.to_string(), text.into()))
                .collect();
            delta(&Value::Object(members))
        };
        let chunks = [
            piece("h"),
            piece("m"),
            delta(&json!({ "content": "x" })),
            finished("stop"),
        ];
        let message = answer_of(&stream(&chunks)).await;
        assert_eq!(blocks(&message), ["thinking hm", "text x"], "{names:?}");
    }
}

/// Returns the answer of the transcript as the second request carries it.
async fn replayed(chunks: &[Value], quirks: Quirks, other_model: bool) -> Value {
    let reply = Reply::events(&stream(chunks));
    let server = Server::start([reply.clone(), reply]).await;
    let mut spec = chat_spec(&server);
    spec.quirks = quirks;
    let first = request(&json!([{ "role": "user", "content": "hi" }]), tools(&[]));
    let (message, _) = ask(&model(spec.clone()), &first).await;
    let mut second = first.clone();
    let again = first.messages.iter().map(|one| (**one).clone());
    add(&mut second, std::iter::once(message.into()).chain(again));
    if other_model {
        spec.id = "acme-2".into();
    }
    ask(&model(spec), &second).await;
    server.last_body()["messages"][2].clone()
}

#[tokio::test]
async fn thoughts_go_back_only_where_they_are_wanted() {
    let chunks = [
        delta(&json!({ "reasoning_content": "hm" })),
        delta(&json!({ "content": "x" })),
        finished("stop"),
    ];
    let wanting = Quirks {
        thinking_replay: Some("reasoning_content".to_owned()),
        ..Quirks::default()
    };
    let plain = json!({ "role": "assistant", "content": "x" });
    let with = json!({ "role": "assistant", "content": "x", "reasoning_content": "hm" });
    assert_eq!(replayed(&chunks, Quirks::default(), false).await, plain);
    assert_eq!(replayed(&chunks, wanting.clone(), false).await, with);
    assert_eq!(replayed(&chunks, wanting, true).await, plain);
}

#[tokio::test]
async fn signed_thoughts_go_back_unchanged_to_the_same_model() {
    let detail =
        |members: Value| delta(&json!({ "reasoning": "", "reasoning_details": [members] }));
    let chunks = [
        detail(json!({ "type": "reasoning.text", "text": "h", "index": 0, "format": "f" })),
        detail(json!({ "type": "reasoning.text", "text": "m", "index": 0 })),
        detail(json!({ "type": "reasoning.text", "signature": "S", "index": 0 })),
        detail(json!({ "type": "reasoning.encrypted", "data": "E", "index": 1, "id": "c1" })),
        delta(&json!({ "content": "x" })),
        finished("stop"),
    ];
    let with = json!({ "role": "assistant", "content": "x", "reasoning_details": [
        { "type": "reasoning.text", "text": "hm", "index": 0, "format": "f", "signature": "S" },
        { "type": "reasoning.encrypted", "data": "E", "index": 1, "id": "c1" },
    ] });
    assert_eq!(replayed(&chunks, Quirks::default(), false).await, with);
    let plain = json!({ "role": "assistant", "content": "x" });
    assert_eq!(replayed(&chunks, Quirks::default(), true).await, plain);
}
