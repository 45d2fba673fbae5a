use std::fs;
use std::path::Path;
use std::sync::Arc;

use deed_session::{NewCompaction, SessionError};
use insta::assert_snapshot;

use crate::broken::{HEADER, said};
use crate::support::{Place, lines_of, says, shown, user};

#[test]
fn a_fork_has_the_branch_and_names_where_it_came_from() {
    let place = Place::new();
    let mut session = place.create();
    session.append_message(user("one")).unwrap();
    let two = session.append_message(says("two")).unwrap();
    session.append_message(user("three")).unwrap();
    let before = lines_of(session.path().unwrap());
    let mut fork = session.fork(Some(&two)).unwrap();
    assert_ne!(fork.id(), session.id());
    let parent = fork.header().parent_session.as_deref().unwrap();
    assert_eq!(Path::new(parent), session.path().unwrap());
    let lines = lines_of(fork.path().unwrap());
    assert_eq!(lines[1..], before[1..3]);
    fork.append_message(user("other")).unwrap();
    let messages = fork.context().unwrap().messages();
    assert_eq!(shown(&messages), "user one\nassistant two\nuser other");
    assert_eq!(lines_of(session.path().unwrap()), before);
    let error = session.fork(Some("nowhere")).unwrap_err();
    assert!(
        matches!(error, SessionError::UnknownEntry { .. }),
        "{error}"
    );
}

#[test]
fn a_fork_of_nothing_waits_for_its_first_word() {
    let place = Place::new();
    let mut session = place.create();
    session.append_message(user("one")).unwrap();
    let mut fork = session.fork(None).unwrap();
    assert!(!fork.is_on_disk());
    fork.append_message(user("anew")).unwrap();
    assert_eq!(lines_of(fork.path().unwrap()).len(), 2);
}

#[test]
fn marks_go_along_and_what_stood_on_them_is_tied_anew() {
    let place = Place::new();
    let mut session = place.create();
    let one = session.append_message(user("one")).unwrap();
    let label = session.append_label(&one, Some("here")).unwrap();
    session.append_message(says("two")).unwrap();
    session
        .append_compaction(NewCompaction {
            summary: "sum".to_owned(),
            first_kept: Some(label),
            ..NewCompaction::default()
        })
        .unwrap();
    let leaf = session.append_message(user("three")).unwrap();
    session.append_label(&leaf, Some("end")).unwrap();
    let mut fork = session.fork(Some(&leaf)).unwrap();
    assert_snapshot!(lines_of(fork.path().unwrap())[1..].join("\n"), @r#"
    {"type":"message","id":"00000003","parentId":null,"timestamp":"2026-09-21T14:13:21.000Z","message":{"role":"user","content":"one","timestamp":1}}
    {"type":"message","id":"00000005","parentId":"00000003","timestamp":"2026-09-21T14:13:23.000Z","message":{"role":"assistant","content":[{"type":"text","text":"two"}],"api":"","provider":"","model":"","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":2}}
    {"type":"compaction","id":"00000006","parentId":"00000005","timestamp":"2026-09-21T14:13:24.000Z","summary":"sum","firstKeptEntryId":"00000005","tokensBefore":0}
    {"type":"message","id":"00000007","parentId":"00000006","timestamp":"2026-09-21T14:13:25.000Z","message":{"role":"user","content":"three","timestamp":1}}
    {"type":"label","id":"0000000b","parentId":"00000007","timestamp":"2026-09-21T14:13:22.000Z","targetId":"00000003","label":"here"}
    {"type":"label","id":"0000000c","parentId":"0000000b","timestamp":"2026-09-21T14:13:26.000Z","targetId":"00000007","label":"end"}
    "#);
    assert_eq!(fork.view().label(&one).unwrap().text, "here");
    let messages = fork.context().unwrap().messages();
    assert_eq!(
        shown(&messages),
        shown(&session.context().unwrap().messages())
    );
    let path = fork.path().unwrap().to_owned();
    drop(fork);
    let mut fork = place.open(&path);
    assert_eq!(fork.view().diagnostics(), []);
    assert_eq!(shown(&fork.context().unwrap().messages()), shown(&messages));
}

#[test]
fn a_whole_file_can_be_copied_for_another_folder() {
    let place = Place::new();
    let mut session = place.create();
    let one = session.append_message(user("one")).unwrap();
    session.append_message(says("two")).unwrap();
    session.append_name("a name").unwrap();
    session.move_to(Some(&one)).unwrap();
    session.append_label(&one, Some("here")).unwrap();
    let leaf = session.append_message(says("other")).unwrap();
    let source = session.path().unwrap().to_owned();
    let other = Path::new("/somewhere/else");
    let mut copy = place.store.fork_file(&source, other).unwrap();
    assert_eq!(copy.header().cwd, "/somewhere/else");
    assert_eq!(lines_of(copy.path().unwrap())[1..], lines_of(&source)[1..]);
    assert_eq!(copy.leaf(), Some(&leaf));
    assert_eq!(copy.view().name(), Some("a name"));
    assert_eq!(copy.view().label(&one).unwrap().text, "here");
    let messages = copy.context().unwrap().messages();
    assert_eq!(shown(&messages), "user one\nassistant other");
    assert_eq!(place.store.list(other).sessions.len(), 1);
}

#[test]
fn a_copy_of_a_damaged_file_is_whole() {
    let place = Place::new();
    let whole = said("2", "1", "two");
    let lines = [
        HEADER,
        &said("1", "", "one"),
        &whole[..whole.len() - 9],
        &said("3", "2", "three"),
        "\0\0",
        &said("5", "4", "five"),
        "{\"type\":\"me",
    ];
    let source = place.file(lines.join("\n"));
    let before = fs::read(&source).unwrap();
    let mut copy = place.store.fork_file(&source, &place.cwd).unwrap();
    let messages = shown(&copy.context().unwrap().messages());
    assert_eq!(messages, "user one\nuser three\nuser five");
    assert_eq!(fs::read(&source).unwrap(), before);
    let path = copy.path().unwrap().to_owned();
    drop(copy);
    let mut copy = place.open(&path);
    assert_eq!(copy.view().diagnostics(), []);
    assert_eq!(shown(&copy.context().unwrap().messages()), messages);
}

#[test]
fn a_fork_of_an_old_file_is_of_the_present_version() {
    let place = Place::new();
    let source = place.file(include_str!("fixtures/pi-v1.jsonl"));
    let mut copy = place.store.fork_file(&source, &place.cwd).unwrap();
    let mut old = place.open(&source);
    let expected = shown(&old.context().unwrap().messages());
    assert_eq!(shown(&copy.context().unwrap().messages()), expected);
    let leaf = old.leaf().cloned();
    let mut fork = old.fork(leaf.as_deref()).unwrap();
    assert_eq!(shown(&fork.context().unwrap().messages()), expected);
    assert!(lines_of(fork.path().unwrap())[0].contains("\"version\":3"));
    assert_eq!(
        fs::read_to_string(&source).unwrap(),
        include_str!("fixtures/pi-v1.jsonl")
    );
    let _: Arc<str> = leaf.unwrap();
}
