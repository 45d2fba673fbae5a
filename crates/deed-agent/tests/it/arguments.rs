//! What happens to arguments before a tool sees them.

use std::sync::Arc;

use deed_agent::{AgentHooks, BeforeToolCall, BoxFuture, HookedCall, Limits, ToolHook};
use deed_protocol::ToolResult;
use deed_schema::RawArgs;
use deed_testing::{FakeTool, Scenario};
use serde_json::json;
use tokio_util::sync::CancellationToken;

async fn answer(scenario: Scenario, args: serde_json::Value) -> (bool, String) {
    let results = scenario
        .batch(&[("t", args)], &CancellationToken::new())
        .await;
    let text = results[0]
        .content
        .iter()
        .filter_map(|block| block.as_text())
        .collect();
    (results[0].is_error, text)
}

fn echoes() -> FakeTool {
    FakeTool::new("t").acts(|args, _| async move { Ok(ToolResult::text(args.to_string())) })
}

#[tokio::test]
async fn an_unknown_tool_is_an_error_that_names_it_and_those_there_are() {
    let scenario = Scenario::new().tool(FakeTool::new("read"));
    let results = scenario
        .batch(&[("nope", json!({}))], &CancellationToken::new())
        .await;
    let text = results[0].content[0].as_text().unwrap();
    assert!(text.starts_with("Tool nope not found"), "{text}");
    assert!(text.contains("read"), "{text}");
    assert_eq!(results[0].details, Some(json!({})));
    assert_eq!(results[0].duration_ms, None);
}

#[tokio::test]
async fn an_undeclared_field_never_reaches_the_tool() {
    let (is_error, text) = answer(Scenario::new().tool(echoes()), json!({"colour": 1})).await;
    assert!(is_error);
    assert!(text.contains("- colour:"), "{text}");
}

#[tokio::test]
async fn the_tool_gets_coerced_arguments_and_the_call_keeps_its_own() {
    let (is_error, text) = answer(
        Scenario::new().tool(echoes()),
        json!({"ms": "10", "say": null}),
    )
    .await;
    assert!(!is_error);
    assert_eq!(text, "{\"ms\":10}");
}

#[tokio::test]
async fn what_a_shim_makes_is_validated_too() {
    let shim = |_: RawArgs| Ok(RawArgs::from_value(&json!({"ms": "never"})));
    let (is_error, text) = answer(Scenario::new().tool(echoes().prepares(shim)), json!({})).await;
    assert!(is_error);
    assert!(text.contains("- ms:"), "{text}");
}

#[tokio::test]
async fn broken_argument_text_is_never_run() {
    let done = Scenario::new()
        .tool(echoes())
        .run(
            r#"[{"calls": [{"id": "1", "name": "t", "argumentsText": "{\"say\": \"half"}]},
               {"say": "done"}]"#,
        )
        .await;
    assert!(done.events.contains("end 1 error"), "{}", done.events);
    assert!(done.events.contains("not a JSON object"), "{}", done.events);
}

/// Replaces the arguments of every call.
struct Rewrites(&'static str, serde_json::Value);

impl ToolHook for Rewrites {
    fn name(&self) -> &str {
        self.0
    }

    fn before_tool_call<'a>(
        &'a self,
        _call: &'a HookedCall,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, BeforeToolCall> {
        Box::pin(async { BeforeToolCall::Replace(RawArgs::from_value(&self.1)) })
    }
}

struct Chain(Vec<Arc<dyn ToolHook>>);

impl AgentHooks for Chain {
    fn tool_hooks(&self) -> Vec<Arc<dyn ToolHook>> {
        self.0.clone()
    }
}

#[tokio::test]
async fn b115_arguments_that_a_hook_changed_are_validated_again_and_the_fault_names_it() {
    let chain = Chain(vec![
        Arc::new(Rewrites("good", json!({"say": "x"}))),
        Arc::new(Rewrites("bad", json!({"ms": {}}))),
        Arc::new(Rewrites("never", json!({"say": "y"}))),
    ]);
    let (is_error, text) = answer(Scenario::new().tool(echoes()).hooks(chain), json!({})).await;
    assert!(is_error);
    assert!(text.starts_with("bad changed the arguments"), "{text}");
}

#[tokio::test]
async fn the_tool_runs_what_the_last_hook_gave() {
    let chain = Chain(vec![
        Arc::new(Rewrites("a", json!({"say": "x"}))),
        Arc::new(Rewrites("b", json!({"say": "y"}))),
    ]);
    let (_, text) = answer(Scenario::new().tool(echoes()).hooks(chain), json!({})).await;
    assert_eq!(text, "{\"say\":\"y\"}");
}

#[tokio::test]
async fn with_pi_compatible_hooks_what_a_hook_gave_need_only_be_an_object() {
    let limits = Limits {
        pi_compatible_hooks: true,
        ..Limits::default()
    };
    let changed = |to| {
        let scenario = Scenario::new().tool(echoes()).limits(limits);
        scenario.hooks(Chain(vec![Arc::new(Rewrites("hook", to))]))
    };
    let (is_error, text) = answer(changed(json!({"ms": {}})), json!({})).await;
    assert_eq!((is_error, text.as_str()), (false, "{\"ms\":{}}"));
    let (is_error, text) = answer(changed(json!([1])), json!({})).await;
    assert!(is_error);
    assert!(text.starts_with("hook changed the arguments"), "{text}");
    let unchanged = Scenario::new().tool(echoes()).limits(limits);
    let (is_error, _) = answer(unchanged, json!({"ms": {}})).await;
    assert!(is_error, "what the model wrote is validated all the same");
}
