use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use deed_session::{CallState, SessionStore, StartedCall, StoreConfig};

use crate::support::{Place, asks, result, user};

const MARK: &str = "DEED_TEST_SESSION_CRASH";

/// Appends for ever and says what is written.
fn write(root: &Path) {
    let cwd = Path::new("/home/me/project");
    let mut session = SessionStore::new(StoreConfig::new(root))
        .create(cwd, None)
        .unwrap();
    let mut out = std::io::stdout();
    loop {
        let id = session.append_message(user(&"x".repeat(3000))).unwrap();
        writeln!(out, "said {id}").unwrap();
        let id = session.append_message(asks(&["c:tool"])).unwrap();
        writeln!(out, "said {id}").unwrap();
        let started = StartedCall {
            tool_call_id: "c".into(),
            call_index: None,
            args_sha256: "hash".to_owned(),
        };
        let ids = session.append_started(&[started]).unwrap();
        writeln!(out, "started {}", ids[0]).unwrap();
        let id = session.append_message(result("c", "done")).unwrap();
        writeln!(out, "said {id}").unwrap();
    }
}

#[test]
fn what_was_written_before_a_kill_is_there_and_no_start_is_forgotten() {
    if let Some(root) = std::env::var_os(MARK) {
        return write(Path::new(&root));
    }
    let test = "crash::what_was_written_before_a_kill_is_there_and_no_start_is_forgotten";
    for count in 1..=24 {
        let place = Place::new();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test, "--nocapture"])
            .env(MARK, &place.root)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let said: Vec<String> = lines
            .map(Result::unwrap)
            .filter(|line| line.contains("said ") || line.contains("started "))
            .take(count)
            .collect();
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(said.len(), count);

        let mut session = place.open(&place.store.latest(&place.cwd).unwrap().path);
        for line in &said {
            let id = line.rsplit(' ').next().unwrap();
            assert!(session.view().contains(id), "{line} is lost");
        }
        if session.leaf().map(|id| &**id) == said[count - 1].rsplit(' ').next()
            && said[count - 1].contains("started ")
        {
            let recovery = session.recovery().unwrap().unwrap();
            let state = &recovery.calls[0].state;
            assert!(
                matches!(state, CallState::OutcomeUnknown { .. }),
                "{state:?}"
            );
        }
        session.append_message(user("next")).unwrap();
    }
}
