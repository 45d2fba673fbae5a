//! Hints for authors, each shown and kept back.

use deed_typescript::{Survey, hints, new_extension};
use serde_json::json;

use crate::support::Play;

/// Loads a file and returns the hints about it, one a line.
async fn hinted(text: &str) -> Vec<String> {
    let play = Play::new().with("x.ts", text);
    let survey = Survey::of(&play.root().join("x.ts"));
    let played = play.load(json!([{}])).await;
    assert!(
        played.diagnostics().is_empty(),
        "{:?}",
        played.diagnostics()
    );
    let registry = played.session.registry();
    let tools = registry.get_all_tools().into_iter();
    let own = tools.filter(|tool| tool.source_info.path.ends_with("x.ts"));
    let own: Vec<_> = own.filter_map(|tool| registry.get(&tool.name)).collect();
    let specs = own.iter().map(|tool| tool.spec());
    let hints = hints(&survey, specs);
    hints
        .iter()
        .map(|hint| played.plain(&hint.to_string()))
        .collect()
}

/// A file with one tool, without a fault but for what is put in.
fn tool(parameters: &str, more: &str, execute: &str) -> String {
    format!(
        r#"import {{ readFile, writeFile }} from "node:fs/promises";
        import {{ truncateHead, withFileMutationQueue }} from "@earendil-works/pi-coding-agent";
        const answer = (text) => ({{ content: [{{ type: "text", text }}], details: {{}} }});
        async function load(path, signal) {{ return readFile(path, {{ encoding: "utf8", signal }}); }}
        export default function (pi) {{
            pi.registerTool({{
                name: "t", label: "T", description: "does it", {more}
                parameters: {parameters},
                execute: {execute},
            }});
        }}"#
    )
}

const NARROW: &str = r#"{ type: "object", additionalProperties: false,
    properties: { path: { type: "string", description: "a path" } } }"#;
const BOUNDED: &str =
    "async (id, { path }, signal) => answer(truncateHead(await load(path, signal)).content)";

#[tokio::test]
async fn nothing_is_said_of_a_tool_that_is_as_it_should_be() {
    assert_eq!(hinted(&tool(NARROW, "", BOUNDED)).await, [""; 0]);
}

#[tokio::test]
async fn nothing_is_said_of_a_new_extension() {
    let files = new_extension("mine").unwrap();
    assert_eq!(hinted(&files[0].1).await, [""; 0]);
}

#[tokio::test]
async fn parameters_that_are_not_narrow_are_told() {
    let any = hinted(&tool(r#"{ type: "object" }"#, "", BOUNDED)).await;
    insta::assert_snapshot!(any.join("\n"), @r"ROOT/x.ts:6: narrow parameters: `t`: its parameters are any object; name each, with a type");
    let loose = r#"{ type: "object", properties: { path: { type: "string" }, more: { type: "object" }, any: {} } }"#;
    let loose = hinted(&tool(loose, "", BOUNDED)).await;
    insta::assert_snapshot!(loose.join("\n"), @r"
    ROOT/x.ts:6: narrow parameters: `t`: `more`, `any` can be anything; give it a type, or the members that it has
    ROOT/x.ts:6: narrow parameters: `t`: no description of `path`, `more`, `any`; the model reads nothing else
    ROOT/x.ts:6: narrow parameters: `t`: its parameters take names that it does not know; say `additionalProperties: false`
    ");
}

#[tokio::test]
async fn results_without_a_bound_are_told_also_of_helpers() {
    let unbounded = "async (id, { path }, signal) => answer(await load(path, signal))";
    let told = hinted(&tool(NARROW, "", unbounded)).await;
    insta::assert_snapshot!(told.join("\n"), @r"ROOT/x.ts:6: bounded results: `t`: it reads, runs or fetches and cuts nothing; bound its content with `truncateHead` or `truncateTail`");
}

#[tokio::test]
async fn a_signal_that_is_not_taken_or_not_handed_on_is_told() {
    let without =
        "async function (id, { path }) { return answer(truncateHead(await load(path)).content); }";
    let idle = "async (id, { path }, signal) => answer(truncateHead(await load(path)).content)";
    let at_once = r#"async () => answer("x")"#;
    insta::assert_snapshot!(hinted(&tool(NARROW, "", without)).await.join("\n"), @r"ROOT/x.ts:6: abort: `t`: `execute` waits and does not take `signal`, its third parameter; take it and hand it on");
    insta::assert_snapshot!(hinted(&tool(NARROW, "", idle)).await.join("\n"), @r"ROOT/x.ts:6: abort: `t`: `execute` waits and does nothing with its `signal`; hand it on to what waits");
    assert_eq!(hinted(&tool(NARROW, "", at_once)).await, [""; 0]);
}

#[tokio::test]
async fn effects_beside_other_calls_are_told() {
    let writes = r#"async (id, { path }, signal) => { await writeFile(path, "x", { signal }); return answer("x"); }"#;
    let runs = r#"async (id, { path }, signal) => answer(truncateHead((await pi.exec("cat", [path], { signal })).stdout).content)"#;
    let queued = r#"async (id, { path }, signal) => withFileMutationQueue(path, async () => { await writeFile(path, "x", { signal }); return answer("x"); })"#;
    insta::assert_snapshot!(hinted(&tool(NARROW, "", writes)).await.join("\n"), @r#"ROOT/x.ts:6: sequential: `t`: it writes or runs programs, and other calls may run meanwhile; say `executionMode: "sequential"`"#);
    insta::assert_snapshot!(hinted(&tool(NARROW, "", runs)).await.join("\n"), @r#"ROOT/x.ts:6: sequential: `t`: it writes or runs programs, and other calls may run meanwhile; say `executionMode: "sequential"`"#);
    let sequential = r#"executionMode: "sequential","#;
    assert_eq!(hinted(&tool(NARROW, sequential, writes)).await, [""; 0]);
    assert_eq!(hinted(&tool(NARROW, sequential, runs)).await, [""; 0]);
    assert_eq!(hinted(&tool(NARROW, "", queued)).await, [""; 0]);
}

#[tokio::test]
async fn a_gate_that_asks_without_looking_who_is_there_is_told() {
    let gate = |body: &str| {
        format!(
            "async function ask(ctx) {{ return ctx.ui.confirm('?', '?'); }}
            export default (pi) => {{
                pi.on('tool_call', async (event, ctx) => {{ {body} }});
            }};"
        )
    };
    let blind = gate("if (!(await ask(ctx))) return { block: true };");
    insta::assert_snapshot!(hinted(&blind).await.join("\n"), @r"ROOT/x.ts:3: approval: the gate asks and does not look at `ctx.hasUI`; block when there is nobody to ask");
    let looks = gate("if (!ctx.hasUI || !(await ask(ctx))) return { block: true };");
    assert_eq!(hinted(&looks).await, [""; 0]);
    let asks_nobody = gate("return event.toolName === 'bash' ? { block: true } : undefined;");
    assert_eq!(hinted(&asks_nobody).await, [""; 0]);
}

#[tokio::test]
async fn a_handler_that_is_never_called_is_told_and_one_of_another_bus_is_not() {
    let text = "export default (pi) => {
        pi.on('mcp_servers_change', () => {});
        pi.events.on('mine', () => {});
        pi.on('agent_start', () => {});
    };";
    insta::assert_snapshot!(hinted(text).await.join("\n"), @r"ROOT/x.ts:2: events: `mcp_servers_change` is never told here; its handler is not called");
}

#[tokio::test]
async fn a_tool_whose_name_is_made_up_is_told_by_what_it_registered() {
    let text = tool(r#"{ type: "object" }"#, "", r#"async () => answer("x")"#);
    let text = text.replace(r#"name: "t""#, r#"name: ["t", 1].join("")"#);
    insta::assert_snapshot!(hinted(&text).await.join("\n"), @r"ROOT/x.ts:6: narrow parameters: `t1`: its parameters are any object; name each, with a type");
}
