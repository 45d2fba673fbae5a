//! `deed demo`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::support::{Ran, Sandbox, run};
use super::terminal::Seat;

fn demo(sandbox: &Sandbox, args: &[&str], variables: &[(&str, &str)]) -> Ran {
    let mut command = sandbox.command(&[&["demo"], args].concat());
    command.envs(variables.iter().copied());
    run(&mut command, b"")
}

/// Asserts that the story was told to its end.
#[track_caller]
fn assert_told(ran: &Ran) {
    let told = [
        "The tests fail.",
        "2 failed",
        "Two tests fail.",
        "Tool deploy not found",
        "0 failed",
        "All tests pass.",
        "4 answers of a scripted model, 10 tool calls (2 failed, as planned)",
        "changed: CHANGELOG.md",
        "changed: discount.sh",
    ];
    let mut rest = ran.stdout.as_str();
    for part in told {
        let Some((_, after)) = rest.split_once(part) else {
            panic!("{part:?} is not told, or not in its place: {ran:?}");
        };
        rest = after;
    }
}

#[test]
fn the_demo_tells_its_story_and_touches_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write("mine", "mine");
    let before = sandbox.everything();
    let ran = demo(&sandbox, &[], &[]);
    assert_told(ran.assert_clean());
    assert!(!ran.stdout.contains('\u{1b}'), "no colour in a pipe");
    assert_eq!(sandbox.everything(), before);
}

#[test]
fn the_scratch_folder_is_kept_if_asked_for() {
    let sandbox = Sandbox::new();
    let ran = demo(&sandbox, &["--keep"], &[]);
    assert_eq!(ran.code, 0);
    let said = ran.stderr.strip_prefix("deed: the scratch folder is ");
    let scratch = Path::new(said.unwrap().trim());
    assert!(scratch.starts_with(sandbox.tmp()));
    let mended = fs::read_to_string(scratch.join("project/discount.sh")).unwrap();
    assert!(mended.contains("-ge 10") && mended.contains("* 80 / 100"));
    assert!(scratch.join("project/CHANGELOG.md").exists());
}

#[test]
fn a_home_that_cannot_be_written_does_not_matter() {
    let sandbox = Sandbox::new();
    fs::set_permissions(sandbox.home(), fs::Permissions::from_mode(0o555)).unwrap();
    assert_told(demo(&sandbox, &[], &[]).assert_clean());
    // Nor does one that is not there, which holds for root too.
    assert_told(demo(&sandbox, &[], &[("HOME", "/nonexistent/home")]).assert_clean());
    assert_eq!(fs::read_dir(sandbox.home()).unwrap().count(), 0);
}

#[test]
fn a_plain_terminal_and_a_plain_locale_get_plain_text() {
    let sandbox = Sandbox::new();
    let ran = demo(&sandbox, &[], &[("TERM", "dumb"), ("LANG", "C")]);
    assert_told(ran.assert_clean());
    let beyond: Vec<char> = ran
        .stdout
        .chars()
        .filter(|c| *c != '\n' && !(' '..='~').contains(c))
        .collect();
    assert!(beyond.is_empty(), "{beyond:?}");
    let ran = demo(&sandbox, &["--color", "always"], &[("LC_ALL", "C")]);
    assert!(ran.stdout.is_ascii() && ran.stdout.contains("\u{1b}["));
}

#[test]
fn without_a_folder_for_temporary_files_the_demo_says_so() {
    let sandbox = Sandbox::new();
    let ran = demo(&sandbox, &[], &[("TMPDIR", "/nonexistent/tmp")]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    assert!(
        ran.stderr.starts_with("deed: cannot make a scratch folder"),
        "{}",
        ran.stderr
    );
}

#[test]
fn the_database_part_tells_what_a_person_allowed_and_what_not() {
    let sandbox = Sandbox::new();
    let ran = demo(&sandbox, &["database", "--keep"], &[]);
    let told = [
        "3 rows",
        "Yes, this once.",
        "1 row changed",
        "keep the orders",
        "Refused by the user",
        "price-rounding changed",
        "call_2_1  approval  query_database  allow_once by desktop",
        "call_3_1  approval  query_database  deny by desktop",
        "call_4_1  turned_away",
        "audit: ok",
    ];
    let mut rest = ran.stdout.as_str();
    for part in told {
        let Some((_, after)) = rest.split_once(part) else {
            panic!("{part:?} is not told, or not in its place: {ran:?}");
        };
        rest = after;
    }
    let said = ran.stderr.strip_prefix("deed: the scratch folder is ");
    let scratch = Path::new(said.unwrap().trim());
    let audit = scratch.join("shop/audit");
    let verified = sandbox.deed(&["audit", "verify", audit.to_str().unwrap()]);
    assert!(verified.assert_clean().stdout.starts_with("ok\n"));
}

#[test]
fn whoever_wants_to_may_answer_the_demo_at_the_terminal() {
    let sandbox = Sandbox::new();
    let command = sandbox.command(&["demo", "database", "--ask"]);
    let mut seat = Seat::start_command(&sandbox, &command, "", "");
    seat.wait_for("UPDATE products SET stock").answer("y");
    // The price is asked about by the dialog of an extension.
    seat.wait_for("DELETE FROM orders").answer("n not today");
    seat.wait_for("A price changes").wait_for("y  yes");
    seat.answer("perhaps")
        .wait_for("y or n, please")
        .answer("n");
    let left = seat.end();
    assert!(left.stdout.contains("prices stay as they are"), "{left:?}");
    assert!(
        left.stdout
            .contains("approval  query_database  allow_once by tty")
    );
    assert!(
        left.stdout
            .contains("approval  query_database  deny by tty")
    );
}
