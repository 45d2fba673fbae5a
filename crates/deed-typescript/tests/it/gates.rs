//! Handlers of events, those that guard first.

use serde_json::json;

use crate::support::{Play, batch, call};

const ECHO: &str = r#"
    pi.registerTool({
        name: "t", description: "", parameters: { type: "object" },
        execute: async (id, params) => ({ content: [{ type: "text", text: JSON.stringify(params) }] }),
    });
"#;

fn extension(body: &str) -> String {
    format!("export default (pi) => {{ {ECHO} {body} }}")
}

fn one() -> serde_json::Value {
    batch(&[call("c", "t", json!({ "n": 1 }))])
}

#[tokio::test]
async fn a_guard_blocks_with_its_reason() {
    let text = extension(
        "pi.on('tool_call', (event) => event.input.n === 1 ? { block: true, reason: 'not one' } : undefined);",
    );
    let played = Play::new().with("g.js", &text).run(one()).await;
    assert_eq!(played.fault("c"), "not one");
}

#[tokio::test]
async fn a_guard_that_changes_arguments_in_place_is_seen_by_the_tool_and_the_next_guard() {
    let text = extension(
        "pi.on('tool_call', async (event) => { await null; event.input.n += 1; });
         pi.on('tool_call', (event) => { event.input.seen = event.input.n; });",
    );
    let played = Play::new().with("g.js", &text).run(one()).await;
    assert_eq!(played.text("c"), r#"{"n":2,"seen":2}"#);
}

#[tokio::test]
async fn a_guard_that_throws_blocks() {
    let text = extension("pi.on('tool_call', () => { throw new Error('broken'); });");
    let played = Play::new().with("g.js", &text).run(one()).await;
    assert_eq!(played.fault("c"), "Blocked: the guard of g failed: broken");
}

#[tokio::test]
async fn a_guard_asks_and_no_is_no() {
    let text = extension(
        "pi.on('tool_call', async (event, ctx) => {
            if (!(await ctx.ui.confirm('Run?', JSON.stringify(event.input)))) return { block: true, reason: 'Refused' };
        });",
    );
    let played = Play::new()
        .person(false)
        .with("g.js", &text)
        .run(one())
        .await;
    assert_eq!(played.fault("c"), "Refused");
    assert_eq!(played.seen(), [r#"confirm Run?: {"n":1}"#]);
    let played = Play::new()
        .person(true)
        .with("g.js", &text)
        .run(one())
        .await;
    assert_eq!(played.text("c"), r#"{"n":1}"#);
}

#[tokio::test]
async fn what_is_changed_after_a_person_confirmed_is_not_run_on_that_word() {
    let text = extension(
        "pi.on('tool_call', async (event, ctx) => {
            if (!(await ctx.ui.confirm('Run?', ''))) return { block: true };
            event.input.n = 99;
        });",
    );
    let played = Play::new()
        .person(true)
        .with("g.js", &text)
        .run(one())
        .await;
    let (is_error, said) = played.answer("c");
    assert!(is_error, "{said}");
}

#[tokio::test]
async fn a_handler_of_results_changes_them_and_one_that_throws_does_not() {
    let text = extension(
        "pi.on('tool_result', (event) => ({ content: [...event.content, { type: 'text', text: 'seen' }] }));
         pi.on('tool_result', () => { throw new Error('lost'); });",
    );
    let played = Play::new().with("r.js", &text).run(one()).await;
    assert_eq!(played.text("c"), r#"{"n":1}|seen"#);
    let failures = played.failures.lines();
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert!(failures[0].starts_with("tool_result: lost"), "{failures:?}");
}

#[tokio::test]
async fn input_is_transformed_and_the_system_prompt_grows() {
    let text = extension(
        "const seen = [];
         pi.on('input', (event) => ({ action: 'transform', text: event.text.toUpperCase() }));
         pi.on('before_agent_start', (event) => { seen.push(event.prompt); return { systemPrompt: event.systemPrompt + '\\nhurry' }; });
         pi.on('agent_end', (event) => seen.push(event.messages.length));
         pi.registerCommand('seen', { handler: async (_, ctx) => ctx.ui.notify(seen.join(), 'info') });",
    );
    let played = Play::new()
        .person(true)
        .with("i.js", &text)
        .run(json!([{ "say": "ok" }]))
        .await;
    played.session.run_command("seen", "").await.unwrap();
    assert_eq!(played.seen(), ["Info GO,2"]);
}

#[tokio::test]
async fn several_extensions_guard_in_load_order_each_in_its_own_engine() {
    let guard = |name: &str| {
        format!(
            "globalThis.mine ??= '{name}'; export default (pi) => pi.on('tool_call', (event) => {{ event.input.by = (event.input.by ?? '') + mine; }});"
        )
    };
    let played = Play::new()
        .with("a.js", &guard("a"))
        .with("b.ts", &guard("b"))
        .with("t.js", &extension(""))
        .run(one())
        .await;
    assert_eq!(played.text("c"), r#"{"n":1,"by":"ab"}"#);
}
