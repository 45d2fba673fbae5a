//! `deed trust`: whose word a project's policy is.

use super::{bash, unattended, write_project_policy};
use crate::support::{Ran, Sandbox};

const POLICY: &str = "{\"version\": 1, \"permissions\": {\n\
                      \"allow\": [\"Bash(touch allowed)\"],\n\
                      \"deny\": [\"Bash(touch denied)\"]}}";

fn run(sandbox: &Sandbox, command: &str) -> Ran {
    unattended(sandbox, &["--permission-mode", "default"], bash(command))
}

fn policy_path(sandbox: &Sandbox) -> String {
    sandbox.path(".deed/policy.json").display().to_string()
}

#[test]
fn an_untrusted_policy_only_tightens_and_says_so() {
    let sandbox = Sandbox::new();
    write_project_policy(&sandbox, POLICY);
    let ran = run(&sandbox, "touch allowed");
    assert!(ran.only().is_error());
    let path = policy_path(&sandbox);
    assert_eq!(
        ran.stderr,
        format!(
            "deed: warning: {path}: line 2, allow `Bash(touch allowed)`, does not count until you \
             trust the file: deed trust {path}\n"
        )
    );
    // In the loosest mode too.
    let ran = sandbox.exec(bash("touch denied").to_string());
    assert!(ran.only().text().starts_with("Denied: "), "{ran:?}");
}

#[test]
fn a_trusted_policy_counts_until_a_byte_of_it_changes() {
    let sandbox = Sandbox::new();
    write_project_policy(&sandbox, POLICY);
    let ran = sandbox.deed(&["trust", ".deed/policy.json"]);
    assert_eq!(
        ran.assert_clean().stdout,
        format!("trusted, as it is now: {}\n", policy_path(&sandbox))
    );
    let ran = run(&sandbox, "touch allowed");
    assert!(!ran.assert_clean().only().is_error());

    write_project_policy(&sandbox, &format!("{POLICY} "));
    let ran = run(&sandbox, "touch allowed");
    assert!(ran.only().is_error());
    assert!(
        ran.stderr.contains("does not count until you trust"),
        "{ran:?}"
    );
    // And again as it was.
    write_project_policy(&sandbox, POLICY);
    assert!(!run(&sandbox, "touch allowed").only().is_error());
}

#[test]
fn a_project_cannot_loosen_the_mode_or_the_limits() {
    let sandbox = Sandbox::new();
    write_project_policy(
        &sandbox,
        "{\"version\": 1, \"mode\": \"bypass\", \"limits\": {\"sql_rows\": 900000}}",
    );
    let listed = sandbox.deed(&["policy", "check"]);
    let listed = &listed.assert_clean().stdout;
    assert!(listed.contains("mode     default\n"), "{listed}");
    assert_eq!(listed.matches("\naside    ").count(), 2, "{listed}");
}

#[test]
fn several_entries_are_one_warning() {
    let sandbox = Sandbox::new();
    let policy = "{\"version\": 1, \"permissions\": {\"allow\": [\"Bash(a)\", \"Bash(b)\"]}}";
    write_project_policy(&sandbox, policy);
    let ran = sandbox.exec(bash("true").to_string());
    assert_eq!(ran.stderr.lines().count(), 1, "{ran:?}");
    assert!(
        ran.stderr
            .contains("2 entries do not count (`deed policy check` lists them)")
    );
}

#[test]
fn trust_is_listed_taken_back_and_refused() {
    let sandbox = Sandbox::new();
    write_project_policy(&sandbox, POLICY);
    let list = || {
        sandbox
            .deed(&["trust", "--list"])
            .assert_clean()
            .stdout
            .clone()
    };
    assert_eq!(list(), "nothing is trusted\n");
    sandbox.deed(&["trust", ".deed/policy.json"]).assert_clean();
    let trusted = format!("trusted  policy  {}  since ", policy_path(&sandbox));
    assert!(list().starts_with(&trusted), "{}", list());

    sandbox
        .deed(&["trust", "--revoke", ".deed/policy.json"])
        .assert_clean();
    assert!(run(&sandbox, "touch allowed").only().is_error());
    let again = sandbox.deed(&["trust", "--revoke", ".deed/policy.json"]);
    assert_eq!(again.code, 2);
    assert!(
        again.stderr.starts_with("deed: nothing was said of "),
        "{again:?}"
    );

    sandbox.deed(&["trust", "--refuse", "."]).assert_clean();
    let refused = sandbox.deed(&["trust", ".deed/policy.json"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (1, ""));
    assert!(
        refused
            .stderr
            .contains("was refused before; revoke that first")
    );
    sandbox.deed(&["trust", "--revoke", "."]).assert_clean();
    sandbox.deed(&["trust", ".deed/policy.json"]).assert_clean();
}

#[test]
fn what_is_not_there_cannot_be_trusted() {
    let sandbox = Sandbox::new();
    let ran = sandbox.deed(&["trust", "nowhere"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    let path = sandbox.path("nowhere");
    let expected = format!(
        "deed: cannot read {}: No such file or directory (os error 2)\n",
        path.display()
    );
    assert_eq!(ran.stderr, expected);
    assert_eq!(sandbox.deed(&["trust"]).code, 2);
}

#[test]
fn a_project_is_trusted_as_a_folder() {
    let sandbox = Sandbox::new();
    let work = sandbox.path("").canonicalize().unwrap();
    let ran = sandbox.deed(&["trust", "--project", "."]);
    let expected = format!("trusted, with all below it: {}\n", work.display());
    assert_eq!(ran.assert_clean().stdout, expected);
    let listed = sandbox.deed(&["trust", "--list"]).stdout;
    let expected = format!("trusted  project  {}  since ", work.display());
    assert!(listed.starts_with(&expected), "{listed}");
    sandbox.write("file", "");
    let ran = sandbox.deed(&["trust", "--project", "file"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{}", ran.stderr);
    sandbox
        .deed(&["trust", "--project", "--refuse", "."])
        .assert_clean();
    let refused = sandbox.deed(&["trust", "--project", "."]);
    assert_eq!(refused.code, 1);
    assert!(
        refused.stderr.contains("was refused before"),
        "{}",
        refused.stderr
    );
}
