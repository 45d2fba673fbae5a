use deed_guard::policy::{PolicyText, Tier, explain};
use insta::{assert_json_snapshot, assert_snapshot};

use super::{build, permissions, rules, sample, sql_call};

#[test]
fn an_explanation_names_rule_place_tier_and_mode() {
    let user = "{\n  \"version\": 1,\n  \"permissions\": {\n    \"deny\": [\n      \"Read(~/.ssh/**)\"\n    ]\n  }\n}";
    let project = permissions(&[], &[], &["Bash(make *)", "Bash(ls)"]).to_string();
    let policy = build(
        vec![
            PolicyText::new(Tier::User, "/home/ann/.config/deed/policy.json", user),
            PolicyText::new(Tier::Project, ".deed/policy.json", project),
        ],
        None,
    )
    .unwrap();
    let denied = explain(&policy, &sample("Read(~/.ssh/id)").request());
    let aside = explain(&policy, &sample("Bash(make all)").request());
    let classified = explain(
        &policy,
        &sql_call("write", "UPDATE changes rows", "shop").request(),
    );
    assert_snapshot!(format!("{denied}\n{aside}\n{classified}"));
    assert_json_snapshot!(denied);
}

#[test]
fn an_explanation_of_a_command_shows_control_characters() {
    let policy = rules(&[], &[], &[]);
    let explanation = explain(&policy, &sample("Bash(ls \u{202e}x)").request());
    assert!(!explanation.to_string().contains('\u{202e}'));
    assert!(explanation.to_string().contains("\\u{202e}"));
}
