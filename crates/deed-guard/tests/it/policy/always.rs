use deed_agent::Access;
use deed_guard::policy::{Ground, PermissionMode, Policy, PolicyInput, Tier};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{ALLOW, ASK, extension_call, in_mode, path_call, rules, sample, sql_call};

fn always(policy: &Policy, call: &str) -> Option<String> {
    policy.rule_for_always(&sample(call).request())
}

#[test]
fn always_stores_the_exact_thing() {
    let policy = rules(&[], &[], &[]);
    assert_eq!(
        always(&policy, "Write(src/a.rs)").unwrap(),
        "Write(/proj/src/a.rs)"
    );
    assert_eq!(
        always(&policy, "Write(/etc/a b.c)").unwrap(),
        "Write(/etc/a b.c)"
    );
    assert_eq!(
        always(&policy, "Write(src/[a]*.rs)").unwrap(),
        "Write(/proj/src/\\[a\\]\\*.rs)"
    );
    assert_eq!(
        always(&policy, "Bash(cargo test -q)").unwrap(),
        "Bash(cargo test -q)"
    );
    let read_by = |tool: &str, path: &str| {
        let call = path_call(tool, "Read", path, path);
        policy.rule_for_always(&call.request())
    };
    assert_eq!(read_by("ls", "/etc").unwrap(), "Read(/etc)");
    assert_eq!(read_by("grep", "/etc").unwrap(), "Read(/etc/**)");
    assert_eq!(read_by("ls", "/"), None);
    assert_eq!(read_by("grep", "/"), None);
    let args = json!({"q": 1, "text": "a*b, c"});
    let call = extension_call("find_it", "/ext/(x).ts", Access::Opaque, args);
    assert_eq!(
        policy.rule_for_always(&call.request()).unwrap(),
        "find_it@/ext/\\(x\\).ts(q:1, text:a\\*b\\, c, !)"
    );
}

#[test]
fn always_stores_nothing_that_could_mean_more_or_would_not_help() {
    let policy = rules(&["Bash(rm *)"], &["Write(./asked)"], &[]);
    for call in [
        "Bash(rm x)",
        "Write(asked)",
        "Write(~/.config/deed/policy.json)",
        "Sql(class:write, db:x)",
        "Sql(class:dangerous, db:x)",
        "Bash(echo $(id))",
    ] {
        assert_eq!(always(&policy, call), None, "{call}");
    }
    let bypass = in_mode(PermissionMode::Bypass, &[], &["Write(./asked)"], &[]);
    assert_eq!(
        always(&bypass, "Write(asked)"),
        None,
        "a mode is no reason to store a rule"
    );
    let several = {
        let mut call = sample("Write(a)");
        call.plan.access = Access::Write(vec!["/proj/a".into(), "/proj/b".into()]);
        call
    };
    assert_eq!(policy.rule_for_always(&several.request()), None);
    let long = json!({"text": "x".repeat(2_000)});
    let long = extension_call("say", "/ext/say.ts", Access::Opaque, long);
    assert_eq!(policy.rule_for_always(&long.request()), None);
    let own_sql = extension_call(
        "sql",
        "/ext/sql.ts",
        sql_call("write", "", "x").plan.access,
        json!({}),
    );
    assert_eq!(policy.rule_for_always(&own_sql.request()), None);
}

#[test]
fn a_rule_stored_for_one_folder_is_none_for_another() {
    let within = |folders: &[&str]| {
        let workspace = folders.iter().map(Into::into).collect();
        Policy::build(PolicyInput {
            ground: Ground {
                workspace,
                ..Ground::default()
            },
            ..PolicyInput::default()
        })
        .unwrap()
    };
    let write = |path: &str| path_call("write", "Write", "a.rs", path);
    let call = write("/proj/a.rs");
    let rule = within(&["/proj"]).rule_for_always(&call.request()).unwrap();
    for folders in [&["/proj", "/more"][..], &["/more"]] {
        let stored = within(folders).with_rules(Tier::Stored, [&rule]).unwrap();
        assert_eq!(stored.decide(&call.request()).verdict, ALLOW);
        let other = write("/more/a.rs");
        assert_eq!(stored.decide(&other.request()).verdict, ASK);
    }
}

#[test]
fn b137_a_session_rule_is_for_these_arguments_whatever_their_order() {
    let policy = rules(&[], &[], &[]);
    let call = |args: &str| {
        let args: Value = serde_json::from_str(args).unwrap();
        extension_call("search", "/ext/search.ts", Access::Opaque, args)
    };
    let spec = policy
        .rule_for_always(&call(r#"{"q":1,"l":2}"#).request())
        .unwrap();
    let granted = policy.with_rules(Tier::Session, [spec]).unwrap();
    let verdict = |args: &str| granted.decide(&call(args).request()).verdict;
    assert_eq!(verdict(r#"{"l":2,"q":1}"#), ALLOW);
    assert_eq!(verdict(r#"{"q":2,"l":2}"#), ASK);
    assert_eq!(verdict(r#"{"q":1,"l":2,"m":3}"#), ASK);
    assert_eq!(verdict(r#"{"q":1}"#), ASK);
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        "[ -~\u{e9}\u{4e00}]{0,8}".prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        (-9i64..99).prop_map(Value::from),
        prop::collection::vec("[a-c*,:]{0,3}", 0..3).prop_map(Value::from),
    ]
}

fn arguments() -> impl Strategy<Value = Value> {
    prop::collection::btree_map("[a-c:,*! ]{1,4}", scalar(), 0..4)
        .prop_map(|map| Value::Object(map.into_iter().collect::<Map<_, _>>()))
}

proptest! {
    #[test]
    fn b143_a_stored_command_rule_matches_its_call_and_no_other_first_word(
        command in "[a-z]{1,5}( ([a-z0-9./-]{1,6}|'[ #*?a-z\"]{0,6}'|\"[ #*a-z']{0,6}\"|#x|a\\*|\\\\\\*)){0,3}",
        other in "[a-z]{1,5}",
    ) {
        let policy = rules(&[], &[], &[]);
        if let Some(spec) = always(&policy, &format!("Bash({command})")) {
            let stored = policy.with_rules(Tier::Stored, [&spec]).unwrap();
            prop_assert_eq!(super::verdict(&stored, &format!("Bash({command})")), ALLOW);
            let (first, rest) = command.split_once(' ').unwrap_or((&command, "x"));
            if other != first {
                prop_assert_eq!(super::verdict(&stored, &format!("Bash({other} {rest})")), ASK);
            }
        }
    }

    #[test]
    fn b143_a_stored_path_rule_matches_its_path_alone(
        name in "[ -.0-~\u{e9}]{1,8}",
        other in "[a-c*?{}\\[\\]]{1,4}",
    ) {
        prop_assume!(name != "." && name != "..");
        let policy = rules(&[], &[], &[]);
        let call = path_call("write", "Write", "typed", &format!("/proj/{name}"));
        let spec = policy.rule_for_always(&call.request()).unwrap();
        let stored = policy.with_rules(Tier::Stored, [&spec]).unwrap();
        prop_assert_eq!(stored.decide(&call.request()).verdict, ALLOW);
        let call = path_call("write", "Write", "typed", &format!("/proj/{other}"));
        let expected = if other == name { ALLOW } else { ASK };
        prop_assert_eq!(stored.decide(&call.request()).verdict, expected);
    }

    #[test]
    fn b143_a_stored_tool_rule_matches_its_arguments_alone(
        args in arguments(),
        others in arguments(),
        source in "[a-z/()<>:@* ]{0,8}",
    ) {
        let policy = rules(&[], &[], &[]);
        let call = |args: &Value| extension_call("tool-x", &source, Access::Opaque, args.clone());
        let spec = policy.rule_for_always(&call(&args).request()).unwrap();
        let stored = policy.with_rules(Tier::Stored, [&spec]).unwrap();
        prop_assert_eq!(stored.decide(&call(&args).request()).verdict, ALLOW);
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let plain = |args: &Value| -> Vec<(String, String)> {
            args.as_object().unwrap().iter().map(|(k, v)| (k.clone(), text(v))).collect()
        };
        let expected = if plain(&args) == plain(&others) { ALLOW } else { ASK };
        prop_assert_eq!(stored.decide(&call(&others).request()).verdict, expected);
        let elsewhere = extension_call("tool-y", &source, Access::Opaque, args);
        prop_assert_eq!(stored.decide(&elsewhere.request()).verdict, ASK);
    }
}
