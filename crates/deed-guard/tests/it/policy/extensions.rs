use std::path::Path;

use deed_guard::policy::{
    ExtensionAct, ExtensionGrants, ExtensionPermit, Extent, Policy, PolicyText, Tier,
};
use serde_json::{Value, json};

use super::{build, user_file};

fn file(extensions: &Value) -> String {
    json!({"version": 1, "extensions": extensions}).to_string()
}

fn policy(extensions: &Value) -> Policy {
    user_file(file(extensions)).unwrap()
}

fn permit(policy: &Policy, name: &str) -> ExtensionPermit {
    stored(policy, name, &ExtensionGrants::default())
}

fn stored(policy: &Policy, name: &str, stored: &ExtensionGrants) -> ExtensionPermit {
    let path = format!("/proj/.deed/extensions/{name}.ts");
    policy
        .permit_extension((name, Path::new(&path)), stored)
        .unwrap()
}

fn may(permit: &ExtensionPermit, act: ExtensionAct<'_>) -> bool {
    permit.decide(&act).is_ok()
}

fn read(path: &str) -> ExtensionAct<'_> {
    ExtensionAct::Read(Path::new(path))
}

fn write(path: &str) -> ExtensionAct<'_> {
    ExtensionAct::Write(Path::new(path))
}

#[test]
fn a_file_grants_places_programs_hosts_and_variables_and_nothing_else() {
    let policy = policy(&json!({"ssh": {
        "fs": {"read": ["./src", "~/.ssh/config"], "write": ["./out"]},
        "exec": ["ssh", "git"],
        "net": ["api.example.com", "*.github.com"],
        "env": ["SSH_*"],
    }}));
    let ssh = permit(&policy, "ssh");
    for (act, expected) in [
        (read("/proj/src/lib.rs"), true),
        (read("/proj/srcs"), false),
        (read("/home/ann/.ssh/config"), true),
        (read("/home/ann/.ssh/id_rsa"), false),
        (read("/proj/.deed/extensions/ssh/helper.ts"), true),
        (write("/proj/out/a"), true),
        (write("/proj/src/lib.rs"), false),
        (write("/proj/.deed/extensions/ssh.ts"), false),
        (ExtensionAct::Run("git status | ssh host"), true),
        (ExtensionAct::Run("git status; rm -rf ."), false),
        (ExtensionAct::Run("git $(rm -rf .)"), false),
        (ExtensionAct::Run("/tmp/git status"), false),
        (ExtensionAct::Connect("API.example.com"), true),
        (ExtensionAct::Connect("raw.github.com"), true),
        (ExtensionAct::Connect("github.com"), false),
        (ExtensionAct::Connect("evilgithub.com"), false),
        (ExtensionAct::Know("SSH_AUTH_SOCK"), true),
        (ExtensionAct::Know("AWS_SECRET"), false),
    ] {
        assert_eq!(may(&ssh, act), expected, "{act:?}");
    }
}

#[test]
fn the_most_exact_entry_of_a_file_counts() {
    let policy = policy(&json!({
        "*": {"exec": true},
        "gate": {},
        ".deed/extensions/deploy.ts": {"net": true},
    }));
    let run = ExtensionAct::Run("true");
    assert!(may(&permit(&policy, "other"), run));
    assert!(!may(&permit(&policy, "gate"), run));
    assert!(!may(&permit(&policy, "deploy"), run));
    assert!(may(
        &permit(&policy, "deploy"),
        ExtensionAct::Connect("a.b")
    ));
}

#[test]
fn files_narrow_each_other_and_what_a_person_granted_counts_where_none_speaks() {
    let granted = ExtensionGrants {
        exec: Extent::Everything,
        ..ExtensionGrants::default()
    };
    let run = ExtensionAct::Run("git status");
    let silent = user_file(r#"{"version": 1}"#).unwrap();
    assert!(!silent.speaks_of_extension("x", Path::new("/x.ts")));
    assert!(may(&stored(&silent, "x", &granted), run));
    let silent_on_it = policy(&json!({"y": {"exec": false}}));
    assert!(may(&stored(&silent_on_it, "x", &granted), run));

    let text = |tier, extensions| PolicyText::new(tier, format!("{tier:?}"), file(extensions));
    let wide = json!({"x": {"exec": true}});
    let narrow = json!({"*": {"exec": ["ls"]}});
    let both = build(
        vec![text(Tier::User, &wide), text(Tier::Admin, &narrow)],
        None,
    );
    assert!(!may(&permit(&both.unwrap(), "x"), run));
    // A project that nobody trusts takes away and gives nothing.
    let project = build(vec![text(Tier::Project, &wide)], None).unwrap();
    assert!(!may(&permit(&project, "x"), run));
    assert!(may(&stored(&project, "x", &granted), run));
    let project = build(vec![text(Tier::Project, &narrow)], None).unwrap();
    assert!(!may(&stored(&project, "x", &granted), run));
}

#[test]
fn what_a_rule_denies_and_what_is_deeds_own_is_kept_from_all() {
    let text = json!({
        "version": 1,
        "permissions": {"deny": ["Read(./.env)", "Bash(rm *)"], "ask": ["Bash(git push *)"]},
        "extensions": {"*": {
            "fs": {"read": true, "write": true}, "exec": true, "net": true, "env": true,
        }},
    });
    let all = permit(&user_file(text.to_string()).unwrap(), "x");
    for (act, expected) in [
        (read("/proj/.env"), false),
        (read("/proj"), true),
        (read("/proj/README.md"), true),
        (write("/home/ann/.config/deed/policy.json"), false),
        (write("/home/ann/.config"), false),
        (write("/home/ann"), false),
        (write("/home/ann/notes"), true),
        (ExtensionAct::Run("rm -rf x"), false),
        (ExtensionAct::Run("git push origin"), true),
    ] {
        assert_eq!(may(&all, act), expected, "{act:?}");
    }
}

#[test]
fn entries_that_make_no_sense_are_faults_with_their_place() {
    let text = r#"{"version": 1, "extensions": {
        "a": {"fs": {"reed": true}, "exec": "git", "net": ["https://x.y"], "env": [1]},
        "b/../c": {},
    }}"#;
    insta::assert_snapshot!(user_file(text).unwrap_err(), @r#"
    policy.json:2:22: `reed` is not a known key; the keys here are `read`, `write`
    policy.json:2:45: `exec` is not `true`, `false` or a list `[…]`; write one of them
    policy.json:2:60: `https://x.y`: no host; write its name, as in `api.example.com` or `*.example.com`
    policy.json:2:84: this is no text; write it as `"…"`
    policy.json:3:9: `b/../c`: `..` in a path leads nowhere for a rule; write the path that is meant
    "#);
}

#[test]
fn the_version_tells_what_is_granted() {
    let one = policy(&json!({"a": {"exec": true}})).version();
    let other = policy(&json!({"a": {"exec": ["git"]}})).version();
    assert_ne!(one, other);
}
