use std::sync::Arc;

use deed_agent::{AgentTool, ConstrainedSampling, ModelRequest, Strictness, ToolSet, ToolSpec};
use deed_models::{
    Api, ModelSpec, ProxyChoice, RemoteModel, StaticKey, Transport, TransportOptions,
};
use deed_protocol::ThinkingLevel;
use deed_schema::ToolSchema;
use serde_json::{Value, json};

use super::{anthropic_spec, body_of, model, stopped, stream};
use crate::support::{Reply, Server, ask, declared, request, spec, tools};

/// A transcript with everything in it.
fn transcript() -> Value {
    let image = |data: &str| json!({ "type": "image", "data": data, "mimeType": "image/png" });
    json!([
        { "role": "user", "content": [{ "type": "text", "text": "look" }, image("iVBORw0KGgo=")] },
        { "role": "assistant", "api": "anthropic-messages", "provider": "acme", "model": "acme-1",
          "stopReason": "toolUse", "content": [
            { "type": "thinking", "thinking": "hm", "thinkingSignature": "SIG" },
            { "type": "thinking", "thinking": "", "thinkingSignature": "RED", "redacted": true },
            { "type": "thinking", "thinking": "not signed" },
            { "type": "text", "text": "I look." },
            { "type": "toolCall", "id": "c1", "name": "read", "arguments": { "say": "a" } },
            { "type": "toolCall", "id": "c2", "name": "read", "arguments": {} },
          ] },
        { "role": "toolResult", "toolCallId": "c1", "toolName": "read", "isError": false,
          "content": [{ "type": "text", "text": "see" }, image("iVBORw0KGgoA")] },
        { "role": "toolResult", "toolCallId": "c2", "toolName": "read", "isError": true,
          "content": [{ "type": "text", "text": "half a file" }, image("iVBORw0KGgoB")] },
        { "role": "system", "content": "Be brief." },
        { "role": "user", "content": "and now?" },
        { "role": "system", "content": "Be kind." },
    ])
}

fn one_tool(strictness: Strictness) -> Arc<dyn AgentTool> {
    named_tool("read", strictness)
}

fn named_tool(name: &str, strictness: Strictness) -> Arc<dyn AgentTool> {
    let schema = json!({ "type": "object", "properties": { "say": { "type": "string" } } });
    let spec = ToolSpec {
        constrained_sampling: ConstrainedSampling::JsonSchema(strictness),
        ..ToolSpec::new(name, "A tool of a test", ToolSchema::new(schema).unwrap())
    };
    declared(spec)
}

#[tokio::test]
async fn the_whole_body() {
    let server = Server::start([Reply::events(&stream(&stopped("end_turn")))]).await;
    let tools = Arc::new(ToolSet::new([one_tool(Strictness::Prefer)]));
    let request = ModelRequest {
        thinking: ThinkingLevel::High,
        ..request(&transcript(), tools)
    };
    ask(&model(anthropic_spec(&server)), &request).await;
    let sent = server.requests().remove(0);
    assert_eq!(sent.line, "POST /v1/messages HTTP/1.1");
    assert_eq!(sent.header("anthropic-version"), Some("2023-06-01"));
    insta::assert_json_snapshot!(sent.json(), @r#"
    {
      "model": "acme-1",
      "max_tokens": 4096,
      "stream": true,
      "system": [
        {
          "type": "text",
          "text": "You are terse.",
          "cache_control": {
            "type": "ephemeral"
          }
        }
      ],
      "thinking": {
        "type": "enabled",
        "budget_tokens": 3072
      },
      "tools": [
        {
          "name": "read",
          "description": "A tool of a test",
          "input_schema": {
            "type": "object",
            "properties": {
              "say": {
                "type": "string"
              }
            }
          }
        }
      ],
      "messages": [
        {
          "role": "user",
          "content": [
            {
              "type": "text",
              "text": "look"
            },
            {
              "type": "image",
              "source": {
                "type": "base64",
                "media_type": "image/png",
                "data": "iVBORw0KGgo="
              }
            }
          ]
        },
        {
          "role": "assistant",
          "content": [
            {
              "type": "thinking",
              "thinking": "hm",
              "signature": "SIG"
            },
            {
              "type": "redacted_thinking",
              "data": "RED"
            },
            {
              "type": "text",
              "text": "I look."
            },
            {
              "type": "tool_use",
              "id": "c1",
              "name": "read",
              "input": {
                "say": "a"
              }
            },
            {
              "type": "tool_use",
              "id": "c2",
              "name": "read",
              "input": {}
            }
          ]
        },
        {
          "role": "user",
          "content": [
            {
              "type": "tool_result",
              "tool_use_id": "c1",
              "content": [
                {
                  "type": "text",
                  "text": "see"
                },
                {
                  "type": "image",
                  "source": {
                    "type": "base64",
                    "media_type": "image/png",
                    "data": "iVBORw0KGgoA"
                  }
                }
              ]
            },
            {
              "type": "tool_result",
              "tool_use_id": "c2",
              "content": "half a file",
              "is_error": true
            },
            {
              "type": "text",
              "text": "From the result of read (call c2):"
            },
            {
              "type": "image",
              "source": {
                "type": "base64",
                "media_type": "image/png",
                "data": "iVBORw0KGgoB"
              }
            },
            {
              "type": "text",
              "text": "<instruction>\nBe brief.\n</instruction>"
            }
          ]
        },
        {
          "role": "user",
          "content": [
            {
              "type": "text",
              "text": "and now?"
            }
          ]
        },
        {
          "role": "user",
          "content": [
            {
              "type": "text",
              "text": "<instruction>\nBe kind.\n</instruction>",
              "cache_control": {
                "type": "ephemeral"
              }
            }
          ]
        }
      ]
    }
    "#);
}

#[tokio::test]
async fn what_is_nothing_to_say_is_left_out() {
    let messages = json!([{ "role": "user", "content": "hi" }]);
    let body = body_of(&messages, |spec| {
        spec.max_output_tokens = 0;
        spec.thinking_levels.clear();
        spec.quirks.cache_marks = Some(false);
    })
    .await;
    insta::assert_json_snapshot!(body, @r#"
    {
      "model": "acme-1",
      "max_tokens": 8192,
      "stream": true,
      "system": [
        {
          "type": "text",
          "text": "You are terse."
        }
      ],
      "tools": [
        {
          "name": "read",
          "description": "A tool of a test",
          "input_schema": {
            "type": "object",
            "additionalProperties": false,
            "properties": {
              "say": {
                "type": "string",
                "description": "Something to say"
              },
              "ms": {
                "type": "integer",
                "minimum": 0,
                "description": "How long to take, in milliseconds"
              }
            }
          }
        }
      ],
      "messages": [
        {
          "role": "user",
          "content": [
            {
              "type": "text",
              "text": "hi"
            }
          ]
        }
      ]
    }
    "#);
}

#[tokio::test]
async fn an_answer_that_ends_in_a_thought_ends_before_it() {
    let thought = json!({ "type": "thinking", "thinking": "hm", "thinkingSignature": "SIG" });
    let answer = |content: Value| {
        json!({ "role": "assistant", "api": "anthropic-messages", "provider": "acme",
                "model": "acme-1", "stopReason": "length", "content": content })
    };
    let messages = json!([
        { "role": "user", "content": "a" },
        answer(json!([{ "type": "text", "text": "so" }, thought])),
        { "role": "user", "content": "b" },
        answer(json!([thought])),
        { "role": "user", "content": "c" },
    ]);
    let body = body_of(&messages, |_| {}).await;
    let roles: Vec<&str> = body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["user", "assistant", "user", "user"]);
    let said = json!([{ "type": "text", "text": "so" }]);
    assert_eq!(body["messages"][1]["content"], said);
}

#[tokio::test]
async fn a_base_url_with_its_version_is_taken_as_it_is() {
    let server = Server::start([Reply::events(&stream(&stopped("end_turn")))]).await;
    let mut spec = anthropic_spec(&server);
    spec.base_url.push_str("/v1/");
    let messages = json!([{ "role": "user", "content": "hi" }]);
    ask(&model(spec), &request(&messages, tools(&[]))).await;
    assert_eq!(server.requests()[0].line, "POST /v1/messages HTTP/1.1");
}

#[tokio::test]
async fn a_token_of_a_person_is_no_key() {
    let reply = || Reply::events(&stream(&stopped("end_turn")));
    let server = Server::start([reply(), reply()]).await;
    let messages = json!([{ "role": "user", "content": "hi" }]);
    for key in ["sk-ant-api03-x", "sk-ant-oat01-x"] {
        let key = StaticKey(Some(key.to_owned()));
        let transport = crate::support::transport();
        let model = RemoteModel::new(anthropic_spec(&server), Arc::new(key), transport, || 0);
        ask(&model, &request(&messages, tools(&[]))).await;
    }
    let sent = server.requests();
    assert_eq!(sent[0].header("x-api-key"), Some("sk-ant-api03-x"));
    assert_eq!(sent[0].header("authorization"), None);
    assert_eq!(sent[1].header("x-api-key"), None);
    assert_eq!(
        sent[1].header("authorization"),
        Some("Bearer sk-ant-oat01-x")
    );
    assert_eq!(sent[1].header("anthropic-beta"), Some("oauth-2025-04-20"));
}

/// Returns what Anthropic itself would get: the server is a proxy on the way to it.
pub(super) async fn sent_to_anthropic(
    id: &str,
    thinking: ThinkingLevel,
    tools: Arc<ToolSet>,
) -> (Value, Option<String>) {
    let server = Server::start([Reply::events(&stream(&stopped("end_turn")))]).await;
    let spec = ModelSpec {
        id: id.into(),
        max_output_tokens: 32_000,
        thinking_levels: ThinkingLevel::ALL[1..].to_vec(),
        ..spec(Api::Anthropic, "http://api.anthropic.com".to_owned())
    };
    let options = TransportOptions {
        proxy: ProxyChoice::Url {
            url: server.root.clone(),
            no_proxy: String::new(),
        },
        ..TransportOptions::default()
    };
    let transport = Transport::new(options);
    let model = RemoteModel::new(spec, Arc::new(StaticKey(None)), transport, || 0);
    let messages = json!([{ "role": "user", "content": "hi" }]);
    let request = ModelRequest {
        thinking,
        ..request(&messages, tools)
    };
    ask(&model, &request).await;
    let sent = server.requests().remove(0);
    (
        sent.json(),
        sent.header("anthropic-beta").map(str::to_owned),
    )
}

#[tokio::test]
async fn tools_are_strict_where_the_model_can_and_as_many_as_it_takes() {
    let names: Vec<String> = (0..25).map(|at| format!("t{at}")).collect();
    let set = || {
        let tools = names
            .iter()
            .map(|name| named_tool(name, Strictness::Prefer));
        Arc::new(ToolSet::new(tools))
    };
    let strict = |body: &Value| {
        let tools = body["tools"].as_array().unwrap();
        assert_eq!(tools.len(), 25);
        tools.iter().filter(|tool| tool["strict"] == true).count()
    };
    let (body, _) = sent_to_anthropic("claude-opus-4-1", ThinkingLevel::Off, set()).await;
    assert_eq!(strict(&body), 0);
    // Each has one field that may be null: a union.
    let (body, _) = sent_to_anthropic("claude-opus-5-5", ThinkingLevel::Off, set()).await;
    assert_eq!(strict(&body), 16);
    assert_eq!(body["tools"][0]["input_schema"]["required"], json!(["say"]));
    assert_eq!(body["tools"][20]["input_schema"].get("required"), None);
}

#[tokio::test]
async fn a_tool_that_demands_strictness_is_told_where_there_is_none() {
    let server = Server::start([]).await;
    let tools = Arc::new(ToolSet::new([one_tool(Strictness::Require)]));
    let messages = json!([{ "role": "user", "content": "hi" }]);
    let (message, _) = ask(&model(anthropic_spec(&server)), &request(&messages, tools)).await;
    let text = message.error_message.unwrap();
    assert!(
        text.contains("the tool read demands a strict schema"),
        "{text}"
    );
    assert_eq!(server.requests().len(), 0);
}
