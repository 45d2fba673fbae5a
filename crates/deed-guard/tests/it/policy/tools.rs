use deed_agent::Access;
use deed_guard::policy::SampleCall;
use deed_protocol::SourceInfo;
use serde_json::{Value, json};

use super::{ALLOW, ASK, DENY, extension_call, rules, sample, verdict};

fn deploy(args: Value) -> SampleCall {
    extension_call("deploy", "/ext/deploy.ts", Access::Opaque, args)
}

#[test]
fn b119_a_name_is_exact_unless_a_star_is_written() {
    let call = |tool: &str| extension_call(tool, "", Access::Opaque, json!({}));
    let exact = rules(&[], &[], &["mcp__a-b"]);
    let starred = rules(&[], &[], &["mcp__a-b__*"]);
    for (tool, by_exact, by_star) in [
        ("mcp__a-b", ALLOW, ASK),
        ("mcp__a-bc__x", ASK, ASK),
        ("mcp__a-b__x", ASK, ALLOW),
        ("xmcp__a-b", ASK, ASK),
    ] {
        assert_eq!(
            exact.decide(&call(tool).request()).verdict,
            by_exact,
            "{tool}"
        );
        assert_eq!(
            starred.decide(&call(tool).request()).verdict,
            by_star,
            "{tool}"
        );
    }
}

#[test]
fn a_rule_for_a_tool_goes_by_its_arguments() {
    let policy = rules(
        &["deploy(env:prod)"],
        &["deploy(env:st*, force:true)"],
        &[
            "deploy(env:st*)",
            "deploy(count:3)",
            "deploy(tags:[\"a\"\\,\"b\"])",
        ],
    );
    for (args, expected) in [
        (json!({"env": "prod"}), DENY),
        (json!({"env": ["dev", "prod"]}), DENY),
        (json!({"env": "staging", "other": 1}), ALLOW),
        (json!({"env": "staging", "force": true}), ASK),
        (json!({"env": "test"}), ASK),
        (json!({"count": 3}), ALLOW),
        (json!({"count": 33}), ASK),
        (json!({"tags": ["a", "b"]}), ALLOW),
        (json!({"tags": ["a"]}), ASK),
        (json!({}), ASK),
    ] {
        assert_eq!(
            policy.decide(&deploy(args.clone()).request()).verdict,
            expected,
            "{args}"
        );
    }
}

#[test]
fn a_rule_may_name_the_source_of_a_tool() {
    let policy = rules(&[], &[], &["deploy@/ext/deploy.ts(env:*)", "ping@/ext/*"]);
    assert_eq!(
        policy
            .decide(&deploy(json!({"env": "x"})).request())
            .verdict,
        ALLOW
    );
    let other = extension_call(
        "deploy",
        "/evil/deploy.ts",
        Access::Opaque,
        json!({"env": "x"}),
    );
    assert_eq!(policy.decide(&other.request()).verdict, ASK);
    assert_eq!(verdict(&policy, "ping@/ext/ping.ts"), ALLOW);
    assert_eq!(verdict(&policy, "ping@/evil/ping.ts"), ASK);
}

#[test]
fn a_lower_case_name_allows_no_built_in_but_denies_whoever_bears_it() {
    let allow = rules(&[], &[], &["bash", "write", "*"]);
    assert_eq!(verdict(&allow, "Bash(ls)"), ASK);
    assert_eq!(verdict(&allow, "Write(a)"), ASK);
    let replaced = extension_call(
        "bash",
        "/ext/bash.ts",
        Access::Opaque,
        json!({"command": "ls"}),
    );
    assert_eq!(allow.decide(&replaced.request()).verdict, ALLOW);
    let deny = rules(&["bash(command:rm *)", "write"], &[], &["Bash", "Write"]);
    assert_eq!(verdict(&deny, "Bash(rm x)"), DENY);
    assert_eq!(verdict(&deny, "Bash(ls)"), ALLOW);
    assert_eq!(verdict(&deny, "Write(a)"), DENY);
}

#[test]
fn a_closed_rule_rules_out_further_arguments() {
    let policy = rules(&[], &[], &["deploy(env:prod, !)", "ping(!)"]);
    assert_eq!(
        policy
            .decide(&deploy(json!({"env": "prod"})).request())
            .verdict,
        ALLOW
    );
    let forced = deploy(json!({"env": "prod", "force": true}));
    assert_eq!(policy.decide(&forced.request()).verdict, ASK);
    assert_eq!(verdict(&policy, "ping"), ALLOW);
    assert_eq!(verdict(&policy, "ping(a:1)"), ASK);
}

#[test]
fn b146_a_denied_tool_is_hidden_and_denied_if_called_anyway() {
    let policy = rules(
        &["srv_*", "Bash", "peek(path:x)", "Read(./x)"],
        &[],
        &["srv_a", "Bash(ls)"],
    );
    let local = |tool: &str| sample(tool).source;
    assert!(policy.hides("srv_a", "srv_a", &local("srv_a")));
    assert!(policy.hides("bash", "Bash", &SourceInfo::builtin("bash")));
    assert!(policy.hides("powershell", "Bash", &SourceInfo::builtin("powershell")));
    assert!(!policy.hides("peek", "peek", &local("peek")));
    assert!(!policy.hides("read", "Read", &SourceInfo::builtin("read")));
    assert_eq!(verdict(&policy, "srv_a(x:1)"), DENY);
    assert_eq!(verdict(&policy, "Bash(ls)"), DENY);
    let mut renamed = deploy(json!({}));
    renamed.plan.policy_name = "Bash".into();
    assert_eq!(
        policy.decide(&renamed.request()).verdict,
        DENY,
        "what is hidden is denied"
    );
}

#[test]
fn the_word_of_an_extension_that_it_touches_nothing_is_no_permission() {
    let call = extension_call("calm", "/ext/calm.ts", Access::None, json!({}));
    let policy = rules(&[], &[], &[]);
    assert_eq!(policy.decide(&call.request()).verdict, ASK);
    let policy = rules(&[], &[], &["calm"]);
    assert_eq!(policy.decide(&call.request()).verdict, ALLOW);
    let policy = rules(&["Bash"], &[], &["calm"]);
    let mut lying = extension_call(
        "calm",
        "/ext/calm.ts",
        Access::Read(vec!["/proj/a".into()]),
        json!({}),
    );
    assert_eq!(policy.decide(&lying.request()).verdict, ALLOW);
    lying.plan.policy_name = "Bash".into();
    assert_eq!(
        policy.decide(&lying.request()).verdict,
        DENY,
        "either word counts against it"
    );
}
