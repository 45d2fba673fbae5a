use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use deed_session::{FindError, Layout, SessionStore, StoreConfig};
use insta::assert_snapshot;

use crate::broken::HEADER;
use crate::support::{Place, START_MS, asks, counting_config, result, says, user};

/// Makes a session with one word, and returns its id.
fn make(place: &Place, cwd: &str, text: &str) -> String {
    let mut session = place.store.create(Path::new(cwd), None).unwrap();
    session.append_message(user(text)).unwrap();
    session.id().to_owned()
}

#[test]
fn a_listing_tells_what_one_needs_to_choose() {
    let place = Place::new();
    let mut session = place.create();
    session.append_model_change("acme", "m").unwrap();
    session.append_message(user(" list the files\n")).unwrap();
    session.append_message(asks(&["a:ls"])).unwrap();
    session.append_message(result("a", "x")).unwrap();
    session.append_message(says("done")).unwrap();
    session.append_name("a name").unwrap();
    let leaf = session.leaf().cloned();
    let mut fork = session.fork(leaf.as_deref()).unwrap();
    fork.append_message(user("more")).unwrap();
    let listing = place.store.list(&place.cwd);
    assert_eq!(listing.diagnostics, []);
    assert_eq!(listing.sessions.len(), 2);
    let found = listing
        .sessions
        .iter()
        .find(|it| it.id == session.id())
        .unwrap();
    assert_eq!(found.path, session.path().unwrap());
    assert_eq!(found.cwd, "/home/me/project");
    assert_eq!(found.name.as_deref(), Some("a name"));
    assert_eq!(found.message_count, 4);
    assert_eq!(found.first_text, "list the files");
    assert_eq!(found.created_ms, START_MS);
    assert_eq!(found.modified_ms, 2);
    assert_eq!(found.parent, None);
    let forked = listing
        .sessions
        .iter()
        .find(|it| it.id == fork.id())
        .unwrap();
    assert_eq!(forked.message_count, 5);
    assert_eq!(forked.parent.as_deref(), session.path().unwrap().to_str());
}

#[test]
fn a_file_of_another_hand_is_listed_too() {
    let place = Place::new();
    let folder = place.store.folder(&place.cwd);
    fs::create_dir_all(&folder).unwrap();
    let header = HEADER.replace("/w", "/home/me/project");
    let spaced = r#"{"message": {"content": [{"type":"text","text":"a"},{"type":"text","text":"b"}], "role": "user", "timestamp": 77}, "type": "message", "id": "1"}"#;
    let torn = r#"{"type":"message","id":"2","parentId":"1","message":{"role":"user","con"#;
    fs::write(
        folder.join("x.jsonl"),
        format!("\n{header}\n\n{spaced}\nno json\n{torn}"),
    )
    .unwrap();
    let pi = include_str!("fixtures/pi-v3.jsonl");
    fs::write(folder.join("y.jsonl"), pi).unwrap();
    fs::write(folder.join("z.jsonl"), include_str!("fixtures/pi-v1.jsonl")).unwrap();
    let listing = place.store.list(&place.cwd);
    assert_eq!(listing.diagnostics, []);
    let shown: Vec<String> = listing
        .sessions
        .iter()
        .map(|it| {
            format!(
                "{} {} {:?} {:?}",
                it.modified_ms, it.message_count, it.name, it.first_text
            )
        })
        .collect();
    assert_snapshot!(shown.join("\n"), @r#"
    1790000000002 12 Some("a name") "first"
    1763632808000 6 None "first"
    77 1 None "a b"
    "#);
}

#[test]
fn what_is_no_session_is_told_and_holds_nothing_up() {
    let place = Place::new();
    make(&place, "/home/me/project", "hi");
    let folder = place.store.folder(&place.cwd);
    fs::write(folder.join("empty.jsonl"), "").unwrap();
    fs::write(folder.join("other.jsonl"), "{\"a\":1}\n").unwrap();
    fs::write(folder.join("notes.txt"), "x").unwrap();
    fs::create_dir(folder.join("folder.jsonl")).unwrap();
    let listing = place.store.list(&place.cwd);
    assert_eq!(listing.sessions.len(), 1);
    let told: Vec<String> = listing
        .diagnostics
        .iter()
        .map(|it| {
            it.to_string()
                .replace(&format!("{}/", folder.display()), "")
        })
        .collect();
    assert_snapshot!(told.join("\n"), @r"
    empty.jsonl: no session: it has no header
    other.jsonl: no session: it begins with something other than a session header
    ");
    let none = place.store.list(Path::new("/nowhere"));
    assert!(none.sessions.is_empty() && none.diagnostics.is_empty());
    assert!(
        SessionStore::new(StoreConfig::new("/nowhere"))
            .list_all()
            .sessions
            .is_empty()
    );
}

#[test]
fn folders_whose_names_look_alike_are_told_apart() {
    let place = Place::new();
    let one = make(&place, "/a/b", "one");
    let two = make(&place, "/a-b", "two");
    assert_eq!(
        place.store.folder(Path::new("/a/b")),
        place.store.folder(Path::new("/a-b"))
    );
    let ids = |cwd: &str| -> Vec<String> {
        let listing = place.store.list(Path::new(cwd));
        listing.sessions.into_iter().map(|it| it.id).collect()
    };
    assert_eq!(ids("/a/b"), std::slice::from_ref(&one));
    assert_eq!(ids("/a-b/"), [two]);
    assert_eq!(place.store.list_all().sessions.len(), 2);
    assert_eq!(place.store.latest(Path::new("/a/b")).unwrap().id, one);
}

#[test]
fn the_latest_session_is_the_one_that_was_written_to_last() {
    let place = Place::new();
    let first = make(&place, "/home/me/project", "one");
    let second = make(&place, "/home/me/project", "two");
    make(&place, "/other", "three");
    let path = |id: &str| place.store.find(id, &place.cwd).unwrap().path;
    let touch = |id: &str, seconds: u64| {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(2_000_000_000 + seconds);
        let file = fs::File::options().append(true).open(path(id)).unwrap();
        file.set_modified(time).unwrap();
    };
    touch(&first, 2);
    touch(&second, 1);
    assert_eq!(place.store.latest(&place.cwd).unwrap().id, first);
    touch(&second, 3);
    assert_eq!(place.store.latest(&place.cwd).unwrap().id, second);
    fs::write(place.store.folder(&place.cwd).join("zz.jsonl"), "").unwrap();
    assert_eq!(place.store.latest(&place.cwd).unwrap().id, second);
    assert_eq!(place.store.latest(Path::new("/nowhere")), None);
}

#[test]
fn a_session_is_found_by_path_by_id_and_by_the_beginning_of_an_id() {
    let place = Place::new();
    let id = make(&place, "/home/me/project", "one");
    let found = place.store.find(&id, &place.cwd).unwrap();
    let path = found.path.clone();
    for text in [
        path.display().to_string(),
        format!("  {id} "),
        id[..30].to_owned(),
        id[..1].to_owned(),
    ] {
        assert_eq!(
            place.store.find(&text, &place.cwd).unwrap(),
            found,
            "{text}"
        );
    }
    let name = path.file_name().unwrap().to_str().unwrap();
    let by_name = place.store.find(name, path.parent().unwrap()).unwrap();
    assert_eq!(by_name.id, id);
    for text in ["zz", "/no/such.jsonl", "none.jsonl", "0.0"] {
        let error = place.store.find(text, &place.cwd).unwrap_err();
        assert!(matches!(error, FindError::Nothing { .. }), "{error}");
    }
    let error = place.store.find(" ", &place.cwd).unwrap_err();
    assert!(matches!(error, FindError::Empty), "{error}");
}

#[test]
fn several_that_fit_are_named_and_those_of_the_folder_come_first() {
    let place = Place::new();
    let far = make(&place, "/other", "far");
    let text = &far[..8];
    assert_eq!(place.store.find(text, &place.cwd).unwrap().id, far);
    let near = make(&place, "/home/me/project", "near");
    assert_eq!(place.store.find(text, &place.cwd).unwrap().id, near);
    assert_eq!(place.store.find(&far, &place.cwd).unwrap().cwd, "/other");
    let more = make(&place, "/home/me/project", "more");
    let error = place.store.find(text, &place.cwd).unwrap_err();
    let FindError::Several { ids, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(*ids, [near, more]);
    assert_snapshot!(error, @r#""01a0c450" fits 2 sessions: 01a0c450-73d0-7400-8000-000500000000, 01a0c450-7ba0-7700-8000-000800000000; type more of the id"#);
}

#[test]
fn sessions_can_lie_in_one_folder() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = counting_config(folder.path());
    config.layout = Layout::Flat;
    let store = SessionStore::new(config);
    for cwd in ["/a", "/b"] {
        let mut session = store.create(Path::new(cwd), None).unwrap();
        session.append_message(user("hi")).unwrap();
        let path: PathBuf = session.path().unwrap().to_owned();
        assert_eq!(path.parent().unwrap(), folder.path());
    }
    assert_eq!(store.list(Path::new("/a")).sessions.len(), 1);
    assert_eq!(store.list_all().sessions.len(), 2);
    assert_eq!(store.latest(Path::new("/b")).unwrap().cwd, "/b");
    assert_eq!(store.latest(Path::new("/c")), None);
}

#[test]
fn the_folder_of_a_working_folder_is_called_as_pi_calls_it() {
    let store = SessionStore::new(StoreConfig::new("/s"));
    let names = ["/", "/home/me", "C:\\x\\y", "/a b/ü"].map(|cwd| {
        let folder = store.folder(Path::new(cwd));
        folder.strip_prefix("/s").unwrap().display().to_string()
    });
    assert_snapshot!(names.join("\n"), @r"
    ----
    --home-me--
    --C--x-y--
    --a b-ü--
    ");
}
