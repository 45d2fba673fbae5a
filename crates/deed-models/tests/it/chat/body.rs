use std::sync::Arc;

use deed_agent::{AgentTool, ModelRequest, ToolSet};
use deed_models::{
    Api, ModelSpec, ProxyChoice, Quirks, RemoteModel, StaticKey, Transport, TransportOptions,
};
use deed_protocol::ThinkingLevel;
use deed_testing::FakeTool;
use serde_json::{Value, json};

use super::{chat_spec, finished, model, stream};
use crate::support::{Reply, Server, ask, request, spec, tools};

/// A transcript with everything in it.
fn transcript() -> Value {
    let image = |data: &str| json!({ "type": "image", "data": data, "mimeType": "image/png" });
    json!([
        { "role": "user", "content": [{ "type": "text", "text": "look" }, image("iVBORw0KGgo=")] },
        { "role": "assistant", "api": "openai-completions", "provider": "acme", "model": "acme-1",
          "stopReason": "toolUse", "content": [
            { "type": "thinking", "thinking": "hm" },
            { "type": "text", "text": "I look." },
            { "type": "toolCall", "id": "c1", "name": "read", "arguments": { "say": "a" } },
            { "type": "toolCall", "id": "c2", "name": "read", "arguments": {} },
          ] },
        { "role": "toolResult", "toolCallId": "c1", "toolName": "read", "isError": false,
          "content": [{ "type": "text", "text": "see" }, image("iVBORw0KGgoA")] },
        { "role": "toolResult", "toolCallId": "c2", "toolName": "read", "isError": true,
          "content": [{ "type": "text", "text": "no such file" }] },
        { "role": "system", "content": "Be brief." },
        { "role": "user", "content": "and now?" },
    ])
}

/// A model that is on another machine, whose part the server plays.
fn elsewhere(server: &Server, spec: ModelSpec) -> RemoteModel {
    let through = Transport::new(TransportOptions {
        proxy: ProxyChoice::Url {
            url: server.root.clone(),
            no_proxy: String::new(),
        },
        ..TransportOptions::default()
    });
    let key = StaticKey(Some("sk-1".to_owned()));
    RemoteModel::new(spec, Arc::new(key), through, || 0)
}

fn one_tool() -> Arc<ToolSet> {
    let tool: Arc<dyn AgentTool> = FakeTool::new("read")
        .takes(json!({ "type": "object", "properties": { "say": { "type": "string" } } }))
        .shared();
    Arc::new(ToolSet::new([tool]))
}

#[tokio::test]
async fn the_whole_body() {
    let server = Server::start([Reply::events(&stream(&[finished("stop")]))]).await;
    let request = ModelRequest {
        thinking: ThinkingLevel::High,
        ..request(&transcript(), one_tool())
    };
    ask(&model(chat_spec(&server)), &request).await;
    insta::assert_json_snapshot!(server.last_body(), @r#"
    {
      "model": "acme-1",
      "stream": true,
      "stream_options": {
        "include_usage": true
      },
      "max_tokens": 4096,
      "reasoning_effort": "high",
      "tools": [
        {
          "type": "function",
          "function": {
            "name": "read",
            "description": "A tool of a test",
            "parameters": {
              "type": "object",
              "properties": {
                "say": {
                  "type": "string"
                }
              }
            }
          }
        }
      ],
      "messages": [
        {
          "role": "system",
          "content": "You are terse."
        },
        {
          "role": "user",
          "content": [
            {
              "type": "text",
              "text": "look"
            },
            {
              "type": "image_url",
              "image_url": {
                "url": "data:image/png;base64,iVBORw0KGgo="
              }
            }
          ]
        },
        {
          "role": "assistant",
          "content": "I look.",
          "tool_calls": [
            {
              "id": "c1",
              "type": "function",
              "function": {
                "name": "read",
                "arguments": "{\"say\":\"a\"}"
              }
            },
            {
              "id": "c2",
              "type": "function",
              "function": {
                "name": "read",
                "arguments": "{}"
              }
            }
          ]
        },
        {
          "role": "tool",
          "tool_call_id": "c1",
          "content": "see"
        },
        {
          "role": "tool",
          "tool_call_id": "c2",
          "content": "[the call failed] no such file"
        },
        {
          "role": "user",
          "content": [
            {
              "type": "text",
              "text": "From the result of read (call c1):"
            },
            {
              "type": "image_url",
              "image_url": {
                "url": "data:image/png;base64,iVBORw0KGgoA"
              }
            }
          ]
        },
        {
          "role": "user",
          "content": "<instruction>\nBe brief.\n</instruction>"
        },
        {
          "role": "user",
          "content": "and now?"
        }
      ]
    }
    "#);
}

#[tokio::test]
async fn the_vendor_itself_gets_what_only_it_understands() {
    let server = Server::start([Reply::events(&stream(&[finished("stop")]))]).await;
    let spec = spec(Api::Chat, "http://api.openai.com/v1".to_owned());
    let model = elsewhere(&server, spec).with_cache_key("session-7");
    let messages = json!([{ "role": "user", "content": "hi" }]);
    ask(&model, &request(&messages, one_tool())).await;
    let sent = server.requests().remove(0);
    assert_eq!(
        sent.line,
        "POST http://api.openai.com/v1/chat/completions HTTP/1.1"
    );
    assert_eq!(sent.header("authorization"), Some("Bearer sk-1"));
    insta::assert_json_snapshot!(sent.json(), @r#"
    {
      "model": "acme-1",
      "stream": true,
      "stream_options": {
        "include_usage": true
      },
      "store": false,
      "max_completion_tokens": 4096,
      "prompt_cache_key": "session-7",
      "tools": [
        {
          "type": "function",
          "function": {
            "name": "read",
            "description": "A tool of a test",
            "parameters": {
              "type": "object",
              "properties": {
                "say": {
                  "type": "string"
                }
              }
            },
            "strict": false
          }
        }
      ],
      "messages": [
        {
          "role": "developer",
          "content": "You are terse."
        },
        {
          "role": "user",
          "content": "hi"
        }
      ]
    }
    "#);
}

#[tokio::test]
async fn quirks_change_the_body() {
    let server = Server::start([Reply::events(&stream(&[finished("stop")]))]).await;
    let mut spec = chat_spec(&server);
    spec.quirks = Quirks {
        max_tokens_field: Some("max_output".to_owned()),
        developer_role: Some(true),
        usage_in_stream: Some(false),
        store: Some(true),
        cache_key: Some(true),
        tool_result_name: Some(true),
        strict_tools: Some(true),
        ..Quirks::default()
    };
    let model = model(spec).with_cache_key("s1");
    ask(&model, &request(&transcript(), one_tool())).await;
    let body = server.last_body();
    let members = ["max_output", "stream_options", "store", "prompt_cache_key"];
    let members = members.map(|name| body.get(name).cloned().unwrap_or_default());
    assert_eq!(
        members,
        [json!(4096), Value::Null, json!(false), json!("s1")]
    );
    assert_eq!(body["messages"][0]["role"], "developer");
    assert_eq!(body["messages"][3]["name"], "read");
    assert_eq!(body["tools"][0]["function"]["strict"], false);
}

#[tokio::test]
async fn a_limit_that_is_not_known_is_not_sent() {
    let server = Server::start([Reply::events(&stream(&[finished("stop")]))]).await;
    let mut spec = chat_spec(&server);
    spec.max_output_tokens = 0;
    let mut request = request(&json!([]), tools(&[]));
    request.system = "".into();
    ask(&model(spec), &request).await;
    let wanted = json!({ "model": "acme-1", "stream": true,
        "stream_options": { "include_usage": true }, "messages": [] });
    assert_eq!(server.last_body(), wanted);
}

#[tokio::test]
async fn members_are_merged_into_those_of_the_interface() {
    let server = Server::start([Reply::events(&stream(&[finished("stop")]))]).await;
    let mut spec = chat_spec(&server);
    let extra =
        json!({ "stream_options": { "more": 1 }, "max_tokens": null, "tool_choice": "required" });
    spec.extra_body = extra.as_object().unwrap().clone();
    spec.base_url.push_str("?api-version=1");
    ask(&model(spec), &request(&json!([]), tools(&[]))).await;
    let sent = server.requests().remove(0);
    assert_eq!(
        sent.line,
        "POST /v1/chat/completions?api-version=1 HTTP/1.1"
    );
    let body = sent.json();
    assert_eq!(
        body["stream_options"],
        json!({ "include_usage": true, "more": 1 })
    );
    assert_eq!(
        (body.get("max_tokens"), &body["tool_choice"]),
        (None, &json!("required"))
    );
}

/// llama-cpp-python refuses `null`, and templates of open models write it as a word.
#[tokio::test]
async fn an_answer_of_calls_alone_has_an_empty_text_here_and_none_elsewhere() {
    let messages = json!([
        { "role": "user", "content": "hi" },
        { "role": "assistant", "api": "openai-completions", "provider": "acme", "model": "acme-1",
          "stopReason": "toolUse",
          "content": [{ "type": "toolCall", "id": "c1", "name": "read", "arguments": {} }] },
        { "role": "toolResult", "toolCallId": "c1", "toolName": "read", "isError": false,
          "content": [{ "type": "text", "text": "ok" }] },
    ]);
    let rows = [
        (true, None, json!("")),
        (true, Some(false), Value::Null),
        (false, None, Value::Null),
        (false, Some(true), json!("")),
    ];
    for (is_here, empty_content, wanted) in rows {
        let server = Server::start([Reply::events(&stream(&[finished("stop")]))]).await;
        let mut spec = chat_spec(&server);
        spec.quirks.empty_content = empty_content;
        let model = if is_here {
            model(spec)
        } else {
            spec.base_url = "http://models.example/v1".to_owned();
            elsewhere(&server, spec)
        };
        ask(&model, &request(&messages, one_tool())).await;
        let answer = server.last_body()["messages"][2].clone();
        let content = answer.get("content");
        assert_eq!(
            content,
            Some(&wanted),
            "{is_here} {empty_content:?}: {answer}"
        );
    }
}

#[tokio::test]
async fn an_answer_of_which_nothing_goes_back_is_no_empty_message() {
    let messages = json!([
        { "role": "user", "content": "hi" },
        { "role": "assistant", "api": "openai-completions", "provider": "acme", "model": "acme-1",
          "stopReason": "stop", "content": [{ "type": "thinking", "thinking": "hm" }] },
        { "role": "user", "content": "so?" },
    ]);
    let server = Server::start([Reply::events(&stream(&[finished("stop")]))]).await;
    ask(&model(chat_spec(&server)), &request(&messages, tools(&[]))).await;
    let messages = server.last_body()["messages"].to_string();
    assert!(!messages.contains("assistant"), "{messages}");
}
