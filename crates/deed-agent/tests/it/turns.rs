//! How turns follow one another.

use std::sync::Arc;

use deed_agent::{AgentError, AgentHooks, BoxFuture, TurnPlan};
use deed_protocol::{Message, ToolResult};
use deed_testing::{FakeTool, Scenario};
use insta::assert_snapshot;

fn ends() -> FakeTool {
    FakeTool::new("ends").gives(ToolResult {
        terminate: true,
        ..ToolResult::text("over")
    })
}

#[tokio::test]
async fn a_batch_ends_the_run_only_if_every_result_says_so() {
    let all = Scenario::new()
        .tool(ends())
        .run(r#"[{"calls": [{"name": "ends"}, {"name": "ends"}]}, {"say": "second"}]"#)
        .await;
    assert!(!all.events.contains("second"));
    let some = Scenario::new()
        .tool(ends())
        .tool(FakeTool::new("t"))
        .run(r#"[{"calls": [{"name": "ends"}, {"name": "t"}]}, {"say": "second"}]"#)
        .await;
    assert!(some.events.contains("second"));
}

#[tokio::test]
async fn a_queued_follow_up_goes_on_after_a_terminated_batch() {
    let scenario = Scenario::new().tool(ends());
    let agent = scenario.agent(r#"[{"calls": [{"name": "ends"}]}, {"say": "second"}]"#);
    agent.follow_up(Message::user("and then?", 0)).await;
    agent.prompt(vec![Message::user("go", 0)]).await.unwrap();
    assert!(scenario.log().text().contains("assistant \"second\""));
}

#[tokio::test]
async fn b098_a_response_cut_at_the_output_limit_runs_nothing_and_answers_every_call() {
    let done = Scenario::new()
        .tool(FakeTool::new("t"))
        .run(
            r#"[{"stopReason": "length", "calls": [{"id": "1", "name": "t"}, {"id": "2", "name": "nope"}]},
               {"say": "again"}]"#,
        )
        .await;
    assert_snapshot!(done.events, @r#"
    agent start
    turn start
    message user "go"
    message assistant "" calls ["1", "2"] length
    start 1 t
    end 1 error
    start 2 nope
    end 2 error
    message result 1 error "Not executed: the response was cut off at the output token limit, so the arguments of this call may be incomplete. Make the call again, with less text if need be."
    message result 2 error "Not executed: the response was cut off at the output token limit, so the arguments of this call may be incomplete. Make the call again, with less text if need be."
    turn end, 2 results
    turn start
    message assistant "again" calls []
    turn end, 0 results
    agent end, 5 messages
    "#);
}

#[tokio::test]
async fn a_failed_response_runs_nothing_and_ends_the_run() {
    let done = Scenario::new()
        .tool(FakeTool::new("t"))
        .run(r#"[{"error": "overloaded", "calls": [{"name": "t"}]}, {"say": "never"}]"#)
        .await;
    assert_eq!(done.end.error.as_deref(), Some("overloaded"));
    assert!(!done.events.contains("start "), "{}", done.events);
    assert!(!done.events.contains("never"), "{}", done.events);
}

#[tokio::test]
async fn calls_run_although_the_stop_reason_says_stop() {
    let done = Scenario::new()
        .tool(FakeTool::new("t"))
        .run(r#"[{"stopReason": "stop", "calls": [{"id": "1", "name": "t"}]}, {"say": "after"}]"#)
        .await;
    assert!(done.events.contains("message result 1 \"ok\""));
    assert!(done.events.contains("after"));
}

#[tokio::test(start_paused = true)]
async fn b121_steering_waits_for_the_whole_batch() {
    let scenario = Scenario::new().tool(FakeTool::new("t"));
    let agent = scenario.agent(
        r#"[{"calls": [{"id": "1", "name": "t", "arguments": {"ms": 50}},
                      {"id": "2", "name": "t", "arguments": {"ms": 90}},
                      {"id": "3", "name": "t", "arguments": {"ms": 10}}]},
           {"say": "heard"}]"#,
    );
    let running = tokio::spawn({
        let agent = agent.clone();
        async move { agent.prompt(vec![Message::user("go", 0)]).await }
    });
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    agent.steer(Message::user("wait", 0)).await;
    running.await.unwrap().unwrap();
    assert_snapshot!(scenario.log().text(), @r#"
    agent start
    turn start
    message user "go"
    message assistant "" calls ["1", "2", "3"]
    start 1 t
    start 2 t
    start 3 t
    end 3
    queues ["wait"] []
    end 1
    end 2
    message result 1 "ok"
    message result 2 "ok"
    message result 3 "ok"
    turn end, 3 results
    turn start
    queues [] []
    message user "wait"
    message assistant "heard" calls []
    turn end, 0 results
    agent end, 7 messages
    "#);
}

#[tokio::test]
async fn follow_ups_come_one_at_a_time_each_with_a_turn() {
    let scenario = Scenario::new();
    let agent = scenario.agent(r#"[{"say": "one"}, {"say": "two"}, {"say": "three"}]"#);
    agent.follow_up(Message::user("second", 0)).await;
    agent.follow_up(Message::user("third", 0)).await;
    let end = agent.prompt(vec![Message::user("first", 0)]).await.unwrap();
    assert_eq!(end.messages.len(), 6);
}

#[tokio::test]
async fn an_agent_without_messages_has_nothing_to_continue() {
    let agent = Scenario::new().agent(r#"[{"say": "one"}]"#);
    assert_eq!(
        agent.continue_run().await.unwrap_err(),
        AgentError::NothingToContinue
    );
}

#[tokio::test(start_paused = true)]
async fn a_second_prompt_while_one_runs_is_refused() {
    let agent = Scenario::new().agent(r#"[{"say": "slow", "delayMs": 1000}]"#);
    let running = tokio::spawn({
        let agent = agent.clone();
        async move { agent.prompt(vec![Message::user("go", 0)]).await }
    });
    tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    let second = agent.prompt(vec![Message::user("me too", 0)]).await;
    assert_eq!(second.unwrap_err(), AgentError::AlreadyRunning);
    running.await.unwrap().unwrap();
    assert!(!agent.is_running());
}

#[tokio::test]
async fn tools_of_the_next_turn_are_read_anew_and_those_of_this_one_are_a_snapshot() {
    let scenario = Scenario::new().tool(FakeTool::new("t"));
    let agent = scenario.agent(
        r#"[{"calls": [{"id": "1", "name": "drop"}, {"id": "2", "name": "t"}]},
           {"calls": [{"id": "3", "name": "t"}]}, {"say": "done"}]"#,
    );
    let mut inputs = agent.inputs();
    let handle = agent.clone();
    let drop_t = FakeTool::new("drop").acts(move |_, _| {
        let handle = handle.clone();
        async move {
            let mut inputs = handle.inputs();
            inputs.tools = std::sync::Arc::default();
            handle.set_inputs(inputs);
            Ok(ToolResult::text("gone"))
        }
    });
    let tools = [drop_t.shared(), FakeTool::new("t").shared()];
    inputs.tools = std::sync::Arc::new(deed_agent::ToolSet::new(tools));
    agent.set_inputs(inputs);
    agent.prompt(vec![Message::user("go", 0)]).await.unwrap();
    let events = scenario.log().text();
    assert!(events.contains("message result 2 \"ok\""), "{events}");
    assert!(
        events.contains("message result 3 error \"Tool t not found"),
        "{events}"
    );
}

#[tokio::test]
async fn steering_comes_one_at_a_time_and_the_queues_are_told_just_before_it() {
    let scenario = Scenario::new();
    let agent = scenario.agent(r#"[{"say": "one"}, {"say": "two"}, {"say": "three"}]"#);
    for text in ["first", "second", "third"] {
        agent.steer(Message::user(text, 0)).await;
    }
    agent.prompt(vec![Message::user("go", 0)]).await.unwrap();
    let events = scenario.log().text();
    let run = events.split_once("agent start\n").unwrap().1;
    assert_snapshot!(run, @r#"
    turn start
    message user "go"
    queues ["second", "third"] []
    message user "first"
    message assistant "one" calls []
    turn end, 0 results
    turn start
    queues ["third"] []
    message user "second"
    message assistant "two" calls []
    turn end, 0 results
    turn start
    queues [] []
    message user "third"
    message assistant "three" calls []
    turn end, 0 results
    agent end, 7 messages
    "#);
}

#[tokio::test]
async fn a_continued_run_delivers_one_queued_message_and_tells_the_queues() {
    let scenario = Scenario::new();
    let agent = scenario.agent(r#"[{"say": "one"}, {"say": "two"}, {"say": "three"}]"#);
    agent.prompt(vec![Message::user("go", 0)]).await.unwrap();
    agent.steer(Message::user("first", 0)).await;
    agent.steer(Message::user("second", 0)).await;
    agent.continue_run().await.unwrap();
    let events = scenario.log().text();
    let run = events.rsplit_once("agent start\n").unwrap().1;
    assert_snapshot!(run, @r#"
    turn start
    queues ["second"] []
    message user "first"
    message assistant "two" calls []
    turn end, 0 results
    turn start
    queues [] []
    message user "second"
    message assistant "three" calls []
    turn end, 0 results
    agent end, 4 messages
    "#);
}

/// Keeps only the last turn of a transcript.
struct Forgets;

impl AgentHooks for Forgets {
    fn next_turn<'a>(&'a self, messages: &'a [Arc<Message>]) -> BoxFuture<'a, TurnPlan> {
        Box::pin(async move {
            let kept = messages[messages.len().saturating_sub(2)..].to_vec();
            TurnPlan {
                messages: Some(kept),
                ..TurnPlan::default()
            }
        })
    }
}

#[tokio::test]
async fn b110_a_made_up_id_is_not_one_of_the_transcript_although_that_became_shorter() {
    let done = Scenario::new()
        .tool(FakeTool::new("t"))
        .hooks(Forgets)
        .run(
            r#"[{"calls": [{"id": "", "name": "t"}]}, {"calls": [{"id": "", "name": "t"}]},
               {"calls": [{"id": "", "name": "t"}]}, {"say": "done"}]"#,
        )
        .await;
    let mut ids: Vec<&str> = done
        .end
        .messages
        .iter()
        .filter_map(|message| message.as_tool_result())
        .map(|result| &*result.tool_call_id)
        .collect();
    ids.dedup();
    assert_eq!(ids.len(), 3, "{ids:?}");
}
