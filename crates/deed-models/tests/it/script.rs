use std::sync::Arc;

use deed_agent::{Model, ModelRequest, ToolSet};
use deed_models::{Script, ScriptedModel};
use deed_protocol::{AssistantDelta, AssistantMessage, Message, StopReason, ThinkingLevel};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

fn request(results: &[&str]) -> ModelRequest {
    let messages = results
        .iter()
        .map(|text| {
            let json = serde_json::json!({
                "role": "toolResult", "toolCallId": "c", "toolName": "t",
                "content": [{"type": "text", "text": text}], "isError": false, "timestamp": 0
            });
            Arc::new(serde_json::from_value::<Message>(json).unwrap())
        })
        .collect();
    ModelRequest {
        system: "".into(),
        messages: Arc::new(messages),
        tools: Arc::new(ToolSet::default()),
        thinking: ThinkingLevel::Off,
    }
}

async fn play(model: &ScriptedModel, results: &[&str]) -> (AssistantMessage, Vec<AssistantDelta>) {
    let (to, mut from) = mpsc::channel(1000);
    let message = model
        .respond(&request(results), to, &CancellationToken::new())
        .await;
    let mut deltas = Vec::new();
    while let Ok(come) = from.try_recv() {
        deltas.push(come.delta);
    }
    (message, deltas)
}

fn model(script: &str) -> ScriptedModel {
    ScriptedModel::new(Script::parse(script).unwrap(), || 0)
}

#[tokio::test]
async fn turns_play_in_order_and_stop_for_the_obvious_reason() {
    let model = model(
        "{\"say\":\"look\",\"calls\":[{\"name\":\"read\",\"arguments\":{\"path\":\"a\"}}]}\n\n{\"say\":\"done\"}\n",
    );
    let (first, _) = play(&model, &[]).await;
    assert_eq!(first.stop_reason, StopReason::ToolUse);
    let call = first.tool_calls().next().unwrap();
    assert_eq!(
        (&*call.id, &*call.name, call.arguments.get()),
        ("call_1_1", "read", "{\"path\":\"a\"}")
    );
    let (second, _) = play(&model, &["x"]).await;
    assert_eq!(second.stop_reason, StopReason::Stop);
    assert_eq!(model.turns_left(), 0);
}

#[tokio::test]
async fn deltas_add_up_to_the_answer() {
    let model = model(r#"[{"say": "long enough to come in several pieces, é and all"}]"#);
    let (_, deltas) = play(&model, &[]).await;
    let text: String = deltas
        .iter()
        .filter_map(|delta| match delta {
            AssistantDelta::TextDelta { delta, .. } => Some(delta.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(text, "long enough to come in several pieces, é and all");
    assert!(deltas.len() > 3);
}

#[tokio::test]
async fn an_unmet_expectation_is_an_error_and_a_met_one_is_not() {
    let script = r#"[{"expect": "3 passed", "say": "good"}]"#;
    let (met, _) = play(&model(script), &["ran: 3 passed"]).await;
    assert_eq!(met.stop_reason, StopReason::Stop);
    let (unmet, _) = play(&model(script), &["ran: 1 failed"]).await;
    assert_eq!(unmet.stop_reason, StopReason::Error);
    assert!(unmet.error_message.unwrap().contains("3 passed"));
}

#[tokio::test]
async fn a_request_beyond_the_last_turn_is_an_error() {
    let model = model(r#"[{"say": "only"}]"#);
    play(&model, &[]).await;
    let (beyond, _) = play(&model, &[]).await;
    assert_eq!(beyond.stop_reason, StopReason::Error);
}

#[tokio::test]
async fn broken_argument_text_reaches_the_call_as_an_error() {
    let model = model(r#"[{"calls": [{"name": "read", "argumentsText": "{\"path\": "}]}]"#);
    let (message, _) = play(&model, &[]).await;
    let call = message.tool_calls().next().unwrap();
    assert_eq!(call.arguments.get(), "{}");
    assert!(call.arguments_error.is_some());
}

#[tokio::test]
async fn cancelling_answers_with_an_aborted_message() {
    let model = model(r#"[{"say": "late", "delayMs": 60000}]"#);
    let cancel = CancellationToken::new();
    cancel.cancel();
    let (to, _from) = mpsc::channel(1);
    let message = model.respond(&request(&[]), to, &cancel).await;
    assert_eq!(message.stop_reason, StopReason::Aborted);
}

#[test]
fn a_bad_script_names_line_and_column() {
    let error = Script::parse("{\"say\":\"a\"}\n{\"sya\":\"b\"}")
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("line 2, column"), "{error}");
    assert!(error.contains("sya"), "{error}");
    assert!(
        Script::parse("\n \n")
            .unwrap_err()
            .to_string()
            .contains("no turns")
    );
}
