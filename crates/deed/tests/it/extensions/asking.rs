//! What a person at the terminal is asked before an extension is loaded for the first time.

use serde_json::{Value, json};

use super::{GREET, greeting, play, write_user_extension};
use crate::support::Sandbox;
use crate::terminal::{Left, Seat};

const WANTING: &str =
    "import { execFileSync } from 'node:child_process'; [execFileSync, process.env.TOKEN];";

/// Runs a prompt at a terminal and answers the one question.
fn answered(sandbox: &Sandbox, script: &Value, answer: &str) -> Left {
    sandbox.write("script.json", script.to_string());
    let words = [
        "-p",
        "--model",
        "script:script.json",
        "--permission-mode",
        "bypass",
        "hi",
    ];
    let mut seat = Seat::start_command(sandbox, &sandbox.command(&words), "", "");
    seat.wait_for("answer").press(&format!("{answer}\n"));
    seat.end()
}

#[test]
fn it_is_asked_once_with_what_it_wants_and_again_when_it_changed() {
    let sandbox = Sandbox::new();
    write_user_extension(&sandbox, "greet.ts", &format!("{WANTING}{GREET}"));
    let left = answered(&sandbox, &greeting(), "1");
    assert_eq!(left.stdout, "done\n");
    for told in [
        "▌ Load the extension greet?\n",
        "  It comes from your own folder or settings. It was not loaded before.\n",
        "it wants to: run programs, know variables of",
        "(TOKEN)\n",
        "  1  load it, and let it do that\n",
    ] {
        assert!(left.screen.contains(told), "{told:?} of {}", left.screen);
    }
    play(&sandbox, &greeting(), &["hi"]).assert_clean();

    write_user_extension(&sandbox, "greet.ts", &format!("{WANTING}{GREET}//"));
    let left = answered(&sandbox, &greeting(), "1");
    assert!(
        left.screen.contains("It has changed since you accepted"),
        "{}",
        left.screen
    );
}

#[test]
fn it_is_not_loaded_where_the_answer_is_no_and_never_again_where_it_is_never() {
    let sandbox = Sandbox::new();
    write_user_extension(&sandbox, "greet.ts", GREET);
    let alone = json!([{ "say": "alone" }]);
    assert_eq!(answered(&sandbox, &alone, "3").stdout, "alone\n");
    assert_eq!(answered(&sandbox, &alone, "4").stdout, "alone\n");
    let after = play(&sandbox, &alone, &["hi"]);
    assert_eq!(after.stdout, "alone\n");
    assert!(
        after.stderr.contains("because you refused it"),
        "{}",
        after.stderr
    );
}
