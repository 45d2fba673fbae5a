use deed_agent::{Access, Approval, Authority, ExecutionMode, Replay, ToolError};
use deed_sql::Database;
use deed_tooling::ResultView;
use serde_json::json;

use crate::sqlite::Shop;
use crate::support::Desk;

fn two(shop: &Shop) -> Desk {
    let server = "app=postgres://me:hunter2secret@db.example/app";
    let server = Database::parse(server, shop.folder.path()).unwrap();
    Desk::new(vec![shop.desk.databases[0].clone(), server])
}

#[test]
fn the_definition_names_the_databases_and_never_a_password() {
    let shop = Shop::new();
    let tool = two(&shop).tool();
    let spec = tool.spec();
    assert_eq!(spec.execution_mode, Some(ExecutionMode::Sequential));
    assert_eq!(spec.replay, Replay::Never);
    let whole = format!("{spec:?} {:?}", tool.prompt());
    assert!(!whole.contains("hunter2"), "{whole}");
    let only = shop.desk.tool();
    let schemas = [
        spec.parameters.as_value(),
        only.spec().parameters.as_value(),
    ];
    insta::assert_json_snapshot!((&spec.description, schemas));
}

#[tokio::test]
async fn a_plan_says_what_would_run_where_and_of_which_kind() {
    let shop = Shop::new();
    let sql = "  DELETE FROM t WHERE note = 'a  b' ;\n";
    let plan = shop.desk.plan(json!({ "sql": sql })).await.unwrap();
    let text = "DELETE FROM t WHERE note = 'a  b'";
    assert_eq!(
        plan.access,
        Access::Sql {
            database: "shop".to_owned(),
            text: text.to_owned()
        }
    );
    assert_eq!((&*plan.policy_name, plan.subject.as_str()), ("Sql", text));
    let found = plan.classification.unwrap();
    assert_eq!(
        (found.class.as_str(), found.reason.as_str()),
        ("write", "DELETE changes rows")
    );
    let context = plan.context.0;
    let real = shop.folder.path().canonicalize().unwrap().join("shop.db");
    assert_eq!(context["path"], real.display().to_string());
    assert!(context["inode"].as_str().unwrap().parse::<u64>().unwrap() > 0);
    assert!(format!("{:?}", plan.preview.unwrap()).contains(text));
}

#[tokio::test]
async fn a_plan_for_a_server_holds_its_place_and_no_password() {
    let desk = two(&Shop::new());
    let plan = desk
        .plan(json!({ "sql": "SELECT 1", "database": "app" }))
        .await
        .unwrap();
    assert_eq!(plan.context.0["server"], "me@db.example:5432/app");
    assert!(!format!("{plan:?}").contains("hunter2"), "{plan:?}");
}

#[tokio::test]
async fn a_missing_or_wrong_database_is_answered_with_the_names() {
    let desk = two(&Shop::new());
    for arguments in [
        json!({ "sql": "SELECT 1" }),
        json!({ "sql": "SELECT 1", "database": "nope" }),
    ] {
        let text = desk.call(arguments).await.error();
        assert!(text.contains("shop, app"), "{text}");
    }
    let error = desk.plan(json!({ "sql": "SELECT 1" })).await.unwrap_err();
    assert!(matches!(error, ToolError::InvalidArguments(_)));
}

#[tokio::test]
async fn an_empty_statement_is_refused() {
    let shop = Shop::new();
    shop.desk.run("").await.error();
    for sql in [" ", ";", "-- x", "/* x */ ;"] {
        assert!(
            shop.desk.run(sql).await.error().starts_with("not run: "),
            "{sql}"
        );
    }
}

#[tokio::test]
async fn a_refusal_says_why_and_whether_approval_would_help() {
    let shop = Shop::new();
    let write = shop.desk.run("DELETE FROM t").await.error();
    let denied = shop.desk.run("ATTACH 'x' AS y").await.error();
    insta::assert_snapshot!(format!("{write}\n{denied}"));
}

#[tokio::test]
async fn a25_an_escape_is_denied_and_the_next_call_still_reads_only() {
    let shop = Shop::new();
    for sql in ["PRAGMA query_only = OFF", "BEGIN IMMEDIATE"] {
        shop.desk.run(sql).await.error();
        shop.desk
            .run("INSERT INTO t VALUES (1000, 'x')")
            .await
            .error();
    }
    assert_eq!(
        shop.desk.run("SELECT count(*) FROM t").await.rows(),
        ["[50]"]
    );
}

#[tokio::test]
async fn a_write_needs_approval_in_every_form() {
    let shop = Shop::new();
    for sql in [
        "DELETE FROM t",
        "WITH x AS (SELECT 1) DELETE FROM t",
        "EXPLAIN DELETE FROM t",
    ] {
        let text = shop.desk.run(sql).await.error();
        assert!(text.contains("needs the approval"), "{sql}: {text}");
    }
}

#[tokio::test]
async fn only_the_word_of_a_person_or_a_standing_order_lets_a_write_run() {
    let shop = Shop::new();
    for authority in [Authority::Unchecked, Authority::Rule] {
        let desk = shop.desk.on_word_of(authority);
        let text = desk.run("DELETE FROM t WHERE id = 1").await.error();
        assert!(text.contains("needs the approval"), "{text}");
    }
    let person = Authority::Person(Approval("a1".into()));
    for (id, authority) in [(1, Authority::StandingOrder), (2, person)] {
        let desk = shop.desk.on_word_of(authority);
        let answer = desk.run(&format!("DELETE FROM t WHERE id = {id}")).await;
        assert_eq!(answer.ok(), "Done, 1 row changed");
        assert!(
            desk.run("ATTACH 'x' AS y")
                .await
                .error()
                .starts_with("not run")
        );
    }
}

#[tokio::test]
async fn a_call_first_shows_that_it_runs() {
    let shop = Shop::new();
    let answer = shop.desk.run("SELECT 1").await;
    assert_eq!(answer.updates[0].joined_text(), "Querying…");
}

#[tokio::test]
async fn a_card_shows_the_statement_and_the_rows_as_a_table() {
    let shop = Shop::new();
    let sql = "SELECT id, note, NULL AS n, x'00' AS b, 'a,\"]\n[b' AS t FROM t LIMIT 2";
    let answer = shop.desk.run(sql).await;
    let tool = shop.desk.tool();
    let mut result = deed_protocol::ToolResult {
        content: answer.result.content.clone(),
        details: answer.result.details.clone(),
        ..deed_protocol::ToolResult::default()
    };
    result.details.as_mut().unwrap()["durationMs"] = 3.into();
    let args = json!({ "sql": sql });
    let brief = tool
        .render_result(&args, &result, ResultView::default())
        .await;
    insta::assert_json_snapshot!(brief);
}

#[tokio::test]
async fn a_long_result_says_first_what_it_is() {
    let shop = Shop::new();
    let sql = "SELECT a.id, b.note || hex(zeroblob(60)) FROM t a, t b LIMIT 900";
    let answer = shop.desk.run(sql).await;
    let text = answer.ok();
    assert!(
        text.starts_with("[900 rows]\n\n[\"id\","),
        "{}",
        &text[..80]
    );
    assert!(text.ends_with("\n\n[900 rows]"));
    let result = deed_protocol::ToolResult {
        content: answer.result.content.clone(),
        ..deed_protocol::ToolResult::default()
    };
    let card = shop
        .desk
        .tool()
        .render_result(&json!({ "sql": sql }), &result, ResultView::default())
        .await;
    assert!(
        format!("{card:?}").contains("omitted_rows: 890"),
        "{card:?}"
    );
}

#[tokio::test]
async fn a_card_of_broken_arguments_is_drawn() {
    let tool = Shop::new().desk.tool();
    for args in [json!(null), json!({ "sql": 5 }), json!([])] {
        assert_eq!(tool.render_call(&args).await.title, "query_database");
    }
}
