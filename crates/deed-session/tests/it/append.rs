use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use deed_protocol::{Entry, Message};
use deed_session::{SessionError, SessionStore, StoreConfig};
use insta::assert_snapshot;

use crate::support::{Place, asks, lines_of, result, says, shown, user};

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

#[test]
fn the_file_is_made_with_the_first_word_and_holds_what_came_before() {
    let place = Place::new();
    let mut session = place.create();
    session.append_model_change("acme", "m1").unwrap();
    session.append_thinking_level("high").unwrap();
    let path = session.path().unwrap().to_owned();
    assert!(!place.root.exists());
    assert!(!session.is_on_disk());
    session.append_message(user("hi")).unwrap();
    session.append_message(says("ho")).unwrap();
    assert!(session.is_on_disk());
    assert_eq!(
        path.strip_prefix(&place.root).unwrap().to_str().unwrap(),
        "--home-me-project--/2026-09-21T14-13-20-000Z_01a0c450-6c00-7100-8000-000200000000.jsonl"
    );
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    assert_snapshot!(lines_of(&path).join("\n"), @r#"
    {"type":"session","version":3,"id":"01a0c450-6c00-7100-8000-000200000000","timestamp":"2026-09-21T14:13:20.000Z","cwd":"/home/me/project"}
    {"type":"model_change","id":"00000003","parentId":null,"timestamp":"2026-09-21T14:13:21.000Z","provider":"acme","modelId":"m1"}
    {"type":"thinking_level_change","id":"00000004","parentId":"00000003","timestamp":"2026-09-21T14:13:22.000Z","thinkingLevel":"high"}
    {"type":"message","id":"00000005","parentId":"00000004","timestamp":"2026-09-21T14:13:23.000Z","message":{"role":"user","content":"hi","timestamp":1}}
    {"type":"message","id":"00000006","parentId":"00000005","timestamp":"2026-09-21T14:13:24.000Z","message":{"role":"assistant","content":[{"type":"text","text":"ho"}],"api":"","provider":"","model":"","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":2}}
    "#);
    let entries = session.view().raw_entries(None).unwrap();
    let entries: Vec<&str> = entries.iter().map(|entry| entry.get()).collect();
    assert_eq!(entries, lines_of(&path)[1..]);
}

#[test]
fn what_was_appended_is_there_when_the_session_is_opened_again() {
    let place = Place::new();
    let mut session = place.create();
    session.append_message(user("list")).unwrap();
    session.append_message(asks(&["c1:ls"])).unwrap();
    session.append_message(result("c1", "a b")).unwrap();
    session.append_message(says("two")).unwrap();
    let path = session.path().unwrap().to_owned();
    let before = shown(&session.context().unwrap().messages());
    drop(session);
    let mut session = place.open(&path);
    assert_eq!(shown(&session.context().unwrap().messages()), before);
    assert_snapshot!(before, @r"
    user list
    assistant ls#c1
    toolResult c1: a b
    assistant two
    ");
    assert_eq!(session.view().diagnostics(), []);
}

#[test]
fn every_kind_of_entry_is_written_as_pi_writes_it() {
    let place = Place::new();
    let mut session = place.create();
    let first = session.append_message(user("hi")).unwrap();
    session.append_name(" a\nname ").unwrap();
    session.append_label(&first, Some("here")).unwrap();
    session.append_label(&first, None).unwrap();
    session
        .append_custom("ext.state", &serde_json::json!({"n": 1}))
        .unwrap();
    session.append_custom("ext.bare", &()).unwrap();
    session
        .append_active_tools(&["read".into(), "ls".into()])
        .unwrap();
    session
        .append_context_edit(&first, Some(deed_protocol::UserContent::Text("ho".into())))
        .unwrap();
    session
        .append_usage("warm", ("acme", "m"), Default::default(), None)
        .unwrap();
    let lines = lines_of(session.path().unwrap());
    let bodies: Vec<String> = lines[2..]
        .iter()
        .map(|line| line.split_once("Z\",").unwrap().1.to_owned())
        .collect();
    assert_snapshot!(bodies.join("\n"), @r#"
    "name":"a name"}
    "targetId":"00000003","label":"here"}
    "targetId":"00000003"}
    "customType":"ext.state","data":{"n":1}}
    "customType":"ext.bare"}
    "customType":"deed.active_tools","data":{"names":["read","ls"]}}
    "targetId":"00000003","replacement":{"content":"ho"}}
    "kind":"warm","provider":"acme","model":"m","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}}
    "#);
    assert_eq!(session.view().name(), Some("a name"));
    assert_eq!(session.view().label(&first), None);
}

#[test]
fn a_session_in_memory_has_all_but_a_file() {
    let place = Place::new();
    let mut session = place.store.in_memory(&place.cwd).unwrap();
    let first = session.append_message(user("hi")).unwrap();
    session.append_message(says("ho")).unwrap();
    session.move_to(Some(&first)).unwrap();
    session.append_message(says("other")).unwrap();
    assert_eq!(session.path(), None);
    assert!(!place.root.exists());
    let messages = session.context().unwrap().messages();
    assert_eq!(shown(&messages), "user hi\nassistant other");
    let fork = session.fork(Some(&first)).unwrap();
    assert_eq!(fork.path(), None);
    assert_eq!(fork.view().entry_count(), 1);
}

#[test]
fn a_session_can_be_made_in_a_file_that_somebody_names_but_never_over_one() {
    let place = Place::new();
    let path = place.root.join("deep/named.jsonl");
    let mut session = place.store.create_at(&path, &place.cwd, None).unwrap();
    session.append_message(user("hi")).unwrap();
    assert_eq!(lines_of(&path).len(), 2);
    drop(session);
    let mut other = place.store.create_at(&path, &place.cwd, None).unwrap();
    let before = fs::read(&path).unwrap();
    let error = other.append_message(user("over")).unwrap_err();
    assert!(matches!(error, SessionError::Io { .. }), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(other.leaf(), None);
}

#[test]
fn a_removed_file_is_told_instead_of_written_to() {
    let place = Place::new();
    let mut session = place.create();
    let first = session.append_message(user("hi")).unwrap();
    fs::remove_file(session.path().unwrap()).unwrap();
    let error = session.append_message(says("ho")).unwrap_err();
    assert!(matches!(error, SessionError::Gone { .. }), "{error}");
    assert_eq!(session.leaf(), Some(&first));
}

/// Pi does not lock: it may write to the same file.
#[test]
fn what_another_program_appends_shifts_nothing() {
    use std::io::Write;
    let place = Place::new();
    let mut session = place.create();
    session.append_message(user("hi")).unwrap();
    let path = session.path().unwrap().to_owned();
    let mut other = fs::File::options().append(true).open(&path).unwrap();
    other.write_all(b"{\"type\":\"label\",\"id\":\"ffffffff\",\"parentId\":null,\"timestamp\":\"\",\"targetId\":\"1\"}\n").unwrap();
    let id = session.append_message(says("ho")).unwrap();
    let Entry::Message(entry) = session.view().entry(&id).unwrap() else {
        panic!("no message");
    };
    assert!(matches!(&*entry.message, Message::Assistant(_)));
    let messages = session.context().unwrap().messages();
    assert_eq!(shown(&messages), "user hi\nassistant ho");
}

#[test]
fn an_id_that_is_taken_is_not_given_again() {
    let place = Place::new();
    let mut config = StoreConfig::new(&place.root);
    config.random = std::sync::Arc::new(|| 7);
    let mut session = SessionStore::new(config).create(&place.cwd, None).unwrap();
    let first = session.append_message(user("hi")).unwrap();
    let second = session.append_message(says("ho")).unwrap();
    assert_eq!(&*first, "00000007");
    assert_ne!(first, second);
    assert_eq!(second.len(), 32);
}

#[test]
fn each_entry_can_be_on_disk_before_it_counts() {
    let place = Place::new();
    let mut config = StoreConfig::new(&place.root);
    config.durable = true;
    let mut session = SessionStore::new(config).create(&place.cwd, None).unwrap();
    session.append_message(user("hi")).unwrap();
    session.append_message(says("ho")).unwrap();
    assert_eq!(lines_of(session.path().unwrap()).len(), 3);
}

#[test]
fn b053_control_bytes_come_back_from_the_file_as_they_were() {
    let place = Place::new();
    let mut session = place.create();
    let text = "a\0b\u{1b}[0m\u{2028}\u{85}\r\n\u{fffd}";
    session.append_message(user(text)).unwrap();
    let path = session.path().unwrap().to_owned();
    assert_eq!(lines_of(&path).len(), 2);
    drop(session);
    let messages = place.open(&path).context().unwrap().messages();
    assert_eq!(shown(&messages), format!("user {text}"));
}
