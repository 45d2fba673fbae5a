//! What a question at the terminal looks like, and when there is one.

use std::process::Command;

use super::{bash, unattended, write};
use crate::support::Sandbox;
use crate::terminal::{ANSWER, Seat};
use serde_json::json;

const ASK: &[&str] = &["--permission-mode", "default"];

/// Returns what stands on the terminal from the first question to its answer.
fn question(sandbox: &Sandbox, call: &serde_json::Value) -> String {
    let mut seat = Seat::start(sandbox, ASK, call.to_string());
    seat.answer("n");
    sandbox.steady(&seat.end().screen)
}

#[test]
fn a_question_names_the_reason_the_place_and_the_call() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(question(&sandbox, &bash("cargo test && rm -rf x")), @"
    deed asks: bash
      why: `cargo test`: no rule allows this command
      | runs in ROOT/work
      | command: cargo test && rm -rf x
      y  yes, this once
      s  yes, and to the same call for the rest of the session
      n  no (what follows is told to the model: n use the other file)
      d  details
    answer: n
    ");
    insta::assert_snapshot!(question(&sandbox, &bash("touch a")), @"
    deed asks: bash
      why: no rule allows this command
      | runs in ROOT/work
      | command: touch a
      y  yes, this once
      s  yes, and to the same call for the rest of the session
      a  always: store the rule  Bash(touch a)
      n  no (what follows is told to the model: n use the other file)
      d  details
    answer: n
    ");
    insta::assert_snapshot!(question(&sandbox, &write("a.txt", "one\ntwo\n")), @r"

    deed asks: write
      why: no rule allows writing `ROOT/work/a.txt`
      | writes ROOT/work/a.txt
      | path: a.txt
      | content:
      |   one
      |   two
      ● write  a.txt   new file · 8B
        │ 1  one
        │ 2  two
      y  yes, this once
      s  yes, and to the same call for the rest of the session
      a  always: store the rule  Write(ROOT/work/a.txt)
      n  no (what follows is told to the model: n use the other file)
      d  details
    answer: n
    ");
}

#[test]
fn b142_a10_every_line_of_a_command_is_shown_and_nothing_in_it_is_invisible() {
    let sandbox = Sandbox::new();
    let many: String = (0..60).map(|number| format!("echo {number}\n")).collect();
    let command = format!("# list files\n{many}rm -r d\u{202e}\x1b[2K\r");
    let asked = question(&sandbox, &bash(&command));
    assert!(asked.contains("|   # list files\n"), "{asked}");
    assert!(asked.contains("|   echo 59\n"), "{asked}");
    assert!(
        asked.contains("|   rm -r d\\u{202e}\\u{1b}[2K\\r\n"),
        "{asked}"
    );
    assert!(asked.contains("! it has characters that cannot be seen"));
    assert!(!asked.contains(['\u{202e}', '\x1b']), "{asked}");
}

#[test]
fn a_long_write_is_cut_beside_its_preview_and_details_show_all_of_it() {
    let sandbox = Sandbox::new();
    let content: String = (0..5000).map(|number| format!("line {number}\n")).collect();
    let mut command = sandbox.command(&["exec", "--permission-mode", "default"]);
    command.env("LANG", "C");
    let input = write("long", &content).to_string();
    let mut seat = Seat::start_command(&sandbox, &command, &input, "");
    seat.wait_for("  ... 4973 more lines; d shows all\r\n");
    seat.answer("d").wait_for("line 4999").answer("n");
    let left = seat.end();
    assert!(left.screen.is_ascii(), "{left:?}");
    assert_eq!(left.screen.matches("line 4999").count(), 1);
}

#[test]
fn a_preview_is_as_wide_as_the_terminal_and_no_wider() {
    let sandbox = Sandbox::new();
    let asked = question(
        &sandbox,
        &write("wide", &format!("{}\n", "word ".repeat(60))),
    );
    let (_, preview) = asked.split_once("● write").unwrap();
    let (preview, _) = preview.split_once("  y  yes").unwrap();
    let widths = preview.lines().map(|line| line.chars().count());
    assert!((70..=80).contains(&widths.max().unwrap()), "{preview}");
}

#[test]
fn what_was_typed_before_the_question_is_no_answer() {
    let sandbox = Sandbox::new();
    let input = bash("touch made").to_string();
    let mut seat = Seat::start_after(&sandbox, ASK, input, "y\n");
    seat.answer("n");
    let left = seat.end();
    assert!(left.only().is_error(), "{left:?}");
    assert!(!sandbox.path("made").exists());
}

#[test]
fn questions_of_a_batch_come_one_after_the_other_in_call_order() {
    let sandbox = Sandbox::new();
    let batch = json!([bash("touch a"), bash("touch b"), bash("touch c")]);
    let mut seat = Seat::start(&sandbox, ASK, batch.to_string());
    seat.wait_for("command: touch a").answer("y");
    seat.wait_for("command: touch b").answer("n");
    seat.wait_for("command: touch c").answer("y");
    let left = seat.end();
    let errors: Vec<bool> = left.outcomes().iter().map(|it| it.is_error()).collect();
    assert_eq!(errors, [false, true, false]);
    let made = ["a", "b", "c"].map(|name| sandbox.path(name).exists());
    assert_eq!(made, [true, false, true]);
}

#[test]
fn a_question_stays_on_the_screen_until_its_time_is_up() {
    let sandbox = Sandbox::new();
    let policy = json!({"version": 1, "limits": {"approval_timeout_s": 1}});
    sandbox.write("policy.json", policy.to_string());
    let args = ["--policy", "policy.json", "--output", "text"];
    let mut seat = Seat::start_watched(&sandbox, &args, bash("touch made").to_string());
    seat.wait_for(ANSWER);
    let left = seat.end();
    let (_, after) = left.screen.split_once(ANSWER).unwrap();
    // The line about calls that run would be drawn over it.
    assert!(after.starts_with("\n(no longer asked)\n"), "{left:?}");
    assert!(after.contains("nobody answered within 1"), "{left:?}");
    assert!(!sandbox.path("made").exists());
    let record = super::only_record(&sandbox, &["--event", "approval"]);
    assert_eq!(record["approval"]["decision"], "timeout");
}

#[test]
fn without_a_terminal_asking_is_refusing_and_the_result_says_so() {
    let sandbox = Sandbox::new();
    let ran = unattended(&sandbox, ASK, bash("touch made"));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    insta::assert_snapshot!(ran.only().text(), @"This call requires interactive approval, and nobody can be asked here (no rule allows this command). It was not run: run deed in a terminal, or allow it in a policy file (see `deed policy check`).");
    assert!(!sandbox.path("made").exists());
    let record = super::only_record(&sandbox, &["--event", "approval"]);
    assert_eq!(record["approval"]["decision"], "no_ui");
}

#[test]
fn a_job_in_the_background_is_refused_and_not_stopped() {
    let sandbox = Sandbox::new();
    let deed = sandbox.command(&[]);
    let mut shell = Command::new("bash");
    let call = bash("touch made").to_string();
    sandbox.write("call", &call);
    shell
        .args(["--norc", "-c"])
        .arg("set -m; \"$0\" exec --permission-mode default call & wait $!")
        .arg(deed.get_program())
        .current_dir(sandbox.path(""))
        .env_clear();
    for (name, value) in deed.get_envs() {
        shell.env(name, value.unwrap());
    }
    let left = Seat::start_command(&sandbox, &shell, "", "").end();
    assert_eq!(left.code, 0, "{left:?}");
    let outcome = left.only();
    assert!(
        outcome.text().contains("nobody can be asked here"),
        "{left:?}"
    );
    assert_eq!(left.questions(), 0);
}
