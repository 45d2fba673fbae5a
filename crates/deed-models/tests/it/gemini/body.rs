use std::sync::Arc;

use deed_agent::{ModelRequest, ToolSet};
use deed_models::{RemoteModel, StaticKey};
use deed_protocol::ThinkingLevel;
use deed_testing::FakeTool;
use serde_json::{Value, json};

use super::{finished, gemini_spec, model, stream};
use crate::support::{Reply, Server, ask, request, tools, transport};

/// A transcript with everything in it.
fn transcript() -> Value {
    let image = |data: &str, kind: &str| json!({ "type": "image", "data": data, "mimeType": kind });
    json!([
        { "role": "user", "content": [{ "type": "text", "text": "look" },
            image("iVBORw0KGgo=", "image/png"), image("R0lGODlh", "image/gif")] },
        { "role": "assistant", "api": "google-generative-ai", "provider": "acme", "model": "MODEL",
          "stopReason": "toolUse", "content": [
            { "type": "thinking", "thinking": "shown", "thinkingSignature": "SIG0" },
            { "type": "thinking", "thinking": "not signed" },
            { "type": "text", "text": "I look.", "textSignature": "SIG1" },
            { "type": "toolCall", "id": "c1", "name": "read", "arguments": { "say": "a" },
              "thoughtSignature": "SIG2" },
            { "type": "toolCall", "id": "c2", "name": "read", "arguments": {} },
          ] },
        { "role": "toolResult", "toolCallId": "c1", "toolName": "read", "isError": false,
          "content": [{ "type": "text", "text": "see" }, image("iVBORw0KGgoA", "image/png")] },
        { "role": "toolResult", "toolCallId": "c2", "toolName": "read", "isError": true,
          "content": [image("iVBORw0KGgoB", "image/png")] },
        { "role": "system", "content": "Be brief." },
        { "role": "user", "content": "and now?" },
    ])
}

async fn body_of(id: &str, messages: &Value) -> Value {
    let server = Server::start([Reply::events(&stream(&[finished("STOP")]))]).await;
    let mut spec = gemini_spec(&server);
    spec.id = id.into();
    let messages = messages.to_string().replace("MODEL", id);
    let tool = FakeTool::new("read").takes(
        json!({ "type": "object", "properties": { "say": { "type": ["string", "null"] } } }),
    );
    let none = FakeTool::new("now").takes(json!({ "type": "object" }));
    let request = ModelRequest {
        thinking: ThinkingLevel::High,
        ..request(
            &serde_json::from_str(&messages).unwrap(),
            Arc::new(ToolSet::new([tool.shared(), none.shared()])),
        )
    };
    ask(&model(spec), &request).await;
    let sent = server.requests().remove(0);
    let path = format!("/v1beta/models/{id}:streamGenerateContent?alt=sse");
    assert_eq!(sent.line, format!("POST {path} HTTP/1.1"));
    sent.json()
}

#[tokio::test]
async fn the_whole_body_of_the_third_generation() {
    insta::assert_json_snapshot!(body_of("gemini-3.8-flash", &transcript()).await, @r#"
    {
      "systemInstruction": {
        "parts": [
          {
            "text": "You are terse."
          }
        ]
      },
      "generationConfig": {
        "maxOutputTokens": 4096,
        "thinkingConfig": {
          "includeThoughts": true,
          "thinkingLevel": "HIGH"
        }
      },
      "tools": [
        {
          "functionDeclarations": [
            {
              "name": "read",
              "description": "A tool of a test",
              "parameters": {
                "type": "object",
                "properties": {
                  "say": {
                    "type": "string",
                    "nullable": true
                  }
                }
              }
            },
            {
              "name": "now",
              "description": "A tool of a test"
            }
          ]
        }
      ],
      "contents": [
        {
          "role": "user",
          "parts": [
            {
              "text": "look"
            },
            {
              "inlineData": {
                "mimeType": "image/png",
                "data": "iVBORw0KGgo="
              }
            },
            {
              "text": "[picture left out: of a kind that this provider does not take]"
            }
          ]
        },
        {
          "role": "model",
          "parts": [
            {
              "thought": true,
              "text": "shown",
              "thoughtSignature": "SIG0"
            },
            {
              "text": "I look.",
              "thoughtSignature": "SIG1"
            },
            {
              "functionCall": {
                "id": "c1",
                "name": "read",
                "args": {
                  "say": "a"
                }
              },
              "thoughtSignature": "SIG2"
            },
            {
              "functionCall": {
                "id": "c2",
                "name": "read",
                "args": {}
              }
            }
          ]
        },
        {
          "role": "user",
          "parts": [
            {
              "functionResponse": {
                "id": "c1",
                "name": "read",
                "response": {
                  "output": "see"
                },
                "parts": [
                  {
                    "inlineData": {
                      "mimeType": "image/png",
                      "data": "iVBORw0KGgoA"
                    }
                  }
                ]
              }
            },
            {
              "functionResponse": {
                "id": "c2",
                "name": "read",
                "response": {
                  "error": "the result is a picture"
                },
                "parts": [
                  {
                    "inlineData": {
                      "mimeType": "image/png",
                      "data": "iVBORw0KGgoB"
                    }
                  }
                ]
              }
            }
          ]
        },
        {
          "role": "user",
          "parts": [
            {
              "text": "<instruction>\nBe brief.\n</instruction>"
            }
          ]
        },
        {
          "role": "user",
          "parts": [
            {
              "text": "and now?"
            }
          ]
        }
      ]
    }
    "#);
}

#[tokio::test]
async fn the_second_generation_knows_no_ids_and_no_pictures_in_results() {
    let body = body_of("gemini-2.5-pro", &transcript()).await;
    insta::assert_json_snapshot!(body["contents"].as_array().unwrap()[1..], @r#"
    [
      {
        "role": "model",
        "parts": [
          {
            "thought": true,
            "text": "shown",
            "thoughtSignature": "SIG0"
          },
          {
            "text": "I look.",
            "thoughtSignature": "SIG1"
          },
          {
            "functionCall": {
              "name": "read",
              "args": {
                "say": "a"
              }
            },
            "thoughtSignature": "SIG2"
          },
          {
            "functionCall": {
              "name": "read",
              "args": {}
            }
          }
        ]
      },
      {
        "role": "user",
        "parts": [
          {
            "functionResponse": {
              "name": "read",
              "response": {
                "output": "see"
              }
            }
          },
          {
            "functionResponse": {
              "name": "read",
              "response": {
                "error": "the result is a picture, which follows"
              }
            }
          }
        ]
      },
      {
        "role": "user",
        "parts": [
          {
            "text": "From the result of read (call c1):"
          },
          {
            "inlineData": {
              "mimeType": "image/png",
              "data": "iVBORw0KGgoA"
            }
          },
          {
            "text": "From the result of read (call c2):"
          },
          {
            "inlineData": {
              "mimeType": "image/png",
              "data": "iVBORw0KGgoB"
            }
          },
          {
            "text": "<instruction>\nBe brief.\n</instruction>"
          }
        ]
      },
      {
        "role": "user",
        "parts": [
          {
            "text": "and now?"
          }
        ]
      }
    ]
    "#);
    insta::assert_json_snapshot!(body["generationConfig"], @r#"
    {
      "maxOutputTokens": 4096,
      "thinkingConfig": {
        "includeThoughts": true,
        "thinkingBudget": 16384
      }
    }
    "#);
}

#[tokio::test]
async fn a_call_of_another_model_has_a_stand_in_for_its_signature() {
    let messages = json!([
        { "role": "user", "content": "go" },
        { "role": "assistant", "api": "openai-completions", "provider": "acme", "model": "other",
          "stopReason": "toolUse", "content": [
            { "type": "toolCall", "id": "c1", "name": "read", "arguments": {} },
            { "type": "toolCall", "id": "c2", "name": "read", "arguments": {} } ] },
    ]);
    let signatures = |body: &Value| {
        let parts = body["contents"][1]["parts"].as_array().unwrap().clone();
        parts
            .iter()
            .map(|part| part["thoughtSignature"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        signatures(&body_of("gemini-3.1-pro-preview", &messages).await),
        [json!("skip_thought_signature_validator"), Value::Null]
    );
    assert_eq!(
        signatures(&body_of("gemini-2.5-flash", &messages).await),
        [Value::Null, Value::Null]
    );
}

#[tokio::test]
async fn the_key_is_in_a_header_field_and_not_in_the_address() {
    let server = Server::start([Reply::events(&stream(&[finished("STOP")]))]).await;
    let mut spec = gemini_spec(&server);
    spec.base_url.clone_from(&server.root);
    spec.id = "models/gemini 3?x".into();
    let key = Arc::new(StaticKey(Some("AIza-secret".to_owned())));
    let model = RemoteModel::new(spec, key, transport(), || 0);
    let messages = json!([{ "role": "user", "content": "hi" }]);
    ask(&model, &request(&messages, tools(&[]))).await;
    let sent = server.requests().remove(0);
    assert_eq!(sent.header("x-goog-api-key"), Some("AIza-secret"));
    assert_eq!(
        sent.line,
        "POST /v1beta/models/gemini%203%3Fx:streamGenerateContent?alt=sse HTTP/1.1"
    );
}
