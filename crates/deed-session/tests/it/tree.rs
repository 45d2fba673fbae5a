use deed_protocol::Entry;
use deed_session::SessionError;
use insta::assert_snapshot;

use crate::broken::{HEADER, said};
use crate::support::{Place, asks, result, says, shown, user};

#[test]
fn moving_the_leaf_begins_a_branch_and_leaves_the_other_as_it_is() {
    let place = Place::new();
    let mut session = place.create();
    let one = session.append_message(user("one")).unwrap();
    let two = session.append_message(says("two")).unwrap();
    session.move_to(Some(&one)).unwrap();
    let other = session.append_message(says("other")).unwrap();
    let messages = session.context().unwrap().messages();
    assert_eq!(shown(&messages), "user one\nassistant other");
    let view = session.view();
    assert_eq!(view.children(Some(&one)), [two.clone(), other.clone()]);
    assert_eq!(view.children(None), std::slice::from_ref(&one));
    assert_eq!(view.branch(&two).unwrap(), [one.clone(), two.clone()]);
    assert_eq!(view.parent(&other).unwrap(), Some(&one));
    let before = view.context_at(&two).unwrap().messages();
    assert_eq!(shown(&before), "user one\nassistant two");
    session.move_to(None).unwrap();
    session.append_message(user("anew")).unwrap();
    assert_eq!(shown(&session.context().unwrap().messages()), "user anew");
    assert_eq!(session.view().children(None).len(), 2);
    let error = session.move_to(Some("nowhere")).unwrap_err();
    assert!(
        matches!(error, SessionError::UnknownEntry { .. }),
        "{error}"
    );
}

#[test]
fn a_session_that_is_opened_goes_on_where_it_was_written_last() {
    let place = Place::new();
    let mut session = place.create();
    let one = session.append_message(user("one")).unwrap();
    session.append_message(says("two")).unwrap();
    session.move_to(Some(&one)).unwrap();
    let leaf = session.append_message(says("other")).unwrap();
    let path = session.path().unwrap().to_owned();
    drop(session);
    assert_eq!(place.open(&path).leaf(), Some(&leaf));
}

#[test]
fn the_tree_is_nested_as_clients_of_pi_read_it() {
    let place = Place::new();
    let mut session = place.create();
    let one = session.append_message(user("one")).unwrap();
    session.append_message(says("two")).unwrap();
    session.move_to(Some(&one)).unwrap();
    session.append_label(&one, Some("a \"mark\"")).unwrap();
    let json = session.view().nested_json().unwrap();
    let tree: serde_json::Value = serde_json::from_str(json.get()).unwrap();
    assert_eq!(tree[0]["label"], "a \"mark\"");
    assert_eq!(tree[0]["labelTimestamp"], "2026-09-21T14:13:23.000Z");
    assert_eq!(tree[0]["entry"]["message"]["content"], "one");
    assert_eq!(
        tree[0]["children"][0]["entry"]["message"]["role"],
        "assistant"
    );
    assert_eq!(tree[0]["children"][1]["entry"]["type"], "label");
    assert_eq!(tree[0]["children"][1]["children"], serde_json::json!([]));
    assert_eq!(tree.as_array().unwrap().len(), 1);
    let nodes = session.view().nodes();
    assert_eq!(nodes[0].children.len(), 2);
    assert_eq!(nodes[0].label.as_ref().unwrap().text, "a \"mark\"");
}

#[test]
fn a_long_session_nests_deep_without_a_deep_stack() {
    let place = Place::new();
    let mut text = format!("{HEADER}\n");
    for number in 0..50_000 {
        let parent = match number {
            0 => String::new(),
            number => (number - 1).to_string(),
        };
        text.push_str(&said(&number.to_string(), &parent, "x"));
        text.push('\n');
    }
    let session = place.open(&place.file(text));
    let json = session.view().nested_json().unwrap();
    assert_eq!(json.get().matches("\"children\":[").count(), 50_000);
    assert!(json.get().ends_with(&format!("{}]", "]}".repeat(50_000))));
    assert_eq!(session.view().branch("49999").unwrap().len(), 50_000);
}

#[test]
fn a_damaged_line_has_a_stand_in_for_clients() {
    let place = Place::new();
    let whole = said("2", "1", "two");
    let text = [
        HEADER,
        &said("1", "", "one"),
        &whole[..whole.len() - 9],
        &said("3", "2", "three"),
        "",
    ];
    let session = place.open(&place.file(text.join("\n")));
    let json = session.view().nested_json().unwrap();
    let tree: serde_json::Value = serde_json::from_str(json.get()).unwrap();
    let damaged = &tree[0]["children"][0];
    assert_eq!(damaged["entry"]["type"], "deed.unreadable");
    assert_eq!(
        damaged["children"][0]["entry"]["message"]["content"],
        "three"
    );
    assert_eq!(session.view().raw_entries(None).unwrap().len(), 2);
}

#[test]
fn entries_are_given_to_the_letter_and_from_one_on() {
    let place = Place::new();
    let odd = r#"{ "type":"later", "id":"2" ,"parentId":"1","n":1.50e2, "x":"A" }"#;
    let text = [
        HEADER,
        &said("1", "", "one"),
        odd,
        &said("3", "2", "three"),
        "",
    ];
    let mut session = place.open(&place.file(text.join("\n")));
    let since = session.view().raw_entries(Some("1")).unwrap();
    assert_eq!(since.len(), 2);
    assert_eq!(since[0].get(), odd);
    assert_eq!(session.view().raw_entry("2").unwrap().get(), odd);
    assert!(matches!(
        session.view().entry("2").unwrap(),
        Entry::Unknown(_)
    ));
    let error = session.view().raw_entries(Some("9")).unwrap_err();
    assert!(
        matches!(error, SessionError::UnknownEntry { .. }),
        "{error}"
    );
    let messages = session.context().unwrap().messages();
    assert_eq!(shown(&messages), "user one\nuser three");
    let fork = session.fork(Some("3")).unwrap();
    assert_eq!(fork.view().raw_entry("2").unwrap().get(), odd);
}

#[test]
fn one_can_fork_where_somebody_said_something() {
    let place = Place::new();
    let mut session = place.create();
    let one = session.append_message(user("one")).unwrap();
    session.append_message(asks(&["a:ls"])).unwrap();
    session.append_message(result("a", "x")).unwrap();
    session.move_to(None).unwrap();
    let two = session.append_message(user("two")).unwrap();
    let texts = session.view().user_texts().unwrap();
    assert_eq!(texts, [(one, "one".to_owned()), (two, "two".to_owned())]);
}

#[test]
fn a_name_is_the_last_one_and_an_empty_one_is_none() {
    let place = Place::new();
    let mut session = place.create();
    session.append_message(user("one")).unwrap();
    for (name, is) in [
        ("first", Some("first")),
        ("second", Some("second")),
        (" ", None),
    ] {
        session.append_name(name).unwrap();
        assert_eq!(session.view().name(), is);
    }
    let path = session.path().unwrap().to_owned();
    session.append_name("third").unwrap();
    drop(session);
    assert_eq!(place.open(&path).view().name(), Some("third"));
    assert_snapshot!(place.store.list(&place.cwd).sessions[0].name.as_deref().unwrap(), @"third");
}
