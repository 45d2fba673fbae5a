//! Handlers of `tool_call`: what they see, change and block.

use std::sync::{Arc, Mutex};

use deed_agent::NoHooks;
use deed_extensions::{
    Extension, Failure, FailureKind, Subscription, ToolCallEvent, ToolCallReply,
    ToolExecutionStartEvent,
};
use deed_protocol::ToolResult;
use deed_testing::FakeTool;
use serde_json::{Value, json};

use crate::support::{Notes, Play, batch, call, echoes, ext, one_call};

/// An extension of one guard.
fn guard(
    name: &'static str,
    guard: impl Fn(&ToolCallEvent) -> ToolCallReply + Clone + Send + Sync + 'static,
) -> Arc<dyn Extension> {
    ext(name, move |api| {
        let guard = guard.clone();
        api.on(move |call: &mut ToolCallEvent, _| {
            let reply = guard(call);
            Box::pin(async move { Ok(reply) })
        })?;
        Ok(())
    })
}

fn says(text: &str) -> Value {
    json!({ "say": text })
}

#[tokio::test]
async fn each_guard_sees_what_the_one_before_it_made_of_the_arguments() {
    let notes = Notes::default();
    let step = |name: &'static str, notes: &Notes| {
        let notes = notes.clone();
        move |call: &ToolCallEvent| {
            let said = call.input()["say"].as_str().unwrap().to_owned();
            notes.add(format!("{name} sees {said}"));
            match name {
                "edits" => call.edit_input(|input| input["say"] = json!(format!("{said}+edited"))),
                _ => call.set_input(says(&format!("{said}+{name}"))),
            }
            ToolCallReply::NoObjection
        }
    };
    let two = ext("two", {
        let (first, second) = (step("edits", &notes), step("sets", &notes));
        move |api| {
            let (first, second) = (first.clone(), second.clone());
            api.on(move |call: &mut ToolCallEvent, _| {
                let reply = first(call);
                Box::pin(async move { Ok(reply) })
            })?;
            api.on(move |call: &mut ToolCallEvent, _| {
                let reply = second(call);
                Box::pin(async move { Ok(reply) })
            })?;
            Ok(())
        }
    });
    let play = Play::new()
        .tool(echoes("t"))
        .with(two)
        .with(guard("last", step("last", &notes)));
    let played = play.run(one_call(says("x"))).await;
    assert_eq!(
        notes.lines(),
        [
            "edits sees x",
            "sets sees x+edited",
            "last sees x+edited+sets"
        ]
    );
    assert_eq!(played.text("c"), r#"{"say":"x+edited+sets+last"}"#);
    let stored = serde_json::to_string(&played.session.agent().messages()).unwrap();
    assert!(stored.contains(r#""arguments":{"say":"x"}"#), "{stored}");
}

#[tokio::test]
async fn a_block_ends_the_chain_and_gives_its_reason_to_the_model() {
    let notes = Notes::default();
    let later = notes.clone();
    let blocks = guard("blocks", |_| ToolCallReply::block("not on a Sunday"));
    let never = guard("never", move |_| {
        later.add("asked");
        ToolCallReply::NoObjection
    });
    let started = notes.clone();
    let tool = FakeTool::new("t").acts(move |_, _| {
        started.add("ran");
        async { Ok(ToolResult::text("")) }
    });
    let play = Play::new().tool(tool).with(blocks).with(never);
    let played = play.run(one_call(json!({}))).await;
    assert_eq!(played.fault("c"), "not on a Sunday");
    assert_eq!(notes.lines(), [""; 0]);
}

#[tokio::test]
async fn a_block_can_end_the_run_and_without_a_reason_says_so_plainly() {
    let ends = guard("ends", |_| ToolCallReply::Block {
        reason: None,
        terminate: true,
    });
    let played = Play::new().with(ends).run(one_call(json!({}))).await;
    assert_eq!(played.fault("c"), "Tool execution was blocked");
    assert_eq!(played.asked().len(), 1, "the model is not asked again");
}

#[tokio::test]
async fn a_guard_is_not_asked_about_calls_that_cannot_run() {
    let notes = Notes::default();
    let asked = notes.clone();
    let watches = guard("watches", move |call| {
        asked.add(format!("{} {}", call.tool_call_id, call.tool_name));
        ToolCallReply::NoObjection
    });
    let calls = [
        call("nameless", "nothing", json!({})),
        call("wrong", "t", json!({ "ms": "soon" })),
        call("right", "t", json!({ "ms": "1" })),
    ];
    Play::new().with(watches).run(batch(&calls)).await;
    assert_eq!(notes.lines(), ["right t"]);
}

#[tokio::test]
async fn b115_what_an_extension_made_of_the_arguments_is_validated_before_the_next_one_sees_it() {
    let notes = Notes::default();
    let later = notes.clone();
    let play = Play::new()
        .with(guard("spoils", |call| {
            call.set_input(json!({ "ms": {} }));
            ToolCallReply::NoObjection
        }))
        .with(guard("later", move |_| {
            later.add("asked");
            ToolCallReply::NoObjection
        }));
    let played = play.run(one_call(json!({}))).await;
    let text = played.fault("c");
    assert!(
        text.starts_with("spoils changed the arguments to invalid ones"),
        "{text}"
    );
    assert_eq!(notes.lines(), [""; 0]);
}

#[tokio::test]
async fn a_change_that_is_undone_is_none() {
    let undoes = ext("undoes", |api| {
        for say in ["y", "x"] {
            api.on(move |call: &mut ToolCallEvent, _| {
                call.edit_input(|input| input["say"] = json!(say));
                Box::pin(async { Ok(ToolCallReply::NoObjection) })
            })?;
        }
        Ok(())
    });
    let play = Play::new().tool(echoes("t")).with(undoes);
    assert_eq!(
        play.run(one_call(says("x"))).await.text("c"),
        r#"{"say":"x"}"#
    );
}

/// Plays one call past a guard, and returns what the model reads and what was reported.
async fn failing(guard: Arc<dyn Extension>) -> (String, Vec<Failure>, Vec<String>) {
    let played = Play::new().with(guard).load(one_call(json!({}))).await;
    let failures = Arc::new(Mutex::new(Vec::new()));
    let heard = failures.clone();
    played.session.extensions().on_failure(move |failure| {
        heard.lock().unwrap().push(failure.clone());
    });
    played.prompt("go").await;
    let failures = failures.lock().unwrap().clone();
    (played.fault("c"), failures, played.failures.lines())
}

#[tokio::test]
async fn b116_a_guard_that_fails_blocks_and_whoever_watches_guards_hears_of_it() {
    let errs = ext("errs", |api| {
        api.on(|_: &mut ToolCallEvent, _| Box::pin(async { Err("no database".into()) }))?;
        Ok(())
    });
    let (text, failures, isolated) = failing(errs).await;
    assert_eq!(text, "Blocked: the guard of errs failed: no database");
    assert_eq!(failures.len(), 1);
    assert_eq!(failures[0].kind, FailureKind::Error);
    assert_eq!(failures[0].event, "tool_call");
    assert_eq!(failures[0].blocked_call_id.as_deref(), Some("c"));
    assert_eq!(isolated, [""; 0], "it was not isolated");
}

#[tokio::test]
async fn b116_a_guard_that_panics_blocks() {
    let at_once = ext("panics", |api| {
        api.on(|_: &mut ToolCallEvent, _| panic!("broken at once"))?;
        Ok(())
    });
    let later = ext("panics", |api| {
        api.on(|_: &mut ToolCallEvent, _| {
            Box::pin(async {
                tokio::task::yield_now().await;
                panic!("broken later")
            })
        })?;
        Ok(())
    });
    for (guard, when) in [(at_once, "at once"), (later, "later")] {
        let (text, failures, _) = failing(guard).await;
        assert!(
            text.contains(&format!("it panicked: broken {when}")),
            "{text}"
        );
        assert_eq!(failures[0].kind, FailureKind::Panic);
    }
}

#[tokio::test]
async fn what_a_guard_keeps_of_its_event_changes_nothing_behind_its_back() {
    let kept: Arc<Mutex<Option<ToolCallEvent>>> = Arc::default();
    let meddles = ext("meddles", move |api| {
        let keeps = kept.clone();
        api.on(move |call: &mut ToolCallEvent, _| {
            *keeps.lock().unwrap() = Some(call.clone());
            Box::pin(async { Ok(ToolCallReply::NoObjection) })
        })?;
        let changes = kept.clone();
        api.on(move |_: &mut ToolCallEvent, _| {
            let kept = changes.lock().unwrap().take().unwrap();
            kept.set_input(json!({ "say": "meddled" }));
            Box::pin(async { Ok(ToolCallReply::NoObjection) })
        })?;
        Ok(())
    });
    let played = Play::new().with(meddles).run(one_call(says("x"))).await;
    assert_eq!(played.text("c"), "x");
}

#[tokio::test]
async fn who_stops_listening_during_a_call_is_asked_once_more_and_who_begins_is_not_asked_yet() {
    let notes = Notes::default();
    let heard = notes.clone();
    let changing = ext("changing", move |api| {
        let second: Arc<Mutex<Option<Subscription>>> = Arc::default();
        let (notes, stops, acting) = (heard.clone(), second.clone(), api.clone());
        api.on(move |_: &mut ToolCallEvent, _| {
            notes.add("first");
            if let Some(second) = stops.lock().unwrap().take() {
                second.unsubscribe();
                let notes = notes.clone();
                let third = acting.on(move |_: &mut ToolCallEvent, _| {
                    notes.add("third");
                    Box::pin(async { Ok(ToolCallReply::NoObjection) })
                });
                third.unwrap();
            }
            Box::pin(async { Ok(ToolCallReply::NoObjection) })
        })?;
        let notes = heard.clone();
        *second.lock().unwrap() = Some(api.on(move |_: &mut ToolCallEvent, _| {
            notes.add("second");
            Box::pin(async { Ok(ToolCallReply::NoObjection) })
        })?);
        Ok(())
    });
    let calls = [call("a", "t", json!({})), call("b", "t", json!({}))];
    Play::new().with(changing).run(batch(&calls)).await;
    assert_eq!(notes.lines(), ["first", "second", "first", "third"]);
}

#[tokio::test]
async fn all_guards_of_a_batch_are_asked_before_the_first_call_runs() {
    let notes = Notes::default();
    let (asked, ran) = (notes.clone(), notes.clone());
    let watches = guard("watches", move |call| {
        asked.add(format!("asked {}", call.tool_call_id));
        ToolCallReply::NoObjection
    });
    let tool = FakeTool::new("t").acts(move |_, _| {
        ran.add("ran");
        async { Ok(ToolResult::text("")) }
    });
    let calls = [call("a", "t", json!({})), call("b", "t", json!({}))];
    Play::new()
        .tool(tool)
        .with(watches)
        .run(batch(&calls))
        .await;
    assert_eq!(notes.lines(), ["asked a", "asked b", "ran", "ran"]);
}

#[tokio::test]
async fn a_guard_that_comes_while_a_call_is_announced_is_asked_about_it() {
    let comes = ext("comes", |api| {
        let acting = api.clone();
        api.on(move |_: &mut ToolExecutionStartEvent, _| {
            let registered = acting.on(|_: &mut ToolCallEvent, _| {
                Box::pin(async { Ok(ToolCallReply::block("just in time")) })
            });
            registered.unwrap();
            Box::pin(async { Ok(()) })
        })?;
        Ok(())
    });
    let played = Play::new().with(comes).run(one_call(json!({}))).await;
    assert_eq!(played.fault("c"), "just in time");
}

#[tokio::test]
async fn an_extension_that_guards_nothing_is_not_in_the_chain_of_calls() {
    let elsewhere = ext("elsewhere", |api| {
        api.on(|_: &mut ToolExecutionStartEvent, _| Box::pin(async { Ok(()) }))?;
        Ok(())
    });
    let guards = guard("guards", |_| ToolCallReply::NoObjection);
    let played = Play::new()
        .with(elsewhere)
        .with(guards)
        .load(json!([{}]))
        .await;
    let hooks = played
        .session
        .extensions()
        .hooks(Arc::new(NoHooks))
        .tool_hooks();
    let names: Vec<&str> = hooks.iter().map(|hook| hook.name()).collect();
    assert_eq!(names, ["guards"]);
}
