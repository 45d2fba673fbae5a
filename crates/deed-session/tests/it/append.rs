use std::os::unix::fs::PermissionsExt;

use insta::assert_snapshot;

use crate::support::{Place, asks, lines_of, result, says, shown, user};

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
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    assert_snapshot!(lines_of(&path).join("\n"), @r#"
    {"type":"session","version":3,"id":"01a0c450-6c00-7100-8000-000200000000","timestamp":"2026-09-21T14:13:20.000Z","cwd":"/home/me/project"}
    {"type":"model_change","id":"00000003","parentId":null,"timestamp":"2026-09-21T14:13:21.000Z","provider":"acme","modelId":"m1"}
    {"type":"thinking_level_change","id":"00000004","parentId":"00000003","timestamp":"2026-09-21T14:13:22.000Z","thinkingLevel":"high"}
    {"type":"message","id":"00000005","parentId":"00000004","timestamp":"2026-09-21T14:13:23.000Z","message":{"role":"user","content":"hi","timestamp":1}}
    {"type":"message","id":"00000006","parentId":"00000005","timestamp":"2026-09-21T14:13:24.000Z","message":{"role":"assistant","content":[{"type":"text","text":"ho"}],"api":"","provider":"","model":"","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":2}}
    "#);
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
