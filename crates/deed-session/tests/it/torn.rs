use std::fs;
use std::os::unix::fs::PermissionsExt;

use deed_session::{Finding, SessionTree};

use crate::support::{Place, asks, lines_of, result, says, shown, user};

/// A crash may leave any beginning of what was written.
#[test]
fn a_file_that_ends_anywhere_in_its_last_lines_opens_and_goes_on() {
    let place = Place::new();
    let mut session = place.create();
    session.append_message(user("list")).unwrap();
    session.append_message(asks(&["c1:ls"])).unwrap();
    session.append_message(result("c1", "ä b")).unwrap();
    session.append_message(says("two")).unwrap();
    let path = session.path().unwrap().to_owned();
    let whole = fs::read(&path).unwrap();
    drop(session);
    let ends: Vec<usize> = (0..whole.len()).filter(|at| whole[*at] == b'\n').collect();
    for end in ends[1] + 1..=whole.len() {
        let cut = &whole[..end];
        let path = place.file(cut);
        let torn = path.with_extension("jsonl.torn");
        fs::remove_file(&torn).ok();
        let whole_lines = ends.iter().filter(|at| **at < end).count();
        let is_entry_but_for_its_end = ends.contains(&end);
        let kept_lines = whole_lines + usize::from(is_entry_but_for_its_end);

        let view = SessionTree::open(&path).unwrap();
        assert_eq!(view.entry_count(), kept_lines - 1, "{end}");
        assert_eq!(fs::read(&path).unwrap(), cut, "reading changed the file");

        let mut session = place.open(&path);
        assert_eq!(session.view().entry_count(), kept_lines - 1, "{end}");
        session.context().unwrap();
        session.append_message(user("next")).unwrap();
        drop(session);
        let lines = lines_of(&path);
        let kept = &lines[..kept_lines];
        assert_eq!(
            kept.concat().as_bytes(),
            without_ends(&whole, kept_lines),
            "{end}"
        );
        let is_torn = !is_entry_but_for_its_end && cut.last() != Some(&b'\n');
        assert_eq!(torn.exists(), is_torn, "{end}");
        if is_torn {
            let from = ends[whole_lines - 1] + 1;
            let moved = fs::read(&torn).unwrap();
            assert_eq!(moved, [&cut[from..], b"\n"].concat(), "{end}");
        }
        let mut session = place.open(&path);
        assert_eq!(session.view().diagnostics(), [], "{end}");
        let messages = session.context().unwrap().messages();
        assert!(shown(&messages).ends_with("user next"), "{end}");
    }
}

fn without_ends(whole: &[u8], lines: usize) -> Vec<u8> {
    let lines = whole.split(|byte| *byte == b'\n').take(lines);
    lines.flatten().copied().collect()
}

#[test]
fn what_was_cut_off_is_told_and_kept_beside_the_file() {
    let place = Place::new();
    let mut session = place.create();
    session.append_message(user("hi")).unwrap();
    let path = session.path().unwrap().to_owned();
    drop(session);
    let torn = path.with_extension("jsonl.torn");
    for piece in ["{\"type\":\"mess", "{\"type\":\"label"] {
        let whole = fs::read(&path).unwrap();
        fs::write(&path, [&whole, piece.as_bytes()].concat()).unwrap();
        let session = place.open(&path);
        let told = &session.view().diagnostics()[0];
        assert_eq!(told.line_1based, Some(3));
        let bytes = piece.len() as u64;
        let kept = Some(torn.clone());
        assert_eq!(told.what, Finding::TornTail { bytes, kept });
        assert_eq!(fs::read(&path).unwrap(), whole);
    }
    assert_eq!(
        fs::read_to_string(&torn).unwrap(),
        "{\"type\":\"mess\n{\"type\":\"label\n"
    );
    assert_eq!(torn.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(place.store.list(&place.cwd).sessions.len(), 1);
}

#[test]
fn what_cannot_be_moved_away_stays_as_a_line_that_is_skipped() {
    let place = Place::new();
    let mut session = place.create();
    session.append_message(user("hi")).unwrap();
    let path = session.path().unwrap().to_owned();
    drop(session);
    let whole = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{whole}{{\"type\"")).unwrap();
    fs::create_dir(path.with_extension("jsonl.torn")).unwrap();
    let mut session = place.open(&path);
    let what = &session.view().diagnostics()[0].what;
    assert_eq!(
        *what,
        Finding::TornTail {
            bytes: 7,
            kept: None
        }
    );
    session.append_message(says("ho")).unwrap();
    drop(session);
    assert_eq!(lines_of(&path)[2], "{\"type\"");
    let messages = place.open(&path).context().unwrap().messages();
    assert_eq!(shown(&messages), "user hi\nassistant ho");
}

#[test]
fn a_second_header_at_the_end_of_a_file_swallows_no_entry() {
    let place = Place::new();
    let mut session = place.create();
    session.append_message(user("hi")).unwrap();
    let path = session.path().unwrap().to_owned();
    drop(session);
    let whole = fs::read_to_string(&path).unwrap();
    for end in [
        "{\"type\":\"session\",\"id\":\"x\"}",
        "{\"type\":\"label\"}",
        "7",
        "  ",
    ] {
        fs::write(&path, format!("{whole}{end}")).unwrap();
        let mut session = place.open(&path);
        session.append_message(says("ho")).unwrap();
        drop(session);
        let messages = place.open(&path).context().unwrap().messages();
        assert_eq!(shown(&messages), "user hi\nassistant ho", "{end:?}");
    }
}

#[test]
fn zeros_that_a_power_cut_left_are_cut_off() {
    let place = Place::new();
    let mut session = place.create();
    session.append_message(user("hi")).unwrap();
    let path = session.path().unwrap().to_owned();
    drop(session);
    let whole = fs::read(&path).unwrap();
    fs::write(&path, [&whole[..], &[0; 4096]].concat()).unwrap();
    let mut session = place.open(&path);
    session.append_message(says("ho")).unwrap();
    let messages = session.context().unwrap().messages();
    assert_eq!(shown(&messages), "user hi\nassistant ho");
    assert_eq!(lines_of(&path).len(), 3);
}
