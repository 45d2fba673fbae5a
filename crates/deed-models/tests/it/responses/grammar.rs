use std::sync::Arc;

use deed_agent::{ConstrainedSampling, ToolSet, ToolSpec};
use deed_models::schema::{Grammar, grammar};
use deed_models::{Api, RemoteModel};
use deed_protocol::{AssistantDelta, AssistantMessage};
use deed_schema::ToolSchema;
use insta::assert_json_snapshot;
use serde_json::{Value, json};

use super::{completed, model, responses_spec, stream};
use crate::support::{Reply, Server, add, ask, declared, heard, request, spec};

fn sum_schema() -> Value {
    json!({ "type": "object", "properties": { "sum": { "type": "string" } }, "required": ["sum"] })
}

fn calculator(schema: &Value, lark: Option<&str>, regex: Option<&str>) -> ToolSpec {
    let schema = ToolSchema::new(schema.clone()).unwrap();
    let mut spec = ToolSpec::new("calc", "Adds.", schema);
    spec.constrained_sampling = ConstrainedSampling::Grammar {
        lark: lark.map(str::to_owned),
        regex: regex.map(str::to_owned),
    };
    spec
}

fn tools() -> Arc<ToolSet> {
    let spec = calculator(&sum_schema(), Some("start: /[0-9+]+/"), None);
    Arc::new(ToolSet::new([declared(spec)]))
}

/// A model whose server takes grammars.
fn model_at(server: &Server) -> RemoteModel {
    let mut spec = responses_spec(server);
    spec.quirks.grammar_tools = Some(true);
    model(spec)
}

fn item(name: &str, input: &str) -> Value {
    json!({ "type": "custom_tool_call", "id": "ctc_1", "call_id": "call_1", "name": name,
        "input": input })
}

/// A call whose text comes in pieces.
fn pieces(pieces: &[&str]) -> Vec<Value> {
    let mut events = vec![
        json!({ "type": "response.output_item.added", "output_index": 0, "item": item("calc", "") }),
    ];
    events.extend(pieces.iter().map(|delta| {
        json!({ "type": "response.custom_tool_call_input.delta", "output_index": 0, "delta": delta })
    }));
    let whole = pieces.concat();
    events.push(
        json!({ "type": "response.custom_tool_call_input.done", "output_index": 0, "input": whole }),
    );
    events.push(
        json!({ "type": "response.output_item.done", "output_index": 0, "item": item("calc", &whole) }),
    );
    events.push(completed(&[item("calc", &whole)]));
    events
}

async fn answer_to(events: &[Value]) -> (AssistantMessage, Vec<AssistantDelta>) {
    let server = Server::start([Reply::events(&stream(events))]).await;
    let request = request(&json!([{ "role": "user", "content": "hi" }]), tools());
    ask(&model_at(&server), &request).await
}

#[tokio::test]
async fn a_tool_with_a_grammar_is_called_with_a_text_where_the_server_can() {
    let server = Server::start([Reply::events(&stream(&[completed(&[])]))]).await;
    let request = request(&json!([]), tools());
    ask(&model_at(&server), &request).await;
    assert_json_snapshot!(server.last_body()["tools"], @r#"
    [
      {
        "type": "custom",
        "name": "calc",
        "description": "Adds.",
        "format": {
          "type": "grammar",
          "syntax": "lark",
          "definition": "start: /[0-9+]+/"
        }
      }
    ]
    "#);
}

#[tokio::test]
async fn elsewhere_it_is_declared_by_its_schema() {
    for api in [Api::Responses, Api::Chat, Api::Anthropic, Api::Gemini] {
        let server = Server::start([Reply::status(500, &[], "")]).await;
        let model = model(spec(api, format!("{}/v1", server.root)));
        ask(&model, &request(&json!([]), tools())).await;
        let tools = server.last_body()["tools"].to_string();
        assert!(tools.contains("\"sum\""), "{api}: {tools}");
        assert!(!tools.contains("0-9"), "{api}: {tools}");
    }
}

#[tokio::test]
async fn the_text_is_the_argument_however_it_comes() {
    let hostile = "1\"+\\2\n🦀\u{1}";
    let cut = ["1\"", "+\\", "", "2\n🦀\u{1}"];
    let arguments = json!({ "sum": hostile }).to_string();
    let whole = [completed(&[item("calc", hostile)])];
    for events in [pieces(&cut), pieces(&[hostile]), whole.to_vec()] {
        let (message, deltas) = answer_to(&events).await;
        let call = message.tool_calls().next().unwrap();
        assert_eq!(call.arguments.get(), arguments, "{events:?}");
        assert_eq!(call.arguments_error, None);
        assert_eq!((&*call.id, &*call.name), ("call_1|ctc_1", "calc"));
        assert_eq!(heard(&deltas).texts, [arguments.as_str()]);
    }
}

#[tokio::test]
async fn an_empty_text_is_an_argument_too() {
    let (message, _) = answer_to(&pieces(&[])).await;
    let call = message.tool_calls().next().unwrap();
    assert_eq!(call.arguments.get(), r#"{"sum":""}"#);
}

#[tokio::test]
async fn a_text_for_a_tool_that_there_is_not_is_no_broken_call() {
    let (message, _) = answer_to(&[completed(&[item("patch", "*** Begin")])]).await;
    let call = message.tool_calls().next().unwrap();
    assert_eq!(call.arguments.get(), r#"{"input":"*** Begin"}"#);
}

#[tokio::test]
async fn a_text_that_breaks_off_is_never_run() {
    let mut events = pieces(&["1+", "2"]);
    events.truncate(3);
    let (message, _) = answer_to(&events).await;
    let call = message.tool_calls().next().unwrap();
    assert!(call.arguments_error.is_some(), "{call:?}");
}

/// Returns what a second request says of the call of the first and its result.
async fn replayed(changes: impl Fn(&mut AssistantMessage)) -> Value {
    let reply = Reply::events(&stream(&pieces(&["1+2"])));
    let server = Server::start([reply.clone(), reply]).await;
    let model = model_at(&server);
    let mut transcript = request(&json!([{ "role": "user", "content": "hi" }]), tools());
    let (mut message, _) = ask(&model, &transcript).await;
    changes(&mut message);
    let id = message.tool_calls().next().unwrap().id.clone();
    let result = json!({ "role": "toolResult", "toolCallId": &*id, "toolName": "calc",
        "content": [{ "type": "text", "text": "3" }], "isError": false });
    let result = serde_json::from_value(result).unwrap();
    add(&mut transcript, [message.into(), result]);
    ask(&model, &transcript).await;
    let mut input = server.last_body()["input"].clone();
    input.as_array_mut().unwrap().remove(0);
    input
}

#[tokio::test]
async fn a_call_with_a_text_goes_back_as_one() {
    assert_json_snapshot!(replayed(|_| ()).await, @r#"
    [
      {
        "type": "custom_tool_call",
        "id": "ctc_1",
        "call_id": "call_1",
        "name": "calc",
        "input": "1+2"
      },
      {
        "type": "custom_tool_call_output",
        "call_id": "call_1",
        "output": "3"
      }
    ]
    "#);
}

#[tokio::test]
async fn that_of_another_model_goes_as_an_ordinary_call() {
    let input = replayed(|message| message.model = "acme-2".into()).await;
    assert_json_snapshot!(input, @r#"
    [
      {
        "type": "function_call",
        "call_id": "call_1",
        "name": "calc",
        "arguments": "{\"sum\":\"1+2\"}"
      },
      {
        "type": "function_call_output",
        "call_id": "call_1",
        "output": "3"
      }
    ]
    "#);
}

#[test]
fn a_grammar_needs_one_argument_that_is_demanded_and_a_text() {
    let text = json!({ "type": "string" });
    let of = |schema: Value, lark, regex| {
        let spec = calculator(&schema, lark, regex);
        grammar(&spec).map(|found: Grammar<'_>| format!("{found:?}"))
    };
    let object = |properties: Value, required: Value| json!({ "type": "object", "properties": properties, "required": required });
    let both = of(sum_schema(), Some("start: A"), Some("a+")).unwrap();
    assert!(both.contains("lark") && both.contains("start: A"), "{both}");
    let regex = of(sum_schema(), None, Some("a+")).unwrap();
    assert!(regex.contains("regex") && regex.contains("sum"), "{regex}");
    let unfit = [
        object(json!({ "a": text }), json!([])),
        object(json!({ "a": text, "b": text }), json!(["a", "b"])),
        object(json!({ "a": { "type": "integer" } }), json!(["a"])),
        object(json!({ "a": { "type": ["string", "null"] } }), json!(["a"])),
        json!({ "type": "object" }),
    ];
    for schema in unfit {
        assert_eq!(of(schema.clone(), Some("start: A"), None), None, "{schema}");
    }
    assert_eq!(of(sum_schema(), None, None), None);
}
