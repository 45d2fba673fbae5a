//! What the gate of the session says of statements that scripts run.

use std::sync::{Arc, Mutex};

use deed_agent::BoxFuture;
use deed_guard::approval::{ApprovalRequest, Approver, Channel, Reply, ReplyAnswer};
use deed_guard::audit::{AuditConfig, AuditLog, Filter, read};
use deed_guard::policy::{Ground, Policy, PolicyInput, PolicyText, Tier};
use deed_guard::{GuardConfig, GuardGate};
use deed_typescript::ScriptSql;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{DELETE, PRINTED, limits, make_database, query, rows};
use crate::support::{Play, Played, batch};

/// A person before the questions of the gate.
struct Judge {
    answer: ReplyAnswer,
    asked: Mutex<Vec<String>>,
}

impl Approver for Judge {
    fn channel(&self) -> Channel {
        Channel::Desktop
    }

    fn is_there(&self) -> bool {
        true
    }

    fn ask<'a>(
        &'a self,
        request: &'a ApprovalRequest,
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, Reply> {
        let asked = format!("{}: {}", request.call_id, request.reason);
        self.asked.lock().unwrap().push(asked);
        Box::pin(async { Reply::new(self.answer) })
    }
}

struct Scene {
    play: Play,
    judge: Arc<Judge>,
}

/// A session under a policy, with a database, the printed extension and a person who says yes to it.
fn scene(policy: Value, answer: ReplyAnswer) -> Scene {
    let play = Play::new();
    let judge = Arc::new(Judge {
        answer,
        asked: Mutex::default(),
    });
    let policy = Policy::build(PolicyInput {
        files: vec![PolicyText::new(
            Tier::User,
            "policy.json",
            policy.to_string(),
        )],
        ground: Ground {
            workspace: vec![play.root().to_owned()],
            ..Ground::default()
        },
        mode: None,
    });
    let audit = AuditConfig::new(play.root().join("audit"), "s1", "boot");
    let mut config = GuardConfig::new(policy.unwrap());
    config.approver = judge.clone();
    config.audit = Some(Arc::new(AuditLog::open(audit).unwrap().0));
    let gate = GuardGate::new(config);
    let shop = make_database(&play, "shop");
    let sql = ScriptSql::new([shop], limits(), Arc::new(gate.clone()));
    let play = play
        .guard(&gate)
        .sql(sql)
        .person(true)
        .with("db.ts", PRINTED);
    Scene { play, judge }
}

impl Scene {
    async fn run(self, sql: &str) -> (Played, Vec<String>) {
        let played = self.play.run(batch(&[query("c", sql)])).await;
        let asked = self.judge.asked.lock().unwrap().clone();
        (played, asked)
    }
}

fn rules(permissions: Value) -> Value {
    json!({ "version": 1, "permissions": permissions })
}

#[tokio::test]
async fn a_rule_for_the_tool_lets_reads_run_and_writes_be_asked_about() {
    let policy = rules(json!({ "allow": ["query_database"] }));
    let (played, asked) = scene(policy.clone(), ReplyAnswer::Deny)
        .run("SELECT count(*) AS n FROM t")
        .await;
    assert!(played.text("c").contains("[3]"));
    assert!(asked.is_empty(), "{asked:?}");

    let (played, asked) = scene(policy.clone(), ReplyAnswer::Once).run(DELETE).await;
    assert_eq!(played.text("c"), "Done, 1 row changed");
    assert_eq!(rows(&played, "shop"), 2);
    insta::assert_debug_snapshot!((played.seen(), asked), @r#"
    (
        [
            "confirm Database write: DELETE FROM t WHERE id = 1",
        ],
        [
            "c/sql2: it changes `shop` (class `write`), which a person must approve",
        ],
    )
    "#);

    let (played, _) = scene(policy, ReplyAnswer::Deny).run(DELETE).await;
    assert!(played.fault("c").contains("Refused by the user"));
    assert_eq!(rows(&played, "shop"), 3);
}

#[tokio::test]
async fn without_a_rule_the_call_itself_is_asked_about_first() {
    let (played, asked) = scene(rules(json!({})), ReplyAnswer::Deny)
        .run("SELECT 1")
        .await;
    assert!(played.fault("c").contains("Refused by the user"));
    assert_eq!(asked.len(), 1, "{asked:?}");
}

#[tokio::test]
async fn what_the_policy_denies_does_not_run_although_a_person_confirmed_it() {
    for (denied, sql) in [
        ("Sql(class:write)", DELETE),
        ("Sql", DELETE),
        ("Sql(db:shop)", "SELECT 1"),
        ("Sql(class:read)", "SELECT 1"),
    ] {
        let policy = rules(json!({ "deny": [denied], "allow": ["query_database"] }));
        let (played, asked) = scene(policy, ReplyAnswer::Once).run(sql).await;
        let fault = played.fault("c");
        assert!(fault.starts_with("Denied: "), "{denied}: {fault}");
        assert!(asked.is_empty(), "{asked:?}");
        assert_eq!(rows(&played, "shop"), 3);
    }
}

#[tokio::test]
async fn modes_hold_for_statements_of_scripts() {
    let with_mode = |mode: &str| json!({ "version": 1, "mode": mode, "permissions": { "allow": ["query_database"] } });
    for mode in ["plan", "dontAsk"] {
        let (played, _) = scene(with_mode(mode), ReplyAnswer::Once).run(DELETE).await;
        assert!(played.fault("c").starts_with("Denied: "), "{mode}");
        assert_eq!(rows(&played, "shop"), 3);
    }
    // Asks nothing, but for writes to databases.
    let (played, asked) = scene(with_mode("bypass"), ReplyAnswer::Deny)
        .run(DELETE)
        .await;
    assert_eq!(asked.len(), 1, "{asked:?}");
    assert_eq!(rows(&played, "shop"), 3);
}

#[tokio::test]
async fn writes_that_need_not_be_asked_about_still_need_the_extensions_own_yes() {
    let policy = json!({
        "version": 1,
        "sqlWrites": "unattended",
        "permissions": { "allow": ["query_database", "Sql(class:write, db:shop)"] },
    });
    let (played, asked) = scene(policy.clone(), ReplyAnswer::Deny).run(DELETE).await;
    assert_eq!(played.text("c"), "Done, 1 row changed");
    assert!(asked.is_empty(), "{asked:?}");
    assert_eq!(played.seen().len(), 1);

    let mut scene = scene(policy, ReplyAnswer::Once);
    scene.play = scene.play.person(false);
    let (played, _) = scene.run(DELETE).await;
    assert_eq!(played.fault("c"), "Rejected by user.");
    assert_eq!(rows(&played, "shop"), 3);
}

#[tokio::test]
async fn the_record_has_the_call_and_its_statement_each_by_a_number_of_its_own() {
    let policy = rules(json!({ "allow": ["query_database"] }));
    let (played, _) = scene(policy, ReplyAnswer::Once).run(DELETE).await;
    played.text("c");
    let shown = read(&played.root().join("audit"), Filter::default()).unwrap();
    let records: Vec<Value> = shown
        .map(|one| serde_json::from_str(one.unwrap().record.get()).unwrap())
        .collect();
    let told: Vec<String> = records
        .iter()
        // How far it has come is told by time.
        .filter(|record| record["tool"] == "query_database" && record["event"] != "progress")
        .map(|record| {
            let of = |name: &str| record.get(name).and_then(Value::as_str).unwrap_or_default();
            let said = [of("call_id"), of("event"), of("decision"), of("grant")];
            said.join(" ").trim_end().to_owned()
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    c call
    c decision allow
    c intent  run/1
    c/sql2 call
    c/sql2 decision ask
    c/sql2 approval_asked
    c/sql2 approval
    c/sql2 intent  run/2
    c/sql2 outcome  run/2
    c outcome  run/1
    ");
}
