use deed_agent::ModelRequest;
use deed_protocol::{Message, ThinkingLevel};
use serde_json::{Value, json};

use super::{finished, gemini_spec, model, parts, stream};
use crate::support::{Reply, Server, add, ask, request, tools};

#[tokio::test]
async fn each_generation_is_told_in_its_own_words() {
    use ThinkingLevel::{High, Low, Medium, Minimal, Off, Xhigh};
    let rows = [
        ("gemini-3.8-flash", &[Low, Medium, High][..], Off),
        ("gemini-3.8-flash", &[Low, Medium, High], Xhigh),
        ("gemini-3.5-flash", &[Minimal, Low, Medium, High], Off),
        ("gemini-flash-latest", &[Low, High], Low),
        ("gemini-2.5-pro", &[Low, High], Off),
        ("gemini-2.5-flash", &[Low, High], Off),
        ("gemini-2.5-flash", &[Low, High], High),
        ("gemma-4-31b-it", &[], High),
    ];
    let mut lines = Vec::new();
    for (id, levels, level) in rows {
        let server = Server::start([Reply::events(&stream(&[finished("STOP")]))]).await;
        let mut spec = gemini_spec(&server);
        spec.id = id.into();
        spec.thinking_levels = levels.to_vec();
        let request = ModelRequest {
            thinking: level,
            ..request(&json!([{ "role": "user", "content": "hi" }]), tools(&[]))
        };
        ask(&model(spec), &request).await;
        let said = &server.last_body()["generationConfig"]["thinkingConfig"];
        lines.push(format!("{id} {level}: {said}"));
    }
    insta::assert_snapshot!(lines.join("\n"), @r#"
    gemini-3.8-flash off: {"thinkingLevel":"LOW"}
    gemini-3.8-flash xhigh: {"includeThoughts":true,"thinkingLevel":"HIGH"}
    gemini-3.5-flash off: {"thinkingLevel":"MINIMAL"}
    gemini-flash-latest low: {"includeThoughts":true,"thinkingLevel":"LOW"}
    gemini-2.5-pro off: {"thinkingBudget":128}
    gemini-2.5-flash off: {"thinkingBudget":0}
    gemini-2.5-flash high: {"includeThoughts":true,"thinkingBudget":16384}
    gemma-4-31b-it high: null
    "#);
}

/// An answer with signatures on and behind its parts.
fn thoughtful() -> String {
    stream(&[
        parts(&json!([{ "text": "**Looking**", "thought": true }])),
        parts(&json!([{ "text": " on", "thought": true }])),
        parts(&json!([{ "text": "I " }])),
        parts(&json!([{ "text": "look." }])),
        parts(&json!([{ "text": "", "thoughtSignature": "SIG1" }])),
        parts(&json!([{ "text": "More." }])),
        parts(&json!([
            { "functionCall": { "id": "f1", "name": "read", "args": { "say": 1 } }, "thoughtSignature": "SIG2" },
            { "functionCall": { "name": "read" } },
        ])),
        finished("STOP"),
    ])
}

async fn replayed(other_model: bool) -> Value {
    let reply = Reply::events(&thoughtful());
    let server = Server::start([reply.clone(), reply]).await;
    let mut spec = gemini_spec(&server);
    spec.id = "gemini-3.8-flash".into();
    let mut transcript = request(
        &json!([{ "role": "user", "content": "hi" }]),
        tools(&["read"]),
    );
    let (message, _) = ask(&model(spec.clone()), &transcript).await;
    // As a session file keeps it.
    let stored = serde_json::to_string(&Message::from(message)).unwrap();
    add(&mut transcript, [serde_json::from_str(&stored).unwrap()]);
    if other_model {
        spec.id = "gemini-3.1-pro-preview".into();
    }
    ask(&model(spec), &transcript).await;
    server.last_body()["contents"][1]["parts"].clone()
}

#[tokio::test]
async fn signatures_go_back_where_they_came() {
    insta::assert_json_snapshot!(replayed(false).await, @r#"
    [
      {
        "text": "I look.",
        "thoughtSignature": "SIG1"
      },
      {
        "text": "More."
      },
      {
        "functionCall": {
          "id": "f1",
          "name": "read",
          "args": {
            "say": 1
          }
        },
        "thoughtSignature": "SIG2"
      },
      {
        "functionCall": {
          "id": "call_102d4b5f5e701a1519ea10d0",
          "name": "read",
          "args": {}
        }
      }
    ]
    "#);
}

#[tokio::test]
async fn another_model_gets_no_signatures() {
    let parts = replayed(true).await;
    assert!(!parts.to_string().contains("SIG"), "{parts}");
    assert_eq!(parts[0], json!({ "text": "I look." }));
}
