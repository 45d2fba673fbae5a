//! `deed policy`, and policies that are wrong.

use super::{bash, unattended, write_project_policy, write_user_policy};
use crate::support::Sandbox;
use serde_json::{Value, json};

/// Contents that are wrong, and what is said of them behind the name of the file.
const WRONG: &[(&str, &str)] = &[
    (
        "",
        ":1:1: the file is empty; a policy begins with `{\"version\": 1}`",
    ),
    ("nonsense", ":1:1: not JSON: "),
    (
        "{\"version\": 1,\n \"colour\": 1}",
        ":2:2: `colour` is not a known key; the keys here are ",
    ),
    (
        "{\"version\": 1, \"version\": 1}",
        ":1:16: `version` is there twice",
    ),
    (
        "{\"version\": 7}",
        ":1:13: this program reads version 1 only",
    ),
    (
        "{\"version\": 1, \"mode\": \"yolo\"}",
        ":1:24: `mode` is not one of `plan`, ",
    ),
    (
        "{\"version\": 1, \"sandbox\": {}}",
        ":1:16: `sandbox` is not in this version",
    ),
    (
        "{\"version\": 1, \"permissions\": {\"deny\": [\"Bash(rm *\"]}}",
        ":1:41: `Bash(rm *`: has no `)` at its end; close the parenthesis",
    ),
    (
        "{\"version\": 1, \"permissions\": {\"allow\": [\"Sql(class:write)\"]}}",
        ":1:42: `Sql(class:write)` would let database writes run unasked; ",
    ),
    (
        "{\"version\": 1, \"permissions\": {\"deny\": [\"Bash(rm *)\"]},\n \
         \"tests\": [{\"call\": \"Bash(rm x)\", \"expect\": \"allow\"}]}",
        ":2:12: the test `Bash(rm x)` expects allow and finds deny by ",
    ),
];

#[test]
fn a_policy_that_is_wrong_ends_with_2_and_names_the_place_and_the_remedy() {
    let sandbox = Sandbox::new();
    for (content, said) in WRONG {
        sandbox.write("policy.json", content);
        let expected = format!("deed: policy.json{said}");
        let ran = unattended(&sandbox, &["--policy", "policy.json"], bash("touch made"));
        let checked = sandbox.deed(&["policy", "check", "--policy", "policy.json"]);
        for ran in [ran, checked] {
            assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{content}");
            assert!(ran.stderr.starts_with(&expected), "{content}: {ran:?}");
        }
    }
    assert!(!sandbox.path("made").exists());
}

#[test]
fn the_files_of_user_and_project_are_read_as_strictly() {
    let wrong = "{\"version\": 1, \"allow\": []}";
    let sandbox = Sandbox::new();
    write_project_policy(&sandbox, wrong);
    let of_project = sandbox.exec(bash("touch made").to_string());
    std::fs::remove_dir_all(sandbox.path(".deed")).unwrap();
    let user = write_user_policy(&sandbox, &json!({}));
    std::fs::write(&user, wrong).unwrap();
    let of_user = sandbox.exec(bash("touch made").to_string());
    for (ran, file) in [
        (of_project, sandbox.path(".deed/policy.json")),
        (of_user, user),
    ] {
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
        let place = format!("deed: {}:1:16: `allow` is not a known key", file.display());
        assert!(ran.stderr.starts_with(&place), "{ran:?}");
    }
    assert!(!sandbox.path("made").exists());
}

#[test]
fn a_policy_that_cannot_be_read_is_not_left_out() {
    let sandbox = Sandbox::new();
    sandbox.write("latin1", b"{\"version\": 1} // \xe9");
    let refused = |file: &str| {
        let ran = unattended(&sandbox, &["--policy", file], bash("touch made"));
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{file}");
        ran.stderr
    };
    insta::assert_snapshot!(refused("nowhere.json"), @"deed: the policy nowhere.json cannot be read: No such file or directory (os error 2)");
    insta::assert_snapshot!(refused("."), @"deed: the policy . cannot be read: Is a directory (os error 21)");
    insta::assert_snapshot!(refused("latin1"), @"deed: the policy latin1 cannot be read: stream did not contain valid UTF-8");
    assert!(!sandbox.path("made").exists());
}

#[test]
fn init_writes_a_policy_that_passes_and_leaves_one_that_is_there_alone() {
    let sandbox = Sandbox::new();
    let path = sandbox.home().join(".config/deed/policy.json");
    let ran = sandbox.deed(&["policy", "init"]);
    assert_eq!(
        ran.assert_clean().stdout,
        format!("wrote {}\n", path.display())
    );
    sandbox.deed(&["policy", "check"]).assert_clean();

    std::fs::write(&path, "mine").unwrap();
    let again = sandbox.deed(&["policy", "init"]);
    assert_eq!((again.code, again.stdout.as_str()), (2, ""));
    assert!(
        again
            .stderr
            .ends_with("is there already and was left alone\n")
    );
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");

    sandbox
        .deed(&["policy", "init", "new/own.json"])
        .assert_clean();
    std::fs::remove_file(&path).unwrap();
    let named = ["policy", "check", "--policy", "new/own.json"];
    sandbox.deed(&named).assert_clean();
}

#[test]
fn a_compound_command_is_explained_part_by_part() {
    let sandbox = Sandbox::new();
    sandbox.deed(&["policy", "init"]).assert_clean();
    let call = "Bash(cargo test && rm -rf x)";
    let ran = sandbox.deed(&["policy", "check", call]);
    insta::assert_snapshot!(ran.assert_clean().stdout, @"
    ask: `rm -rf x`: no rule allows this command
      by    mode:default
      mode  default
      allow cargo test  [user:permissions.allow[3] Bash(cargo test *)]
      ask   rm -rf x  [mode:default]
    ");

    let ran = sandbox.deed(&["policy", "check", call, "--json"]);
    let explained: Value = serde_json::from_str(&ran.assert_clean().stdout).unwrap();
    assert_eq!(explained["verdict"], "ask");
    let parts = explained["parts"].as_array().unwrap();
    let verdicts: Vec<_> = parts
        .iter()
        .map(|part| {
            (
                part["text"].as_str().unwrap(),
                part["verdict"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(verdicts, [("cargo test", "allow"), ("rm -rf x", "ask")]);
}

#[test]
fn a19_a_path_is_judged_by_where_it_leads() {
    let sandbox = Sandbox::new();
    sandbox.deed(&["policy", "init"]).assert_clean();
    std::fs::create_dir(sandbox.home().join(".ssh")).unwrap();
    std::fs::write(sandbox.home().join(".ssh/id_rsa"), "key").unwrap();
    std::os::unix::fs::symlink(sandbox.home().join(".ssh"), sandbox.path("docs")).unwrap();
    let ran = sandbox.deed(&["policy", "check", "Read(./docs/id_rsa)"]);
    assert!(ran.assert_clean().stdout.starts_with("deny: "), "{ran:?}");
    let call = json!({"name": "read", "arguments": {"path": "docs/id_rsa"}});
    let ran = sandbox.exec(call.to_string());
    assert!(ran.only().text().starts_with("Denied: "), "{ran:?}");
}

#[test]
fn what_is_no_call_is_a_mistake() {
    let sandbox = Sandbox::new();
    let refused = |call: &str| {
        let ran = sandbox.deed(&["policy", "check", call]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{call}");
        ran.stderr
    };
    insta::assert_snapshot!(refused("Bash(cargo test"), @"deed: `Bash(cargo test`: has no `)` at its end; close the parenthesis");
    insta::assert_snapshot!(refused("Bash"), @"deed: `Bash`: `Bash` alone is no call; write what it is called on, as in `Bash(…)`");
    insta::assert_snapshot!(refused("Run(x)"), @"deed: `Run(x)`: `Run` is no kind of access; write `Read`, `Write`, `Bash` or `Sql`, or `Run@SOURCE` for a tool");
}

#[test]
fn check_lists_what_holds_and_what_was_put_aside() {
    let sandbox = Sandbox::new();
    let list = |sandbox: &Sandbox| {
        let ran = sandbox.deed(&["policy", "check"]);
        let lines = sandbox.steady(&ran.assert_clean().stdout);
        let steady = lines.lines().filter(|line| !line.starts_with("version"));
        steady.collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(list(&sandbox), @"
    no policy file; `deed policy init` writes one
    mode     default
    ");
    write_user_policy(
        &sandbox,
        &json!({"version": 1, "permissions": {"ask": ["Bash(git push *)"]}}),
    );
    write_project_policy(
        &sandbox,
        "{\"version\": 1, \"permissions\": {\n  \"deny\": [\"Bash(rm *)\"],\n  \"allow\": [\"Bash(make *)\"]}}",
    );
    insta::assert_snapshot!(list(&sandbox), @"
    file     ROOT/home/.config/deed/policy.json
    file     ROOT/work/.deed/policy.json
    mode     default
    ask      Bash(git push *)  [ROOT/home/.config/deed/policy.json:1]
    deny     Bash(rm *)  [ROOT/work/.deed/policy.json:2]
    aside    allow `Bash(make *)` (ROOT/work/.deed/policy.json:3) counts after `deed trust ROOT/work/.deed/policy.json`
    ");
}

#[test]
fn no_command_takes_longer_than_the_policy_lets_it_whatever_the_call_says() {
    let sandbox = Sandbox::new();
    let policy = json!({"version": 1, "limits": {"bash_timeout_s": 1}});
    sandbox.write("policy.json", policy.to_string());
    let mut asks_for_more = bash("sleep 60");
    asks_for_more["arguments"]["timeout"] = json!(60);
    let args = ["--policy", "policy.json", "--permission-mode", "bypass"];
    for call in [asks_for_more, bash("sleep 60")] {
        let ran = sandbox.exec_with(&args, call.to_string());
        let outcome = ran.only();
        let said = "Command timed out after 1";
        assert!(outcome.text().contains(said), "{call}: {outcome:?}");
    }
}
