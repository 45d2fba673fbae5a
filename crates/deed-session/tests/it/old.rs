use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use deed_session::{Finding, SessionError, SessionTree};
use insta::assert_snapshot;

use crate::support::{Place, lines_of, says, shown};

const V1: &str = include_str!("fixtures/pi-v1.jsonl");
const V2: &str = include_str!("fixtures/pi-v2.jsonl");

#[test]
fn the_first_version_is_read_as_pi_reads_it_and_stays_as_it_is() {
    let place = Place::new();
    let path = place.file(V1);
    let view = SessionTree::open(&path).unwrap();
    let context = view.context().unwrap();
    assert_snapshot!(shown(&context.messages()), @r"
    compactionSummary what was done
    user second
    user third
    ");
    let model = context.model.unwrap();
    assert_eq!((&*model.provider, &*model.model_id), ("acme", "m2"));
    let told: Vec<&Finding> = view.diagnostics().iter().map(|it| &it.what).collect();
    assert!(matches!(told[0], Finding::MalformedLine { .. }), "{told:?}");
    assert_eq!(*told[1], Finding::OldVersion { version: 1 });
    assert_eq!(view.header().version, 3);
    let before = SessionTree::open(&path).unwrap();
    assert!(
        before.ids().eq(view.ids()),
        "ids differ from one reading to the next"
    );
    let mut session = place.open(&path);
    session.context().unwrap();
    drop(session);
    assert_eq!(fs::read_to_string(&path).unwrap(), V1);
}

#[test]
fn the_second_version_is_read_as_pi_reads_it() {
    let place = Place::new();
    let view = SessionTree::open(&place.file(V2)).unwrap();
    assert_snapshot!(shown(&view.context().unwrap().messages()), @r#"
    user first
    custom a "hookMessage" says
    user second
    "#);
    assert_eq!(
        view.diagnostics()[0].what,
        Finding::OldVersion { version: 2 }
    );
}

#[test]
fn an_old_file_is_rewritten_when_it_is_written_to_and_nothing_is_lost() {
    for old in [V1, V2] {
        let place = Place::new();
        let path = place.file(old);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let mut session = place.open(&path);
        let before = shown(&session.context().unwrap().messages());
        session.append_message(says("next")).unwrap();
        session.append_message(says("and next")).unwrap();
        let expected = format!("{before}\nassistant next\nassistant and next");
        let messages = session.context().unwrap().messages();
        assert_eq!(shown(&messages), expected);
        let error = place.store.open(&path).unwrap_err();
        assert!(matches!(error, SessionError::Locked { .. }), "{error}");
        drop(session);
        assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o640);
        let names: Vec<_> = fs::read_dir(&place.root).unwrap().collect();
        assert_eq!(names.len(), 1, "{names:?}");
        let mut session = place.open(&path);
        let messages = session.context().unwrap().messages();
        assert_eq!(shown(&messages), expected);
        let told = session.view().diagnostics();
        assert!(
            told.iter()
                .all(|it| matches!(it.what, Finding::MalformedLine { .. })),
            "{told:?}"
        );
        assert_eq!(lines_of(&path).len(), old.lines().count() + 2);
    }
}

#[test]
fn a_rewritten_line_has_its_bytes_but_for_what_the_version_adds() {
    let place = Place::new();
    let path = place.file(V1);
    place.open(&path).append_message(says("next")).unwrap();
    let lines = lines_of(&path);
    let old: Vec<&str> = V1.lines().collect();
    assert_snapshot!(lines[0], @r#"{"type":"session","id":"5c3f2a10-0000-4000-8000-000000000001","timestamp":"2025-11-20T10:00:00.000Z","cwd":"/home/me/project","provider":"acme","modelId":"m1","thinkingLevel":"off","version":3}"#);
    assert_eq!(lines[5], old[5]);
    let head = r#"{"id":"00000002","parentId":"00000001","#;
    assert_eq!(lines[2], old[2].replacen('{', head, 1));
    assert_snapshot!(lines[7], @r#"{"id":"00000006","parentId":"00000005","firstKeptEntryId":"00000005","type":"compaction","timestamp":"2025-11-20T10:00:06.000Z","summary":"what was done","firstKeptEntryIndex":5,"tokensBefore":100}"#);
    let path = place.file(V2);
    place.open(&path).append_message(says("next")).unwrap();
    let (lines, old) = (lines_of(&path), V2.lines().collect::<Vec<_>>());
    let renamed = old[2].replacen("\"role\":\"hookMessage\"", "\"role\":\"custom\"", 1);
    assert_eq!(lines[2], renamed);
    assert_eq!(lines[3], old[3]);
    assert_eq!(lines[4], old[4]);
}

#[test]
fn a_link_to_an_old_file_stays_a_link() {
    let place = Place::new();
    let path = place.file(V2);
    let link = place.root.join("link.jsonl");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    place.open(&link).append_message(says("next")).unwrap();
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert!(fs::read_to_string(&path).unwrap().contains("\"version\":3"));
}
