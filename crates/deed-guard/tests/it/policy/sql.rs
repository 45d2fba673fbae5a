use deed_guard::policy::PermissionMode;
use serde_json::json;

use super::{ALLOW, ASK, DENY, build, decide, in_mode, rules, sql_call, user_file, verdict};
use deed_guard::policy::{PolicyText, Tier};

#[test]
fn rules_for_statements_go_by_class_and_database() {
    let policy = rules(
        &["Sql(db:prod*)", "Sql(class:resource)"],
        &["Sql(class:read, db:billing)"],
        &["Sql(class:read, db:shop)"],
    );
    assert_eq!(verdict(&policy, "Sql(class:read, db:production)"), DENY);
    assert_eq!(verdict(&policy, "Sql(class:write, db:prod)"), DENY);
    assert_eq!(verdict(&policy, "Sql(class:resource, db:shop)"), DENY);
    assert_eq!(verdict(&policy, "Sql(class:read, db:billing)"), ASK);
    let decision = decide(&policy, "Sql(class:read, db:shop)");
    assert_eq!(decision.verdict, ALLOW);
    assert_eq!(
        decision.rule_id(),
        "user:permissions.allow[0] Sql(class:read, db:shop)"
    );
}

#[test]
fn a_refused_class_says_why_and_no_rule_lifts_it() {
    let policy = user_file(
        json!({"version": 1, "mode": "bypass", "sqlWrites": "unattended",
               "permissions": {"allow": ["Sql"]}})
        .to_string(),
    )
    .unwrap();
    let call = sql_call(
        "dangerous",
        "pg_read_file reads files of the server",
        "shop",
    );
    let decision = policy.decide(&call.request());
    assert_eq!(decision.verdict, DENY);
    assert!(
        decision
            .reason
            .starts_with("pg_read_file reads files of the server (class `dangerous`)")
    );
    assert_eq!(decision.rule_id(), "built-in:sql-class");
    assert_eq!(
        policy
            .decide(&sql_call("brand-new", "?", "shop").request())
            .verdict,
        DENY
    );
    let mut unclassified = sql_call("read", "", "shop");
    unclassified.plan.classification = None;
    assert_eq!(policy.decide(&unclassified.request()).verdict, DENY);
}

fn unattended(mode: PermissionMode, ask: &[&str], allow: &[&str]) -> deed_guard::policy::Policy {
    let text = json!({"version": 1, "sqlWrites": "unattended",
                      "permissions": {"ask": ask, "allow": allow}});
    let file = PolicyText::new(Tier::User, "policy.json", text.to_string());
    build(vec![file], Some(mode)).unwrap()
}

#[test]
fn writes_run_unattended_only_by_a_rule_for_them() {
    let allow = ["Sql(class:write, db:scratch)"];
    for mode in [
        PermissionMode::Default,
        PermissionMode::DontAsk,
        PermissionMode::Bypass,
    ] {
        let policy = unattended(mode, &[], &allow);
        let decision = decide(&policy, "Sql(class:write, db:scratch)");
        assert_eq!(decision.verdict, ALLOW, "{mode}");
        assert!(decision.is_unattended_write, "{mode}");
        let other = decide(&policy, "Sql(class:write, db:shop)");
        assert_ne!(other.verdict, ALLOW, "{mode}");
        assert!(!other.is_unattended_write);
        assert_ne!(
            verdict(&policy, "Sql(class:maintenance, db:scratch)"),
            ALLOW,
            "{mode}"
        );
    }
    let plan = unattended(PermissionMode::Plan, &[], &allow);
    let decision = decide(&plan, "Sql(class:write, db:scratch)");
    assert_eq!(
        (decision.verdict, decision.is_unattended_write),
        (DENY, false)
    );
}

#[test]
fn no_rule_for_statements_allows_those_of_another_tool() {
    let policy = unattended(PermissionMode::Default, &[], &["Sql"]);
    for class in ["read", "write"] {
        let mut call = sql_call(class, "its own word", "shop");
        assert_eq!(policy.decide(&call.request()).verdict, ALLOW, "{class}");
        call.source.source = "local".into();
        assert_eq!(policy.decide(&call.request()).verdict, ASK, "{class}");
    }
}

#[test]
fn a_write_that_a_rule_wants_asked_is_asked_even_in_bypass() {
    for rule in ["Sql", "Sql(class:write)", "query_database"] {
        let policy = unattended(PermissionMode::Bypass, &[rule], &["Sql(class:write)"]);
        assert_eq!(verdict(&policy, "Sql(class:write, db:x)"), ASK, "{rule}");
    }
    let policy = in_mode(PermissionMode::Bypass, &[], &["Sql(class:read)"], &[]);
    assert_eq!(verdict(&policy, "Sql(class:read, db:x)"), ALLOW);
}

#[test]
fn a_file_that_insists_on_asking_wins_over_one_that_does_not() {
    let admin = json!({"version": 1, "sqlWrites": "ask"}).to_string();
    let user = json!({"version": 1, "sqlWrites": "unattended",
                      "permissions": {"allow": ["Sql(class:write)"]}})
    .to_string();
    let policy = build(
        vec![
            PolicyText::new(Tier::User, "user.json", user),
            PolicyText::new(Tier::Admin, "admin.json", admin),
        ],
        Some(PermissionMode::Bypass),
    )
    .unwrap();
    assert_eq!(verdict(&policy, "Sql(class:write, db:x)"), ASK);
}
