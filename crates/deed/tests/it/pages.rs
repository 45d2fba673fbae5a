//! Completion scripts and the manual.

use std::process::{Command, Stdio};

use super::support::{Sandbox, run};

#[test]
fn the_script_for_bash_parses_and_completes() {
    let sandbox = Sandbox::new();
    let ran = sandbox.deed(&["completions", "bash"]);
    sandbox.write("script", &ran.assert_clean().stdout);
    let complete = "source ./script; COMP_WORDS=(deed ex); COMP_CWORD=1; \
                    _deed deed ex deed; echo \"${COMPREPLY[@]}\"";
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c", complete])
        .current_dir(sandbox.path(""))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    assert_eq!(
        run(&mut bash, b"").assert_clean().stdout,
        "exec extension\n"
    );
}

#[test]
fn scripts_of_the_other_shells_know_every_command() {
    let sandbox = Sandbox::new();
    for shell in ["zsh", "fish", "elvish", "powershell"] {
        let ran = sandbox.deed(&["completions", shell]);
        let script = &ran.assert_clean().stdout;
        for command in [
            "exec",
            "demo",
            "tools",
            "policy",
            "audit",
            "trust",
            "config",
            "auth",
            "doctor",
            "completions",
            "man",
        ] {
            assert!(script.contains(command), "{shell}: {command}");
        }
    }
    assert_eq!(sandbox.deed(&["completions", "cmd"]).code, 2);
}

#[test]
fn the_manual_has_a_page_for_each_command_and_keeps_examples_as_they_are() {
    let ran = Sandbox::new().deed(&["man"]);
    let page = &ran.assert_clean().stdout;
    for title in [
        "deed",
        "deed-exec",
        "deed-demo",
        "deed-tools",
        "deed-policy",
        "deed-policy-check",
        "deed-audit-verify",
        "deed-trust",
        "deed-config-path",
        "deed-auth-set",
        "deed-doctor",
        "deed-completions",
    ] {
        assert!(page.contains(&format!(".TH {title} 1")), "{title}");
    }
    assert!(
        page.contains(
            "\n  deed exec \\-\\-tools read,grep \\-\\-fail\\-on\\-error < calls.jsonl\n"
        )
    );
}
