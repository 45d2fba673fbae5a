//! OpenAI Responses: what goes out, and what of it goes back.

mod grammar;

use std::sync::Arc;

use deed_agent::{AgentTool, ModelRequest, ToolSet};
use deed_models::{Api, ModelSpec, RemoteModel, StaticKey};
use deed_protocol::{AssistantMessage, ContentBlock, ErrorKind, StopReason, ThinkingLevel};
use deed_testing::FakeTool;
use serde_json::{Value, json};

use crate::support::{Reply, Server, add, ask, request, spec, tools, transport};

fn responses_spec(server: &Server) -> ModelSpec {
    spec(Api::Responses, format!("{}/v1", server.root))
}

fn model(spec: ModelSpec) -> RemoteModel {
    RemoteModel::new(spec, Arc::new(StaticKey(None)), transport(), || 0)
}

fn stream(events: &[Value]) -> String {
    events
        .iter()
        .map(|event| format!("data: {event}\n\n"))
        .collect()
}

fn completed(output: &[Value]) -> Value {
    json!({ "type": "response.completed",
        "response": { "id": "resp_1", "status": "completed", "output": output } })
}

async fn answer_of(body: &str) -> AssistantMessage {
    let server = Server::start([Reply::events(body)]).await;
    let request = request(
        &json!([{ "role": "user", "content": "hi" }]),
        tools(&["read"]),
    );
    ask(&model(responses_spec(&server)), &request).await.0
}

/// Items as a model that thinks gives them.
fn items() -> [Value; 3] {
    [
        json!({ "type": "reasoning", "id": "rs_1", "encrypted_content": "ENC",
            "summary": [{ "type": "summary_text", "text": "hm" }, { "type": "summary_text", "text": "so" }] }),
        json!({ "type": "message", "id": "msg_1", "role": "assistant", "phase": "commentary",
            "content": [{ "type": "output_text", "text": "I look.", "annotations": [] }] }),
        json!({ "type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "read",
            "arguments": "{\"say\":\"a\"}" }),
    ]
}

/// Returns the items of the second request that the first answer made, and its result.
async fn replayed(output: &[Value], other_model: bool) -> Value {
    let reply = Reply::events(&stream(&[completed(output)]));
    let server = Server::start([reply.clone(), reply]).await;
    let mut spec = responses_spec(&server);
    let mut transcript = request(
        &json!([{ "role": "user", "content": "hi" }]),
        tools(&["read"]),
    );
    let (message, _) = ask(&model(spec.clone()), &transcript).await;
    let id = message.tool_calls().next().unwrap().id.clone();
    let result = json!({ "role": "toolResult", "toolCallId": &*id, "toolName": "read",
        "content": [{ "type": "text", "text": "ok" }], "isError": false });
    let result = serde_json::from_value(result).unwrap();
    add(&mut transcript, [message.into(), result]);
    if other_model {
        spec.id = "acme-2".into();
    }
    ask(&model(spec), &transcript).await;
    let mut input = server.last_body()["input"].clone();
    input.as_array_mut().unwrap().remove(0);
    input
}

#[tokio::test]
async fn the_whole_body() {
    let server = Server::start([Reply::events(&stream(&[completed(&[])]))]).await;
    let image = |data: &str| json!({ "type": "image", "data": data, "mimeType": "image/png" });
    let transcript = json!([
        { "role": "user", "content": [{ "type": "text", "text": "look" }, image("iVBORw0KGgo=")] },
        { "role": "assistant", "api": "openai-completions", "provider": "acme", "model": "acme-1",
          "stopReason": "toolUse", "content": [
            { "type": "thinking", "thinking": "hm" },
            { "type": "text", "text": "I look." },
            { "type": "toolCall", "id": "c1", "name": "read", "arguments": { "say": "a" } },
            { "type": "toolCall", "id": "c2", "name": "read", "arguments": {} },
          ] },
        { "role": "toolResult", "toolCallId": "c1", "toolName": "read", "isError": true,
          "content": [{ "type": "text", "text": "see" }, image("iVBORw0KGgoA")] },
        { "role": "toolResult", "toolCallId": "c2", "toolName": "read", "isError": true,
          "content": [{ "type": "text", "text": "no such file" }] },
        { "role": "system", "content": "Be brief." },
        { "role": "user", "content": "and now?" },
    ]);
    let tool: Arc<dyn AgentTool> = FakeTool::new("read")
        .takes(json!({ "type": "object", "properties": { "say": { "type": "string" } } }))
        .shared();
    let request = ModelRequest {
        thinking: ThinkingLevel::High,
        ..request(&transcript, Arc::new(ToolSet::new([tool])))
    };
    ask(&model(responses_spec(&server)), &request).await;
    insta::assert_json_snapshot!(server.last_body(), @r#"
    {
      "model": "acme-1",
      "stream": true,
      "store": false,
      "instructions": "You are terse.",
      "max_output_tokens": 4096,
      "include": [
        "reasoning.encrypted_content"
      ],
      "reasoning": {
        "effort": "high",
        "summary": "auto"
      },
      "tools": [
        {
          "type": "function",
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
      ],
      "input": [
        {
          "role": "user",
          "content": [
            {
              "type": "input_text",
              "text": "look"
            },
            {
              "type": "input_image",
              "detail": "auto",
              "image_url": "data:image/png;base64,iVBORw0KGgo="
            }
          ]
        },
        {
          "role": "assistant",
          "content": "I look."
        },
        {
          "type": "function_call",
          "call_id": "c1",
          "name": "read",
          "arguments": "{\"say\":\"a\"}"
        },
        {
          "type": "function_call",
          "call_id": "c2",
          "name": "read",
          "arguments": "{}"
        },
        {
          "type": "function_call_output",
          "call_id": "c1",
          "output": [
            {
              "type": "input_text",
              "text": "[the call failed]"
            },
            {
              "type": "input_text",
              "text": "see"
            },
            {
              "type": "input_image",
              "detail": "auto",
              "image_url": "data:image/png;base64,iVBORw0KGgoA"
            }
          ]
        },
        {
          "type": "function_call_output",
          "call_id": "c2",
          "output": "[the call failed] no such file"
        },
        {
          "role": "system",
          "content": "Be brief."
        },
        {
          "role": "user",
          "content": [
            {
              "type": "input_text",
              "text": "and now?"
            }
          ]
        }
      ]
    }
    "#);
}

#[tokio::test]
async fn items_go_back_to_the_model_that_gave_them() {
    let [thought, _, call] = items();
    let message = json!({ "type": "message", "role": "assistant", "id": "msg_1", "phase": "commentary",
        "status": "completed",
        "content": [{ "type": "output_text", "text": "I look.", "annotations": [] }] });
    let result = json!({ "type": "function_call_output", "call_id": "call_1", "output": "ok" });
    let wanted = json!([thought, message, call, result]);
    assert_eq!(replayed(&items(), false).await, wanted);
}

#[tokio::test]
async fn another_model_gets_no_thoughts_and_no_names_of_items() {
    let message = json!({ "role": "assistant", "content": "I look." });
    let call = json!({ "type": "function_call", "call_id": "call_1", "name": "read",
        "arguments": "{\"say\":\"a\"}" });
    let result = json!({ "type": "function_call_output", "call_id": "call_1", "output": "ok" });
    assert_eq!(
        replayed(&items(), true).await,
        json!([message, call, result])
    );
}

#[tokio::test]
async fn without_its_encrypted_form_a_thought_stays_and_names_stay_with_it() {
    let [mut thought, message, call] = items();
    thought.as_object_mut().unwrap().remove("encrypted_content");
    let sent = replayed(&[thought, message, call], false).await;
    let kinds: Vec<&str> = sent
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["type"].as_str().unwrap_or_default())
        .collect();
    assert_eq!(kinds, ["", "function_call", "function_call_output"]);
    assert!(
        sent.as_array()
            .unwrap()
            .iter()
            .all(|item| item.get("id").is_none()),
        "{sent}"
    );
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_understood() {
    let whole = completed(&items())["response"].clone();
    let mut body = json!({ "object": "response" });
    body.as_object_mut()
        .unwrap()
        .extend(whole.as_object().unwrap().clone());
    let message = answer_of(&body.to_string()).await;
    assert_eq!(message.stop_reason, StopReason::ToolUse, "{message:?}");
    let thought = match &message.content[0] {
        ContentBlock::Thinking(block) => block.thinking.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(thought, "hm\n\nso");
    assert_eq!(message.tool_calls().count(), 1);
}

#[tokio::test]
async fn events_without_a_place_belong_to_the_last_item() {
    let call = |arguments: &str| json!({ "type": "function_call", "call_id": "c1", "name": "read", "arguments": arguments });
    let body = stream(&[
        json!({ "type": "response.output_item.added", "item": call("") }),
        json!({ "type": "response.function_call_arguments.delta", "delta": "{\"a\"" }),
        json!({ "type": "response.function_call_arguments.done", "arguments": "{\"a\":1}" }),
        json!({ "type": "response.output_item.done", "item": call("{\"a\":1}") }),
        completed(&[]),
    ]);
    let message = answer_of(&body).await;
    let calls: Vec<&str> = message
        .tool_calls()
        .map(|call| call.arguments.get())
        .collect();
    assert_eq!(calls, ["{\"a\":1}"]);
}

#[tokio::test]
async fn ends_are_told_apart() {
    let end =
        |kind: &str, response: Value| stream(&[json!({ "type": kind, "response": response })]);
    let cut =
        json!({ "status": "incomplete", "incomplete_details": { "reason": "max_output_tokens" } });
    let message = answer_of(&end("response.incomplete", cut)).await;
    assert_eq!(message.stop_reason, StopReason::Length);
    assert_eq!(
        message.raw_stop_reason.as_deref(),
        Some("max_output_tokens")
    );
    let filtered =
        json!({ "status": "incomplete", "incomplete_details": { "reason": "content_filter" } });
    let message = answer_of(&end("response.incomplete", filtered)).await;
    assert_eq!(message.stop_reason, StopReason::Error);
    let failed =
        json!({ "status": "failed", "error": { "code": "server_error", "message": "Oh no" } });
    let message = answer_of(&end("response.failed", failed)).await;
    assert_eq!(message.error_kind, Some(ErrorKind::Server), "{message:?}");
    insta::assert_snapshot!(message.error_message.unwrap(), @"acme reports an error: Oh no");
}

#[tokio::test]
async fn an_error_event_may_be_flat_or_nested() {
    let flat = json!({ "type": "error", "code": "rate_limit_exceeded", "message": "slow down" });
    let nested = json!({ "type": "error", "error": { "code": "rate_limit_exceeded", "message": "slow down" } });
    for event in [flat, nested] {
        let message = answer_of(&stream(&[event])).await;
        assert_eq!(
            message.error_kind,
            Some(ErrorKind::RateLimit),
            "{message:?}"
        );
    }
}
