//! A file that Pi 1.6.0 wrote, and the contexts that it built of it.

use deed_session::SessionTree;
use insta::assert_snapshot;

use crate::support::{Place, lines_of, says, shown};

const TREE: &str = include_str!("fixtures/pi-v3.jsonl");

#[test]
fn a_file_of_pi_gives_the_context_that_pi_builds() {
    let place = Place::new();
    let view = SessionTree::open(&place.file(TREE)).unwrap();
    assert_eq!(view.diagnostics(), []);
    let context = view.context().unwrap();
    assert_eq!(context.diagnostics, []);
    assert_eq!(context.recovery.map(|it| it.calls.len()), None);
    assert_snapshot!(shown(&context.entries.iter().map(|it| it.message.clone()).collect::<Vec<_>>()), @r"
    system You help.
    compactionSummary what was done
    user third
    assistant done three
    bashExecution 
    user fourth
    assistant done four
    ");
    assert_eq!(context.thinking_level.as_deref(), Some("high"));
    assert_eq!(context.model.unwrap().model_id, "m2");
    assert_eq!(view.name(), Some("a name"));
    assert_eq!(view.label("374e0c22").unwrap().text, "start");
}

#[test]
fn the_branch_that_was_left_gives_what_it_gave() {
    let place = Place::new();
    let view = SessionTree::open(&place.file(TREE)).unwrap();
    let context = view.context_at("3104913e").unwrap();
    assert_snapshot!(shown(&context.messages()), @r"
    system You help.
    user first
    assistant ? I look read#c1
    toolResult c1: one
    assistant done one
    custom a note
    user second
    assistant done two
    ");
    let edited = view.context_at("da347861").unwrap();
    assert!(shown(&edited.messages()).contains("user second, edited"));
}

#[test]
fn every_line_of_pi_comes_back_byte_for_byte() {
    let place = Place::new();
    let path = place.file(TREE);
    let mut session = place.open(&path);
    let entries = session.view().raw_entries(None).unwrap();
    let lines: Vec<&str> = TREE.lines().collect();
    assert_eq!(entries.len(), lines.len() - 1);
    for (entry, line) in entries.iter().zip(&lines[1..]) {
        assert_eq!(entry.get(), *line);
        let id = serde_json::from_str::<serde_json::Value>(line).unwrap();
        let known = session.view().entry(id["id"].as_str().unwrap()).unwrap();
        let again: serde_json::Value = serde_json::to_value(&known).unwrap();
        assert_eq!(again, id);
    }
    session.append_message(says("next")).unwrap();
    assert_eq!(lines_of(&path)[..lines.len()], lines);
    let fork = session.fork(Some("ed1d4926")).unwrap();
    let forked = lines_of(fork.path().unwrap());
    let same = forked.iter().filter(|line| lines.contains(&line.as_str()));
    assert_eq!(same.count(), 15);
}
