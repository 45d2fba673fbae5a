use deed_agent::Access;
use deed_guard::policy::{Basis, PermissionMode};
use serde_json::json;

use super::{ALLOW, ASK, DENY, decide, extension_call, in_mode, verdict};

const MODES: [PermissionMode; 5] = [
    PermissionMode::Plan,
    PermissionMode::Default,
    PermissionMode::AcceptEdits,
    PermissionMode::DontAsk,
    PermissionMode::Bypass,
];

#[test]
fn each_mode_says_what_runs_without_a_rule() {
    let table = [
        ("Read(src/a.rs)", [ALLOW, ALLOW, ALLOW, ALLOW, ALLOW]),
        ("Read(/etc/passwd)", [ASK, ASK, ASK, DENY, ALLOW]),
        ("Write(src/a.rs)", [DENY, ASK, ALLOW, DENY, ALLOW]),
        ("Write(/etc/passwd)", [DENY, ASK, ASK, DENY, ALLOW]),
        (
            "Write(.git/hooks/pre-commit)",
            [DENY, ASK, ASK, DENY, ALLOW],
        ),
        ("Write(.git/config)", [DENY, ASK, ASK, DENY, ALLOW]),
        (
            "Write(sub/.deed/settings.json)",
            [DENY, ASK, ASK, DENY, ALLOW],
        ),
        ("Bash(cargo test)", [DENY, ASK, ASK, DENY, ALLOW]),
        ("deploy(env:prod)", [DENY, ASK, ASK, DENY, ALLOW]),
        ("Sql(class:read, db:a)", [ALLOW, ALLOW, ALLOW, ALLOW, ALLOW]),
        (
            "Sql(class:resource, db:a)",
            [ALLOW, ALLOW, ALLOW, ALLOW, ALLOW],
        ),
        ("Sql(class:write, db:a)", [DENY, ASK, ASK, DENY, ASK]),
        ("Sql(class:maintenance, db:a)", [DENY, ASK, ASK, DENY, ASK]),
        ("Sql(class:session, db:a)", [DENY; 5]),
        ("Sql(class:side_effect, db:a)", [DENY; 5]),
        ("Sql(class:multi, db:a)", [DENY; 5]),
        ("Sql(class:invalid, db:a)", [DENY; 5]),
        ("Sql(class:dangerous, db:a)", [DENY; 5]),
    ];
    for (call, expected) in table {
        for (mode, expected) in MODES.into_iter().zip(expected) {
            let policy = in_mode(mode, &[], &[], &[]);
            assert_eq!(verdict(&policy, call), expected, "{call} in {mode}");
        }
    }
}

#[test]
fn deny_rules_hold_in_every_mode_and_ask_rules_wherever_somebody_is_asked() {
    let expected = [DENY, ASK, ASK, DENY, ALLOW];
    for (mode, expected) in MODES.into_iter().zip(expected) {
        let policy = in_mode(mode, &["Bash(rm *)"], &["Bash(git push *)"], &["Bash"]);
        assert_eq!(verdict(&policy, "Bash(rm -r x)"), DENY, "{mode}");
        assert_eq!(
            verdict(&policy, "Bash(git push origin)"),
            expected,
            "{mode}"
        );
    }
}

#[test]
fn a_rule_that_allows_is_enough_but_for_a_plan() {
    for mode in MODES {
        let policy = in_mode(mode, &[], &[], &["Bash(cargo test *)", "Write(/tmp/**)"]);
        let expected = if mode == PermissionMode::Plan {
            DENY
        } else {
            ALLOW
        };
        assert_eq!(verdict(&policy, "Bash(cargo test -q)"), expected, "{mode}");
        assert_eq!(verdict(&policy, "Write(/tmp/x)"), expected, "{mode}");
    }
}

#[test]
fn a_call_without_effect_runs_and_an_unknown_one_asks() {
    let none = |source: &str| {
        let mut call = extension_call("clock", source, Access::None, json!({}));
        call.source.source = source.into();
        call
    };
    let host = "example.org".to_owned();
    let network = extension_call(
        "fetch",
        "/ext/fetch.ts",
        Access::Network { host },
        json!({}),
    );
    let read = Access::Read(vec!["/proj/a".into()]);
    let claims = extension_call("peek", "/ext/peek.ts", read, json!({}));
    let policy = in_mode(PermissionMode::Default, &[], &[], &[]);
    for source in ["builtin", "sdk"] {
        assert_eq!(policy.decide(&none(source).request()).verdict, ALLOW);
    }
    let word_of_extension = none("local");
    assert_eq!(policy.decide(&word_of_extension.request()).verdict, ASK);
    assert_eq!(policy.decide(&network.request()).verdict, ASK);
    assert_eq!(
        policy.decide(&claims.request()).verdict,
        ASK,
        "an extension's word for its own reads"
    );
    let plan = in_mode(PermissionMode::Plan, &[], &[], &[]);
    assert_eq!(plan.decide(&none("sdk").request()).verdict, ALLOW);
    assert_eq!(plan.decide(&network.request()).verdict, DENY);
}

#[test]
fn a_refusal_by_mode_says_what_to_do() {
    let policy = in_mode(PermissionMode::DontAsk, &[], &[], &[]);
    let decision = decide(&policy, "Write(/etc/hosts)");
    assert_eq!(decision.basis, Basis::Mode(PermissionMode::DontAsk));
    assert_eq!(decision.rule_id(), "mode:dontAsk");
    assert_eq!(
        decision.reason,
        "no rule allows writing `/etc/hosts`, which is outside the workspace, and mode `dontAsk` \
         refuses what would have to be asked; find another way, or let the user add a rule that \
         allows it"
    );
    let plan = in_mode(PermissionMode::Plan, &[], &[], &[]);
    assert!(decide(&plan, "Write(a)").reason.contains("only reads run"));
}

#[test]
fn every_mode_has_a_word() {
    for mode in MODES {
        assert_eq!(PermissionMode::named(mode.as_str()), Some(mode));
    }
    assert_eq!(PermissionMode::named("Bypass"), None);
}
