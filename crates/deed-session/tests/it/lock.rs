use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use deed_session::{SessionError, SessionTree};

use crate::support::{Place, says, shown, user};

const MARK: &str = "DEED_TEST_SESSION_HOLD";

/// Holds a session in a process of its own until its input ends.
fn hold(path: &std::path::Path) -> Child {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "lock::a_second_process_is_refused_and_told_who_holds_the_session",
        ])
        .arg("--nocapture")
        .env(MARK, path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
    let mut held = lines
        .map(Result::unwrap)
        .skip_while(|line| !line.contains("held"));
    assert!(
        held.next().is_some(),
        "the child could not open the session"
    );
    child
}

#[test]
fn a_second_process_is_refused_and_told_who_holds_the_session() {
    let place = Place::new();
    if let Some(path) = std::env::var_os(MARK) {
        let session = place.store.open(path.as_ref()).unwrap();
        println!("held");
        std::io::stdout().flush().unwrap();
        std::io::stdin().read_line(&mut String::new()).unwrap();
        drop(session);
        return;
    }
    let mut session = place.create();
    session.append_message(user("hi")).unwrap();
    let path = session.path().unwrap().to_owned();
    drop(session);

    let mut child = hold(&path);
    let error = place.store.open(&path).unwrap_err();
    let pid = child.id();
    assert!(
        matches!(&error, SessionError::Locked { holder: Some(holder), .. } if *holder == pid),
        "{error}"
    );
    let text = error.to_string();
    assert!(text.contains(&path.display().to_string()), "{text}");
    assert!(
        text.contains(&format!("another process (pid {pid})")),
        "{text}"
    );
    let view = SessionTree::open(&path).unwrap();
    assert_eq!(shown(&view.context().unwrap().messages()), "user hi");
    let fork = place.store.fork_file(&path, &place.cwd).unwrap();
    assert_eq!(fork.view().entry_count(), 1);

    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
    place.open(&path).append_message(says("ho")).unwrap();
}

#[test]
fn a_killed_process_holds_nothing() {
    let place = Place::new();
    let mut session = place.create();
    session.append_message(user("hi")).unwrap();
    let path = session.path().unwrap().to_owned();
    drop(session);
    let mut child = hold(&path);
    child.kill().unwrap();
    child.wait().unwrap();
    place.open(&path).append_message(says("ho")).unwrap();
}

#[test]
fn the_same_process_cannot_open_a_session_twice_either() {
    let place = Place::new();
    let mut session = place.create();
    session.append_message(user("hi")).unwrap();
    let path = session.path().unwrap().to_owned();
    let error = place.store.open(&path).unwrap_err().to_string();
    assert!(error.contains("this same process"), "{error}");
    drop(session);
    place.open(&path);
}

/// The lock is the system's own, so that any program can see it.
#[test]
fn a_session_is_held_from_its_first_word_on() {
    let place = Place::new();
    let mut session = place.create();
    session.append_message(user("hi")).unwrap();
    let path = session.path().unwrap().to_owned();
    let is_free = || {
        let mut flock = Command::new("flock");
        flock
            .args(["--nonblock", "--exclusive"])
            .arg(&path)
            .arg("true");
        flock.status().unwrap().success()
    };
    assert!(!is_free());
    drop(session);
    assert!(is_free());
}
