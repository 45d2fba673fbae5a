use std::fs;
use std::path::Path;
use std::process::Command;

use deed_session::{SessionError, SessionStore, StoreConfig};

use crate::support::{Place, says, shown, user};

const MARK: &str = "DEED_TEST_SESSION_FULL";

/// Runs a test again where no file may grow beyond 8 KB: as on a full disk a write fails half-way.
fn rerun(test: &str, folder: &Path) {
    let output = Command::new("sh")
        .arg("-c")
        .arg(format!(
            "trap '' XFSZ; ulimit -f 16; exec \"$0\" --exact {test} --nocapture"
        ))
        .arg(std::env::current_exe().unwrap())
        .env(MARK, folder)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn a_full_disk_leaves_whole_lines_and_a_session_that_can_go_on() {
    if let Some(folder) = std::env::var_os(MARK) {
        return fill(Path::new(&folder));
    }
    let place = Place::new();
    rerun(
        "full::a_full_disk_leaves_whole_lines_and_a_session_that_can_go_on",
        &place.root,
    );
    let found = place.store.latest(&place.cwd).unwrap();
    let mut session = place.open(&found.path);
    assert_eq!(session.view().diagnostics(), []);
    let messages = session.context().unwrap().messages();
    assert!(
        shown(&messages).ends_with("assistant short"),
        "{}",
        shown(&messages)
    );
    session.append_message(says("there is room again")).unwrap();
}

fn fill(root: &Path) {
    let cwd = Path::new("/home/me/project");
    let mut session = SessionStore::new(StoreConfig::new(root))
        .create(cwd, None)
        .unwrap();
    let long = "x".repeat(1500);
    let error = loop {
        match session.append_message(user(&long)) {
            Ok(_) => assert!(session.view().entry_count() < 100),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, SessionError::Write { .. }), "{error}");
    let text = fs::read_to_string(session.path().unwrap()).unwrap();
    assert!(text.ends_with('\n'));
    assert_eq!(text.lines().count(), session.view().entry_count() + 1);
    let leaf = session.leaf().cloned();
    session.append_message(user(&long)).unwrap_err();
    assert_eq!(session.leaf().cloned(), leaf);
    session.append_message(says("short")).unwrap();
}

#[test]
fn a_disk_that_is_full_from_the_start_leaves_no_file() {
    if let Some(folder) = std::env::var_os(MARK) {
        let cwd = Path::new("/home/me/project");
        let store = SessionStore::new(StoreConfig::new(&folder));
        let mut session = store.create(cwd, None).unwrap();
        session.append_model_change("acme", "m").unwrap();
        let error = session
            .append_message(user(&"x".repeat(20_000)))
            .unwrap_err();
        assert!(matches!(error, SessionError::Write { .. }), "{error}");
        assert!(!session.path().unwrap().exists());
        session.append_message(user("short")).unwrap();
        assert_eq!(session.view().entry_count(), 2);
        return;
    }
    let place = Place::new();
    rerun(
        "full::a_disk_that_is_full_from_the_start_leaves_no_file",
        &place.root,
    );
    let listing = place.store.list(&place.cwd);
    assert_eq!(listing.sessions.len(), 1);
    assert_eq!(listing.sessions[0].first_text, "short");
}
