use std::sync::Arc;

use deed_protocol::ToolResultMessage;
use deed_tooling::{NamePattern, Selection, ToolDefinition};
use serde_json::{Value, json};

use crate::support::{Place, changing, text_of};

fn added(result: &ToolResultMessage) -> Vec<&str> {
    let names = result.added_tool_names.iter();
    names.map(|name| &**name).collect()
}

fn activates(name: &'static str, tool: &'static str) -> Arc<dyn ToolDefinition> {
    changing(name, move |context| {
        context.actions().activate_tools(&[tool.into()]);
    })
}

fn grep(id: &str) -> Value {
    json!({ "id": id, "name": "grep", "arguments": { "pattern": "needle" } })
}

#[tokio::test]
async fn a_tool_made_active_by_a_call_can_be_called_from_the_next_turn_on() {
    let place = Place::new();
    place.put("a", "a needle\n");
    let script = json!([
        { "calls": [{ "id": "more", "name": "more" }, grep("at once")] },
        { "calls": [grep("then"), { "id": "again", "name": "more" }] },
        { "expect": "a needle", "say": "done" },
    ]);
    let played = place
        .play(script, |builder| builder.tool(activates("more", "grep")))
        .await;
    let at_once = played.result("at once");
    assert!(at_once.is_error, "the batch has the tools of its turn");
    assert!(text_of(&at_once).contains("grep"), "{}", text_of(&at_once));
    assert!(!played.result("then").is_error);
    assert_eq!(added(&played.result("more")), ["grep"]);
    assert_eq!(added(&played.result("again")), [""; 0], "it was active");
    let active: Vec<bool> = played
        .asked()
        .iter()
        .map(|asked| asked.tools.contains(&"grep".to_owned()))
        .collect();
    assert_eq!(active, [false, true, true]);
}

#[tokio::test]
async fn a_call_that_also_makes_a_tool_inactive_tells_of_none_added() {
    let place = Place::new();
    place.put("a", "text\n");
    let swaps = changing("swap", |context| {
        context.actions().activate_tools(&["grep".into()]);
        context.actions().deactivate_tools(&["read".into()]);
    });
    let sets = changing("set", |context| {
        context
            .actions()
            .set_active_tools(&["find".into(), "bash".into()]);
    });
    let script = json!([
        { "calls": [
            { "id": "swap", "name": "swap" },
            { "id": "beside", "name": "read", "arguments": { "path": "a" } } ] },
        { "calls": [{ "id": "gone", "name": "read", "arguments": { "path": "a" } }] },
        { "calls": [{ "id": "set", "name": "set" }] },
        { "say": "done" },
    ]);
    let played = place
        .play(script, |builder| builder.tool(swaps).tool(sets))
        .await;
    for id in ["swap", "set"] {
        let result = played.result(id);
        let text = serde_json::to_string(&result).unwrap();
        assert!(!text.contains("addedToolNames"), "{text}");
    }
    assert!(
        !played.result("beside").is_error,
        "it left the set meanwhile"
    );
    assert!(played.result("gone").is_error);
    assert_eq!(
        played.asked().pop().unwrap().tools,
        ["bash", "find"],
        "what stays keeps its place, what comes stands behind"
    );
}

#[tokio::test]
async fn each_call_tells_of_what_it_added_itself_whatever_others_do() {
    let place = Place::new();
    let removes = changing("remove", |context| {
        context.actions().deactivate_tools(&["write".into()]);
    });
    let script = json!([
        { "calls": [
            { "id": "grep", "name": "add_grep" },
            { "id": "find", "name": "add_find" },
            { "id": "remove", "name": "remove" } ] },
        { "say": "done" },
    ]);
    let played = place
        .play(script, |builder| {
            let builder = builder.tool(activates("add_grep", "grep"));
            builder.tool(activates("add_find", "find")).tool(removes)
        })
        .await;
    assert_eq!(added(&played.result("grep")), ["grep"]);
    assert_eq!(added(&played.result("find")), ["find"]);
    assert_eq!(added(&played.result("remove")), [""; 0]);
}

#[tokio::test]
async fn an_excluded_tool_cannot_be_made_active() {
    let place = Place::new();
    let sets = changing("set", |context| {
        let names = ["grep".into(), "set".into(), "nothing".into()];
        let changed = context.actions().set_active_tools(&names);
        assert_eq!(changed.active, ["set".into()]);
    });
    let script = json!([
        { "calls": [{ "id": "add", "name": "add" }] },
        { "calls": [grep("call"), { "id": "set", "name": "set" }] },
        { "say": "done" },
    ]);
    let selection = Selection {
        exclude: vec![NamePattern::new("gr*")],
        ..Selection::default()
    };
    let played = place
        .play(script, |builder| {
            let builder = builder.selection(selection);
            builder.tool(activates("add", "grep")).tool(sets)
        })
        .await;
    assert_eq!(added(&played.result("add")), [""; 0]);
    assert!(played.result("call").is_error);
    let set = played.result("set");
    assert!(!set.is_error, "{}", text_of(&set));
    for asked in played.asked() {
        assert!(!asked.tools.contains(&"grep".to_owned()));
        assert!(!asked.system.contains("- grep:"));
    }
    assert_eq!(played.asked().pop().unwrap().tools, ["set"]);
}
