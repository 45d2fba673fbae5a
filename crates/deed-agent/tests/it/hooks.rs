//! What hooks may do to calls, results and messages.

use std::sync::Arc;

use deed_agent::{
    AgentHooks, BeforeToolCall, BoxFuture, HookedCall, ResultPatch, ToolHook, TurnEnding,
};
use deed_protocol::{ContentBlock, Message, ToolResult};
use deed_testing::{FakeTool, Scenario};
use serde_json::json;
use tokio_util::sync::CancellationToken;

type Before = fn(&HookedCall) -> BeforeToolCall;
type After = fn(&HookedCall, &ToolResult) -> Result<ResultPatch, String>;

struct Hook {
    name: &'static str,
    before: Before,
    after: After,
}

impl Hook {
    fn before(before: Before) -> Arc<dyn ToolHook> {
        Arc::new(Self {
            name: "hook",
            before,
            after: |_, _| Ok(ResultPatch::default()),
        })
    }

    fn after(after: After) -> Arc<dyn ToolHook> {
        Arc::new(Self {
            name: "hook",
            before: |_| BeforeToolCall::Continue,
            after,
        })
    }
}

impl ToolHook for Hook {
    fn name(&self) -> &str {
        self.name
    }

    fn before_tool_call<'a>(
        &'a self,
        call: &'a HookedCall,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, BeforeToolCall> {
        Box::pin(async move { (self.before)(call) })
    }

    fn after_tool_call<'a>(
        &'a self,
        call: &'a HookedCall,
        result: &'a ToolResult,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<ResultPatch, String>> {
        Box::pin(async move { (self.after)(call, result) })
    }
}

struct Chain(Vec<Arc<dyn ToolHook>>);

impl AgentHooks for Chain {
    fn tool_hooks(&self) -> Vec<Arc<dyn ToolHook>> {
        self.0.clone()
    }
}

async fn texts(hooks: Vec<Arc<dyn ToolHook>>, calls: usize) -> Vec<(bool, String)> {
    let scenario = Scenario::new().tool(FakeTool::new("t")).hooks(Chain(hooks));
    let calls: Vec<_> = (0..calls)
        .map(|n| ("t", json!({"say": format!("{}", n + 1)})))
        .collect();
    let results = scenario.batch(&calls, &CancellationToken::new()).await;
    results
        .iter()
        .map(|one| {
            (
                one.is_error,
                one.content
                    .iter()
                    .filter_map(ContentBlock::as_text)
                    .collect(),
            )
        })
        .collect()
}

#[tokio::test]
async fn a_block_gives_its_reason_or_a_plain_sentence() {
    let reason = |_: &HookedCall| BeforeToolCall::Block {
        reason: Some("not on a Sunday".to_owned()),
        terminate: false,
    };
    assert_eq!(
        texts(vec![Hook::before(reason)], 1).await,
        [(true, "not on a Sunday".to_owned())]
    );
    let plain = |_: &HookedCall| BeforeToolCall::Block {
        reason: None,
        terminate: false,
    };
    let expected = [(true, "Tool execution was blocked".to_owned())];
    assert_eq!(texts(vec![Hook::before(plain)], 1).await, expected);
}

#[tokio::test]
async fn b116_a_guard_that_panics_blocks() {
    let hook = Hook::before(|_| panic!("guard is broken"));
    let results = texts(vec![hook], 1).await;
    assert!(results[0].0);
    assert!(results[0].1.contains("guard is broken"), "{results:?}");
}

#[tokio::test]
async fn b112_an_after_hook_that_fails_spoils_its_own_call_only() {
    let hook = Hook::after(|_, result| match result.joined_text().as_str() {
        "2" => Err("hook failed".to_owned()),
        _ => Ok(ResultPatch::default()),
    });
    let results = texts(vec![hook], 3).await;
    assert_eq!(
        results,
        [
            (false, "1".to_owned()),
            (true, "hook failed".to_owned()),
            (false, "3".to_owned())
        ]
    );
}

#[tokio::test]
async fn b113_every_after_hook_sees_what_the_one_before_left() {
    let redacts = Hook::after(|_, result| {
        let text = result.joined_text().replace('1', "*");
        Ok(ResultPatch {
            content: Some(vec![ContentBlock::text(text)]),
            ..ResultPatch::default()
        })
    });
    let appends = Hook::after(|_, result| {
        let text = format!("{} and more", result.joined_text());
        Ok(ResultPatch {
            content: Some(vec![ContentBlock::text(text)]),
            ..ResultPatch::default()
        })
    });
    assert_eq!(
        texts(vec![redacts, appends], 1).await,
        [(false, "* and more".to_owned())]
    );
}

#[tokio::test]
async fn a_patch_may_fail_a_success_and_heal_a_failure() {
    let flips = Hook::after(|_, result| {
        Ok(ResultPatch {
            is_error: Some(!result.is_error),
            ..ResultPatch::default()
        })
    });
    assert_eq!(
        texts(vec![flips.clone()], 1).await,
        [(true, "1".to_owned())]
    );
    assert_eq!(
        texts(vec![flips.clone(), flips], 1).await,
        [(false, "1".to_owned())]
    );
}

#[tokio::test]
async fn after_hooks_do_not_see_calls_that_never_ran() {
    let hook = Hook::after(|_, _| Err("seen".to_owned()));
    let scenario = Scenario::new()
        .tool(FakeTool::new("t"))
        .hooks(Chain(vec![hook]));
    let calls = [("nope", json!({})), ("t", json!({"colour": 1}))];
    for result in scenario.batch(&calls, &CancellationToken::new()).await {
        assert!(!result.content[0].as_text().unwrap().contains("seen"));
    }
}

#[tokio::test]
async fn an_after_hook_may_end_the_run() {
    let hook = Hook::after(|_, _| {
        Ok(ResultPatch {
            terminate: Some(true),
            ..ResultPatch::default()
        })
    });
    let done = Scenario::new()
        .tool(FakeTool::new("t"))
        .hooks(Chain(vec![hook]))
        .run(r#"[{"calls": [{"name": "t"}, {"name": "t"}]}, {"say": "never"}]"#)
        .await;
    assert!(!done.events.contains("never"), "{}", done.events);
}

/// Counts turns and rewrites what it can.
struct Product;

impl AgentHooks for Product {
    fn replace_message<'a>(&'a self, message: &'a Message) -> BoxFuture<'a, Option<Message>> {
        Box::pin(async move {
            match message {
                Message::User(_) => Some(Message::user("changed", 0)),
                // Another role must be ignored.
                Message::Assistant(_) => Some(Message::user("wrong role", 0)),
                _ => None,
            }
        })
    }

    fn finish_turn<'a>(&'a self, turn: &'a TurnEnding) -> BoxFuture<'a, bool> {
        Box::pin(async move { turn.index == 0 })
    }
}

#[tokio::test]
async fn messages_may_be_replaced_by_their_like_and_a_turn_may_end_the_run() {
    let done = Scenario::new()
        .tool(FakeTool::new("t"))
        .hooks(Product)
        .run(
            r#"[{"say": "one", "calls": [{"name": "t"}]}, {"say": "two", "calls": [{"name": "t"}]},
               {"say": "three"}]"#,
        )
        .await;
    assert!(
        done.events.contains("message user \"changed\""),
        "{}",
        done.events
    );
    assert!(done.events.contains("assistant \"one\""), "{}", done.events);
    assert!(done.events.contains("assistant \"two\""), "{}", done.events);
    assert!(!done.events.contains("three"), "{}", done.events);
}

/// Puts the result of another call in the place of each.
struct Swaps;

impl AgentHooks for Swaps {
    fn replace_message<'a>(&'a self, message: &'a Message) -> BoxFuture<'a, Option<Message>> {
        Box::pin(async move {
            let mut result = message.as_tool_result()?.clone();
            result.tool_call_id = "another".into();
            Some(Message::ToolResult(result))
        })
    }
}

#[tokio::test]
async fn a_result_may_not_be_replaced_by_one_of_another_call() {
    let done = Scenario::new()
        .tool(FakeTool::new("t"))
        .hooks(Swaps)
        .run(r#"[{"calls": [{"id": "1", "name": "t"}]}, {"say": "done"}]"#)
        .await;
    assert!(
        done.events.contains("message result 1 \"ok\""),
        "{}",
        done.events
    );
}

/// Has its hook from the second time on that it is asked.
struct Late {
    asked: std::sync::atomic::AtomicUsize,
    hook: Arc<dyn ToolHook>,
}

impl AgentHooks for Late {
    fn tool_hooks(&self) -> Vec<Arc<dyn ToolHook>> {
        let before = self.asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        if before == 0 {
            Vec::new()
        } else {
            vec![self.hook.clone()]
        }
    }
}

#[tokio::test]
async fn a_guard_that_comes_while_a_batch_is_planned_sees_its_calls() {
    let hook = Hook::before(|_| BeforeToolCall::Block {
        reason: Some("guarded".to_owned()),
        terminate: false,
    });
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let scenario = Scenario::new()
        .tool(FakeTool::new("t"))
        .hooks(Late { asked, hook });
    let calls = [("t", json!({})), ("t", json!({}))];
    for result in scenario.batch(&calls, &CancellationToken::new()).await {
        assert_eq!(result.content[0].as_text(), Some("guarded"));
    }
}
