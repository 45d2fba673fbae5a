//! Tools that extensions bring, and the active set.

use std::sync::Arc;

use deed_extensions::{Extension, ExtensionApi, SessionStartEvent, TurnStartEvent};
use deed_protocol::ToolResult;
use deed_testing::FakeTool;
use deed_tooling::{Layer, NamePattern, Selection};
use serde_json::json;

use crate::support::{Notes, Play, batch, call, echoes, ext, lifted, one_call};

/// Registers a tool that says whose it is.
fn brings(owner: &'static str, tool: &'static str) -> Arc<dyn Extension> {
    ext(owner, move |api| {
        api.register_tool(lifted(FakeTool::new(tool).gives(ToolResult::text(owner))))
    })
}

/// Registers a tool that does something with the extension's API.
fn acting(
    name: &'static str,
    act: impl Fn(&ExtensionApi) + Clone + Send + Sync + 'static,
) -> Arc<dyn Extension> {
    ext(name, move |api| {
        let (kept, act) = (api.clone(), act.clone());
        api.register_tool(lifted(FakeTool::new(name).acts(move |_, _| {
            let (kept, act) = (kept.clone(), act.clone());
            async move {
                // Behind an await, as most of what tools do.
                tokio::task::yield_now().await;
                act(&kept);
                Ok(ToolResult::text("done"))
            }
        })))
    })
}

fn added(result: &deed_protocol::ToolResultMessage) -> Vec<&str> {
    result.added_tool_names.iter().map(|name| &**name).collect()
}

#[tokio::test]
async fn of_two_extensions_with_one_tool_name_the_first_stands_and_both_are_named() {
    let play = Play::new().with(brings("first", "deploy"));
    let played = play
        .with(brings("second", "deploy"))
        .run(batch(&[call("c", "deploy", json!({}))]))
        .await;
    assert_eq!(played.text("c"), "first");
    assert_eq!(
        played.diagnostics(),
        [
            "<inline:second>: the tool `deploy` of <inline:second> was not registered: \
             <inline:first> already has one of that name"
        ]
    );
    assert_eq!(played.session.extensions().extensions().len(), 2);
}

#[tokio::test]
async fn an_extension_takes_the_place_of_a_built_in_tool_and_the_host_that_of_both() {
    let play = Play::new()
        .with(brings("ours", "read"))
        .with(brings("ours too", "t"));
    let calls = [
        call("read", "read", json!({})),
        call("t", "t", json!({ "say": "host" })),
    ];
    let played = play.run(batch(&calls)).await;
    assert_eq!(played.text("read"), "ours", "it does not wrap the old one");
    assert_eq!(played.text("t"), "host");
    assert_eq!(played.diagnostics(), [""; 0]);
    let registry = played.session.registry();
    assert_eq!(registry.get("read").unwrap().layer(), Layer::Extension);
    assert_eq!(
        &*registry.get("read").unwrap().source().path,
        "<inline:ours>"
    );
    assert_eq!(registry.get("t").unwrap().layer(), Layer::Sdk);
}

#[tokio::test]
async fn a_tool_that_no_provider_takes_is_a_diagnostic_and_the_rest_of_its_extension_stays() {
    let brings_both = ext("both", |api| {
        api.register_tool(lifted(FakeTool::new("no spaces")))?;
        api.register_tool(lifted(FakeTool::new("good")))
    });
    let play = Play::new().with(brings_both);
    let played = play
        .run(batch(&[call("c", "good", json!({ "say": "hi" }))]))
        .await;
    assert_eq!(played.text("c"), "hi");
    let diagnostics = played.diagnostics();
    assert_eq!(diagnostics.len(), 1);
    assert!(diagnostics[0].contains("`no spaces`"), "{diagnostics:?}");
}

#[tokio::test]
async fn a_name_of_more_than_64_characters_spoils_no_request() {
    let brings_long = ext("long", |api| {
        let name = "x".repeat(65);
        api.register_tool(lifted(FakeTool::new(&name)))?;
        api.register_tool(lifted(FakeTool::new(&name[1..])))
    });
    let played = Play::new().with(brings_long).run(one_call(json!({}))).await;
    let longest = played.asked()[0].tools.iter().map(String::len).max();
    assert_eq!(longest, Some(64));
    assert!(played.diagnostics()[0].contains("more than 64 characters"));
}

#[tokio::test]
async fn b169_tools_of_extensions_may_have_names_of_object_members() {
    let brings_odd = ext("odd", |api| {
        for name in ["constructor", "toString", "__proto__"] {
            api.register_tool(lifted(echoes(name)))?;
        }
        Ok(())
    });
    let calls = ["constructor", "toString", "__proto__"].map(|name| call(name, name, json!({})));
    let played = Play::new().with(brings_odd).run(batch(&calls)).await;
    for name in ["constructor", "toString", "__proto__"] {
        assert_eq!(played.text(name), "{}");
    }
}

#[tokio::test]
async fn a_tool_registered_by_a_call_can_be_called_from_the_next_request_on() {
    let maker = acting("make", |api| {
        api.register_tool(lifted(echoes("made"))).unwrap();
    });
    let script = json!([
        { "calls": [call("make", "make", json!({})), call("at once", "made", json!({}))] },
        { "calls": [call("then", "made", json!({ "say": "x" }))] },
        { "say": "done" },
    ]);
    let played = Play::new().with(maker).run(script).await;
    assert!(played.fault("at once").contains("made not found"));
    assert_eq!(played.text("then"), "{\"say\":\"x\"}");
    assert_eq!(added(&played.result("make")), ["made"]);
    let active: Vec<bool> = played
        .asked()
        .iter()
        .map(|one| one.has_tool("made"))
        .collect();
    assert_eq!(active, [false, true, true]);
}

#[tokio::test]
async fn a_call_that_only_adds_active_tools_tells_of_them_and_one_that_also_takes_away_does_not() {
    let adds = acting("add", |api| {
        let mut names = api.get_active_tools().unwrap();
        names.push("grep".into());
        let changed = api.set_active_tools(&names).unwrap();
        assert_eq!(changed.added, ["grep".into()]);
    });
    let swaps = acting("swap", |api| {
        api.set_active_tools(&["find", "swap"]).unwrap();
    });
    let script = json!([
        { "calls": [call("add", "add", json!({}))] },
        { "calls": [call("swap", "swap", json!({}))] },
        { "say": "done" },
    ]);
    let played = Play::new().with(adds).with(swaps).run(script).await;
    assert_eq!(added(&played.result("add")), ["grep"]);
    assert_eq!(added(&played.result("swap")), [""; 0]);
    assert!(played.asked()[1].has_tool("grep"));
    assert_eq!(played.asked()[2].tools, ["swap", "find"]);
}

#[tokio::test]
async fn what_one_call_activates_is_not_told_of_its_sibling() {
    let adds = acting("add", |api| {
        let mut names = api.get_active_tools().unwrap();
        names.push("grep".into());
        api.set_active_tools(&names).unwrap();
    });
    let looks = acting("look", |api| drop(api.get_active_tools().unwrap()));
    let calls = [
        call("add", "add", json!({})),
        call("look", "look", json!({})),
    ];
    let played = Play::new().with(adds).with(looks).run(batch(&calls)).await;
    assert_eq!(added(&played.result("add")), ["grep"]);
    assert_eq!(added(&played.result("look")), [""; 0]);
}

#[tokio::test]
async fn setting_the_active_tools_ignores_names_that_are_unknown_or_kept_out() {
    let notes = Notes::default();
    let seen = notes.clone();
    let sets = ext("sets", move |api| {
        let (notes, acting) = (seen.clone(), api.clone());
        api.on(move |_: &mut SessionStartEvent, _| {
            let changed = acting.set_active_tools(&["grep", "ls", "nonsense", "t"]);
            notes.add(changed.unwrap().active.join(" "));
            Box::pin(async { Ok(()) })
        })?;
        Ok(())
    });
    let selection = Selection {
        exclude: vec![NamePattern::new("gr*")],
        ..Selection::default()
    };
    let play = Play::new()
        .with(sets)
        .change(|builder| builder.selection(selection));
    let played = play.run(one_call(json!({}))).await;
    assert_eq!(notes.lines(), ["t ls"], "what stays keeps its place");
    assert_eq!(played.asked()[0].tools, ["t", "ls"]);
}

#[tokio::test]
async fn an_extension_cannot_widen_the_lists_of_the_user() {
    let brings_both = ext("both", |api| {
        for name in ["allowed", "forbidden"] {
            api.register_tool(lifted(FakeTool::new(name)))?;
        }
        let acting = api.clone();
        api.on(move |_: &mut TurnStartEvent, _| {
            acting.register_tool(lifted(FakeTool::new("late"))).unwrap();
            acting
                .set_active_tools(&["forbidden", "late", "allowed", "read"])
                .unwrap();
            Box::pin(async { Ok(()) })
        })?;
        Ok(())
    });
    let selection = Selection {
        tools: Some("allowed,t".parse().unwrap()),
        ..Selection::default()
    };
    let script = json!([
        { "calls": [call("c", "allowed", json!({})), call("no", "forbidden", json!({}))] },
        { "say": "done" },
    ]);
    let play = Play::new()
        .with(brings_both)
        .change(|builder| builder.selection(selection));
    let played = play.run(script).await;
    assert_eq!(played.text("c"), "ok");
    assert!(played.fault("no").contains("forbidden not found"));
    assert_eq!(played.asked()[1].tools, ["allowed"]);
    let known = played.session.registry().get_all_tools();
    let names: Vec<&str> = known.iter().map(|tool| &*tool.name).collect();
    assert_eq!(names, ["t", "allowed"]);
}

#[tokio::test]
async fn b119_an_excluded_name_keeps_out_no_tool_whose_name_begins_like_it() {
    let brings_both = ext("both", |api| {
        api.register_tool(lifted(FakeTool::new("mcp__a-b")))?;
        api.register_tool(lifted(FakeTool::new("mcp__a-bc__x")))
    });
    let selection = Selection {
        exclude: vec![NamePattern::new("mcp__a-b")],
        ..Selection::default()
    };
    let play = Play::new()
        .with(brings_both)
        .change(|builder| builder.selection(selection));
    let played = play.run(one_call(json!({}))).await;
    assert!(played.asked()[0].has_tool("mcp__a-bc__x"));
    assert!(!played.asked()[0].has_tool("mcp__a-b"));
}

#[tokio::test]
async fn a_tool_that_is_taken_back_is_gone_from_the_next_request_on() {
    let takes_back = ext("back", |api| {
        api.register_tool(lifted(FakeTool::new("passing")))?;
        assert!(api.unregister_tool("passing")?);
        assert!(!api.unregister_tool("passing")?);
        api.register_tool(lifted(FakeTool::new("read")))?;
        let kept = api.clone();
        api.register_tool(lifted(FakeTool::new("back").acts(move |_, _| {
            assert!(kept.unregister_tool("read").unwrap());
            assert!(!kept.unregister_tool("bash").unwrap(), "it is not its own");
            kept.unregister_tool("back").unwrap();
            async { Ok(ToolResult::text("done")) }
        })))
    });
    let script = json!([
        { "calls": [call("back", "back", json!({})), call("read", "read", json!({ "say": "x" }))] },
        { "say": "done" },
    ]);
    let played = Play::new().with(takes_back).run(script).await;
    assert_eq!(played.text("back"), "done");
    assert_eq!(
        played.text("read"),
        "x",
        "the batch has the tools of its turn"
    );
    assert!(!played.asked()[1].has_tool("back"));
    let read = played.session.registry().get("read").unwrap();
    assert_eq!(
        read.layer(),
        Layer::BuiltIn,
        "what it took the place of is back"
    );
    assert_eq!(played.diagnostics(), [""; 0]);
}

#[tokio::test]
async fn what_is_told_of_tools_leads_to_no_way_to_run_them() {
    let notes = Notes::default();
    let seen = notes.clone();
    let looks = acting("look", move |api| {
        let tools = serde_json::to_value(api.get_all_tools().unwrap()).unwrap();
        let read = &tools.as_array().unwrap()[0];
        let fields: Vec<&String> = read.as_object().unwrap().keys().collect();
        seen.add(format!("{fields:?}"));
    });
    Play::new()
        .with(looks)
        .run(batch(&[call("c", "look", json!({}))]))
        .await;
    assert_eq!(
        notes.lines(),
        [r#"["name", "description", "parameters", "promptGuidelines", "sourceInfo"]"#]
    );
}
