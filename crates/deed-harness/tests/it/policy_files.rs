//! From the files of a place to the policy that holds there.

use std::path::{Path, PathBuf};

use deed_guard::policy::{Ground, Policy, PolicyVerdict, SampleCall};
use deed_guard::trust::StoredRules;
use deed_harness::PolicyFiles;

fn load(files: &PolicyFiles, folder: &str) -> (Policy, Ground) {
    let ground = Ground {
        workspace: vec![folder.into()],
        ..Ground::default()
    };
    let loaded = files.load(ground.clone(), None).unwrap();
    (loaded.policy, ground)
}

#[test]
fn a_rule_that_was_stored_in_one_workspace_is_not_read_in_another() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| -> PathBuf { folder.path().join(name) };
    let files = PolicyFiles {
        admin: path("admin.json"),
        command_line: None,
        user: None,
        project: path("project.json"),
        stored_rules: Some(path("rules.json")),
        trust: None,
    };
    let mut rules = StoredRules::load(path("rules.json")).unwrap();
    let now = "2026-12-01T03:00:00Z".parse().unwrap();
    for spec in ["Bash(make)", "Write(./a)"] {
        rules.add(spec, Path::new("/one"), "a1", now).unwrap();
    }
    for (place, expected) in [("/one", PolicyVerdict::Allow), ("/two", PolicyVerdict::Ask)] {
        let (policy, ground) = load(&files, place);
        for call in ["Bash(make)", "Write(a)"] {
            let call = SampleCall::parse(call, &ground).unwrap();
            assert_eq!(policy.decide(&call.request()).verdict, expected, "{place}");
        }
    }
}
