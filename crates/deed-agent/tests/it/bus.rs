//! Delivery of events: barrier sinks are awaited, observers never, and nothing hangs an abort.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use deed_agent::{BarrierSink, BoxFuture, EventBus, Observer};
use deed_protocol::{Event, EventBody, Message};
use deed_testing::{FakeTool, Scenario};

/// Emits on its own when it hears of a turn.
struct Nested {
    bus: EventBus,
    heard: Mutex<Vec<String>>,
}

impl BarrierSink for Nested {
    fn name(&self) -> &str {
        "nested"
    }

    fn deliver<'a>(&'a self, event: &'a Arc<Event>) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            let kind = serde_json::to_value(&event.body).unwrap()["type"].to_string();
            self.heard.lock().unwrap().push(kind.clone());
            if matches!(event.body, EventBody::TurnStart) {
                let entry = serde_json::json!({"n": 1});
                self.bus.emit(EventBody::EntryAppended { entry }).await;
                self.heard
                    .lock()
                    .unwrap()
                    .push("after nested emit".to_owned());
            }
            Ok(())
        })
    }
}

#[tokio::test]
async fn an_event_emitted_inside_a_delivery_follows_it_and_does_not_deadlock() {
    let bus = EventBus::new();
    let sink = Arc::new(Nested {
        bus: bus.clone(),
        heard: Mutex::default(),
    });
    bus.add_sink(sink.clone());
    bus.emit(EventBody::TurnStart).await;
    bus.emit(EventBody::AgentStart).await;
    assert_eq!(
        *sink.heard.lock().unwrap(),
        [
            "\"turn_start\"",
            "after nested emit",
            "\"entry_appended\"",
            "\"agent_start\""
        ]
    );
}

struct Hangs;

impl BarrierSink for Hangs {
    fn name(&self) -> &str {
        "hangs"
    }

    fn deliver<'a>(&'a self, event: &'a Arc<Event>) -> BoxFuture<'a, Result<(), String>> {
        let hangs = matches!(event.body, EventBody::ToolExecutionStart { .. });
        Box::pin(async move {
            if hangs {
                std::future::pending::<()>().await;
            }
            Ok(())
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_sink_that_hangs_cannot_stop_an_abort() {
    let scenario = Scenario::new().tool(FakeTool::new("t"));
    scenario.bus().add_sink(Arc::new(Hangs));
    let agent = scenario.agent(r#"[{"calls": [{"id": "1", "name": "t"}]}]"#);
    let running = tokio::spawn({
        let agent = agent.clone();
        async move { agent.prompt(vec![Message::user("go", 0)]).await }
    });
    tokio::time::sleep(Duration::from_millis(10)).await;
    agent.cancel();
    let end = running.await.unwrap().unwrap();
    assert!(end.aborted);
    assert!(
        scenario
            .log()
            .text()
            .contains("message result 1 error \"Operation aborted\"")
    );
}

struct Fails;

impl BarrierSink for Fails {
    fn name(&self) -> &str {
        "journal"
    }

    fn deliver<'a>(&'a self, event: &'a Arc<Event>) -> BoxFuture<'a, Result<(), String>> {
        let fails = matches!(event.body, EventBody::ToolExecutionEnd { .. });
        Box::pin(async move {
            if fails {
                Err("disk full".to_owned())
            } else {
                Ok(())
            }
        })
    }
}

#[tokio::test]
async fn a_sink_that_fails_ends_the_run_with_an_error_after_the_batch() {
    let scenario = Scenario::new().tool(FakeTool::new("t"));
    scenario.bus().add_sink(Arc::new(Fails));
    let done = scenario
        .run(r#"[{"calls": [{"id": "1", "name": "t"}]}, {"say": "never"}]"#)
        .await;
    assert!(
        done.end
            .error
            .unwrap()
            .contains("journal could not take an event: disk full")
    );
    assert!(done.events.contains("message result 1 \"ok\""));
    assert!(!done.events.contains("never"));
}

struct Slow(AtomicUsize);

impl Observer for Slow {
    fn offer(&self, _event: &Arc<Event>) {
        self.0.fetch_add(1, Ordering::SeqCst);
        assert!(self.0.load(Ordering::SeqCst) < 3, "a broken observer");
    }
}

#[tokio::test]
async fn a_broken_observer_does_not_break_the_run() {
    let scenario = Scenario::new().tool(FakeTool::new("t"));
    let observer = Arc::new(Slow(AtomicUsize::new(0)));
    scenario.bus().add_observer(observer.clone()).unwrap();
    let done = scenario
        .run(r#"[{"calls": [{"id": "1", "name": "t"}]}, {"say": "done"}]"#)
        .await;
    assert!(done.end.error.is_none());
    scenario.bus().observers_caught_up().await;
    assert!(observer.0.load(Ordering::SeqCst) > 3);
}

/// Takes nothing until its gate is dropped.
struct Stuck(Mutex<std::sync::mpsc::Receiver<()>>);

impl Observer for Stuck {
    fn offer(&self, _event: &Arc<Event>) {
        self.0.lock().unwrap().recv().unwrap_err();
    }
}

#[tokio::test]
async fn a_slow_observer_slows_nothing() {
    let (gate, closed) = std::sync::mpsc::channel();
    let scenario = Scenario::new().tool(FakeTool::new("t"));
    let stuck = Arc::new(Stuck(Mutex::new(closed)));
    scenario.bus().add_observer(stuck).unwrap();
    // Would never end if anything waited for the observer.
    let done = scenario
        .run(r#"[{"calls": [{"id": "1", "name": "t"}]}, {"say": "done"}]"#)
        .await;
    assert!(done.events.contains("assistant \"done\""));
    drop(gate);
    scenario.bus().observers_caught_up().await;
}

struct Sequence(Mutex<Vec<u64>>);

impl Observer for Sequence {
    fn offer(&self, event: &Arc<Event>) {
        self.0.lock().unwrap().push(event.sequence);
    }
}

#[tokio::test]
async fn events_are_numbered_without_gaps() {
    let scenario = Scenario::new().tool(FakeTool::new("t"));
    let observer = Arc::new(Sequence(Mutex::default()));
    scenario.bus().add_observer(observer.clone()).unwrap();
    scenario
        .run(r#"[{"calls": [{"name": "t"}, {"name": "t"}]}, {"say": "done"}]"#)
        .await;
    scenario.bus().observers_caught_up().await;
    let numbers = observer.0.lock().unwrap();
    let expected: Vec<u64> = (1..=numbers.len() as u64).collect();
    assert_eq!(*numbers, expected);
}

/// Panics before it has returned a future.
struct PanicsAtOnce;

impl BarrierSink for PanicsAtOnce {
    fn name(&self) -> &str {
        "at once"
    }

    fn deliver<'a>(&'a self, event: &'a Arc<Event>) -> BoxFuture<'a, Result<(), String>> {
        let panics = matches!(event.body, EventBody::ToolExecutionStart { .. });
        assert!(!panics, "no disk");
        Box::pin(async { Ok(()) })
    }
}

#[tokio::test]
async fn a_sink_that_panics_ends_the_run_and_the_others_hear_on() {
    let scenario = Scenario::new().tool(FakeTool::new("t"));
    scenario.bus().add_sink(Arc::new(PanicsAtOnce));
    let done = scenario
        .run(r#"[{"calls": [{"id": "1", "name": "t"}]}, {"say": "never"}]"#)
        .await;
    assert!(done.end.error.unwrap().contains("no disk"));
    assert!(
        done.events.contains("message result 1 \"ok\""),
        "{}",
        done.events
    );
    assert!(
        done.events.ends_with("agent end, 4 messages"),
        "{}",
        done.events
    );
}

/// Cannot take the last events of a run.
struct FailsLate;

impl BarrierSink for FailsLate {
    fn name(&self) -> &str {
        "journal"
    }

    fn deliver<'a>(&'a self, event: &'a Arc<Event>) -> BoxFuture<'a, Result<(), String>> {
        let fails = matches!(event.body, EventBody::TurnEnd { .. });
        Box::pin(async move {
            if fails {
                Err("disk full".to_owned())
            } else {
                Ok(())
            }
        })
    }
}

#[tokio::test]
async fn a_sink_that_fails_in_the_last_turn_is_an_error_of_the_run() {
    let scenario = Scenario::new();
    scenario.bus().add_sink(Arc::new(FailsLate));
    let done = scenario.run(r#"[{"say": "done"}]"#).await;
    assert_eq!(
        done.end.error.as_deref(),
        Some("journal could not take an event: disk full")
    );
}

#[tokio::test(start_paused = true)]
async fn a_sink_that_hangs_cannot_stop_the_abort_of_a_batch_without_a_model() {
    let scenario = Scenario::new().tool(FakeTool::new("t"));
    scenario.bus().add_sink(Arc::new(Hangs));
    let cancel = tokio_util::sync::CancellationToken::new();
    let stop = cancel.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(10)).await;
        stop.cancel();
    });
    let calls = [("t", serde_json::json!({}))];
    let results = tokio::time::timeout(Duration::from_secs(60), scenario.batch(&calls, &cancel))
        .await
        .expect("the abort ends the batch");
    assert!(results[0].is_error);
}

/// Steers from a task of its own and waits for it, as a host of extensions does.
struct SteersFromATask(Mutex<Option<deed_agent::Agent>>);

impl BarrierSink for SteersFromATask {
    fn name(&self) -> &str {
        "steers"
    }

    fn deliver<'a>(&'a self, event: &'a Arc<Event>) -> BoxFuture<'a, Result<(), String>> {
        let steers = matches!(event.body, EventBody::ToolExecutionStart { .. });
        let agent = self.0.lock().unwrap().clone().filter(|_| steers);
        Box::pin(async move {
            if let Some(agent) = agent {
                let steering = async move { agent.steer(Message::user("look", 0)).await };
                tokio::spawn(steering).await.unwrap();
            }
            Ok(())
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_sink_may_steer_from_another_task_and_wait_for_it() {
    let scenario = Scenario::new().tool(FakeTool::new("t"));
    let agent = scenario.agent(r#"[{"calls": [{"id": "1", "name": "t"}]}, {"say": "seen"}]"#);
    let sink = Arc::new(SteersFromATask(Mutex::new(Some(agent.clone()))));
    scenario.bus().add_sink(sink.clone());
    let prompting = agent.prompt(vec![Message::user("go", 0)]);
    tokio::time::timeout(Duration::from_secs(60), prompting)
        .await
        .expect("no deadlock")
        .unwrap();
    sink.0.lock().unwrap().take();
    let events = scenario.log().text();
    assert!(events.contains("message user \"look\""), "{events}");
}
