//! `deed import pi`, with the real program and a folder as Pi makes it.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use super::support::{Ran, Sandbox, run};

/// A sandbox with Pi's folder in its home.
fn with_pi(files: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::new();
    for (name, content) in files {
        let path = pi(&sandbox).join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    sandbox
}

fn pi(sandbox: &Sandbox) -> PathBuf {
    sandbox.home().join(".pi/agent")
}

fn session(id: &str) -> String {
    let header = json!({ "type": "session", "version": 3, "id": id,
        "timestamp": "2026-11-30T21:12:12.006Z", "cwd": "/work/app" });
    let user = json!({ "type": "message", "id": "9c0d1e2f", "parentId": null,
        "timestamp": "2026-11-30T21:12:13.006Z",
        "message": { "role": "user", "content": "hello", "timestamp": 1 } });
    format!("{header}\n{user}\n")
}

fn a_persons_pi() -> Sandbox {
    let (one, two) = (session("0197a"), session("0197b"));
    with_pi(&[
        (
            "settings.json",
            r#"{"defaultModel":"claude-opus-5-5","theme":"dark"}"#,
        ),
        (
            "auth.json",
            r#"{"openai":{"type":"api_key","key":"sk-secret"},"anthropic":{"type":"oauth"}}"#,
        ),
        ("skills/pdf/SKILL.md", "---\ndescription: x\n---\n"),
        ("prompts/review.md", "Review"),
        ("AGENTS.md", "be kind"),
        ("sessions/--work-app--/a_0197a.jsonl", &one),
        ("sessions/--work-app--/b_0197b.jsonl", &two),
        ("sessions/--work-app--/broken.jsonl", "x\n"),
        ("bin/rg", ""),
    ])
}

fn steady(sandbox: &Sandbox, ran: &Ran) -> String {
    ran.assert_clean();
    sandbox.steady(&ran.stdout)
}

#[test]
fn a_dry_run_tells_all_and_writes_nothing() {
    let sandbox = a_persons_pi();
    let before = sandbox.everything();
    let ran = sandbox.deed(&["import", "pi", "--dry-run"]);
    assert_eq!(sandbox.everything(), before);
    insta::assert_snapshot!(steady(&sandbox, &ran), @"
    taken          setting       defaultModel
    not supported  setting       theme: Deed has no such setting
    not supported  key           auth.json: anthropic: signing in with an account is not in this version; set a key with `deed auth`
    taken          key           auth.json: openai
    taken          instructions  AGENTS.md
    taken          skill         skills/pdf
    taken          prompt        prompts/review.md
    skipped        session       sessions/--work-app--/broken.jsonl: no session: it has no header
    taken          session       sessions/--work-app--/ (2)
    would take 7, 1 skipped, 2 not supported
    ");
}

#[test]
fn an_import_takes_what_it_said_and_a_second_one_nothing() {
    let sandbox = a_persons_pi();
    let planned = sandbox.deed(&["import", "pi", "--dry-run"]).stdout;
    let ran = sandbox.deed(&["import", "pi"]);
    let told = steady(&sandbox, &ran);
    assert_eq!(told, sandbox.steady(&planned).replace("would take", "took"));
    assert!(!told.contains("sk-secret"));
    let home = sandbox.home();
    for (path, content) in [
        (".config/deed/AGENTS.md", "be kind"),
        (".config/deed/prompts/review.md", "Review"),
        (
            ".config/deed/settings.json",
            "{\n  \"model\": \"claude-opus-5-5\"\n}\n",
        ),
    ] {
        assert_eq!(
            fs::read_to_string(home.join(path)).unwrap(),
            content,
            "{path}"
        );
    }
    let sessions = home.join(".local/share/deed/sessions/--work-app--");
    assert_eq!(fs::read_dir(sessions).unwrap().count(), 2);
    let again = steady(&sandbox, &sandbox.deed(&["import", "pi"]));
    assert!(
        again.ends_with("took 0, 8 skipped, 2 not supported\n"),
        "{again}"
    );
}

#[test]
fn pis_folder_may_be_elsewhere_and_each_thing_is_a_line_of_json() {
    let sandbox = with_pi(&[("AGENTS.md", "x")]);
    let elsewhere = sandbox.path("old");
    fs::create_dir_all(elsewhere.join("prompts")).unwrap();
    fs::write(elsewhere.join("prompts/p.md"), "x").unwrap();
    let expected = json!({ "kind": "prompt", "name": "prompts/p.md", "outcome": "taken",
        "to": sandbox.home().join(".config/deed/prompts/p.md") });
    let named = sandbox.deed(&["import", "pi", "--json", "--dry-run", "--from", "old"]);
    assert_eq!(
        named.assert_clean().lines(),
        std::slice::from_ref(&expected)
    );
    let mut command = sandbox.command(&["import", "pi", "--json"]);
    let ran = run(command.env("PI_CODING_AGENT_DIR", &elsewhere), b"");
    assert_eq!(ran.assert_clean().lines(), [expected]);
}

#[test]
fn without_pi_the_exit_code_is_2_and_a_failure_is_1() {
    let sandbox = Sandbox::new();
    let ran = sandbox.deed(&["import", "pi"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert_eq!(
        sandbox.steady(&ran.stderr),
        "deed: there is no folder ROOT/home/.pi/agent; name Pi's folder with --from\n"
    );
    let sandbox = with_pi(&[("skills/a/SKILL.md", "x")]);
    fs::create_dir_all(sandbox.home().join(".config/deed")).unwrap();
    fs::write(sandbox.home().join(".config/deed/skills"), "").unwrap();
    let ran = sandbox.deed(&["import", "pi"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout
            .starts_with("failed         skill         skills/a: "),
        "{ran:?}"
    );
}
