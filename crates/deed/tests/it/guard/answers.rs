//! What may be answered at the terminal, and what comes of it.

use super::{bash, only_record, records, unattended, write};
use crate::support::Sandbox;
use crate::terminal::{ANSWER, Seat};
use serde_json::json;

const ASK: &[&str] = &["--permission-mode", "default"];

#[test]
fn yes_runs_the_call_once_while_input_stays_data_and_output_results() {
    let sandbox = Sandbox::new();
    let calls = format!("{}\n{}\n", bash("echo 1 >> made"), bash("echo 1 >> made"));
    let mut seat = Seat::start(&sandbox, ASK, calls);
    seat.answer("y").answer("yes");
    let left = seat.end();
    assert_eq!((left.code, left.questions()), (0, 2), "{left:?}");
    assert!(left.screen.contains("command: echo 1 >> made"), "{left:?}");
    assert!(left.outcomes().iter().all(|outcome| !outcome.is_error()));
    assert_eq!(left.outcomes().len(), 2);
    assert_eq!(sandbox.read("made"), "1\n1\n");
}

#[test]
fn b148_the_record_names_the_answer_the_person_and_the_channel() {
    let sandbox = Sandbox::new();
    let mut seat = Seat::start(&sandbox, ASK, bash("touch made").to_string());
    seat.answer("y");
    assert_eq!(seat.end().code, 0);
    let record = only_record(&sandbox, &["--event", "approval"]);
    let approval = &record["approval"];
    assert_eq!(approval["decision"], "allow_once", "{record:#}");
    assert_eq!(approval["channel"], "tty");
    assert_eq!(approval["user"], "somebody");
    assert_eq!(approval["verified"], true);
    let shown = sandbox.deed(&["audit", "show", "--event", "approval"]);
    assert!(shown.stdout.contains("allow_once by tty (somebody)"));
}

#[test]
fn b134_a_yes_for_the_session_answers_equal_calls_that_wait_and_no_others() {
    let sandbox = Sandbox::new();
    let same = bash("echo 1 >> made");
    let other = bash("echo 2 >> made");
    let mut seat = Seat::start(
        &sandbox,
        ASK,
        format!("{}\n{same}\n", json!([same, same, other, same])),
    );
    seat.answer("s").wait_for("echo 2 >> made").answer("n");
    let left = seat.end();
    assert_eq!(left.questions(), 2, "{left:?}");
    assert_eq!(sandbox.read("made"), "1\n1\n1\n1\n");
    let failed: Vec<String> = left
        .outcomes()
        .iter()
        .filter(|outcome| outcome.is_error())
        .map(|outcome| outcome.id().to_owned())
        .collect();
    assert_eq!(failed, ["call_1_3"]);
    // It holds for the session, which has ended.
    let later = unattended(&sandbox, ASK, same);
    assert!(later.only().is_error());
}

#[test]
fn b143_always_stores_the_rule_that_was_shown_and_it_holds_until_it_is_revoked() {
    let sandbox = Sandbox::new();
    let call = bash("touch 'a #b*'");
    let mut seat = Seat::start(&sandbox, ASK, call.to_string());
    seat.wait_for("always: store the rule  ").answer("a");
    let left = seat.end();
    assert!(!left.only().is_error(), "{left:?}");
    let rules = sandbox.deed(&["policy", "rules"]);
    let listed = &rules.assert_clean().stdout;
    let (id, rest) = listed.split_once("  ").unwrap();
    let (rule, _) = rest.split_once("  in ").unwrap();
    assert!(
        left.screen.contains(&format!("store the rule  {rule}\n")),
        "{listed}\n{}",
        left.screen
    );

    let strict = &["--permission-mode", "dontAsk"];
    assert!(!unattended(&sandbox, strict, &call).only().is_error());
    let other = unattended(&sandbox, strict, bash("touch 'a #bc'"));
    assert!(other.only().is_error(), "{other:?}");
    let decided = records(&sandbox, &["--event", "decision", "--decision", "allow"]);
    let by = decided[0]["rule_id"].as_str().unwrap();
    assert!(by.starts_with("stored:") && by.ends_with(rule), "{by}");

    let revoked = sandbox.deed(&["policy", "rules", "--revoke", id]);
    assert_eq!(revoked.assert_clean().stdout, format!("taken back: {id}\n"));
    assert!(unattended(&sandbox, strict, &call).only().is_error());
    let again = sandbox.deed(&["policy", "rules", "--revoke", id]);
    assert_eq!(again.code, 2);
    assert!(again.stderr.contains("there is no rule"), "{again:?}");
}

#[test]
fn no_with_words_tells_the_model_what_was_said() {
    let sandbox = Sandbox::new();
    let mut seat = Seat::start(&sandbox, ASK, bash("touch made").to_string());
    seat.answer("n use the other folder");
    let left = seat.end();
    assert_eq!(left.code, 0);
    insta::assert_snapshot!(left.only().text(), @"Refused by the user, who says: use the other folder");
    assert!(!sandbox.path("made").exists());
    let record = only_record(&sandbox, &["--event", "approval"]);
    assert_eq!(record["approval"]["comment"], "use the other folder");
    assert_eq!(record["approval"]["decision"], "deny");
}

#[test]
fn what_is_no_answer_is_asked_again() {
    let sandbox = Sandbox::new();
    let mut seat = Seat::start(&sandbox, ASK, bash("touch made").to_string());
    let hint = "please answer with y, s, a, n or d";
    for line in ["", "maybe", "yy", "y please", "always and ever", "Ж"] {
        seat.answer(line).wait_for(hint);
        assert!(!sandbox.path("made").exists(), "{line:?} ran it");
    }
    seat.answer("n");
    let left = seat.end();
    assert!(left.only().is_error());
    assert_eq!(left.questions(), 1);
}

#[test]
fn details_show_what_the_answer_is_bound_to() {
    let sandbox = Sandbox::new();
    let mut seat = Seat::start(&sandbox, ASK, bash("touch made && ls").to_string());
    seat.answer("d").answer("n");
    let left = seat.end();
    let asked = only_record(&sandbox, &["--event", "approval_asked"]);
    for name in ["args_sha256", "context_sha256"] {
        let hash = records(&sandbox, &[])
            .iter()
            .find_map(|record| record[name].as_str().map(str::to_owned))
            .unwrap();
        assert!(left.screen.contains(&hash), "{name} {hash}: {left:?}");
    }
    let question = asked["approval"]["approval_id"].as_str().unwrap();
    assert!(left.screen.contains(question), "{question}: {left:?}");
    assert!(left.screen.contains("part `touch made`: ask"), "{left:?}");
}

#[test]
fn the_end_of_the_input_at_the_prompt_is_no() {
    let sandbox = Sandbox::new();
    let mut seat = Seat::start(&sandbox, ASK, bash("touch made").to_string());
    seat.wait_for(ANSWER).press("\x04");
    let left = seat.end();
    assert_eq!(left.code, 0);
    assert!(left.only().text().starts_with("Refused by the user"));
    assert!(!sandbox.path("made").exists());
}

#[test]
fn ctrl_c_at_the_prompt_answers_the_call_and_ends_with_130() {
    let sandbox = Sandbox::new();
    let calls = format!("{}\n{}\n", bash("touch made"), bash("touch never"));
    let mut seat = Seat::start(&sandbox, ASK, calls);
    seat.wait_for(ANSWER).press("\x03");
    let left = seat.end();
    assert_eq!(left.code, 130, "{left:?}");
    assert_eq!(left.only().text(), "Operation aborted");
    assert!(!sandbox.path("made").exists());
    let record = only_record(&sandbox, &["--event", "approval"]);
    assert_eq!(record["approval"]["decision"], "cancelled");
    assert_eq!(sandbox.deed(&["audit", "verify"]).code, 0);
}

#[test]
fn a20_a_file_that_changes_while_the_question_stands_is_not_overwritten() {
    let sandbox = Sandbox::new();
    sandbox.write("file", "old\n");
    let mut seat = Seat::start(&sandbox, ASK, write("file", "new\n").to_string());
    seat.wait_for(ANSWER);
    sandbox.write("file", "of somebody else\n");
    seat.press("y\n");
    let left = seat.end();
    let outcome = left.only();
    assert!(outcome.is_error());
    assert!(
        outcome.text().contains("changed before it could run"),
        "{outcome:?}"
    );
    assert_eq!(sandbox.read("file"), "of somebody else\n");
}

#[test]
fn a20_a_folder_swapped_for_a_link_while_the_question_stands_is_not_written_through() {
    let sandbox = Sandbox::new();
    let elsewhere = sandbox.tmp().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    std::fs::create_dir(sandbox.path("folder")).unwrap();
    let mut seat = Seat::start(&sandbox, ASK, write("folder/file", "new\n").to_string());
    seat.wait_for(ANSWER);
    std::fs::remove_dir(sandbox.path("folder")).unwrap();
    std::os::unix::fs::symlink(&elsewhere, sandbox.path("folder")).unwrap();
    seat.press("y\n");
    let left = seat.end();
    assert!(left.only().is_error(), "{left:?}");
    assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 0);
}
