//! Which events and messages come, and in which order.

use deed_agent::Limits;
use deed_protocol::ToolResult;
use deed_testing::{FakeTool, Scenario};
use insta::assert_snapshot;

#[tokio::test(start_paused = true)]
async fn parallel_calls_start_in_call_order_end_as_they_finish_and_answer_in_call_order() {
    let done = Scenario::new()
        .tool(FakeTool::new("t"))
        .run(
            r#"[{"calls": [{"id": "slow", "name": "t", "arguments": {"ms": 50, "say": "A"}},
                          {"id": "fast", "name": "t", "arguments": {"ms": 5, "say": "B"}}]},
               {"say": "done"}]"#,
        )
        .await;
    assert_snapshot!(done.events, @r#"
    agent start
    turn start
    message user "go"
    message assistant "" calls ["slow", "fast"]
    start slow t
    start fast t
    end fast
    end slow
    message result slow "A"
    message result fast "B"
    turn end, 2 results
    turn start
    message assistant "done" calls []
    turn end, 0 results
    agent end, 5 messages
    "#);
}

#[tokio::test(start_paused = true)]
async fn one_sequential_tool_makes_its_whole_batch_sequential() {
    let done = Scenario::new()
        .tool(FakeTool::new("t"))
        .tool(FakeTool::new("s").sequential())
        .run(
            r#"[{"calls": [{"id": "1", "name": "t", "arguments": {"ms": 50}},
                          {"id": "2", "name": "s", "arguments": {"ms": 5}}]},
               {"say": "done"}]"#,
        )
        .await;
    assert_snapshot!(done.events, @r#"
    agent start
    turn start
    message user "go"
    message assistant "" calls ["1", "2"]
    start 1 t
    end 1
    message result 1 "ok"
    start 2 s
    end 2
    message result 2 "ok"
    turn end, 2 results
    turn start
    message assistant "done" calls []
    turn end, 0 results
    agent end, 5 messages
    "#);
}

#[tokio::test(start_paused = true)]
async fn immediate_failures_end_before_any_sibling_runs() {
    let done = Scenario::new()
        .tool(FakeTool::new("t"))
        .run(
            r#"[{"calls": [{"id": "1", "name": "t", "arguments": {"ms": 20}},
                          {"id": "2", "name": "nope"},
                          {"id": "3", "name": "t", "arguments": {"colour": 1}},
                          {"id": "4", "name": "t", "arguments": {"ms": 1}}]},
               {"say": "done"}]"#,
        )
        .await;
    let order: Vec<&str> = done
        .events
        .lines()
        .filter(|line| line.starts_with("start") || line.starts_with("end"))
        .collect();
    assert_eq!(
        order,
        [
            "start 1 t",
            "start 2 nope",
            "end 2 error",
            "start 3 t",
            "end 3 error",
            "start 4 t",
            "end 4",
            "end 1"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn updates_lie_between_start_and_end_and_late_ones_are_dropped() {
    let talks = FakeTool::new("t").acts(|_, context| async move {
        context.updates.send(ToolResult::text("one"));
        context.updates.send(ToolResult::text("two"));
        let late = context.updates.clone();
        tokio::spawn(async move {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
            late.send(ToolResult::text("late"));
        });
        Ok(ToolResult::text("done"))
    });
    let done = Scenario::new()
        .tool(talks)
        .tool(FakeTool::new("slow"))
        .run(
            r#"[{"calls": [{"id": "1", "name": "t"},
                          {"id": "2", "name": "slow", "arguments": {"ms": 100}}]},
               {"say": "done"}]"#,
        )
        .await;
    let of_call: Vec<&str> = done
        .events
        .lines()
        .filter(|line| line.contains(" 1"))
        .take(5)
        .collect();
    assert_eq!(
        of_call,
        [
            "start 1 t",
            "update 1 \"one\"",
            "update 1 \"two\"",
            "end 1",
            "message result 1 \"done\""
        ]
    );
    assert!(!done.events.contains("late"), "{}", done.events);
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_updates_keeps_the_newest() {
    let floods = FakeTool::new("t").acts(|_, context| async move {
        for index in 0..10_000 {
            context.updates.send(ToolResult::text(format!("{index}")));
        }
        Ok(ToolResult::text("done"))
    });
    let done = Scenario::new()
        .tool(floods)
        .run(r#"[{"calls": [{"id": "1", "name": "t"}]}, {"say": "done"}]"#)
        .await;
    let updates: Vec<&str> = done
        .events
        .lines()
        .filter(|line| line.starts_with("update"))
        .collect();
    assert!(updates.len() <= 64, "{} updates", updates.len());
    assert_eq!(updates.last(), Some(&"update 1 \"9999\""));
}

#[tokio::test(start_paused = true)]
async fn no_more_calls_run_at_once_than_the_limit_allows() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (running, peak) = (now.clone(), most.clone());
    let counts = FakeTool::new("t").acts(move |_, _| {
        let (running, peak) = (running.clone(), peak.clone());
        async move {
            peak.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
            running.fetch_sub(1, Ordering::SeqCst);
            Ok(ToolResult::text("ok"))
        }
    });
    let scenario = Scenario::new().tool(counts).limits(Limits {
        max_concurrent_calls: 3,
        ..Limits::default()
    });
    let calls = vec![("t", serde_json::json!({})); 10];
    let results = scenario
        .batch(&calls, &tokio_util::sync::CancellationToken::new())
        .await;
    assert_eq!(results.len(), 10);
    assert_eq!(most.load(Ordering::SeqCst), 3);
    assert_eq!(now.load(Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn b124_a_finished_call_ends_at_once_although_a_sibling_goes_on() {
    let done = Scenario::new()
        .tool(FakeTool::new("t"))
        .run(
            r#"[{"calls": [{"id": "slow", "name": "t", "arguments": {"ms": 5000}},
                          {"id": "read", "name": "t"}]},
               {"say": "done"}]"#,
        )
        .await;
    let ends: Vec<&str> = done
        .events
        .lines()
        .filter(|line| line.starts_with("end"))
        .collect();
    assert_eq!(ends, ["end read", "end slow"]);
    let messages: Vec<&str> = done
        .events
        .lines()
        .filter(|line| line.starts_with("message result"))
        .collect();
    assert_eq!(
        messages,
        ["message result slow \"ok\"", "message result read \"ok\""]
    );
}

#[tokio::test(start_paused = true)]
async fn b109_one_id_twice_gives_two_results() {
    let done = Scenario::new()
        .tool(FakeTool::new("t"))
        .run(
            r#"[{"calls": [{"id": "c1", "name": "t", "arguments": {"say": "A"}},
                          {"id": "c1", "name": "t", "arguments": {"say": "B"}}]},
               {"say": "done"}]"#,
        )
        .await;
    assert!(
        done.events
            .contains("message result c1 \"A\"\nmessage result c1 \"B\"")
    );
}

#[tokio::test(start_paused = true)]
async fn b110_empty_ids_are_made_up_the_same_way_each_time() {
    let script = r#"[{"calls": [{"id": "", "name": "t"}, {"id": "", "name": "t"}]},
                     {"say": "done"}]"#;
    let first = Scenario::new()
        .tool(FakeTool::new("t"))
        .run(script)
        .await
        .events;
    let second = Scenario::new()
        .tool(FakeTool::new("t"))
        .run(script)
        .await
        .events;
    assert_eq!(first, second);
    assert!(
        first.contains("calls [\"call_1_0\", \"call_1_1\"]"),
        "{first}"
    );
}

/// Holds every update back until it is let through.
struct HoldsUpdates(tokio::sync::Semaphore);

impl deed_agent::BarrierSink for HoldsUpdates {
    fn name(&self) -> &str {
        "holds updates"
    }

    fn deliver<'a>(
        &'a self,
        event: &'a std::sync::Arc<deed_protocol::Event>,
    ) -> deed_agent::BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            if matches!(
                event.body,
                deed_protocol::EventBody::ToolExecutionUpdate { .. }
            ) {
                self.0.acquire().await.unwrap().forget();
            }
            Ok(())
        })
    }
}

#[tokio::test(start_paused = true)]
async fn an_update_after_the_tool_returned_is_dropped_although_a_slow_sink_holds_its_end() {
    let scenario_sink = std::sync::Arc::new(HoldsUpdates(tokio::sync::Semaphore::new(0)));
    let release = scenario_sink.clone();
    let talks = FakeTool::new("t").acts(move |_, context| {
        let release = release.clone();
        async move {
            context.updates.send(ToolResult::text("one"));
            let late = context.updates.clone();
            tokio::spawn(async move {
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
                late.send(ToolResult::text("late"));
                release.0.add_permits(10);
            });
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
            Ok(ToolResult::text("done"))
        }
    });
    let scenario = Scenario::new().tool(talks);
    scenario.bus().add_sink(scenario_sink);
    let done = scenario
        .run(r#"[{"calls": [{"id": "1", "name": "t"}]}, {"say": "done"}]"#)
        .await;
    assert!(done.events.contains("update 1 \"one\""), "{}", done.events);
    assert!(!done.events.contains("late"), "{}", done.events);
    let took = done.end.messages[2].as_tool_result().unwrap().duration_ms;
    assert_eq!(took, Some(10), "the time of the tool, not of the sink");
}
