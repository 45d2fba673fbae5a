//! Rights that are made up, used again, passed on or granted on nobody's word.

use std::sync::Arc;

use deed_agent::AllowAll;
use deed_typescript::ScriptSql;
use serde_json::{Value, json};

use super::{DELETE, ENDLESS, limits, make_database, play, rows};
use crate::support::{Play, Played, batch, call};

/// A tool `q` with arguments `{ sql, db? }`; both bodies see all of `deed/sql`, and `kept`.
fn script(guard: &str, execute: &str) -> String {
    format!(
        r#"import * as sqlHost from "deed/sql";
        const {{ isReadOnlySql: isRead, canonicalizeSql: canonical, grantOneShotQueryCapability: grant,
            consumeQueryCapability: consume, assertAuthorizedSql: check, runAuthorizedQuery: run }} = sqlHost;
        const kept = [];
        const text = (value) => ({{ content: [{{ type: "text", text: String(value) }}], details: {{}} }});
        const caught = async (work) => {{ try {{ await work(); return "it did"; }} catch (error) {{ return error.message; }} }};
        export default function (pi) {{
            pi.on("tool_call", async (event, ctx) => {{
                const {{ sql, db }} = event.input;
                {guard}
            }});
            pi.registerTool({{
                name: "q", description: "", parameters: {{ type: "object" }},
                async execute(id, {{ sql, db }}, signal) {{ {execute} }},
            }});
        }}"#
    )
}

/// A guard that asks and grants, as it should.
const ASKS: &str = "if (!(await ctx.ui.confirm('Write?', sql))) return { block: true }; grant(event.toolCallId, canonical(sql), db);";
/// A tool that runs what it was granted, as it should.
const RUNS: &str = "const right = consume(id, canonical(sql), db); check(sql, right, db); return run(sql, signal);";

fn q(id: &str, sql: &str) -> Value {
    call(id, "q", json!({ "sql": sql }))
}

async fn played(guard: &str, execute: &str, calls: &[Value]) -> Played {
    play()
        .person(true)
        .with("q.js", &script(guard, execute))
        .run(batch(calls))
        .await
}

/// Runs one write and tells how it failed; nothing was written.
async fn fault(guard: &str, execute: &str) -> String {
    let played = played(guard, execute, &[q("c", DELETE)]).await;
    assert_eq!(rows(&played, "shop"), 3);
    played.fault("c")
}

#[tokio::test]
async fn a_select_is_a_question_too() {
    let guard = "if (await ctx.ui.select(`Run this?\\n${sql}`, ['yes', 'no']) !== 'yes') return { block: true }; grant(event.toolCallId, canonical(sql));";
    let played = played(guard, RUNS, &[q("c", DELETE)]).await;
    assert_eq!(played.text("c"), "Done, 1 row changed");
}

#[tokio::test]
async fn a_grant_that_nobody_confirmed_throws() {
    let grant = "grant(event.toolCallId, canonical(sql));";
    let asks_about_something_else = format!("await ctx.ui.confirm('Nice weather?', ''); {grant}");
    let ignores_the_answer = format!("await ctx.ui.input('Write?', sql); {grant}");
    for guard in [grant, &asks_about_something_else, &ignores_the_answer] {
        let fault = fault(guard, RUNS).await;
        assert!(fault.contains("nobody confirmed this statement"), "{fault}");
    }
}

#[tokio::test]
async fn a_grant_of_less_than_was_shown_throws() {
    for shown in [
        "DELETE FROM t WHERE id = 1",
        "DELETE FROM t\\nWHERE id = 1",
        "DELETE FROM t -- all of it",
        "nothing like DELETE FROM t",
    ] {
        let guard = format!(
            "await ctx.ui.confirm('{shown}', '{shown}'); await ctx.ui.select('{shown}', ['DELETE FROM t']); grant(event.toolCallId, 'DELETE FROM t');"
        );
        let fault = fault(&guard, "return run('DELETE FROM t', signal);").await;
        assert!(fault.contains("nobody confirmed this statement"), "{fault}");
    }
}

#[tokio::test]
async fn a_no_grants_nothing() {
    let guard = "await ctx.ui.confirm('Write?', sql); grant(event.toolCallId, canonical(sql));";
    let played = play()
        .person(false)
        .with("q.js", &script(guard, RUNS))
        .run(batch(&[q("c", DELETE)]))
        .await;
    let fault = played.fault("c");
    assert!(fault.contains("nobody confirmed"), "{fault}");
    assert_eq!(rows(&played, "shop"), 3);
}

#[tokio::test]
async fn one_yes_is_one_grant() {
    let twice = format!("{ASKS} grant(event.toolCallId, canonical(sql));");
    let fault = fault(&twice, RUNS).await;
    assert!(fault.contains("once for each yes"), "{fault}");
}

#[tokio::test]
async fn a_grant_is_for_the_call_that_the_handler_has() {
    let for_another = "await ctx.ui.confirm('Write?', sql); grant('other', canonical(sql));";
    let text = fault(for_another, RUNS).await;
    assert!(text.contains("none has other"), "{text}");
    let in_the_tool = "grant(id, canonical(sql));";
    let text = fault("", in_the_tool).await;
    assert!(text.contains("none has c"), "{text}");
}

#[tokio::test]
async fn a_yes_does_not_outlive_its_handler() {
    let keeps = "kept.push(ctx); if (kept.length === 1) { await ctx.ui.confirm('Write?', sql); return; } grant(event.toolCallId, canonical(sql));";
    let calls = [q("c", DELETE), q("c", DELETE)];
    let played = played(keeps, RUNS, &calls).await;
    assert_eq!(rows(&played, "shop"), 3);
}

#[tokio::test]
async fn a_right_runs_one_statement_once() {
    let twice =         "const right = consume(id, canonical(sql)); check(sql, right); await run(sql, signal);
         return text([await caught(() => run(sql, signal)), await caught(() => run(sql, signal, { capability: right })),
            await caught(() => check(sql, right)), consume(id, canonical(sql)) === undefined].join('\\n'));";
    let played = played(ASKS, twice, &[q("c", DELETE)]).await;
    insta::assert_snapshot!(played.text("c"), @r"
    not run: DELETE changes rows, so it needs the approval of a person for exactly this text in this call, and has none
    this right was used up or its call is over; a call gets one for each run of a statement
    this right was used up or its call is over; a call gets one for each run of a statement
    true
    ");
    assert_eq!(rows(&played, "shop"), 2);
}

#[tokio::test]
async fn a_right_is_for_its_text_alone() {
    let other = "const right = consume(id, canonical(sql)); const all = 'DELETE FROM t';
        return text([await caught(() => check(all, right)), await caught(() => run(all, signal, { capability: right })),
            await caught(() => run(all, signal)), consume(id, all) === undefined].join('\\n'));";
    let played = played(ASKS, other, &[q("c", DELETE)]).await;
    insta::assert_snapshot!(played.text("c"), @r"
    this right is for another statement; ask for it with what canonicalizeSql returns for the text that is to run
    this right is for another statement; ask for it with what canonicalizeSql returns for the text that is to run
    not run: DELETE changes rows, so it needs the approval of a person for exactly this text in this call, and has none
    true
    ");
    assert_eq!(rows(&played, "shop"), 3);
}

#[tokio::test]
async fn a_right_cannot_be_made_or_guessed() {
    let made = "const forged = [{}, { access: 'write', database: 'shop' }, 'c', '0'.repeat(32), 1, Object.create(consume(id, 'SELECT 1'))];
        const said = [];
        for (const one of forged) said.push(await caught(() => check(sql, one)), await caught(() => run(sql, signal, { capability: one })));
        return text([...new Set(said)].join('\\n'));";
    let played = played("", made, &[q("c", DELETE)]).await;
    assert_eq!(
        played.text("c"),
        "this isn't a capability: only consumeQueryCapability gives one"
    );
    assert_eq!(rows(&played, "shop"), 3);
}

#[tokio::test]
async fn a_right_is_over_with_its_call() {
    let keeps = "if (kept.length === 0) { kept.push(consume(id, canonical(sql))); return text('kept'); }
        return text([await caught(() => check(sql, kept[0])), await caught(() => run(sql, signal, { capability: kept[0] }))].join('\\n'));";
    let asks_first = format!("if (kept.length > 0) return; {ASKS}");
    let script = json!([
        { "calls": [q("c1", DELETE)] },
        { "calls": [q("c2", DELETE)] },
        { "say": "done" },
    ]);
    let played = play()
        .person(true)
        .with("q.js", &self::script(&asks_first, keeps))
        .run(script)
        .await;
    insta::assert_snapshot!(played.text("c2"), @r"
    this right was used up or its call is over; a call gets one for each run of a statement
    this right was used up or its call is over; a call gets one for each run of a statement
    ");
    assert_eq!(rows(&played, "shop"), 3);
}

#[tokio::test]
async fn a_call_cannot_take_the_grant_of_another() {
    let calls = [q("c1", DELETE), q("c2", DELETE)];
    let takes = "const of = (call) => { try { return consume(call, canonical(sql)); } catch (error) { return error.message; } };
        return text(of(id === 'c1' ? 'c0' : 'c1'));";
    let parallel = played(ASKS, takes, &calls).await;
    assert_eq!(parallel.text("c1"), "no call c0 is running");
    assert_eq!(rows(&parallel, "shop"), 3);
}

#[tokio::test]
async fn a_grant_of_a_call_that_was_blocked_is_not_for_the_next_of_that_id() {
    let once = format!(
        "if (kept.length === 0) {{ kept.push(1); {ASKS} return {{ block: true, reason: 'after all' }}; }}"
    );
    let script = json!([
        { "calls": [q("c", DELETE)] },
        { "calls": [q("c", DELETE)] },
        { "say": "done" },
    ]);
    let played = play()
        .person(true)
        .with("q.js", &self::script(&once, RUNS))
        .run(script)
        .await;
    assert_eq!(played.seen().len(), 1);
    assert_eq!(rows(&played, "shop"), 3);
}

#[tokio::test]
async fn another_extension_cannot_use_a_grant() {
    let thief = "import { consumeQueryCapability } from 'deed/sql';
        export default (pi) => pi.registerTool({
            name: 'thief', description: '', parameters: { type: 'object' },
            execute: async () => ({ content: [{ type: 'text', text: String(consumeQueryCapability('c1', 'DELETE FROM t WHERE id = 1')) }], details: {} }),
        });";
    let played = play()
        .person(true)
        .with(
            "q.js",
            &script(
                &format!("if (event.toolName === 'q') {{ {ASKS} }}"),
                "return text('nothing');",
            ),
        )
        .with("thief.js", thief)
        .run(batch(&[q("c1", DELETE), call("c2", "thief", json!({}))]))
        .await;
    assert_eq!(played.fault("c2"), "no call c1 is running");
    assert_eq!(rows(&played, "shop"), 3);
}

#[tokio::test]
async fn a_read_needs_no_right_within_a_call_and_has_none_outside() {
    let played = played("", "return run('SELECT 1 AS one', signal);", &[q("c", "")]).await;
    assert!(played.text("c").contains("[1]"));
    let command = script(
        "",
        "return text('');",
    )
    .replace(
        "pi.registerTool",
        "pi.registerCommand('look', { handler: async (_, ctx) => ctx.ui.notify(await caught(() => run('SELECT 1')), 'info') }); pi.registerTool",
    );
    let played = play()
        .person(true)
        .with("q.js", &command)
        .load(json!([{}]))
        .await;
    played.session.run_command("look", "").await.unwrap();
    let seen = played.seen().join("");
    assert!(seen.contains("runs within a call of a tool"), "{seen}");
}

#[tokio::test]
async fn hostile_texts_are_no_reads() {
    let texts = [
        "SELECT 1; DELETE FROM t",
        "SELECT 1;; DELETE FROM t",
        "SELECT 1 /* ; */; DELETE FROM t --",
        "/* SELECT */ DELETE FROM t",
        "-- SELECT\nDELETE FROM t",
        "SELECT 1 -- \r; \n; DELETE FROM t",
        "SELECT '\\'; DELETE FROM t; --'",
        "WITH x AS (SELECT 1) DELETE FROM t",
        "WITH x AS (SELECT 1) INSERT INTO t SELECT 9, 'x' FROM x",
        "REPLACE INTO t VALUES (1, 'x')",
        "EXPLAIN DELETE FROM t",
        "PRAGMA query_only = OFF",
        "PRAGMA writable_schema = 1",
        "ATTACH 'x.db' AS x",
        "VACUUM INTO 'x.db'",
        "BEGIN",
        "SELECT load_extension('x')",
        "SELECT writefile('x', 'y')",
        "SELECT 1\u{0}; DELETE FROM t",
        "\u{feff}DELETE FROM t",
        "",
        ";",
        "nonsense",
    ];
    let asks = format!(
        "return text({}.filter((one) => isRead(one)).join('\\n'));",
        serde_json::to_string(&texts).unwrap()
    );
    let harmless = "return text(['SELECT 1', ' select 1 ; ', 'WITH x AS (SELECT 1) SELECT * FROM x', \"SELECT '; DELETE'\"].every((one) => isRead(one)));";
    let played = play()
        .with("hostile.js", &script("", &asks))
        .with(
            "harmless.js",
            &script("", harmless).replace("name: \"q\"", "name: \"h\""),
        )
        .run(batch(&[q("c", ""), call("h", "h", json!({}))]))
        .await;
    assert_eq!(played.text("c"), "");
    assert_eq!(played.text("h"), "true");
}

#[tokio::test]
async fn a_view_or_trigger_cannot_hide_a_write_behind_a_read() {
    let play = play();
    let file = play.root().join("shop.db");
    let database = rusqlite::Connection::open(file).unwrap();
    database
        .execute_batch("CREATE VIEW v AS SELECT * FROM t; CREATE TRIGGER g INSTEAD OF INSERT ON v BEGIN DELETE FROM t; END;")
        .unwrap();
    let played = play
        .with("q.js", &script("", RUNS))
        .run(batch(&[
            q("r", "SELECT count(*) AS n FROM v"),
            q("w", "INSERT INTO v VALUES (1, 'x')"),
        ]))
        .await;
    assert!(played.text("r").contains("[3]"));
    assert!(played.fault("w").contains("needs the approval"));
    assert_eq!(rows(&played, "shop"), 3);
}

#[tokio::test]
async fn a_signal_of_the_scripts_own_stops_a_statement_also_at_its_very_start() {
    let stops = format!(
        "const seen = [];
         for (const delay of [0, 20]) {{
             const stop = new AbortController();
             const running = run({ENDLESS:?}, stop.signal);
             if (delay === 0) stop.abort(); else setTimeout(() => stop.abort(), delay);
             try {{ await running; seen.push('ran'); }} catch (error) {{ seen.push(error.name); }}
         }}
         try {{ await run('SELECT 1', AbortSignal.abort()); }} catch (error) {{ seen.push(error.name); }}
         return text(seen.join());"
    );
    let played = played("", &stops, &[q("c", "")]).await;
    assert_eq!(played.text("c"), "AbortError,AbortError,AbortError");
}

fn two() -> Play {
    let play = Play::new();
    let databases = ["shop", "crm"].map(|name| make_database(&play, name));
    play.sql(ScriptSql::new(databases, limits(), Arc::new(AllowAll)))
}

#[tokio::test]
async fn of_several_databases_a_script_names_one() {
    let unnamed = script("", "return text(await caught(() => isRead(sql)));");
    let played = two()
        .with("q.js", &unnamed)
        .run(batch(&[q("c", "SELECT 1")]))
        .await;
    assert_eq!(played.text("c"), "which database? Name one of shop, crm");
    let wrong = script("", "return text(await caught(() => isRead(sql, 'other')));");
    let played = two()
        .with("q.js", &wrong)
        .run(batch(&[q("c", "SELECT 1")]))
        .await;
    assert_eq!(
        played.text("c"),
        "there is no database other; there is shop, crm"
    );
}

#[tokio::test]
async fn calls_at_once_run_the_same_text_each_on_its_own_database() {
    let calls: Vec<Value> = ["shop", "crm", "shop"]
        .iter()
        .enumerate()
        .map(|(at, db)| call(&format!("c{at}"), "q", json!({ "sql": DELETE, "db": db })))
        .collect();
    let played = two()
        .person(true)
        .with("q.js", &script(ASKS, RUNS))
        .run(batch(&calls))
        .await;
    for (at, db) in ["shop", "crm", "shop"].iter().enumerate() {
        let details = played.result(&format!("c{at}")).details.unwrap();
        assert_eq!(details["database"], *db);
    }
    assert_eq!((rows(&played, "shop"), rows(&played, "crm")), (2, 2));
}

#[tokio::test]
async fn a_grant_for_one_database_is_none_for_another() {
    let other = RUNS.replace("db)", "'crm')");
    let played = two()
        .person(true)
        .with("q.js", &script(ASKS, &other))
        .run(batch(&[call(
            "c",
            "q",
            json!({ "sql": DELETE, "db": "shop" }),
        )]))
        .await;
    let fault = played.fault("c");
    assert!(fault.contains("needs the approval"), "{fault}");
    assert_eq!((rows(&played, "shop"), rows(&played, "crm")), (3, 3));
}
