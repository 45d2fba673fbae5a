use deed_guard::policy::{AuditDurability, PermissionMode, Policy, PolicyText, PutAside, Tier};
use serde_json::{Value, json};
use std::time::Duration;

use super::{ALLOW, ASK, DENY, build, decide, permissions, verdict};

fn file(tier: Tier, text: &Value) -> PolicyText {
    PolicyText::new(tier, format!("{}.json", tier.as_str()), text.to_string())
}

fn of(files: Vec<PolicyText>) -> Policy {
    build(files, None).unwrap()
}

#[test]
fn lists_of_all_tiers_add_up() {
    let policy = of(vec![
        file(Tier::User, &permissions(&[], &[], &["Bash(b)", "Bash(d)"])),
        file(
            Tier::CommandLine,
            &permissions(&[], &["Bash(c)"], &["Bash(c)"]),
        ),
        file(Tier::Admin, &permissions(&["Bash(a)", "Bash(d)"], &[], &[])),
    ]);
    assert_eq!(verdict(&policy, "Bash(a)"), DENY);
    assert_eq!(verdict(&policy, "Bash(b)"), ALLOW);
    assert_eq!(verdict(&policy, "Bash(c)"), ASK);
    let decision = decide(&policy, "Bash(d)");
    assert_eq!(decision.rule_id(), "admin:permissions.deny[1] Bash(d)");
    assert!(decision.reason.contains("(admin.json:1)"));
}

fn project() -> Value {
    json!({
        "version": 1, "mode": "bypass", "sqlWrites": "unattended",
        "permissions": {"deny": ["Bash(rm *)"], "ask": ["Bash(make *)"],
                        "allow": ["Bash(ls)", "Sql(class:write)"]},
        "limits": {"sql_rows": 5000, "sql_bytes": 1000, "bash_timeout_s": 60},
        "audit": {"durability": "strict"}
    })
}

#[test]
fn an_untrusted_project_only_tightens() {
    let user = permissions(&[], &[], &["Bash(rm *)", "Bash(make *)"]);
    let policy = of(vec![
        file(Tier::User, &user),
        file(Tier::Project, &project()),
    ]);
    assert_eq!(verdict(&policy, "Bash(rm x)"), DENY);
    assert_eq!(verdict(&policy, "Bash(make x)"), ASK);
    assert_eq!(verdict(&policy, "Bash(ls)"), ASK);
    assert_eq!(verdict(&policy, "Sql(class:write, db:x)"), ASK);
    assert_eq!(policy.mode(), PermissionMode::Default);
    let limits = policy.limits();
    assert_eq!((limits.sql_max_rows, limits.sql_max_bytes), (1000, 1000));
    assert_eq!(limits.bash_timeout, Some(Duration::from_secs(60)));
    assert_eq!(policy.audit_durability(), AuditDurability::Strict);
    let aside: Vec<&str> = policy
        .put_aside()
        .iter()
        .map(|aside| aside.what.as_str())
        .collect();
    assert_eq!(
        aside,
        [
            "allow `Bash(ls)`",
            "allow `Sql(class:write)`",
            "mode `bypass`",
            "sqlWrites `unattended`",
            "sql_rows `5000`"
        ]
    );
    let first = PutAside {
        file: "project.json".into(),
        line_1based: 1,
        what: aside[0].into(),
    };
    assert_eq!(policy.put_aside()[0], first);
}

#[test]
fn a_trusted_project_counts_in_full() {
    let policy = of(vec![file(Tier::Project, &project()).trusted(true)]);
    assert!(policy.put_aside().is_empty());
    assert_eq!(policy.mode(), PermissionMode::Bypass);
    assert_eq!(policy.limits().sql_max_rows, 5000);
    let decision = decide(&policy, "Sql(class:write, db:x)");
    assert!(decision.is_unattended_write);
    assert_eq!(verdict(&policy, "Bash(rm x)"), DENY);
}

#[test]
fn a_stricter_mode_of_an_untrusted_project_holds() {
    let project = file(Tier::Project, &json!({"version": 1, "mode": "plan"}));
    let policy = of(vec![project.clone()]);
    assert_eq!(policy.mode(), PermissionMode::Plan);
    assert!(policy.put_aside().is_empty());
    let policy = build(vec![project], Some(PermissionMode::AcceptEdits)).unwrap();
    assert_eq!(
        policy.mode(),
        PermissionMode::AcceptEdits,
        "the person at the command line wins"
    );
}

#[test]
fn the_mode_comes_from_the_command_line_then_its_file_then_the_user() {
    let mode = |word: &str| json!({"version": 1, "mode": word});
    let user = file(Tier::User, &mode("dontAsk"));
    let given = file(Tier::CommandLine, &mode("acceptEdits"));
    let both = vec![user.clone(), given.clone()];
    assert_eq!(of(vec![user]).mode(), PermissionMode::DontAsk);
    assert_eq!(of(both.clone()).mode(), PermissionMode::AcceptEdits);
    let policy = build(both, Some(PermissionMode::Plan)).unwrap();
    assert_eq!(policy.mode(), PermissionMode::Plan);
}

#[test]
fn a_mode_of_the_admin_is_the_loosest_that_anybody_may_choose() {
    let admin = file(Tier::Admin, &json!({"version": 1, "mode": "default"}));
    let policy = build(vec![admin.clone()], Some(PermissionMode::Bypass)).unwrap();
    assert_eq!(policy.mode(), PermissionMode::Default);
    assert_eq!(
        policy.with_mode(PermissionMode::AcceptEdits).mode(),
        PermissionMode::Default
    );
    assert_eq!(
        policy.with_mode(PermissionMode::Plan).mode(),
        PermissionMode::Plan
    );
    let policy = build(vec![admin], Some(PermissionMode::Plan)).unwrap();
    assert_eq!(policy.mode(), PermissionMode::Plan);
}

#[test]
fn the_smallest_limit_holds() {
    let limits = |rows: u64| json!({"version": 1, "limits": {"sql_rows": rows}});
    let policy = of(vec![
        file(Tier::User, &limits(9000)),
        file(Tier::CommandLine, &limits(7000)),
        file(Tier::Project, &limits(8000)).trusted(true),
    ]);
    assert_eq!(policy.limits().sql_max_rows, 7000);
    let defaults = of(Vec::new()).limits();
    assert_eq!(defaults.approval_timeout, Duration::from_secs(300));
    assert_eq!(defaults.bash_timeout, None);
    assert_eq!(defaults.sql_timeout, Duration::from_millis(5000));
    assert_eq!(
        (defaults.sql_max_rows, defaults.sql_max_bytes),
        (1000, 1 << 20)
    );
}

#[test]
fn granted_rules_allow_and_nothing_broad_is_granted() {
    let policy = of(vec![file(
        Tier::User,
        &permissions(&["Bash(rm *)"], &[], &[]),
    )]);
    let granted = policy
        .with_rules(Tier::Session, ["Bash(ls)", "Bash(rm x)"])
        .unwrap();
    assert_eq!(
        verdict(&policy, "Bash(ls)"),
        ASK,
        "the old policy stays as it was"
    );
    assert_eq!(verdict(&granted, "Bash(ls)"), ALLOW);
    assert_eq!(verdict(&granted, "Bash(rm x)"), DENY);
    let stored = granted.with_rules(Tier::Stored, ["Write(./a)"]).unwrap();
    assert_eq!(
        decide(&stored, "Write(a)").rule_id(),
        "stored:permissions.allow[0] Write(./a)"
    );
    assert_ne!(stored.version(), granted.version());
    for broad in ["Bash", "Bash(*)", "Sql", "Sql(class:write, db:x)", "Bash("] {
        let error = policy.with_rules(Tier::Stored, [broad]).unwrap_err();
        assert!(error.to_string().starts_with("stored rule `"), "{error}");
    }
}

#[test]
fn the_version_speaks_of_what_holds_and_not_of_how_it_is_written() {
    let version = |text: &str| {
        let file = PolicyText::new(Tier::User, "policy.json", text);
        of(vec![file]).version()
    };
    let base = version(
        r#"{"version": 1, "permissions": {"deny": ["Bash(a)", "Bash(b)"], "allow": ["Read"]}}"#,
    );
    let reordered = version(
        "{\"permissions\": {\"allow\": [\"Read\"], // same\n\"deny\": [\"Bash(b)\", \"Bash(a)\", \"Bash(a)\"]}, \
         \"mode\": \"default\", \"version\": 1}",
    );
    assert_eq!(base, reordered);
    for other in [
        r#"{"version": 1, "permissions": {"deny": ["Bash(a)"], "allow": ["Read"]}}"#,
        r#"{"version": 1, "permissions": {"ask": ["Bash(a)", "Bash(b)"], "allow": ["Read"]}}"#,
        r#"{"version": 1, "mode": "plan", "permissions": {"deny": ["Bash(a)", "Bash(b)"], "allow": ["Read"]}}"#,
        r#"{"version": 1, "limits": {"sql_rows": 5}, "permissions": {"deny": ["Bash(a)", "Bash(b)"], "allow": ["Read"]}}"#,
        r#"{"version": 1, "sqlWrites": "ask", "permissions": {"deny": ["Bash(a)", "Bash(b)"], "allow": ["Read"]}}"#,
    ] {
        assert_ne!(version(other), base, "{other}");
    }
}
