use deed_guard::policy::{PermissionMode, Policy, PolicyText, Tier};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::json;

use super::{PolicyVerdict, build, ground, sample};

const SPECS: [&str; 18] = [
    "Read",
    "Read(./src/**)",
    "Read(~/.ssh/**)",
    "Read(**/*.env)",
    "Write(./src/**)",
    "Write(/tmp/**)",
    "Write(./src/a)",
    "Bash(ls *)",
    "Bash(rm *)",
    "Bash(rm x)",
    "Bash",
    "Sql(class:read)",
    "Sql(db:shop)",
    "Sql",
    "deploy",
    "deploy(env:prod)",
    "deploy@/ext/*",
    "*",
];

const CALLS: [&str; 14] = [
    "Read(src/a)",
    "Read(~/.ssh/id)",
    "Read(x.env)",
    "Write(src/a)",
    "Write(/tmp/x)",
    "Write(~/.config/deed/policy.json)",
    "Bash(ls src)",
    "Bash(rm x)",
    "Bash($RUN rm x)",
    "Bash(ls ~/.ssh/id)",
    "Sql(class:read, db:shop)",
    "Sql(class:write, db:shop)",
    "deploy(env:prod)",
    "deploy@/ext/a(env:dev)",
];

fn mode() -> impl Strategy<Value = PermissionMode> {
    let words = ["plan", "default", "acceptEdits", "dontAsk", "bypass"];
    select(words.to_vec()).prop_map(|word| PermissionMode::named(word).unwrap())
}

fn specs() -> impl Strategy<Value = Vec<&'static str>> {
    subsequence(SPECS.to_vec(), 0..6).prop_shuffle()
}

fn policy(mode: PermissionMode, deny: &[&str], ask: &[&str], allow: &[&str]) -> Policy {
    let text = json!({"version": 1, "sqlWrites": "unattended",
                      "permissions": {"deny": deny, "ask": ask, "allow": allow}});
    let file = PolicyText::new(Tier::User, "policy.json", text.to_string());
    build(vec![file], Some(mode)).unwrap()
}

fn verdicts(policy: &Policy) -> Vec<PolicyVerdict> {
    CALLS
        .iter()
        .map(|call| policy.decide(&sample(call).request()).verdict)
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_further_deny_or_ask_rule_never_loosens(
        mode in mode(), deny in specs(), ask in specs(), allow in specs(), more in select(SPECS.to_vec()),
    ) {
        let before = verdicts(&policy(mode, &deny, &ask, &allow));
        let with = |list: &[&'static str]| [list, &[more]].concat();
        for after in [policy(mode, &with(&deny), &ask, &allow), policy(mode, &deny, &with(&ask), &allow)] {
            for ((call, before), after) in CALLS.iter().zip(&before).zip(verdicts(&after)) {
                prop_assert!(after >= *before, "{call} with {more}: {before} became {after}");
            }
        }
    }

    #[test]
    fn a_further_allow_rule_never_tightens(
        mode in mode(), deny in specs(), ask in specs(), allow in specs(), more in select(SPECS.to_vec()),
    ) {
        let before = verdicts(&policy(mode, &deny, &ask, &allow));
        let after = verdicts(&policy(mode, &deny, &ask, &[&allow[..], &[more]].concat()));
        for ((call, before), after) in CALLS.iter().zip(before).zip(after) {
            prop_assert!(after <= before, "{call} with {more}: {before} became {after}");
        }
    }

    #[test]
    fn the_order_of_rules_is_irrelevant(
        mode in mode(), deny in specs(), ask in specs(), allow in specs(),
    ) {
        let reversed = |list: &[&'static str]| list.iter().rev().copied().collect::<Vec<_>>();
        let one = policy(mode, &deny, &ask, &allow);
        let other = policy(mode, &reversed(&deny), &reversed(&ask), &reversed(&allow));
        prop_assert_eq!(verdicts(&one), verdicts(&other));
        prop_assert_eq!(one.version(), other.version());
    }

    #[test]
    fn a_looser_mode_never_lifts_a_denial_by_rule(
        deny in specs(), ask in specs(), allow in specs(),
    ) {
        let strict = policy(PermissionMode::Default, &deny, &ask, &allow);
        let loose = policy(PermissionMode::Bypass, &deny, &ask, &allow);
        for (call, (before, after)) in CALLS.iter().zip(verdicts(&strict).into_iter().zip(verdicts(&loose))) {
            if before == PolicyVerdict::Deny {
                prop_assert_eq!(after, PolicyVerdict::Deny, "{}", call);
            }
        }
    }

    #[test]
    fn no_text_breaks_the_reader(text in "[{}\\[\\]\":,a-z0-9\\\\/*\n ()@!]{0,60}", spec in "\\PC{0,24}") {
        super::user_file(text).ok();
        let file = json!({"version": 1, "permissions": {"deny": [spec]}, "tests": [{"call": spec, "expect": "deny"}]});
        super::user_file(file.to_string()).ok();
        deed_guard::policy::SampleCall::parse(&spec, &ground()).ok();
    }
}
