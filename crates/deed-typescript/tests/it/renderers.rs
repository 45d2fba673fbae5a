//! What scripts draw, in the cards of a stream of events.

use std::sync::{Arc, Mutex};

use deed_agent::BoxFuture;
use deed_extensions::DrawnCall;
use deed_protocol::{CustomMessage, ToolResult};
use deed_rpc::{EventSink, LineSink};
use deed_tooling::ResultView;
use serde_json::{Value, json};

use crate::support::{Play, Played, batch, call};

/// Keeps the events of a session.
#[derive(Clone, Default)]
struct Stream(Arc<Mutex<Vec<Value>>>);

impl LineSink for Stream {
    fn write<'a>(&'a self, line: String) -> BoxFuture<'a, bool> {
        let event = serde_json::from_str(&line).unwrap();
        self.0.lock().unwrap().push(event);
        Box::pin(async { true })
    }
}

impl Stream {
    fn of(played: &Played) -> Self {
        let stream = Self::default();
        let sink = EventSink::new(Arc::new(stream.clone())).with_cards_of(&played.session);
        played.session.add_sink(Arc::new(sink));
        stream
    }

    /// Returns the blocks of the cards of events of a type, as `type: text`.
    fn drawn(&self, kind: &str) -> Vec<String> {
        let events = self.0.lock().unwrap();
        let of_kind = events
            .iter()
            .filter(|event| event["type"] == kind && event["card"].is_object());
        of_kind.map(|event| blocks(&event["card"])).collect()
    }
}

fn blocks(card: &Value) -> String {
    let blocks = card["blocks"].as_array().cloned().unwrap_or_default();
    let said = blocks.iter().map(|block| {
        let text = block["text"].as_str().unwrap_or_default();
        format!("{}: {text}", block["type"].as_str().unwrap())
    });
    said.collect::<Vec<_>>().join(" / ")
}

/// A tool `t` with renderers.
fn drawing(call: &str, result: &str) -> String {
    format!(
        r#"
        import {{ Container, Text, Markdown, Spacer, Box }} from "@earendil-works/pi-tui";
        export default (pi) => pi.registerTool({{
            name: "t", label: "Tee", description: "", parameters: {{ type: "object", properties: {{ n: {{ type: "number" }} }} }},
            async execute(id, {{ n }}, signal, onUpdate) {{
                onUpdate?.({{ content: [{{ type: "text", text: "half" }}], details: {{ at: n / 2 }} }});
                return {{ content: [{{ type: "text", text: "plain" }}], details: {{ at: n }} }};
            }},
            renderCall: (args, theme, context) => {{ {call} }},
            renderResult: (result, {{ expanded, isPartial }}, theme, context) => {{ {result} }},
        }});
        "#
    )
}

const CALL: &str = "return new Text(theme.fg('accent', theme.bold('t ')) + args.n, 0, 0);";
const RESULT: &str = r#"
    context.state.seen = (context.state.seen ?? 0) + 1;
    const box = new Container();
    box.addChild(new Text(`at ${result.details?.at}${isPartial ? " so far" : ""}`, 1, 0));
    if (expanded) box.addChild(new Markdown("Look:\n```rust\nfn main() {}\n```", 0, 0));
    box.addChild(new Text(`drawn ${context.state.seen}`, 0, 0));
    return box;
"#;

fn script() -> Value {
    batch(&[call("a", "t", json!({ "n": 8 }))])
}

#[tokio::test]
async fn the_call_its_partial_results_and_its_result_are_drawn() {
    let play = Play::new().with("t.ts", &drawing(CALL, RESULT));
    let played = play.load(script()).await;
    let stream = Stream::of(&played);
    played.prompt("go").await;
    assert_eq!(stream.drawn("tool_execution_start"), ["text: t 8"]);
    assert_eq!(
        stream.drawn("tool_execution_update"),
        ["text: t 8 / text: at 4 so far\ndrawn 1"]
    );
    assert_eq!(
        stream.drawn("tool_execution_end"),
        ["text: t 8 / text: at 8\ndrawn 2"]
    );
    assert_eq!(played.failures.lines(), [] as [&str; 0]);
}

async fn expanded(played: &Played) -> Value {
    let args = json!({ "n": 8 });
    let call = DrawnCall {
        call_id: "x",
        tool_name: "t",
        args: &args,
    };
    let result = ToolResult::text("plain").with_details(json!({ "at": 8 }));
    let view = ResultView {
        expanded: true,
        partial: false,
    };
    json!(played.session.result_card(call, &result, view).await)
}

#[tokio::test]
async fn an_expanded_result_has_its_code_as_code() {
    let play = Play::new().with("t.ts", &drawing(CALL, RESULT));
    let card = expanded(&play.load(script()).await).await;
    assert_eq!(
        blocks(&card),
        "text: t 8 / text: at 8\nLook: / code: fn main() {} / text: drawn 1"
    );
    assert_eq!(card["blocks"][2]["language"], "rust");
    assert_eq!(card["title"], "Tee");
}

#[tokio::test]
async fn what_throws_or_draws_nonsense_leaves_the_card_and_is_told_once() {
    let cases = [
        ("throw new Error('no paint')", "no paint"),
        ("return 42;", "render"),
        ("return { render: () => 7 };", "iterable"),
        (
            "return { render() { throw new TypeError('in the middle') } };",
            "in the middle",
        ),
        ("return new Promise(() => {});", "render"),
    ];
    for (body, expected) in cases {
        let script = batch(&["a", "b"].map(|id| call(id, "t", json!({ "n": 8 }))));
        let play = Play::new().with("t.ts", &drawing("return undefined;", body));
        let played = play.load(script).await;
        let stream = Stream::of(&played);
        played.prompt("go").await;
        assert_eq!(
            stream.drawn("tool_execution_end"),
            ["text: plain", "text: plain"],
            "{body}"
        );
        let failures = played.failures.lines();
        assert_eq!(failures.len(), 1, "{body}: {failures:?}");
        assert!(failures[0].starts_with("render_result: "), "{failures:?}");
        assert!(failures[0].contains(expected), "{body}: {failures:?}");
        assert_eq!(played.text("b"), "plain");
    }
}

#[tokio::test]
async fn one_that_never_ends_holds_up_no_longer_than_its_time_and_is_not_tried_again() {
    let play = Play::new()
        .limits(|limits| limits.slice = std::time::Duration::from_millis(200))
        .with("t.ts", &drawing("return undefined;", "for (;;) {}"));
    let script = json!([
        { "calls": [call("a", "t", json!({ "n": 1 }))] },
        { "calls": [call("b", "t", json!({ "n": 2 }))] },
        { "say": "done" },
    ]);
    let played = play.load(script).await;
    let stream = Stream::of(&played);
    let end = played.prompt("go").await;
    assert_eq!(end.error, None);
    let drawn = stream.drawn("tool_execution_end");
    assert_eq!(drawn.len(), 2);
    // The engine died of the first update, and with it the call that ran in it; the next call runs
    // in another engine, which is asked for nothing of the kind.
    assert_eq!(drawn[1], "text: plain");
    assert_eq!(played.text("b"), "plain");
    let notices = played.notices.lines();
    assert!(
        notices
            .iter()
            .any(|notice| notice.contains("died of drawing") && notice.ends_with("result t")),
        "{notices:?}"
    );
    assert_eq!(played.failures.lines().len(), 1, "{:?}", played.failures);
}

#[tokio::test]
async fn no_control_character_gets_through_and_size_is_bounded() {
    let body = r#"
        const lines = ["\u001b[31mred\u001b[0m \u001b]0;title\u0007done", "bell\u0007 back\b \u009b31m", "x".repeat(200_000)];
        return { render: () => lines };
    "#;
    let play = Play::new().with(
        "t.ts",
        &drawing("return new Text('\\u001b[2Jt\\r', 0, 0)", body),
    );
    let played = play.load(script()).await;
    let card = expanded(&played).await;
    assert_eq!(card["blocks"][0]["text"], "t");
    assert_eq!(played.failures.lines(), [] as [&str; 0]);
    let text = card["blocks"][1]["text"].as_str().unwrap();
    let start = text.get(..26).unwrap_or(text);
    assert_eq!(start, "red done\nbell back 31m\nxxx");
    assert!(text.len() <= 64 * 1024);
    let last = card["blocks"].as_array().unwrap().last().unwrap();
    assert_eq!(last["text"], "the drawing is longer than what is shown");
}

#[tokio::test]
async fn a_resolver_draws_tools_of_others_and_leaves_the_rest_to_them() {
    let resolver = r#"
        import { Text } from "@mariozechner/pi-tui";
        export default (pi) => pi.registerToolRenderer((name, next) => name === "t"
            ? { ...next(), renderResult: (result) => new Text(`seen ${result.details.at}`, 0, 0) }
            : undefined);
    "#;
    let play = Play::new()
        .with("r.ts", resolver)
        .with("t.ts", &drawing(CALL, RESULT));
    let calls = [
        call("a", "t", json!({ "n": 8 })),
        call("b", "read", json!({ "path": "r.ts" })),
    ];
    let played = play.load(batch(&calls)).await;
    let stream = Stream::of(&played);
    played.prompt("go").await;
    assert_eq!(stream.drawn("tool_execution_start")[0], "text: t 8");
    let ends = stream.drawn("tool_execution_end");
    assert!(
        ends.contains(&"text: t 8 / text: seen 8".to_owned()),
        "{ends:?}"
    );
    assert!(
        ends.iter().any(|end| end.contains("registerToolRenderer")),
        "{ends:?}"
    );
}

#[tokio::test]
async fn messages_and_entries_are_drawn_by_their_type() {
    let text = r#"
        import { Box, Text } from "@earendil-works/pi-tui";
        export default (pi) => {
            pi.registerMessageRenderer("status", (message, { expanded }, theme) => {
                if (message.content === "quiet") return undefined;
                const box = new Box(1, 1, (t) => theme.bg("customMessageBg", t));
                box.addChild(new Text(`[${message.details.level}] ${message.content}${expanded ? " in full" : ""}`, 0, 0));
                return box;
            });
            pi.registerEntryRenderer("card", (entry) => new Text(`entry ${entry.data.n}`, 0, 0));
            pi.on("agent_end", () => {
                pi.appendEntry("card", { n: 7 });
                pi.appendEntry("other", { n: 8 });
            });
            pi.on("session_start", () => pi.sendMessage({ customType: "status", content: "ready", display: true, details: { level: "info" } }));
        };
    "#;
    let played = Play::new()
        .with("m.ts", text)
        .recorded()
        .load(json!([{ "say": "hi" }]))
        .await;
    let stream = Stream::of(&played);
    played.prompt("go").await;
    played.session.idle().await;
    assert_eq!(stream.drawn("message_end"), ["text: [info] ready"]);
    assert_eq!(stream.drawn("entry_appended"), ["text: entry 7"]);
    let message: CustomMessage = serde_json::from_value(json!({
        "customType": "status", "content": "ready", "display": true, "details": { "level": "warn" }, "timestamp": 0,
    }))
    .unwrap();
    let view = ResultView {
        expanded: true,
        partial: false,
    };
    let card = played.session.message_card(&message, view).await.unwrap();
    assert_eq!(blocks(&json!(card)), "text: [warn] ready in full");
    let quiet = CustomMessage {
        content: deed_protocol::UserContent::Text("quiet".to_owned()),
        ..message
    };
    assert_eq!(played.session.message_card(&quiet, view).await, None);
}

#[tokio::test]
async fn a_tool_with_a_shell_of_its_own_says_so_in_its_cards() {
    let text = drawing(CALL, RESULT).replace("label:", "renderShell: \"self\", label:");
    let played = Play::new().with("t.ts", &text).load(script()).await;
    assert_eq!(expanded(&played).await["isBare"], true);
}
