use std::fs;
use std::process::Command;

use deed_session::{Finding, SessionError};
use insta::assert_snapshot;

use crate::support::{Place, lines_of, says, shown};

pub(crate) const HEADER: &str =
    r#"{"type":"session","version":3,"id":"s","timestamp":"2026-09-21T14:13:20.000Z","cwd":"/w"}"#;

/// A user message as a line.
pub(crate) fn said(id: &str, parent: &str, text: &str) -> String {
    let parent = match parent {
        "" => "null".to_owned(),
        parent => format!("\"{parent}\""),
    };
    format!(
        r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"2026-09-21T14:13:21.000Z","message":{{"role":"user","content":"{text}","timestamp":1}}}}"#
    )
}

/// Opens a session of these lines; returns what it says and what was found, and appends to it.
#[track_caller]
fn opened(lines: &[&str]) -> String {
    let place = Place::new();
    let mut text = [&[HEADER], lines].concat().join("\n");
    text.push('\n');
    let path = place.file(&text);
    let mut session = place.open(&path);
    let context = session.context().unwrap();
    let mut told: Vec<String> = session
        .view()
        .diagnostics()
        .iter()
        .chain(&context.diagnostics)
        .map(|it| it.to_string())
        .collect();
    for line in &mut told {
        *line = line.replace(&format!("{}:", path.display()), "");
    }
    let read_only = place.store.open_read_only(&path).unwrap();
    assert_eq!(read_only.diagnostics(), session.view().diagnostics());
    session.append_message(says("next")).unwrap();
    let written = fs::read_to_string(&path).unwrap();
    assert!(
        written.starts_with(&text),
        "history was rewritten: {written}"
    );
    drop(session);
    let again = place.open(&path).context().unwrap().messages();
    let shown_before = shown(&context.messages());
    assert_eq!(shown(&again), format!("{shown_before}\nassistant next"));
    format!("{shown_before}\n-\n{}", told.join("\n"))
}

#[test]
fn a_file_without_a_header_is_no_session() {
    let place = Place::new();
    let v4 = HEADER.replace("\"version\":3", "\"version\":\"3\"");
    for text in [
        "",
        "\n",
        "{}\n",
        "no json\n",
        "[1]\n",
        "{\"type\":\"message\",\"id\":\"1\"}\n",
        "{\"type\":\"session\"}\n",
        "{\"type\":\"session\",\"id\":\"\"}\n",
        "{\"type\":\"session\",\"id\":\"s\"",
        &v4,
    ] {
        let path = place.file(text);
        let error = place.store.open(&path).unwrap_err();
        assert!(
            matches!(error, SessionError::NoHeader { .. }),
            "{text:?}: {error}"
        );
        let error = place.store.open_read_only(&path).unwrap_err();
        assert!(
            matches!(error, SessionError::NoHeader { .. }),
            "{text:?}: {error}"
        );
        assert_eq!(fs::read(&path).unwrap(), text.as_bytes());
    }
}

#[test]
fn a_version_of_the_future_is_refused() {
    let place = Place::new();
    let path = place.file(HEADER.replace("\"version\":3", "\"version\":4"));
    let error = place.store.open(&path).unwrap_err();
    assert!(
        matches!(error, SessionError::NewerVersion { version: 4, .. }),
        "{error}"
    );
}

#[test]
fn what_is_no_plain_file_is_no_session() {
    let place = Place::new();
    fs::create_dir_all(&place.root).unwrap();
    let error = place.store.open(&place.root).unwrap_err();
    assert!(matches!(error, SessionError::NotAFile { .. }), "{error}");
    let pipe = place.root.join("pipe.jsonl");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let error = place.store.open(&pipe).unwrap_err();
    assert!(matches!(error, SessionError::NotAFile { .. }), "{error}");
    let error = place
        .store
        .open(&place.root.join("none.jsonl"))
        .unwrap_err();
    assert!(matches!(error, SessionError::Io { .. }), "{error}");
}

#[test]
fn malformed_lines_are_skipped_told_and_kept() {
    let told = opened(&[
        &said("1", "", "one"),
        "no json",
        "",
        "{\"type\":\"message\"}",
        "[]",
        "\0\0\0",
        &said("2", "1", "two"),
    ]);
    assert_snapshot!(told, @r"
    user one
    user two
    -
    3: the line is no session entry and is skipped: it is no JSON object
    5: the line is no session entry and is skipped: it has no id
    6: the line is no session entry and is skipped: it is no JSON object
    7: the line is no session entry and is skipped: it is no JSON object
    ");
}

#[test]
fn an_entry_of_the_wrong_shape_keeps_its_place_and_gives_nothing() {
    let told = opened(&[
        &said("1", "", "one"),
        r#"{"type":"message","id":"2","parentId":"1","timestamp":"t","message":"text"}"#,
        r#"{"type":"message","id":"3","parentId":"2","timestamp":"t","message":{"role":"user","content":7}}"#,
        r#"{"type":"compaction","id":"4","parentId":"3","timestamp":"t"}"#,
        &said("5", "4", "five"),
    ]);
    assert_snapshot!(told, @r#"
    user one
    user five
    -
    3: entry 2 is no whole entry of its type and counts for nothing: invalid type: string "text", expected a message at line 1 column 74
    5: entry 4 is no whole entry of its type and counts for nothing: missing field `summary` at line 1 column 61
    4: entry 3 is no whole entry of its type and counts for nothing: invalid type: integer `7`, expected a sequence at line 1 column 1
    "#);
}

#[test]
fn content_that_is_missing_is_empty() {
    let told = opened(&[
        r#"{"type":"message","id":"1","parentId":null,"timestamp":"t","message":{"role":"user","content":null}}"#,
        r#"{"type":"message","id":"2","parentId":"1","timestamp":"t","message":{"role":"user"}}"#,
    ]);
    assert_snapshot!(told, @r"
    user 
    user 
    -
    ");
}

#[test]
fn an_entry_behind_a_damaged_line_stays_where_it_was() {
    let whole = said("3", "1", "three");
    let damaged = &whole[..whole.len() - 20];
    let told = opened(&[
        &said("1", "", "one"),
        &said("2", "1", "two"),
        damaged,
        &said("4", "3", "four"),
    ]);
    assert_snapshot!(told, @r"
    user one
    user four
    -
    4: the line is no session entry and is skipped: EOF while parsing a string at line 1 column 119
    ");
}

#[test]
fn an_entry_behind_a_line_that_says_nothing_follows_the_one_before_it() {
    let told = opened(&[&said("1", "", "one"), "\0\0\0\0", &said("4", "3", "four")]);
    assert_snapshot!(told, @r"
    user one
    user four
    -
    3: the line is no session entry and is skipped: it is no JSON object
    4: entry 4 follows 3, which cannot be read; it is taken to follow 1
    ");
}

#[test]
fn an_entry_whose_parent_is_nowhere_begins_a_tree() {
    let told = opened(&[&said("1", "", "one"), &said("4", "3", "four")]);
    assert_snapshot!(told, @r"
    user four
    -
    3: entry 4 follows 3, which is not there; it begins a tree of its own
    ");
}

#[test]
fn a_parent_may_stand_below_its_child() {
    let told = opened(&[
        &said("2", "1", "two"),
        &said("1", "", "one"),
        &said("3", "2", "three"),
    ]);
    assert_snapshot!(told, @r"
    user one
    user two
    user three
    -
    ");
}

#[test]
fn a_ring_is_opened() {
    let told = opened(&[
        &said("1", "3", "one"),
        &said("2", "1", "two"),
        &said("3", "2", "three"),
    ]);
    assert_snapshot!(told, @r"
    user one
    user two
    user three
    -
    2: entry 1 is its own ancestor; it begins a tree of its own
    ");
    let told = opened(&[&said("1", "1", "itself")]);
    assert_snapshot!(told, @r"
    user itself
    -
    2: entry 1 is its own ancestor; it begins a tree of its own
    ");
}

#[test]
fn an_id_that_is_there_twice_stands_for_the_nearest_above() {
    let told = opened(&[
        &said("1", "", "one"),
        &said("2", "1", "two"),
        &said("1", "2", "again"),
        &said("3", "1", "three"),
    ]);
    assert_snapshot!(told, @r"
    user one
    user two
    user again
    user three
    -
    4: entry 1 is there twice; the name stands for the later one
    ");
}

#[test]
fn a_second_header_is_skipped() {
    let told = opened(&[&said("1", "", "one"), HEADER, &said("2", "1", "two")]);
    assert_snapshot!(told, @r"
    user one
    user two
    -
    3: a second header; skipped
    ");
}

#[test]
fn bytes_that_are_no_text_are_replaced_and_told() {
    let place = Place::new();
    let mut bytes = format!("{HEADER}\n{}\n", said("1", "", "a?b")).into_bytes();
    let at = bytes.iter().rposition(|byte| *byte == b'?').unwrap();
    bytes[at] = 0xff;
    let path = place.file(&bytes);
    let mut session = place.open(&path);
    assert_eq!(session.view().diagnostics()[0].what, Finding::NotText);
    assert_eq!(session.view().diagnostics()[0].line_1based, Some(2));
    let messages = session.context().unwrap().messages();
    assert_eq!(shown(&messages), "user a\u{fffd}b");
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

/// JavaScript writes half a character as an escape that is no text elsewhere.
#[test]
fn half_a_surrogate_pair_is_replaced() {
    let place = Place::new();
    let text = r"a\ud83d b\udc00 c\ud83d\ude00 d\\ud83d e\ud83d\u0041\ud83d";
    let line = said("1", "", text);
    let path = place.file(format!("{HEADER}\n{line}\n"));
    let mut session = place.open(&path);
    let messages = session.context().unwrap().messages();
    let expected = "a\u{fffd} b\u{fffd} c😀 d\\ud83d e\u{fffd}A\u{fffd}";
    assert_eq!(shown(&messages), format!("user {expected}"));
    assert_eq!(session.view().user_texts().unwrap()[0].1, expected);
    assert_eq!(session.view().raw_entry("1").unwrap().get(), line);
    let other = place.store.folder("/w".as_ref());
    fs::create_dir_all(&other).unwrap();
    fs::copy(&path, other.join("x.jsonl")).unwrap();
    assert_eq!(
        place.store.list("/w".as_ref()).sessions[0].first_text,
        expected
    );
}

#[test]
fn lines_of_another_system_and_lines_with_spaces_are_read() {
    let place = Place::new();
    let spaced = r#" { "id" : "2" , "parentId" : "1", "message" : { "content":"two","role":"user" }, "type" : "message" } "#;
    let path = place.file(format!(
        "{HEADER}\r\n{}\r\n{spaced}\r\n",
        said("1", "", "one")
    ));
    let mut session = place.open(&path);
    let messages = session.context().unwrap().messages();
    assert_eq!(shown(&messages), "user one\nuser two");
    assert_eq!(session.view().diagnostics(), []);
}

#[test]
fn a_file_of_nothing_but_faults_tells_of_some_and_counts_the_rest() {
    let place = Place::new();
    let path = place.file(format!("{HEADER}\n{}", "x\n".repeat(5000)));
    let session = place.open(&path);
    let told = session.view().diagnostics();
    assert_eq!(told.len(), 1001);
    assert_eq!(told[1000].what, Finding::More { more: 4000 });
}

#[test]
fn a_deeply_nested_line_is_no_danger() {
    let place = Place::new();
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let line = format!(
        r#"{{"type":"custom","id":"2","parentId":"1","timestamp":"t","customType":"x","data":{deep}}}"#
    );
    let message = format!(
        r#"{{"type":"message","id":"3","parentId":"2","timestamp":"t","message":{{"role":"user","content":{deep}}}}}"#
    );
    let text = [HEADER, &said("1", "", "one"), &line, &message, ""].join("\n");
    let path = place.file(&text);
    let mut session = place.open(&path);
    assert_eq!(shown(&session.context().unwrap().messages()), "user one");
    session.view().nested_json().unwrap();
    session.append_message(says("next")).unwrap();
    assert_eq!(lines_of(&path).len(), 5);
}

#[test]
fn an_entry_that_somebody_changed_behind_our_back_is_told() {
    let place = Place::new();
    let lines = [HEADER, &said("1", "", "one"), &said("2", "1", "two"), ""].join("\n");
    let path = place.file(&lines);
    let mut session = place.open(&path);
    fs::write(&path, lines.replace("\"id\":\"1\"", "\"id\":\"9\"")).unwrap();
    let context = session.context().unwrap();
    assert_eq!(shown(&context.messages()), "user two");
    let what = Finding::ChangedOnDisk { id: "1".into() };
    assert_eq!(context.diagnostics[0].what, what);
    fs::write(&path, HEADER).unwrap();
    assert!(session.context().is_err());
}
