//! Events that extensions hear of: order, isolation, and what happens while one is delivered.

use std::sync::Arc;
use std::time::Duration;

use deed_extensions::{
    AgentEndEvent, AgentSettledEvent, AgentStartEvent, Extension, ExtensionApi, ExtensionError,
    ExtensionEvent, MessageEndEvent, MessageStartEvent, MessageUpdateEvent, SessionStartEvent,
    ToolCallEvent, ToolExecutionEndEvent, ToolExecutionStartEvent, ToolExecutionUpdateEvent,
    ToolResultEvent, TurnEndEvent, TurnStartEvent,
};
use deed_protocol::{Message, ToolResult};
use deed_testing::{EventLog, FakeTool};
use serde_json::json;

use crate::support::{Notes, Play, Signal, call, ext, lifted, one_call};

/// Writes an event down and changes nothing.
fn notes<E: ExtensionEvent>(
    api: &ExtensionApi,
    notes: &Notes,
    line: impl Fn(&E) -> String + Send + Sync + 'static,
) -> Result<(), ExtensionError> {
    let notes = notes.clone();
    api.on(move |event: &mut E, _| {
        notes.add(line(event));
        Box::pin(async { Ok(E::Reply::default()) })
    })?;
    Ok(())
}

fn role(message: &Message) -> &'static str {
    match message {
        Message::User(_) => "user",
        Message::Assistant(_) => "assistant",
        Message::ToolResult(_) => "result",
        _ => "other",
    }
}

fn watches(log: &Notes) -> Arc<dyn Extension> {
    let log = log.clone();
    ext("watches", move |api| {
        notes(api, &log, |_: &AgentStartEvent| "agent start".into())?;
        notes(api, &log, |end: &AgentEndEvent| {
            format!("agent end {}", end.messages.len())
        })?;
        notes(api, &log, |end: &AgentSettledEvent| {
            format!("settled, aborted {}", end.aborted)
        })?;
        notes(api, &log, |turn: &TurnStartEvent| {
            format!("turn {} start", turn.turn_index)
        })?;
        notes(api, &log, |turn: &TurnEndEvent| {
            format!("turn {} end {}", turn.turn_index, turn.tool_results.len())
        })?;
        notes(api, &log, |start: &MessageStartEvent| {
            format!("{} start", role(&start.message))
        })?;
        notes(api, &log, |end: &MessageEndEvent| {
            format!("{} end", role(&end.message))
        })?;
        notes(api, &log, |_: &ToolExecutionStartEvent| {
            "execution start".into()
        })?;
        notes(api, &log, |_: &ToolCallEvent| "call".into())?;
        notes(api, &log, |update: &ToolExecutionUpdateEvent| {
            format!("update {}", update.partial_result.joined_text())
        })?;
        notes(api, &log, |_: &ToolResultEvent| "result".into())?;
        notes(api, &log, |_: &ToolExecutionEndEvent| {
            "execution end".into()
        })
    })
}

#[tokio::test]
async fn a_run_is_told_in_pis_order() {
    let log = Notes::default();
    let shows = FakeTool::new("t").acts(|_, context| {
        context.updates.send(ToolResult::text("half"));
        async { Ok(ToolResult::text("all")) }
    });
    let play = Play::new().tool(shows).with(watches(&log));
    play.run(one_call(json!({}))).await;
    let expected = [
        "agent start",
        "turn 0 start",
        "user start",
        "user end",
        "assistant start",
        "assistant end",
        "execution start",
        "call",
        "update half",
        "result",
        "execution end",
        "result start",
        "result end",
        "turn 0 end 1",
        "turn 1 start",
        "assistant start",
        "assistant end",
        "turn 1 end 0",
        "agent end 4",
        "settled, aborted false",
    ];
    assert_eq!(log.lines(), expected);
}

#[tokio::test]
async fn turns_are_counted_anew_in_each_run_and_what_the_model_says_is_told_bit_by_bit() {
    let log = Notes::default();
    let heard = log.clone();
    let counts = ext("counts", move |api| {
        notes(api, &heard, |turn: &TurnStartEvent| {
            format!("turn {}", turn.turn_index)
        })?;
        notes(api, &heard, |update: &MessageUpdateEvent| {
            let delta = serde_json::to_value(&update.assistant_message_event).unwrap();
            delta["type"].as_str().unwrap().to_owned()
        })
    });
    let played = Play::new()
        .with(counts)
        .load(json!([{ "say": "a" }, { "say": "b" }]))
        .await;
    played.prompt("one").await;
    let one = log.lines();
    played.prompt("two").await;
    assert_eq!(one, ["turn 0", "text_start", "text_delta", "text_end"]);
    assert_eq!(log.lines()[4..], one);
}

#[tokio::test]
async fn extensions_hear_before_other_sinks() {
    let log = Arc::new(EventLog::default());
    let heard = log.clone();
    let hears = ext("hears", move |api| {
        let log = heard.clone();
        api.on(move |_: &mut ToolExecutionStartEvent, _| {
            log.note("extension hears of the start");
            Box::pin(async { Ok(()) })
        })?;
        Ok(())
    });
    let played = Play::new().with(hears).load(one_call(json!({}))).await;
    played.session.add_sink(log.clone());
    played.prompt("go").await;
    let text = log.text();
    let place = |line: &str| text.find(line).unwrap();
    assert!(
        place("extension hears of the start") < place("start c t"),
        "{text}"
    );
}

/// Fails in every event, once with an error and once with a panic.
fn fails<E: ExtensionEvent>(api: &ExtensionApi) -> Result<(), ExtensionError> {
    api.on(|_: &mut E, _| Box::pin(async { Err("broken".into()) }))?;
    api.on(|_: &mut E, _| panic!("broken at once"))?;
    api.on(|_: &mut E, _| Box::pin(async { panic!("broken later") }))?;
    Ok(())
}

#[tokio::test]
async fn handlers_that_fail_are_reported_and_the_next_ones_run() {
    let log = Notes::default();
    let broken = ext("broken", |api| {
        fails::<AgentStartEvent>(api)?;
        fails::<AgentEndEvent>(api)?;
        fails::<AgentSettledEvent>(api)?;
        fails::<TurnStartEvent>(api)?;
        fails::<TurnEndEvent>(api)?;
        fails::<MessageStartEvent>(api)?;
        fails::<MessageEndEvent>(api)?;
        fails::<ToolExecutionStartEvent>(api)?;
        fails::<ToolExecutionUpdateEvent>(api)?;
        fails::<ToolExecutionEndEvent>(api)?;
        fails::<ToolResultEvent>(api)?;
        fails::<deed_extensions::ContextEvent>(api)?;
        fails::<deed_extensions::InputEvent>(api)?;
        fails::<deed_extensions::BeforeAgentStartEvent>(api)
    });
    let shows = FakeTool::new("t").acts(|_, context| {
        context.updates.send(ToolResult::text("half"));
        async { Ok(ToolResult::text("all")) }
    });
    let play = Play::new().tool(shows).with(broken).with(watches(&log));
    let played = play.run(one_call(json!({}))).await;
    assert_eq!(log.lines().len(), 20, "{:?}", log.lines());
    assert_eq!(played.text("c"), "all");
    let failures = played.failures.lines();
    for event in [
        "agent_start",
        "agent_end",
        "agent_settled",
        "turn_start",
        "turn_end",
        "message_start",
        "message_end",
        "tool_execution_start",
        "tool_execution_update",
        "tool_execution_end",
        "tool_result",
        "context",
        "input",
        "before_agent_start",
    ] {
        for error in [
            "broken",
            "it panicked: broken at once",
            "it panicked: broken later",
        ] {
            let line = format!("<inline:broken> {event}: {error}");
            assert!(failures.contains(&line), "{line} in {failures:?}");
        }
    }
}

#[tokio::test]
async fn a_listener_of_errors_that_panics_harms_nobody() {
    let broken = ext("broken", fails::<AgentStartEvent>);
    let played = Play::new()
        .with(broken)
        .load(json!([{ "say": "hi" }]))
        .await;
    played
        .session
        .extensions()
        .on_error(|_| panic!("and so is the listener"));
    let end = played.prompt("go").await;
    assert_eq!(end.error, None);
    assert_eq!(played.failures.lines().len(), 3);
}

#[tokio::test]
async fn what_a_handler_does_while_an_event_is_delivered_waits_for_nothing() {
    let log = Notes::default();
    let heard = log.clone();
    let busy = ext("busy", move |api| {
        let (acting, log) = (api.clone(), heard.clone());
        api.on(move |start: &mut ToolExecutionStartEvent, context| {
            let (acting, log) = (acting.clone(), log.clone());
            let id = start.tool_call_id.clone();
            Box::pin(async move {
                let text = deed_protocol::UserContent::Text(format!("from {id}"));
                acting.send_user_message(text, Default::default())?;
                acting.register_tool(lifted(FakeTool::new("more")))?;
                acting.register_command("more", "", |_, _| Box::pin(async { Ok(()) }))?;
                acting.set_active_tools(&["t", "more"])?;
                acting.exec("true", &[], Default::default()).await?;
                log.add(format!("idle {}", context.is_idle()));
                Ok(())
            })
        })?;
        Ok(())
    });
    let script = json!([
        { "calls": [call("c", "t", json!({}))] },
        { "say": "done" },
    ]);
    let played = Play::new().with(busy).run(script).await;
    assert_eq!(log.lines(), ["idle false"]);
    assert_eq!(played.failures.lines(), [""; 0]);
    assert_eq!(played.asked()[1].tools, ["t", "more"]);
    assert!(played.asked()[1].text().contains("from c"));
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_hangs_is_let_go_after_the_run_was_cancelled_and_the_next_run_is_told() {
    let log = Notes::default();
    let (hangs_now, heard) = (Signal::new(), log.clone());
    let hanging = hangs_now.clone();
    let hangs = ext("hangs", move |api| {
        let hanging = hanging.clone();
        api.on(move |_: &mut TurnStartEvent, _| {
            let hanging = hanging.clone();
            Box::pin(async move {
                hanging.give();
                std::future::pending().await
            })
        })?;
        Ok(())
    });
    let next = ext("next", move |api| {
        notes(api, &heard, |_: &AgentEndEvent| "end".into())
    });
    let play = Play::new().with(hangs).with(next);
    let played = play.load(json!([{ "say": "hi" }, { "say": "hi" }])).await;
    for runs in 1..=2 {
        let session = played.session.clone();
        let cancelling = async {
            hangs_now.wait().await;
            session.cancel();
        };
        let since = tokio::time::Instant::now();
        let (end, ()) = tokio::join!(played.prompt("go"), cancelling);
        assert!(end.aborted, "{end:?}");
        assert!(since.elapsed() < Duration::from_secs(2));
        assert_eq!(log.lines().len(), runs, "the others are told");
        let failures = played.failures.lines();
        assert_eq!(failures.len(), runs);
        assert!(failures[0].contains("was let go"), "{failures:?}");
    }
}

#[tokio::test]
async fn the_start_of_the_session_is_told_once_all_are_loaded() {
    let log = Notes::default();
    let (heard, asked) = (log.clone(), log.clone());
    let first = ext("first", move |api| {
        let (acting, log) = (api.clone(), heard.clone());
        api.on(move |_: &mut SessionStartEvent, _| {
            let tools = acting.get_all_tools().unwrap();
            let has_later = tools.iter().any(|tool| &*tool.name == "later");
            log.add(format!("knows the later tool: {has_later}"));
            Box::pin(async { Ok(()) })
        })?;
        Ok(())
    });
    let later = ext("later", move |api| {
        asked.add("later registers");
        api.register_tool(lifted(FakeTool::new("later")))
    });
    Play::new().with(first).with(later).load(json!([{}])).await;
    assert_eq!(
        log.lines(),
        ["later registers", "knows the later tool: true"]
    );
}

#[tokio::test]
async fn a_run_that_was_dropped_in_the_middle_of_a_message_confuses_no_later_one() {
    let log = Notes::default();
    let (reached, goes_on) = (Signal::new(), Signal::new());
    let (heard, reaching, waiting) = (log.clone(), reached.clone(), goes_on.clone());
    let hears = ext("hears", move |api| {
        notes(api, &heard, |end: &MessageEndEvent| {
            format!("{} whole", role(&end.message))
        })?;
        let (log, reached, goes_on) = (heard.clone(), reaching.clone(), waiting.clone());
        api.on(move |start: &mut MessageStartEvent, _| {
            let is_answer = role(&start.message) == "assistant";
            let (log, reached, goes_on) = (log.clone(), reached.clone(), goes_on.clone());
            Box::pin(async move {
                if is_answer {
                    log.add("assistant begins");
                    reached.give();
                    goes_on.wait().await;
                }
                Ok(())
            })
        })?;
        Ok(())
    });
    let script = json!([{ "say": "cut off" }, { "error": "says nothing" }]);
    let played = Play::new().with(hears).load(script).await;
    tokio::select! {
        _ = played.prompt("one") => panic!("it waits for the handler"),
        () = reached.wait() => {}
    }
    goes_on.give();
    goes_on.give();
    let (end, ()) = tokio::join!(played.prompt("two"), async {
        reached.wait().await;
        goes_on.give();
    });
    assert_eq!(end.error.as_deref(), Some("says nothing"));
    let expected = [
        "user whole",
        "assistant begins",
        "user whole",
        "assistant begins",
        "assistant whole",
    ];
    assert_eq!(log.lines(), expected);
}
