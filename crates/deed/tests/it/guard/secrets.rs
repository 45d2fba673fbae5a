//! A secret of the environment comes out nowhere.

use std::process::Command;

use super::{bash, write};
use crate::support::{Ran, Sandbox, run};

const SECRET: &str = "tr0ub4dor-and-3-horses";

fn with_secret(sandbox: &Sandbox, args: &[&str], input: impl ToString) -> Ran {
    let mut command: Command = sandbox.command(&[&["exec"], args].concat());
    command.env("API_TOKEN", SECRET);
    run(&mut command, input.to_string().as_bytes())
}

/// Asserts that no file of the sandbox holds the secret, and not the start of it at an end of it.
#[track_caller]
fn assert_nowhere(sandbox: &Sandbox) {
    for (path, content) in sandbox.everything() {
        let text = String::from_utf8_lossy(&content);
        assert!(!text.contains(SECRET), "it is in {}", path.display());
    }
}

#[test]
fn a_secret_is_in_no_result_event_saved_output_or_record() {
    let commands = [
        "echo \"$API_TOKEN\"",
        "printf %s \"$API_TOKEN\" | base64",
        "env >&2; exit 3",
        // More than a result holds, so that it is saved.
        "for i in $(seq 1 3000); do echo \"$i $API_TOKEN\"; done",
    ];
    let encoded = "dHIwdWI0ZG9yLWFuZC0zLWhvcnNlcw==";
    for output in ["results", "events", "text"] {
        let sandbox = Sandbox::new();
        let input: String = commands
            .iter()
            .map(|it| format!("{}\n", bash(it)))
            .collect();
        let ran = with_secret(&sandbox, &["--output", output], input);
        assert_eq!(ran.code, 0);
        assert!(ran.stdout.contains("[redacted:API_TOKEN:1]"), "{output}");
        for text in [&ran.stdout, &ran.stderr] {
            assert!(!text.contains(SECRET), "{output}");
            assert!(!text.contains(encoded), "{output}");
        }
        let saved = sandbox.home().join(".local/state/deed/output");
        assert!(saved.exists(), "nothing was saved");
        assert_nowhere(&sandbox);
    }
}

#[test]
fn a_secret_that_a_call_spells_out_is_not_in_the_record() {
    let sandbox = Sandbox::new();
    let call = bash(&format!("true '{SECRET}'"));
    with_secret(&sandbox, &["--output", "events"], call);
    assert_nowhere(&sandbox);
    let shown = sandbox.deed(&["audit", "show", "--event", "call"]);
    assert!(
        shown.stdout.contains("true '[redacted:API_TOKEN:1]'"),
        "{shown:?}"
    );
}

#[test]
fn a_mark_is_not_written_in_place_of_the_secret() {
    let sandbox = Sandbox::new();
    sandbox.write("config", format!("token = {SECRET}\n"));
    let calls = format!(
        "{}\n{}\n{}\n",
        serde_json::json!({"name": "read", "arguments": {"path": "config"}}),
        write("config", "token = [redacted:API_TOKEN:1]\nmore = 1\n"),
        bash("echo '[redacted:API_TOKEN:1]' > config"),
    );
    let ran = with_secret(&sandbox, &[], calls);
    let outcomes = ran.assert_clean().outcomes();
    assert!(
        outcomes[0]
            .text()
            .contains("token = [redacted:API_TOKEN:1]")
    );
    insta::assert_snapshot!(outcomes[1].text(), @"Not run: the arguments hold a mark such as [redacted:…] that stands where a secret was taken out. It would be written in place of the secret. Make a call that leaves that text alone, such as a smaller edit.");
    assert!(outcomes[2].is_error());
    assert_eq!(sandbox.read("config"), format!("token = {SECRET}\n"));
}
