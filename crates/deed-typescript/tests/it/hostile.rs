//! Scripts that loop, eat, or never come to an end.

use std::time::{Duration, Instant};

use deed_typescript::Limits;
use serde_json::json;

use crate::support::{Play, batch, call, tool};

fn tight(limits: &mut Limits) {
    limits.slice = Duration::from_millis(300);
    limits.max_heap_bytes = 24 * 1024 * 1024;
}

fn one() -> serde_json::Value {
    batch(&[call("c", "t", json!({}))])
}

const BUSY: &str =
    "the extension kept its engine busy for more than 0.3 s without a pause and was stopped";

#[tokio::test(flavor = "multi_thread")]
async fn endless_loops_are_stopped_wherever_they_stand() {
    let bodies = [
        "while (true) {}",
        "try { while (true) {} } catch { return 'caught'; } finally { while (true) {} }",
        "await null; for (;;) {}",
        "while (true) await null;",
        "return /(a+)+$/.test('a'.repeat(64) + 'b');",
        "return new Array(3e4).fill(0).map((_, i) => i).sort(() => { while (true) {} });",
    ];
    for body in bodies {
        let since = Instant::now();
        let played = Play::new()
            .limits(tight)
            .with("t.ts", &tool(body))
            .run(one())
            .await;
        assert_eq!(played.fault("c"), BUSY, "{body}");
        assert!(since.elapsed() < Duration::from_secs(20), "{body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_that_grows_for_ever_ends_by_time_or_by_memory() {
    let body = "const again = () => Promise.resolve().then(again); return again();";
    let played = Play::new()
        .limits(tight)
        .with("t.ts", &tool(body))
        .run(one())
        .await;
    let fault = played.fault("c");
    let is_memory =
        fault.contains("of memory and was stopped") || fault.contains("memory runs out");
    assert!(fault == BUSY || is_memory, "{fault}");
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_hogs_and_deep_recursion_end_as_errors() {
    let tight = |limits: &mut Limits| limits.max_heap_bytes = 24 * 1024 * 1024;
    let hogs = [
        "const all = []; while (true) all.push(new Array(1000).fill(1));",
        "return new Uint8Array(1e9).length;",
    ];
    for body in hogs {
        let played = Play::new()
            .limits(tight)
            .with("t.ts", &tool(body))
            .run(one())
            .await;
        let fault = played.fault("c");
        let expected = [
            "the extension needed more than 25 MB of memory and was stopped",
            "null was thrown (which also happens where memory runs out)",
        ];
        assert!(expected.contains(&fault.as_str()), "{body}: {fault}");
    }
    let body = "const deep = (n) => deep(n + 1) + 1; return deep(0);";
    let played = Play::new()
        .limits(tight)
        .with("t.ts", &tool(body))
        .run(one())
        .await;
    assert_eq!(
        played.fault("c"),
        "RangeError: Maximum call stack size exceeded"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_died_takes_its_calls_along_is_made_anew_once_and_then_disabled() {
    let text = r#"
        export default (pi) => {
            const add = (name, execute) => pi.registerTool({ name, description: "", parameters: { type: "object" }, execute });
            const text = (text) => ({ content: [{ type: "text", text }] });
            let count = 0;
            add("count", async () => text(String(++count)));
            add("waits", () => new Promise(() => {}));
            add("loops", async () => { await null; while (true) {} });
        }
    "#;
    let script = json!([
        { "calls": [call("a", "count", json!({}))] },
        { "calls": [call("b", "count", json!({}))] },
        { "calls": [call("w", "waits", json!({})), call("l", "loops", json!({}))] },
        { "calls": [call("d", "count", json!({}))] },
        { "calls": [call("m", "loops", json!({}))] },
        { "calls": [call("e", "count", json!({}))] },
        { "say": "done" },
    ]);
    let played = Play::new()
        .limits(tight)
        .with("t.js", text)
        .run(script)
        .await;
    assert_eq!([played.text("a"), played.text("b")], ["1", "2"]);
    for id in ["w", "l", "m", "e"] {
        assert_eq!(played.fault(id), BUSY, "{id}");
    }
    // A new engine knows nothing of what the old one counted.
    assert_eq!(played.text("d"), "1");
    assert_eq!(
        played.notices.lines(),
        [
            format!("Warning {BUSY}; it is loaded again, once"),
            format!("Error disabled for the rest of the session: {BUSY}"),
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dead_gate_blocks_every_call_it_would_have_seen() {
    let gate = "export default (pi) => pi.on('tool_call', () => { while (true) {} });";
    let echo = tool("return 'ran';");
    let script = json!([
        { "calls": [call("a", "t", json!({}))] },
        { "calls": [call("b", "t", json!({}))] },
        { "calls": [call("c", "t", json!({}))] },
        { "say": "done" },
    ]);
    let play = Play::new()
        .limits(tight)
        .with("gate.js", gate)
        .with("t.ts", &echo);
    let played = play.run(script).await;
    for id in ["a", "b", "c"] {
        assert_eq!(
            played.fault(id),
            format!("Blocked: the guard of gate failed: {BUSY}")
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rejection_that_nobody_caught_is_told_with_its_place() {
    let body = "Promise.reject(new Error('forgotten'));\n return 'ok';";
    let played = Play::new().with("t.ts", &tool(body)).run(one()).await;
    assert_eq!(played.text("c"), "ok");
    let notices = played.notices.lines();
    assert_eq!(notices.len(), 1, "{notices:?}");
    let expected = "Error nobody caught: forgotten at ROOT/t.ts:8:";
    let notice = played.plain(&notices[0]).replace("<anonymous> (", "");
    assert!(notice.starts_with(expected), "{notice}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_huge_result_is_bounded_and_the_session_goes_on() {
    let body = "return 'x'.repeat(5_000_000);";
    let played = Play::new().with("t.ts", &tool(body)).run(one()).await;
    let text = played.text("c");
    assert!(text.len() < 300_000, "{}", text.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_never_settles_hears_of_the_cancellation() {
    let waits = "return new Promise((_, fail) => signal.addEventListener('abort', () => fail(new Error('told')))) ;";
    let starts = tool(&format!("ctx.ui.setTitle('on'); {waits}"));
    let played = Play::new()
        .person(true)
        .with("t.ts", &starts)
        .load(one())
        .await;
    let prompting = played.prompt("go");
    let cancelling = async {
        while played.seen().is_empty() {
            tokio::task::yield_now().await;
        }
        played.session.cancel();
    };
    let (end, ()) = tokio::join!(prompting, cancelling);
    assert!(end.aborted);
    assert_eq!(played.fault("c"), "told");
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_are_no_extensions_say_what_is_wrong_and_others_load() {
    let cases = [
        (
            "export default function (pi) {\n  const = 1;\n}",
            "ROOT/x.ts:2:9: syntax error: Unexpected token",
        ),
        (
            "export const nothing = 1;",
            "ROOT/x.ts: it has no default export that is a function; write `export default function (pi) { … }`",
        ),
        (
            "export default () => { throw new Error('no license'); }",
            "no license",
        ),
        (
            "throw new Error('at once'); export default () => {}",
            "at once",
        ),
        (
            "import 'left-pad'; export default () => {}",
            "cannot find package 'left-pad', imported from ROOT/x.ts: there is no node_modules/left-pad in ROOT or a folder above; install it there",
        ),
        (
            "import './gone.js'; export default () => {}",
            "cannot find './gone.js', imported from ROOT/x.ts",
        ),
        (
            "import 'node:nothing'; export default () => {}",
            concat!(
                "module 'node:nothing' isn't supported by this host (deed ",
                env!("CARGO_PKG_VERSION"),
                ")"
            ),
        ),
        (
            "export default (pi) => pi.registerTool({ name: 'x', execute() {} })",
            "TypeError: the tool 'x' needs `parameters`: an object schema, such as Type.Object({})",
        ),
        ("export default async () => { while (true) {} }", BUSY),
        ("while (true) {} export default () => {}", BUSY),
    ];
    for (text, expected) in cases {
        let play = Play::new().limits(tight);
        let played = play
            .with("x.ts", text)
            .with("t.ts", &tool("return 'fine';"))
            .run(one())
            .await;
        assert_eq!(
            played.diagnostics(),
            [format!("ROOT/x.ts: not loaded: {expected}")],
            "{text}"
        );
        assert_eq!(played.text("c"), "fine");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_factory_that_never_settles_runs_out_of_time() {
    let text = "export default () => new Promise(() => {})";
    let play = Play::new().limits(|limits| limits.factory_time = Duration::from_secs(1));
    let played = play.with("x.ts", text).load(one()).await;
    assert_eq!(
        played.diagnostics(),
        ["ROOT/x.ts: not loaded: ROOT/x.ts: the extension did not finish registering within 1 s"]
    );
}
