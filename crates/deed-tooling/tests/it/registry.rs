use std::sync::Arc;

use deed_agent::{AgentTool, Replay};
use deed_protocol::ToolResult;
use deed_schema::ToolSchema;
use deed_tooling::{
    InactiveReason, Layer, NamePattern, RegisterError, Selection, ToolRegistry, ToolSnapshot,
};
use serde_json::{Value, json};

use crate::support::{Fake, Host, names, run};

fn registry(tools: &[&str]) -> Arc<ToolRegistry> {
    let registry = Arc::new(ToolRegistry::default());
    for name in tools {
        registry.register(Fake::new(name).sdk()).unwrap();
    }
    registry
}

fn snapshot(registry: &Arc<ToolRegistry>) -> ToolSnapshot {
    registry.snapshot(&Host::of(registry))
}

fn tools(snapshot: &ToolSnapshot) -> Vec<Arc<dyn AgentTool>> {
    snapshot.tools.iter().cloned().collect()
}

#[test]
fn a_later_layer_takes_the_place_of_an_earlier_whatever_came_first() {
    let registry = ToolRegistry::default();
    registry.register(Fake::new("read").sdk()).unwrap();
    registry
        .register(Fake::new("read").of_extension("a.ts"))
        .unwrap();
    registry.register(Fake::new("read").built_in()).unwrap();
    registry.register(Fake::new("bash").built_in()).unwrap();
    registry
        .register(Fake::new("bash").of_extension("a.ts"))
        .unwrap();
    assert_eq!(registry.get("read").unwrap().layer(), Layer::Sdk);
    assert_eq!(registry.get("bash").unwrap().layer(), Layer::Extension);
    let rows = registry.explain();
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0].replaces.len(), 2);
    assert_eq!(rows[1].replaces[0].path.as_ref(), "builtin:bash");
}

#[test]
fn of_two_extensions_the_first_stands_and_both_are_named() {
    let registry = ToolRegistry::default();
    registry
        .register(Fake::new("deploy").of_extension("first.ts"))
        .unwrap();
    let fault = registry
        .register(Fake::new("deploy").of_extension("second.ts"))
        .unwrap_err();
    let said = fault.to_string();
    for part in ["deploy", "first.ts", "second.ts"] {
        assert!(said.contains(part), "{said}");
    }
    assert_eq!(
        registry.get("deploy").unwrap().source().path.as_ref(),
        "first.ts"
    );
    let again = Fake::new("deploy")
        .says("anew", &[])
        .of_extension("first.ts");
    registry.register(again).unwrap();
    let tool = registry.get("deploy").unwrap();
    assert_eq!(tool.definition().prompt().snippet(), Some("anew"));
    assert!(registry.register(Fake::new("x").built_in()).is_ok());
    assert!(registry.register(Fake::new("x").built_in()).is_err());
}

#[test]
fn an_extension_that_goes_takes_its_tools_along() {
    let registry = ToolRegistry::default();
    registry.register(Fake::new("read").built_in()).unwrap();
    registry.register(Fake::new("grep").built_in()).unwrap();
    for name in ["read", "grep", "deploy"] {
        registry
            .register(Fake::new(name).of_extension("a.ts"))
            .unwrap();
    }
    assert_eq!(registry.active_names(), names(&["read", "grep", "deploy"]));
    registry.unregister("a.ts");
    assert_eq!(
        registry.active_names(),
        names(&["read"]),
        "grep is not active by default"
    );
    assert_eq!(registry.get("read").unwrap().layer(), Layer::BuiltIn);
    assert!(registry.get("deploy").is_none());
}

#[test]
fn an_extension_takes_away_one_tool_of_its_own() {
    let registry = ToolRegistry::default();
    registry.register(Fake::new("read").built_in()).unwrap();
    for name in ["read", "deploy"] {
        registry
            .register(Fake::new(name).of_extension("a.ts"))
            .unwrap();
    }
    assert!(!registry.unregister_tool("b.ts", "deploy"), "not its own");
    assert!(registry.unregister_tool("a.ts", "deploy"));
    assert!(!registry.unregister_tool("a.ts", "deploy"));
    assert_eq!(registry.active_names(), names(&["read"]));
    assert_eq!(registry.get("read").unwrap().layer(), Layer::Extension);
}

#[test]
fn the_source_of_registration_counts() {
    let registry = registry(&[]);
    registry
        .register(Fake::new("read").of_extension("evil.ts"))
        .unwrap();
    let snapshot = snapshot(&registry);
    let spec = snapshot.tools.get("read").unwrap().spec().clone();
    assert_eq!(spec.source.path.as_ref(), "evil.ts");
    assert_eq!(
        spec.replay,
        Replay::Safe,
        "the projection keeps the replay rule"
    );
}

#[test]
fn b100_a_tool_whose_schema_no_provider_takes_is_refused() {
    #[derive(schemars::JsonSchema)]
    #[expect(dead_code, reason = "only its schema counts")]
    enum NotAnObject {
        A,
        B,
    }
    let registry = ToolRegistry::default();
    let tool = Fake::with_schema("t", ToolSchema::of::<NotAnObject>()).of_extension("mine.ts");
    let fault = registry.register(tool).unwrap_err();
    assert!(matches!(fault, RegisterError::BadSchema { .. }));
    assert!(fault.to_string().contains("`t` of mine.ts"), "{fault}");
    let bad_pattern = json!({
        "type": "object",
        "properties": { "a": { "type": "string", "pattern": "(" } },
    });
    if let Ok(schema) = ToolSchema::new(bad_pattern) {
        assert!(
            registry
                .register(Fake::with_schema("t", schema).of_extension("m.ts"))
                .is_err()
        );
    }
    assert!(ToolSchema::new(Value::Bool(true)).is_err());
    assert!(registry.get_all_tools().is_empty());
}

#[test]
fn names_that_no_provider_takes_are_refused() {
    let registry = ToolRegistry::default();
    let long = "x".repeat(65);
    for name in ["", "a b", "a.b", "é", long.as_str()] {
        let fault = registry
            .register(Fake::new(name).of_extension("mine.ts"))
            .unwrap_err();
        assert!(matches!(fault, RegisterError::BadName { .. }), "{name}");
        assert!(fault.to_string().contains("of mine.ts"), "{fault}");
    }
    registry.register(Fake::new(&"x".repeat(64)).sdk()).unwrap();
}

#[tokio::test]
async fn b169_names_of_object_members_are_ordinary() {
    let odd = ["constructor", "toString", "__proto__"];
    let registry = registry(&odd);
    let snapshot = snapshot(&registry);
    for name in odd {
        assert!(!run(tools(&snapshot), name, json!({})).await.is_error);
    }
    registry.set_active_tools(&names(&["__proto__"]));
    assert_eq!(registry.active_names(), names(&["__proto__"]));
}

#[test]
fn the_active_set_keeps_its_order_and_ignores_the_unknown() {
    let registry = registry(&["read", "write", "edit"]);
    let changed = registry.set_active_tools(&names(&["edit", "nope", "read"]));
    assert_eq!(registry.active_names(), names(&["read", "edit"]));
    assert_eq!(changed.removed, names(&["write"]));
    let changed = registry.set_active_tools(&names(&["write", "read"]));
    assert_eq!(changed.active, names(&["read", "write"]));
    assert_eq!(
        (changed.added, changed.removed),
        (names(&["write"]), names(&["edit"]))
    );
    let row = registry
        .explain()
        .into_iter()
        .find(|row| row.name.as_ref() == "edit")
        .unwrap();
    assert_eq!(row.reason_if_not, Some(InactiveReason::MadeInactive));
}

#[test]
fn nothing_gets_past_the_selection() {
    let registry = registry(&["read"]);
    let exclude = NamePattern::list("deploy");
    registry.set_selection(Selection {
        exclude,
        ..Selection::default()
    });
    registry
        .register(Fake::new("deploy").of_extension("a.ts"))
        .unwrap();
    registry.register(Fake::new("deploy").sdk()).unwrap();
    registry.set_active_tools(&names(&["deploy", "read"]));
    assert_eq!(registry.active_names(), names(&["read"]));
    assert!(registry.get("deploy").is_none());
    assert!(snapshot(&registry).tools.get("deploy").is_none());
}

#[test]
fn a_snapshot_stands_while_the_registry_goes_on() {
    let registry = registry(&["read"]);
    let before = snapshot(&registry);
    registry.register(Fake::new("late").sdk()).unwrap();
    registry.set_active_tools(&names(&["late"]));
    assert_eq!(before.tools.names(), names(&["read"]));
    assert_eq!(snapshot(&registry).tools.names(), names(&["late"]));
}

#[test]
fn prompt_and_schemas_speak_of_the_same_tools() {
    let registry = registry(&["a", "b", "c", "d"]);
    for active in [vec!["a", "b"], vec!["d", "b"], vec!["c"], vec![]] {
        registry.set_active_tools(&names(&active));
        let snapshot = snapshot(&registry);
        let listed: Vec<Arc<str>> = snapshot.prompt.listed_names().cloned().collect();
        assert_eq!(listed, snapshot.tools.names());
    }
}

#[test]
fn all_tools_are_told_of_without_a_way_to_run_them() {
    let registry = registry(&["read"]);
    let told = serde_json::to_value(registry.get_all_tools()).unwrap();
    let fields: Vec<&String> = told[0].as_object().unwrap().keys().collect();
    assert_eq!(
        fields,
        [
            "name",
            "description",
            "parameters",
            "promptGuidelines",
            "sourceInfo"
        ]
    );
}

/// Registers a tool that does `act` with the active set, and runs it in a turn of `read` and it.
async fn added_by(
    act: impl Fn(&deed_tooling::ToolContext) + Send + Sync + 'static,
) -> Vec<Arc<str>> {
    let registry = registry(&["read", "grep", "find"]);
    let tool = Fake::new("load").acts(move |context, _| {
        act(context);
        ToolResult::text("done")
    });
    registry.register(tool.sdk()).unwrap();
    registry.set_active_tools(&names(&["read", "load"]));
    let result = run(tools(&snapshot(&registry)), "load", json!({})).await;
    assert!(!result.is_error);
    result.added_tool_names
}

#[tokio::test]
async fn a_call_that_only_adds_tools_names_them() {
    let added = added_by(|context| {
        context
            .actions()
            .activate_tools(&names(&["grep", "nope", "read"]));
        let mut all = context.actions().active_tools();
        all.extend(names(&["find"]));
        context.actions().set_active_tools(&all);
    });
    assert_eq!(added.await, names(&["grep", "find"]));
}

#[tokio::test]
async fn a_call_that_also_removes_tools_names_none() {
    let added = added_by(|context| {
        context.actions().activate_tools(&names(&["grep"]));
        context.actions().deactivate_tools(&names(&["read"]));
    });
    assert_eq!(added.await, names(&[]));
    let added = added_by(|context| {
        context
            .actions()
            .set_active_tools(&names(&["grep", "load"]));
    });
    assert_eq!(added.await, names(&[]));
}

#[tokio::test]
async fn a_tool_that_a_call_added_and_removed_again_does_not_count() {
    let added = added_by(|context| {
        context.actions().activate_tools(&names(&["grep", "find"]));
        context.actions().deactivate_tools(&names(&["grep"]));
    });
    assert_eq!(added.await, names(&["find"]));
}

#[tokio::test]
async fn what_a_tool_claims_to_have_added_does_not_count() {
    let registry = registry(&["read"]);
    let liar = Fake::new("liar").acts(|_, _| ToolResult {
        added_tool_names: names(&["read"]),
        ..ToolResult::text("done")
    });
    registry.register(liar.sdk()).unwrap();
    let result = run(tools(&snapshot(&registry)), "liar", json!({})).await;
    assert_eq!(result.added_tool_names, names(&[]));
}
