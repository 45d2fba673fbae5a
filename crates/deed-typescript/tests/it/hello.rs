//! Tools, commands and what they may use.

use deed_typescript::AllowNothing;
use serde_json::json;

use crate::support::{Play, batch, call, tool};

#[tokio::test]
async fn a_tool_in_typescript_runs_and_its_result_comes_back() {
    let hello = r#"
        enum Tone { Kind = "Hello" }
        interface Named { name: string }
        export default async function (pi: any): Promise<void> {
            await undefined;
            pi.registerTool({
                name: "hello",
                label: "Hello",
                description: "Greets somebody",
                promptSnippet: "greet people",
                parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
                async execute(id: string, params: Named) {
                    return {
                        content: [{ type: "text", text: `${Tone.Kind}, ${params.name}` }],
                        details: { id },
                    };
                },
            });
        }
    "#;
    let script = batch(&[
        call("a", "hello", json!({ "name": "Ada" })),
        call("b", "hello", json!({})),
    ]);
    let played = Play::new().with("hello.ts", hello).run(script).await;
    assert_eq!(played.diagnostics(), [] as [&str; 0]);
    assert_eq!(played.text("a"), "Hello, Ada");
    assert_eq!(played.result("a").details, Some(json!({ "id": "a" })));
    assert!(played.fault("b").contains("name"), "{}", played.fault("b"));
}

#[tokio::test]
async fn calls_of_one_engine_run_at_once() {
    let body = "return new Promise((done) => { globalThis.open ??= []; open.push(done); if (open.length === 3) open.forEach((done, at) => done(at)); });";
    let calls = ["a", "b", "c"].map(|id| call(id, "t", json!({})));
    let played = Play::new()
        .with("t.ts", &tool(body))
        .run(batch(&calls))
        .await;
    let texts = ["a", "b", "c"].map(|id| played.text(id));
    assert_eq!(texts, ["0", "1", "2"]);
}

#[tokio::test]
async fn what_a_tool_throws_is_its_result_and_names_the_class() {
    let cases = [
        (
            "throw new TypeError('no such thing')",
            "TypeError: no such thing",
        ),
        ("throw new Error('plain')", "plain"),
        ("throw 'text'", "text"),
        (
            "throw null",
            "null was thrown (which also happens where memory runs out)",
        ),
        ("throw undefined", "undefined was thrown"),
        ("throw { code: 7 }", r#"{"code":7}"#),
    ];
    for (body, expected) in cases {
        let script = batch(&[call("c", "t", json!({}))]);
        let played = Play::new().with("t.ts", &tool(body)).run(script).await;
        assert_eq!(played.fault("c"), expected);
    }
}

#[tokio::test]
async fn a_result_that_is_none_says_what_to_return() {
    let play = |result: &str| {
        let text = format!(
            "export default (pi) => pi.registerTool({{ name: 't', description: '', parameters: {{ type: 'object' }}, execute: async () => ({result}) }})"
        );
        Play::new()
            .with("t.js", &text)
            .run(batch(&[call("c", "t", json!({}))]))
    };
    for result in ["undefined", "'done'", "{ content: 'text' }"] {
        let fault = play(result).await.fault("c");
        assert!(fault.contains("content"), "{result}: {fault}");
    }
}

#[tokio::test]
async fn a_command_runs_with_its_arguments_and_shows_something() {
    let text = "export default (pi) => pi.registerCommand('greet', {
        description: 'Greets',
        handler: async (args, ctx) => ctx.ui.notify(`hello ${args}`, 'warning'),
    })";
    let played = Play::new()
        .person(true)
        .with("c.js", text)
        .load(json!([{}]))
        .await;
    let commands = played.session.commands();
    assert_eq!(
        (commands[0].invocation.as_str(), &*commands[0].description),
        ("greet", "Greets")
    );
    played.session.run_command("greet", "Ada").await.unwrap();
    assert_eq!(played.seen(), ["Warning hello Ada"]);
}

#[tokio::test]
async fn a_tool_registered_by_a_call_is_there_for_the_next_request() {
    let text = r#"export default (pi) => pi.registerTool({
        name: "grow", description: "", parameters: { type: "object" },
        execute: async () => {
            pi.registerTool({
                name: "grown", description: "", parameters: { type: "object" },
                execute: async () => ({ content: [{ type: "text", text: "grown" }] }),
            });
            return { content: [{ type: "text", text: pi.getActiveTools().includes("grown") }] };
        },
    })"#;
    let script = json!([
        { "calls": [call("a", "grow", json!({}))] },
        { "calls": [call("b", "grown", json!({}))] },
        { "say": "done" },
    ]);
    let text = text.replace(
        "text: pi.getActiveTools().includes(\"grown\")",
        "text: String(pi.getActiveTools().includes(\"grown\"))",
    );
    let played = Play::new().with("g.js", &text).run(script).await;
    assert_eq!(played.text("a"), "true");
    assert_eq!(played.result("a").added_tool_names, ["grown".into()]);
    assert_eq!(played.text("b"), "grown");
}

#[tokio::test]
async fn programs_and_files_are_there_unless_permissions_say_no() {
    let text = r#"
        import { execFileSync, spawnSync } from "node:child_process";
        import { readFileSync } from "fs";
        import { writeFile } from "fs/promises";
        export default (pi) => pi.registerTool({
            name: "t", description: "", parameters: { type: "object" },
            execute: async () => {
                const said = [];
                const tries = [
                    async () => (await pi.exec("printf", ["%s", "out"])).stdout,
                    () => readFileSync("note.txt", "utf8"),
                    async () => (await writeFile("new.txt", "x")) ?? "written",
                    () => execFileSync("cat", { input: "hi", encoding: "utf8" }),
                ];
                for (const one of tries) {
                    try { said.push(await one()); } catch (error) { said.push(`${error.code} ${error.message}`); }
                }
                return { content: [{ type: "text", text: said.join("; ") }] };
            },
        });
    "#;
    let play = || Play::new().file("note.txt", "noted").with("t.js", text);
    let script = batch(&[call("c", "t", json!({}))]);
    let played = play().run(script.clone()).await;
    assert_eq!(played.text("c"), "out; noted; written; hi");
    let played = play().permissions(AllowNothing).run(script).await;
    insta::assert_snapshot!(played.text("c").replace("; ", "\n"), @r"
    ERR_ACCESS_DENIED this extension isn't allowed to run `printf '%s' out`: nothing is granted to it
    ERR_ACCESS_DENIED this extension isn't allowed to read ROOT/note.txt: nothing is granted to it
    ERR_ACCESS_DENIED this extension isn't allowed to write ROOT/new.txt: nothing is granted to it
    ERR_ACCESS_DENIED this extension isn't allowed to run `cat`: nothing is granted to it
    ");
}
