use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use deed_guard::policy::{Policy, PolicyInput, PolicyText, SampleCall, Tier, starter};
use insta::assert_snapshot;

use super::{ALLOW, ground, user_file, verdict};

fn faults(text: &str) -> String {
    user_file(text).unwrap_err().to_string()
}

#[test]
fn all_faults_of_a_file_come_at_once_with_place_and_remedy() {
    let text = r#"{
  "version": 2,
  "mode": "yolo",
  "permissions": {
    "allow": ["Edit(./x)", "Bash(", 7, "Sql(class:red)", "Sql(table:x)", "Read(../x)", "deploy(prod)"],
    "forbid": []
  },
  "limits": {"sql_rows": 0, "sql_bytes": "big"},
  "audit": {"durability": "loose"},
  "mode": "plan",
  "sandbox": {},
  "colour": 1
}"#;
    assert_snapshot!(faults(text));
}

#[test]
fn what_is_no_json_object_is_a_fault_with_a_place() {
    assert_eq!(
        faults("{\n  \"version\": 1,\n  mode: 1\n}").lines().count(),
        1
    );
    assert!(faults("{\n  \"version\" 1}").starts_with("policy.json:2:"));
    assert!(faults("[]").starts_with("policy.json:1:1: a policy is a JSON object"));
    assert!(faults("// nothing").contains("the file is empty"));
    assert!(faults("{}").contains("add `\"version\": 1`"));
    assert!(faults(&format!("{}1", "[".repeat(5_000))).starts_with("policy.json:1:"));
}

#[test]
fn the_column_counts_characters() {
    let text = "{\"version\": 1, /* größer */ \"colour\": 1}";
    assert!(faults(text).starts_with("policy.json:1:29: `colour`"));
}

#[test]
fn comments_and_trailing_commas_are_fine() {
    let text =
        "{ // one\n \"version\": 1, /* two */ \"permissions\": {\"allow\": [\"Bash(ls)\",],},}";
    assert_eq!(verdict(&user_file(text).unwrap(), "Bash(ls)"), ALLOW);
}

#[test]
fn a_rule_that_lets_database_writes_run_unasked_needs_a_word_beside_it() {
    for spec in [
        "Sql",
        "Sql(class:write)",
        "Sql(class:maint*)",
        "Sql(db:shop)",
        "Sql(class:*, db:x)",
    ] {
        let file = |extra: &str| {
            format!("{{\"version\": 1, {extra}\"permissions\": {{\"allow\": [\"{spec}\"]}}}}")
        };
        let faults = faults(&file(""));
        assert!(
            faults.contains("\"sqlWrites\": \"unattended\""),
            "{spec}: {faults}"
        );
        assert!(
            user_file(file("\"sqlWrites\": \"ask\", ")).is_err(),
            "{spec}"
        );
        assert!(
            user_file(file("\"sqlWrites\": \"unattended\", ")).is_ok(),
            "{spec}"
        );
    }
    let refused = "{\"version\": 1, \"sqlWrites\": \"unattended\", \
                   \"permissions\": {\"allow\": [\"Sql(class:dangerous)\"]}}";
    assert!(faults(refused).contains("allows nothing"));
}

#[test]
fn a_failing_test_names_what_it_found_and_the_rule() {
    let text = r#"{
  "version": 1,
  "permissions": {"deny": ["Bash(sudo *)"]},
  "tests": [
    {"call": "Bash(sudo id)", "expect": "deny"},
    {"call": "Bash(sudo id)", "expect": "ask"},
    {"call": "deploy(env:prod)", "expect": "allow"},
    {"call": "Bash", "expect": "allow"},
    {"call": "Sql(db:x)", "expect": "allow"},
    {"call": "Bash(ls)"}
  ]
}"#;
    let mended = text.replace(
        r#",
    {"call": "Bash", "expect": "allow"},
    {"call": "Sql(db:x)", "expect": "allow"},
    {"call": "Bash(ls)"}"#,
        "",
    );
    assert_snapshot!(format!("{}\n---\n{}", faults(text), faults(&mended)));
}

#[test]
fn tests_of_a_file_hold_for_that_file_alone() {
    let user = r#"{"version": 1, "permissions": {"allow": ["Bash(make)"]},
                   "tests": [{"call": "Bash(make)", "expect": "allow"}]}"#;
    let project = r#"{"version": 1, "permissions": {"deny": ["Bash(make)"]},
                      "tests": [{"call": "Bash(make)", "expect": "deny"}]}"#;
    let policy = super::build(
        vec![
            PolicyText::new(Tier::User, "user.json", user),
            PolicyText::new(Tier::Project, "project.json", project),
        ],
        None,
    )
    .unwrap();
    assert_eq!(verdict(&policy, "Bash(make)"), super::DENY);
}

#[test]
fn faults_of_all_files_come_at_once() {
    let error = super::build(
        vec![
            PolicyText::new(Tier::User, "user.json", "{"),
            PolicyText::new(Tier::Project, "project.json", "{}"),
        ],
        None,
    )
    .unwrap_err();
    let files: Vec<_> = error
        .0
        .iter()
        .map(|fault| fault.place.as_ref().unwrap().file.to_string())
        .collect();
    assert_eq!(files, ["user.json", "project.json"]);
}

#[test]
fn a_home_rule_without_a_known_home_is_a_fault() {
    let mut ground = ground();
    ground.home = None;
    let text = r#"{"version": 1, "permissions": {"deny": ["Read(~/.ssh/**)"]}}"#;
    let error = Policy::build(PolicyInput {
        files: vec![PolicyText::new(Tier::User, "policy.json", text)],
        ground,
        mode: None,
    })
    .unwrap_err();
    assert!(error.to_string().contains("home folder"));
}

#[test]
fn a_workspace_that_rules_cannot_name_is_a_fault_and_no_hole() {
    let mut ground = ground();
    ground.workspace = vec![OsStr::from_bytes(b"/w\xff").into()];
    let text = r#"{"version": 1, "permissions": {"deny": ["Read(./secret)"]}}"#;
    let error = Policy::build(PolicyInput {
        files: vec![PolicyText::new(Tier::User, "policy.json", text)],
        ground,
        mode: None,
    })
    .unwrap_err();
    assert!(error.to_string().contains("UTF-8"));
}

#[test]
fn the_starter_file_loads_and_keeps_its_promises() {
    let policy = user_file(starter()).unwrap();
    assert!(policy.put_aside().is_empty());
    assert_eq!(verdict(&policy, "Bash(cargo test -q)"), ALLOW);
    let broken = starter().replace("\"expect\": \"deny\"", "\"expect\": \"allow\"");
    assert_eq!(user_file(broken).unwrap_err().0.len(), 2);
}

#[test]
fn a_sample_call_that_is_none_says_why() {
    let error = |call: &str| SampleCall::parse(call, &ground()).unwrap_err().to_string();
    assert!(error("Bash").contains("no call"));
    assert!(error("Sql(class:red)").contains("maintenance"));
    assert!(error("Shell(ls)").contains("`Bash(…)`"));
    assert!(error("deploy(prod)").contains("`field:pattern`"));
}
