//! Handlers of `tool_result`: a chain over the result of a call that ran.

use std::sync::Arc;

use deed_agent::{ResultPatch, ToolError};
use deed_extensions::{
    Extension, ExtensionError, ToolCallEvent, ToolCallReply, ToolExecutionEndEvent, ToolResultEvent,
};
use deed_protocol::{ContentBlock, ToolResult, Usage};
use deed_testing::FakeTool;
use serde_json::{Value, json};

use crate::support::{Notes, Play, batch, call, ext, one_call, text_of};

type Outcome = Result<ResultPatch, ExtensionError>;

/// An extension of one handler.
fn handler(
    name: &'static str,
    handler: impl Fn(&mut ToolResultEvent) -> Outcome + Clone + Send + Sync + 'static,
) -> Arc<dyn Extension> {
    ext(name, move |api| {
        let handler = handler.clone();
        api.on(move |result: &mut ToolResultEvent, _| {
            let outcome = handler(result);
            Box::pin(async move { outcome })
        })?;
        Ok(())
    })
}

fn content(text: &str) -> Option<Vec<ContentBlock>> {
    Some(vec![ContentBlock::text(text)])
}

fn unchanged() -> Outcome {
    Ok(ResultPatch::default())
}

#[tokio::test]
async fn b113_each_handler_sees_what_the_one_before_it_left() {
    let redacts = handler("redacts", |result| {
        Ok(ResultPatch {
            content: content(&text_of(&result.content).replace("secret", "***")),
            ..ResultPatch::default()
        })
    });
    let appends = handler("appends", |result| {
        assert_eq!(text_of(&result.content), "a ***");
        result.content.push(ContentBlock::text("checked"));
        unchanged()
    });
    let play = Play::new().with(redacts).with(appends);
    let played = play.run(one_call(json!({ "say": "a secret" }))).await;
    assert_eq!(played.text("c"), "a ***|checked", "in place counts as well");
}

#[tokio::test]
async fn a_patch_replaces_whole_fields_and_leaves_the_others_alone() {
    let gives = ToolResult::text("kept").with_details(json!({ "a": 1, "b": 2 }));
    let patches = handler("patches", |_| {
        Ok(ResultPatch {
            details: Some(json!({ "c": 3 })),
            is_error: Some(true),
            usage: Some(Usage {
                input: 7,
                ..Usage::default()
            }),
            ..ResultPatch::default()
        })
    });
    let play = Play::new()
        .tool(FakeTool::new("t").gives(gives))
        .with(patches);
    let played = play.run(one_call(json!({}))).await;
    let result = played.result("c");
    assert_eq!(played.fault("c"), "kept");
    assert_eq!(result.details, Some(json!({ "c": 3 })));
    assert_eq!(result.usage.unwrap().input, 7);
}

#[tokio::test]
async fn a_result_that_nobody_changed_is_as_the_tool_gave_it() {
    let looks = handler("looks", |_| unchanged());
    let script = || one_call(json!({ "say": "x" }));
    let watched = Play::new().with(looks).run(script()).await;
    let plain = Play::new().run(script()).await;
    let [watched, plain] = [watched, plain].map(|played| {
        let mut result = serde_json::to_value(played.result("c")).unwrap();
        result.as_object_mut().unwrap().remove("durationMs");
        result
    });
    assert_eq!(watched, plain);
}

#[tokio::test]
async fn details_that_a_handler_takes_away_are_gone() {
    let gives = ToolResult::text("kept").with_details(json!({ "secret": 1 }));
    let takes = handler("takes", |result| {
        result.details = None;
        unchanged()
    });
    let play = Play::new()
        .tool(FakeTool::new("t").gives(gives))
        .with(takes);
    let details = play.run(one_call(json!({}))).await.result("c").details;
    assert_eq!(details.unwrap_or(Value::Null), Value::Null);
}

#[tokio::test]
async fn a_handler_can_end_the_run_and_keep_a_tool_from_ending_it() {
    let ends = handler("ends", |_| {
        Ok(ResultPatch {
            terminate: Some(true),
            ..ResultPatch::default()
        })
    });
    let played = Play::new().with(ends).run(one_call(json!({}))).await;
    assert_eq!(played.asked().len(), 1);
    let goes_on = handler("goes on", |result| {
        assert!(result.terminate);
        result.terminate = false;
        unchanged()
    });
    let gives = ToolResult {
        terminate: true,
        ..ToolResult::text("")
    };
    let play = Play::new()
        .tool(FakeTool::new("t").gives(gives))
        .with(goes_on);
    assert_eq!(play.run(one_call(json!({}))).await.asked().len(), 2);
}

#[tokio::test]
async fn b112_a_handler_that_fails_is_reported_and_the_result_stays_as_it_was() {
    let spoils = |fails: fn() -> Outcome| {
        handler("spoils", move |result| {
            result.content.clear();
            result.is_error = true;
            fails()
        })
    };
    let last = handler("last", |result| {
        result.content.push(ContentBlock::text("seen"));
        unchanged()
    });
    for (fails, text) in [
        ((|| Err("no disk".into())) as fn() -> Outcome, "no disk"),
        (|| panic!("no luck"), "it panicked: no luck"),
    ] {
        let calls = [
            call("a", "t", json!({ "say": "1" })),
            call("b", "t", json!({ "say": "2" })),
        ];
        let play = Play::new().with(spoils(fails)).with(last.clone());
        let played = play.run(batch(&calls)).await;
        assert_eq!(played.text("a"), "1|seen");
        assert_eq!(played.text("b"), "2|seen");
        let report = format!("<inline:spoils> tool_result: {text}");
        assert_eq!(played.failures.lines(), [report.clone(), report]);
    }
}

#[tokio::test]
async fn a_failed_call_can_be_made_a_success_and_calls_that_did_not_run_have_no_result_event() {
    let notes = Notes::default();
    let heard = notes.clone();
    let mends = ext("mends", move |api| {
        let notes = heard.clone();
        api.on(move |result: &mut ToolResultEvent, _| {
            notes.add(format!("{} {}", result.tool_call_id, result.is_error));
            result.is_error = false;
            Box::pin(async { unchanged() })
        })?;
        api.on(|call: &mut ToolCallEvent, _| {
            let blocked = &*call.tool_call_id == "blocked";
            Box::pin(async move {
                Ok(match blocked {
                    true => ToolCallReply::block("no"),
                    false => ToolCallReply::NoObjection,
                })
            })
        })?;
        Ok(())
    });
    let fails = FakeTool::new("fails")
        .acts(|_, _| async { Err::<ToolResult, _>(ToolError::failed("broken")) });
    let calls = [
        call("failed", "fails", json!({})),
        call("blocked", "t", json!({})),
        call("invalid", "t", json!({ "ms": "x" })),
        call("nameless", "nothing", json!({})),
    ];
    let played = Play::new().tool(fails).with(mends).run(batch(&calls)).await;
    assert_eq!(notes.lines(), ["failed true"]);
    assert!(played.text("failed").contains("broken"));
}

#[tokio::test]
async fn the_input_of_a_result_is_what_ran() {
    let notes = Notes::default();
    let heard = notes.clone();
    let both = ext("both", move |api| {
        api.on(|call: &mut ToolCallEvent, _| {
            call.set_input(json!({ "say": "changed" }));
            Box::pin(async { Ok(ToolCallReply::NoObjection) })
        })?;
        let notes = heard.clone();
        api.on(move |result: &mut ToolResultEvent, _| {
            notes.add(result.input.to_string());
            Box::pin(async { unchanged() })
        })?;
        let notes = heard.clone();
        api.on(move |end: &mut ToolExecutionEndEvent, _| {
            notes.add(end.result.joined_text());
            Box::pin(async { Ok(()) })
        })?;
        Ok(())
    });
    Play::new()
        .with(both)
        .run(one_call(json!({ "say": "x" })))
        .await;
    assert_eq!(notes.lines(), [r#"{"say":"changed"}"#, "changed"]);
}

#[tokio::test]
async fn a_handler_that_comes_while_the_call_runs_sees_its_result_if_another_was_there() {
    let late = ext("late", |api| {
        api.on(|_: &mut ToolResultEvent, _| Box::pin(async { unchanged() }))?;
        let acting = api.clone();
        let tool = FakeTool::new("late").acts(move |_, _| {
            let registered = acting.on(|result: &mut ToolResultEvent, _| {
                result.content.push(ContentBlock::text("late"));
                Box::pin(async { unchanged() })
            });
            registered.unwrap();
            async { Ok(ToolResult::text("ran")) }
        });
        api.register_tool(crate::support::lifted(tool))
    });
    let played = Play::new()
        .with(late)
        .run(batch(&[call("c", "late", json!({}))]))
        .await;
    assert_eq!(played.text("c"), "ran|late");
}
