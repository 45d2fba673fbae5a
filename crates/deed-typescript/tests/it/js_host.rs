//! Several handlers of one script: what each sees of those before it, and what becomes of it.

use serde_json::json;

use crate::support::{Play, Played, batch, call};

/// An extension of one tool `t` that answers its argument `x`, with more beside it.
fn extension(more: &str) -> String {
    format!(
        r#"export default (pi) => {{
            pi.registerTool({{
                name: "t", label: "T", description: "", parameters: {{ type: "object", properties: {{ x: {{}} }} }},
                execute: async (id, params) => ({{ content: [{{ type: "text", text: String(params.x) }}], details: {{ a: 1 }} }}),
            }});
            const say = (text) => console.log(text);
            {more}
        }}"#
    )
}

async fn play(more: &str) -> Played {
    Play::new()
        .with("x.js", &extension(more))
        .run(batch(&[call("c", "t", json!({ "x": "as asked" }))]))
        .await
}

fn said(played: &Played) -> Vec<String> {
    let lines = played.notices.lines();
    let said = lines.iter().filter_map(|line| line.strip_prefix("Info "));
    said.map(str::to_owned).collect()
}

#[tokio::test]
async fn guards_run_in_order_on_one_event_until_one_blocks() {
    let more = r#"
        pi.on("tool_call", (event) => { event.input.x = "one"; });
        pi.on("tool_call", (event) => { say(event.input.x); event.input.x += " two"; return { block: false, reason: "ignored" }; });
        pi.on("tool_call", (event) => ({ block: true, reason: event.input.x }));
        pi.on("tool_call", () => say("never"));
    "#;
    let played = play(more).await;
    assert_eq!(said(&played), ["one"]);
    assert_eq!(played.fault("c"), "one two");
}

#[tokio::test]
async fn arguments_that_are_replaced_are_seen_by_guards_and_not_run() {
    let more = r#"
        pi.on("tool_call", (event) => { event.input = { x: "replaced" }; });
        pi.on("tool_call", (event) => say(event.input.x));
    "#;
    let played = play(more).await;
    assert_eq!(said(&played), ["replaced"]);
    assert_eq!(played.text("c"), "as asked");
}

#[tokio::test]
async fn a_guard_that_throws_no_error_blocks_too() {
    let played = play("pi.on('tool_call', () => { throw 'plain text'; });").await;
    assert!(played.fault("c").contains("plain text"));
}

#[tokio::test]
async fn results_are_patched_one_after_the_other_also_in_place() {
    let more = r#"
        pi.on("tool_result", (event) => { event.content.push({ type: "text", text: "pushed" }); });
        pi.on("tool_result", (event) => ({ content: [...event.content, { type: "text", text: "patched" }], details: { b: 2 } }));
        pi.on("tool_result", () => { throw new Error("ignored"); });
        pi.on("tool_result", (event) => { say(event.content.map((block) => block.text).join()); say(JSON.stringify(event.details)); });
    "#;
    let played = play(more).await;
    assert_eq!(said(&played), ["as asked,pushed,patched", r#"{"b":2}"#]);
    assert_eq!(played.text("c"), "as asked|pushed|patched");
    let failures = played.failures.lines().join("\n");
    assert!(failures.starts_with("tool_result: ignored"), "{failures}");
}

#[tokio::test]
async fn prompts_are_transformed_in_a_chain_and_messages_pile_up() {
    let more = r#"
        pi.on("input", (event) => ({ action: "transform", text: event.text + " a" }));
        pi.on("input", (event) => ({ action: "continue" }));
        pi.on("input", (event) => ({ action: "transform", text: event.text + " b" }));
        pi.on("before_agent_start", (event) => { say(event.prompt); return { systemPrompt: "one" }; });
        pi.on("before_agent_start", (event) => { say(event.systemPrompt); return { systemPrompt: event.systemPrompt + " two", message: { customType: "k", content: "m1", display: false } }; });
        pi.on("context", (event) => ({ messages: event.messages.filter((message) => message.role !== "custom") }));
        pi.on("context", (event) => { say(event.messages.map((message) => message.role).join()); });
    "#;
    let played = play(more).await;
    assert_eq!(
        said(&played),
        ["go a b", "one", "user", "user,assistant,toolResult"]
    );
}

#[tokio::test]
async fn one_that_takes_itself_off_the_list_is_not_asked_again() {
    let more = r#"
        const off = pi.on("tool_call", () => { say("first"); off(); });
        pi.on("tool_call", () => say("second"));
    "#;
    let script = batch(&[call("a", "t", json!({})), call("b", "t", json!({}))]);
    let played = Play::new().with("x.js", &extension(more)).run(script).await;
    assert_eq!(said(&played), ["first", "second", "second"]);
}

#[tokio::test]
async fn members_that_pi_does_not_have_are_named() {
    let more = r#"
        for (const use of [() => pi.nope(), () => pi.registerVirtualModel({}), () => pi.registerProvider("x", { streamSimple() {} }), () => pi.registerTool({ name: "u" }), () => pi.on("tool_call", 5)]) {
            try { use(); } catch (error) { say(error.message); }
        }
    "#;
    let played = play(more).await;
    let lines = said(&played)
        .join("\n")
        .replace(env!("CARGO_PKG_VERSION"), "VERSION");
    insta::assert_snapshot!(lines, @r"
    'pi.nope' isn't supported by this host (deed VERSION)
    'pi.registerVirtualModel' isn't supported by this host (deed VERSION)
    'streamSimple' of 'pi.registerProvider' isn't supported by this host (deed VERSION)
    the tool 'u' needs `parameters`: an object schema, such as Type.Object({})
    the handler of 'tool_call' must be a function
    ");
}

#[tokio::test]
async fn updates_stop_with_the_result() {
    let text = r#"export default (pi) => {
        let late;
        pi.registerTool({
            name: "t", description: "", parameters: { type: "object" },
            execute: async (id, params, signal, onUpdate) => {
                onUpdate({ content: [{ type: "text", text: "half" }] });
                late = () => onUpdate({ content: [{ type: "text", text: "late" }] });
                return { content: [{ type: "text", text: "whole" }] };
            },
        });
        pi.on("tool_execution_update", (event) => console.log(event.partialResult.content[0].text));
        pi.on("tool_result", () => late());
    }"#;
    let played = Play::new()
        .with("x.js", text)
        .run(batch(&[call("c", "t", json!({}))]))
        .await;
    assert_eq!(said(&played), ["half"]);
    assert_eq!(played.text("c"), "whole");
}
