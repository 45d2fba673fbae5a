use serde_json::json;

use super::{GREET, greeting, play, write_project_extension, write_user_extension};
use crate::support::Sandbox;

#[test]
fn one_that_the_command_line_names_runs_as_it_is() {
    let sandbox = Sandbox::new();
    sandbox.write("greet.ts", GREET);
    let ran = play(&sandbox, &greeting(), &["-e", "greet.ts", "hi"]);
    assert_eq!(ran.stdout, "done\n");
    ran.assert_clean();
}

#[test]
fn with_nobody_to_ask_a_run_that_a_guard_may_miss_does_not_begin() {
    let sandbox = Sandbox::new();
    let path = write_user_extension(&sandbox, "greet.ts", GREET);
    let ran = play(&sandbox, &greeting(), &["hi"]);
    assert_eq!(ran.code, 2);
    insta::assert_snapshot!(sandbox.steady(&ran.stderr), @"deed: the extension ROOT/home/.config/deed/extensions/greet.ts, which your own folder or settings brings, is not accepted as it is now, and there is nobody to ask; look at it, then run `deed trust --extension ROOT/home/.config/deed/extensions/greet.ts`, or leave extensions out with --no-extensions");

    let left_out = play(
        &sandbox,
        &json!([{ "say": "alone" }]),
        &["--no-extensions", "hi"],
    );
    assert_eq!(left_out.stdout, "alone\n");

    let told = sandbox.deed(&["trust", "--extension", &path]);
    insta::assert_snapshot!(sandbox.steady(&told.stdout), @r"
    trusted, as it is now: ROOT/home/.config/deed/extensions/greet.ts
      it may do nothing outside of the session, unless a policy says otherwise (`extensions`)
    ");
    let ran = play(&sandbox, &greeting(), &["hi"]);
    assert_eq!(ran.stdout, "done\n");
    ran.assert_clean();
}

#[test]
fn a_changed_file_is_not_the_one_that_was_accepted() {
    let sandbox = Sandbox::new();
    let path = write_user_extension(&sandbox, "greet.ts", &format!("import './lib.ts';{GREET}"));
    write_user_extension(&sandbox, "lib.ts", "export default (pi) => {};");
    let folder = sandbox.home().join(".config/deed/extensions");
    let folder = folder.display().to_string();
    sandbox
        .deed(&["trust", "--extension", &folder])
        .assert_clean();
    play(&sandbox, &greeting(), &["hi"]).assert_clean();

    write_user_extension(
        &sandbox,
        "greet.ts",
        &format!("import './lib.ts';{GREET}//"),
    );
    let ran = play(&sandbox, &greeting(), &["hi"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("not accepted as it is now"),
        "{}",
        ran.stderr
    );
    sandbox
        .deed(&["trust", "--extension", &path])
        .assert_clean();
    play(&sandbox, &greeting(), &["hi"]).assert_clean();
}

#[test]
fn what_it_imports_must_be_as_it_was_accepted_too() {
    let sandbox = Sandbox::new();
    let path = write_user_extension(&sandbox, "greet/index.ts", "");
    let with = |lib: &str| {
        write_user_extension(
            &sandbox,
            "greet/index.ts",
            &format!("import './lib.ts';{GREET}"),
        );
        write_user_extension(&sandbox, "greet/lib.ts", lib);
    };
    with("export const a = 1;");
    sandbox
        .deed(&["trust", "--extension", &path])
        .assert_clean();
    play(&sandbox, &greeting(), &["hi"]).assert_clean();
    with("export const a = 2;");
    let ran = play(&sandbox, &json!([{ "say": "without it" }]), &["hi"]);
    assert_eq!(ran.stdout, "without it\n");
    assert!(
        ran.stderr.contains("lib.ts is not loaded"),
        "{}",
        ran.stderr
    );
}

#[test]
fn trust_is_taken_back_with_all_files_also_of_a_folder() {
    let sandbox = Sandbox::new();
    let path = write_user_extension(
        &sandbox,
        "greet/index.ts",
        &format!("import './lib.ts';{GREET}"),
    );
    write_user_extension(&sandbox, "greet/lib.ts", "export const a = 1;");
    let folder = path.trim_end_matches("/index.ts");
    sandbox
        .deed(&["trust", "--extension", folder])
        .assert_clean();
    play(&sandbox, &greeting(), &["hi"]).assert_clean();
    let revoke = ["trust", "--extension", "--revoke", folder];
    sandbox.deed(&revoke).assert_clean();
    assert_eq!(play(&sandbox, &greeting(), &["hi"]).code, 2);
    let listed = sandbox
        .deed(&["trust", "--list"])
        .assert_clean()
        .stdout
        .clone();
    assert_eq!(listed, "nothing is trusted\n");
    assert_eq!(sandbox.deed(&revoke).code, 2);
}

#[test]
fn a_refusal_is_for_good_until_it_is_taken_back() {
    let sandbox = Sandbox::new();
    let path = write_user_extension(&sandbox, "greet.ts", GREET);
    sandbox
        .deed(&["trust", "--extension", "--refuse", &path])
        .assert_clean();
    let ran = play(&sandbox, &json!([{ "say": "without it" }]), &["hi"]);
    assert_eq!(ran.stdout, "without it\n");
    assert!(
        ran.stderr.contains("because you refused it"),
        "{}",
        ran.stderr
    );
    let named = play(&sandbox, &greeting(), &["-e", &path, "hi"]);
    assert_eq!(named.code, 2);
    assert!(named.stderr.contains("--revoke"), "{}", named.stderr);
}

#[test]
fn those_of_a_project_need_a_trusted_project() {
    let sandbox = Sandbox::new();
    write_project_extension(&sandbox, "greet.ts", GREET);
    let folder = sandbox.path("").display().to_string();
    let path = sandbox
        .path(".deed/extensions/greet.ts")
        .display()
        .to_string();
    sandbox
        .deed(&["trust", "--extension", &path])
        .assert_clean();
    play(&sandbox, &greeting(), &["hi"]).assert_clean();

    sandbox
        .deed(&["trust", "--project", "--revoke", &folder])
        .assert_clean();
    let ran = play(&sandbox, &json!([{ "say": "without it" }]), &["hi"]);
    assert_eq!(ran.stdout, "without it\n");
    assert!(ran.stderr.contains(".deed/extensions"), "{}", ran.stderr);
}
