//! Cancellation and panics: every call still gets its result.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use deed_agent::{
    Agent, AgentHooks, BarrierSink, BeforeToolCall, BoxFuture, HookedCall, Limits, Model,
    ModelDelta, ModelInfo, ModelRequest, ResultPatch, RunEnd, ToolHook, UpdateSink,
};
use deed_protocol::{AssistantMessage, Event, EventBody, Message, ToolResult};
use deed_testing::{FakeTool, Scenario};
use insta::assert_snapshot;
use tokio_util::sync::CancellationToken;

async fn cancel_after(agent: &Agent, ms: u64) -> RunEnd {
    let running = tokio::spawn({
        let agent = agent.clone();
        async move { agent.prompt(vec![Message::user("go", 0)]).await }
    });
    tokio::time::sleep(Duration::from_millis(ms)).await;
    agent.cancel();
    running.await.unwrap().unwrap()
}

#[tokio::test(start_paused = true)]
async fn b106_an_abort_answers_every_call_and_ends_with_an_aborted_answer() {
    let stubborn = FakeTool::new("stubborn").acts(|_, _| async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        Ok(ToolResult::text("kept"))
    });
    let scenario = Scenario::new().tool(FakeTool::new("t")).tool(stubborn);
    let agent = scenario.agent(
        r#"[{"calls": [{"id": "1", "name": "t", "arguments": {"ms": 9000}},
                      {"id": "2", "name": "stubborn"}]},
           {"say": "never"}]"#,
    );
    let end = cancel_after(&agent, 10).await;
    assert!(end.aborted);
    assert_snapshot!(scenario.log().text(), @r#"
    agent start
    turn start
    message user "go"
    message assistant "" calls ["1", "2"]
    start 1 t
    start 2 stubborn
    end 1 error
    end 2
    message result 1 error "Operation aborted"
    message result 2 "kept"
    turn end, 2 results
    turn start
    message assistant "" calls [] aborted
    turn end, 0 results
    agent end, 5 messages
    "#);
}

#[tokio::test(start_paused = true)]
async fn an_abort_in_a_sequential_batch_answers_the_calls_that_had_not_begun() {
    let scenario = Scenario::new().tool(FakeTool::new("t").sequential());
    let agent = scenario.agent(
        r#"[{"calls": [{"id": "1", "name": "t", "arguments": {"ms": 9000}}, {"id": "2", "name": "t"},
                      {"id": "3", "name": "t"}, {"id": "4", "name": "t"}]}]"#,
    );
    cancel_after(&agent, 10).await;
    let events = scenario.log().text();
    for id in 1..=4 {
        assert!(events.contains(&format!("message result {id} error \"Operation aborted\"")));
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_ignores_cancellation_is_let_go_and_its_outcome_is_unknown() {
    let deaf = FakeTool::new("deaf").acts(|_, _| async {
        tokio::time::sleep(Duration::from_secs(3600)).await;
        Ok(ToolResult::text("too late"))
    });
    let scenario = Scenario::new().tool(deaf);
    let agent = scenario.agent(r#"[{"calls": [{"id": "1", "name": "deaf"}]}]"#);
    let before = tokio::time::Instant::now();
    cancel_after(&agent, 10).await;
    assert!(
        before.elapsed() < Duration::from_secs(6),
        "{:?}",
        before.elapsed()
    );
    assert!(scenario.log().text().contains("outcome is unknown"));
}

#[tokio::test]
async fn a_panic_is_the_result_of_its_call_and_of_no_other() {
    let at_once = FakeTool::new("at_once");
    let panics_late = FakeTool::new("late").acts(|_, _| async {
        tokio::task::yield_now().await;
        panic!("late fault")
    });
    let panics_early =
        FakeTool::new("early").acts(|_, _| -> std::future::Ready<_> { panic!("early fault") });
    let done = Scenario::new()
        .tool(at_once)
        .tool(panics_late)
        .tool(panics_early)
        .run(
            r#"[{"calls": [{"id": "1", "name": "late"}, {"id": "2", "name": "early"},
                          {"id": "3", "name": "at_once"}]}, {"say": "still here"}]"#,
        )
        .await;
    assert!(
        done.events
            .contains("message result 1 error \"The tool panicked: late fault\"")
    );
    assert!(
        done.events
            .contains("message result 2 error \"The tool panicked: early fault\"")
    );
    assert!(done.events.contains("message result 3 \"ok\""));
    assert!(done.events.contains("still here"));
}

#[tokio::test(start_paused = true)]
async fn steering_queued_during_an_aborted_batch_lands_in_the_transcript_and_follow_ups_stay() {
    let scenario = Scenario::new().tool(FakeTool::new("t"));
    let agent = scenario.agent(
        r#"[{"calls": [{"id": "1", "name": "t", "arguments": {"ms": 9000}}]}, {"say": "later"}]"#,
    );
    agent.follow_up(Message::user("afterwards", 0)).await;
    let steering = agent.clone();
    let steer = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(5)).await;
        steering.steer(Message::user("hurry", 0)).await;
    });
    cancel_after(&agent, 10).await;
    steer.await.unwrap();
    let events = scenario.log().text();
    assert!(events.contains("message user \"hurry\"\nmessage assistant \"\" calls [] aborted"));
    assert!(!events.contains("message user \"afterwards\""));
    let end = agent.prompt(vec![Message::user("next", 0)]).await.unwrap();
    assert!(!end.aborted);
    assert!(
        scenario
            .log()
            .text()
            .contains("message user \"afterwards\"")
    );
}

/// Answers each update with another one, so that there is no end of them.
#[derive(Default)]
struct Echoes(Mutex<Option<UpdateSink>>);

impl BarrierSink for Echoes {
    fn name(&self) -> &str {
        "echoes"
    }

    fn deliver<'a>(&'a self, event: &'a Arc<Event>) -> BoxFuture<'a, Result<(), String>> {
        if matches!(event.body, EventBody::ToolExecutionUpdate { .. })
            && let Some(updates) = &*self.0.lock().unwrap()
        {
            updates.send(ToolResult::text("still here"));
        }
        Box::pin(async { Ok(()) })
    }
}

#[tokio::test]
async fn a_deaf_tool_without_end_of_updates_is_let_go_too() {
    let echoes = Arc::new(Echoes::default());
    let sink = echoes.clone();
    let begun = Arc::new(tokio::sync::Notify::new());
    let begins = begun.clone();
    let deaf = FakeTool::new("t").acts(move |_, context| {
        context.updates.send(ToolResult::text("here"));
        *echoes.0.lock().unwrap() = Some(context.updates);
        begins.notify_one();
        std::future::pending()
    });
    let scenario = Scenario::new().tool(deaf).limits(Limits {
        cancel_grace: Duration::from_millis(20),
        ..Limits::default()
    });
    scenario.bus().add_sink(sink);
    let agent = scenario.agent(r#"[{"calls": [{"id": "1", "name": "t"}]}]"#);
    let running = tokio::spawn({
        let agent = agent.clone();
        async move { agent.prompt(vec![Message::user("go", 0)]).await }
    });
    begun.notified().await;
    agent.cancel();
    tokio::time::timeout(Duration::from_secs(10), running)
        .await
        .expect("the abort ends the run")
        .unwrap()
        .unwrap();
    assert!(scenario.log().text().contains("outcome is unknown"));
}

/// Ignores cancellation where it is told to.
struct Deaf {
    before: bool,
}

impl ToolHook for Deaf {
    fn name(&self) -> &str {
        "deaf"
    }

    fn before_tool_call<'a>(
        &'a self,
        _call: &'a HookedCall,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, BeforeToolCall> {
        Box::pin(async {
            if self.before {
                std::future::pending::<()>().await;
            }
            BeforeToolCall::Continue
        })
    }

    fn after_tool_call<'a>(
        &'a self,
        _call: &'a HookedCall,
        _result: &'a ToolResult,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<ResultPatch, String>> {
        Box::pin(std::future::pending())
    }
}

struct DeafHooks {
    before: bool,
}

impl AgentHooks for DeafHooks {
    fn tool_hooks(&self) -> Vec<Arc<dyn ToolHook>> {
        vec![Arc::new(Deaf {
            before: self.before,
        })]
    }
}

#[tokio::test(start_paused = true)]
async fn hooks_that_ignore_an_abort_are_let_go() {
    for (before, said) in [(true, "Operation aborted"), (false, "deaf did not end")] {
        let scenario = Scenario::new()
            .tool(FakeTool::new("t"))
            .hooks(DeafHooks { before });
        let agent = scenario.agent(r#"[{"calls": [{"id": "1", "name": "t"}]}]"#);
        let end = tokio::time::timeout(Duration::from_secs(60), cancel_after(&agent, 10))
            .await
            .expect("the abort ends the run");
        assert!(end.aborted);
        let events = scenario.log().text();
        assert!(
            events.contains(&format!("message result 1 error \"{said}")),
            "{events}"
        );
        assert!(
            !events.contains("\"ok\""),
            "what a hook held back: {events}"
        );
    }
}

/// Never answers.
struct Mute(ModelInfo);

impl Model for Mute {
    fn info(&self) -> &ModelInfo {
        &self.0
    }

    fn respond<'a>(
        &'a self,
        _request: &'a ModelRequest,
        _deltas: tokio::sync::mpsc::Sender<ModelDelta>,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, AssistantMessage> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_that_ignores_an_abort_is_let_go() {
    let scenario = Scenario::new();
    let agent = scenario.agent(r#"[{"say": "never"}]"#);
    let mut inputs = agent.inputs();
    inputs.model = Arc::new(Mute(ModelInfo::default()));
    agent.set_inputs(inputs);
    let end = tokio::time::timeout(Duration::from_secs(60), cancel_after(&agent, 10))
        .await
        .expect("the abort ends the run");
    assert!(end.aborted);
    assert!(!agent.is_running());
}
