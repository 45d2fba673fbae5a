use deed_protocol::{Message, StopReason};
use deed_session::{CallState, Context, OpenCall, RepairKind, Session, SessionError, StartedCall};
use insta::assert_snapshot;
use std::path::PathBuf;
use std::sync::Arc;

use crate::support::{Place, asks, lines_of, result, says, shown, user};

fn started(id: &str) -> StartedCall {
    StartedCall {
        tool_call_id: id.into(),
        call_index: None,
        args_sha256: format!("hash of {id}"),
    }
}

/// Open calls as `index:id state`.
fn open_calls(context: &Context) -> String {
    let calls = context.recovery.iter().flat_map(|recovery| &recovery.calls);
    let line = |call: &OpenCall| {
        let state = match &call.state {
            CallState::NeverStarted => "never started".to_owned(),
            CallState::OutcomeUnknown { args_sha256 } => format!("unknown, {args_sha256}"),
        };
        format!("{}:{} {state}", call.call_index, call.call.id)
    };
    calls.map(line).collect::<Vec<_>>().join("\n")
}

fn reopened(place: &Place, session: Session) -> Session {
    let path: PathBuf = session.path().unwrap().to_owned();
    drop(session);
    place.open(&path)
}

#[test]
fn a_start_is_on_record_before_the_call_runs() {
    let place = Place::new();
    let mut session = place.create();
    session.append_message(user("go")).unwrap();
    session.append_message(asks(&["a:ls", "b:rm"])).unwrap();
    session
        .append_started(&[started("a"), started("b")])
        .unwrap();
    let lines = lines_of(session.path().unwrap());
    assert_snapshot!(lines[3..].join("\n"), @r#"
    {"type":"custom","id":"00000005","parentId":"00000004","timestamp":"2026-09-21T14:13:23.000Z","customType":"deed.started","data":{"toolCallId":"a","callIndex":0,"messageEntryId":"00000004","argsSha256":"hash of a"}}
    {"type":"custom","id":"00000006","parentId":"00000005","timestamp":"2026-09-21T14:13:23.000Z","customType":"deed.started","data":{"toolCallId":"b","callIndex":1,"messageEntryId":"00000004","argsSha256":"hash of b"}}
    "#);
}

#[test]
fn a_call_without_a_result_never_started_or_its_outcome_is_unknown() {
    let place = Place::new();
    let mut session = place.create();
    session.append_message(user("go")).unwrap();
    let answer = session
        .append_message(asks(&["a:ls", "b:rm", "c:ls"]))
        .unwrap();
    session
        .append_started(&[started("a"), started("b")])
        .unwrap();
    session.append_message(result("a", "x")).unwrap();
    let mut session = reopened(&place, session);
    let context = session.context().unwrap();
    assert_snapshot!(open_calls(&context), @r"
    1:b unknown, hash of b
    2:c never started
    ");
    let recovery = session.recovery().unwrap().unwrap();
    assert_eq!(recovery.message_entry, answer);
    assert_eq!(&*recovery.calls[0].call.name, "rm");
    assert_eq!(context.repairs, []);
    assert_eq!(
        shown(&context.messages()),
        "user go\nassistant ls#a rm#b ls#c\ntoolResult a: x"
    );
    session.append_message(result("b", "unknown")).unwrap();
    session.append_started(&[started("c")]).unwrap();
    session.append_message(result("c", "y")).unwrap();
    let context = session.context().unwrap();
    assert!(context.recovery.is_none());
    assert_eq!(context.repairs, []);
}

#[test]
fn b109_the_same_id_twice_is_told_apart_by_its_place() {
    let place = Place::new();
    let mut session = place.create();
    session.append_message(user("go")).unwrap();
    session
        .append_message(asks(&["c1:read", "c1:write"]))
        .unwrap();
    session.append_started(&[started("c1")]).unwrap();
    let context = reopened(&place, session).context().unwrap();
    assert_snapshot!(open_calls(&context), @r"
    0:c1 unknown, hash of c1
    1:c1 never started
    ");

    let mut session = place.open(&place.store.latest(&place.cwd).unwrap().path);
    session.append_started(&[started("c1")]).unwrap();
    session.append_message(result("c1", "first")).unwrap();
    assert_snapshot!(open_calls(&session.context().unwrap()), @"1:c1 unknown, hash of c1");
    session.append_message(result("c1", "second")).unwrap();
    let messages = reopened(&place, session).context().unwrap().messages();
    assert_snapshot!(shown(&messages), @r"
    user go
    assistant read#c1 write#c1
    toolResult c1: first
    toolResult c1: second
    ");
}

#[test]
fn b110_empty_ids_are_told_apart_by_their_place() {
    let place = Place::new();
    let mut session = place.create();
    session.append_message(user("go")).unwrap();
    session.append_message(asks(&[":read", ":write"])).unwrap();
    session.append_started(&[started(""), started("")]).unwrap();
    session.append_message(result("", "first")).unwrap();
    let context = reopened(&place, session).context().unwrap();
    assert_eq!(open_calls(&context), "1: unknown, hash of ");
}

#[test]
fn the_start_of_a_call_that_nobody_asked_for_is_refused() {
    let place = Place::new();
    let mut session = place.create();
    let error = session.append_started(&[started("a")]).unwrap_err();
    assert!(matches!(error, SessionError::UnknownCall { .. }), "{error}");
    session.append_message(user("go")).unwrap();
    session.append_message(asks(&["a:ls"])).unwrap();
    for call_index in [None, Some(0), Some(1)] {
        let mut wrong = started("b");
        wrong.call_index = call_index;
        let error = session.append_started(&[wrong]).unwrap_err();
        assert!(matches!(error, SessionError::UnknownCall { .. }), "{error}");
    }
    session.append_started(&[started("a")]).unwrap();
    let error = session.append_started(&[started("a")]).unwrap_err();
    assert!(matches!(error, SessionError::UnknownCall { .. }), "{error}");
    assert_eq!(lines_of(session.path().unwrap()).len(), 4);
}

#[test]
fn b107_a_call_that_was_left_without_a_result_gets_one_in_the_context() {
    let place = Place::new();
    let mut session = place.create();
    session.append_message(user("go")).unwrap();
    session
        .append_message(asks(&["a:ls", "b:rm", "c:ls"]))
        .unwrap();
    session
        .append_started(&[started("a"), started("b")])
        .unwrap();
    session.append_message(result("a", "x")).unwrap();
    session.append_message(user("never mind")).unwrap();
    session.append_message(says("well")).unwrap();
    let mut session = reopened(&place, session);
    let context = session.context().unwrap();
    assert_snapshot!(shown(&context.messages()), @r"
    user go
    assistant ls#a rm#b ls#c
    toolResult a: x
    toolResult b: The session was left while this call was running. Its outcome is unknown: check what it changed before going on.
    toolResult c: This call was not run: the session was left before it began.
    user never mind
    assistant well
    ");
    assert!(context.recovery.is_none());
    let told: Vec<String> = context
        .diagnostics
        .iter()
        .map(|it| it.what.to_string())
        .collect();
    assert_snapshot!(told.join("\n"), @r"
    call 1 of entry 00000004 (b) has no result; the context has one that says so
    call 2 of entry 00000004 (c) has no result; the context has one that says so
    ");
}

#[test]
fn b107_a_result_without_a_call_is_left_out_of_the_context() {
    let place = Place::new();
    let mut session = place.create();
    session.append_message(result("x", "from nowhere")).unwrap();
    session.append_message(user("go")).unwrap();
    session.append_message(asks(&["a:ls"])).unwrap();
    session.append_message(result("a", "x")).unwrap();
    session.append_message(result("a", "again")).unwrap();
    session.append_message(says("well")).unwrap();
    session.append_message(result("a", "late")).unwrap();
    let context = reopened(&place, session).context().unwrap();
    assert_snapshot!(shown(&context.messages()), @r"
    user go
    assistant ls#a
    toolResult a: x
    assistant well
    ");
    let kinds: Vec<bool> = context
        .repairs
        .iter()
        .map(|repair| matches!(repair.kind, RepairKind::OrphanResult { .. }))
        .collect();
    assert_eq!(kinds, [true; 3]);
}

#[test]
fn b107_a_repair_is_put_on_record_once_with_the_next_entry() {
    let place = Place::new();
    let mut session = place.create();
    session.append_message(user("go")).unwrap();
    session.append_message(result("x", "from nowhere")).unwrap();
    session.append_message(asks(&["a:ls"])).unwrap();
    session.append_message(user("never mind")).unwrap();
    let mut session = reopened(&place, session);
    let before = lines_of(session.path().unwrap());
    assert!(
        session
            .context()
            .unwrap()
            .repairs
            .iter()
            .all(|repair| !repair.is_noted)
    );
    assert_eq!(lines_of(session.path().unwrap()), before);
    session.append_message(says("well")).unwrap();
    let lines = lines_of(session.path().unwrap());
    assert_eq!(lines[..before.len()], before);
    assert_snapshot!(lines[before.len()], @r#"{"type":"custom","id":"00000007","parentId":"00000006","timestamp":"2026-09-21T14:13:25.000Z","customType":"deed.repaired","data":{"calls":[{"messageEntryId":"00000005","callIndex":0,"toolCallId":"a"}],"results":[{"entryId":"00000004","toolCallId":"x"}]}}"#);
    session.append_message(user("more")).unwrap();
    let mut session = reopened(&place, session);
    let context = session.context().unwrap();
    assert!(context.repairs.iter().all(|repair| repair.is_noted));
    assert_eq!(context.repairs.len(), 2);
    session.append_message(says("more")).unwrap();
    let lines = lines_of(session.path().unwrap());
    let notes = lines.iter().filter(|line| line.contains("deed.repaired"));
    assert_eq!(notes.count(), 1);
    assert_eq!(lines.len(), before.len() + 4);
}

#[test]
fn a_repair_is_on_record_even_if_nobody_looked_at_the_context() {
    let place = Place::new();
    let mut session = place.create();
    session.append_message(user("go")).unwrap();
    session.append_message(asks(&["a:ls"])).unwrap();
    session.append_message(user("never mind")).unwrap();
    let mut session = reopened(&place, session);
    session.append_message(says("well")).unwrap();
    let lines = lines_of(session.path().unwrap());
    assert!(lines[4].contains("deed.repaired"), "{}", lines[4]);
}

#[test]
fn what_was_said_between_a_call_and_its_result_comes_after_it() {
    let place = Place::new();
    let mut session = place.create();
    session.append_message(user("go")).unwrap();
    session.append_message(asks(&["a:ls", "b:ls"])).unwrap();
    session.append_message(result("b", "y")).unwrap();
    session.append_message(user("hurry")).unwrap();
    session.append_message(result("a", "x")).unwrap();
    session.append_message(says("well")).unwrap();
    let context = reopened(&place, session).context().unwrap();
    assert_snapshot!(shown(&context.messages()), @r"
    user go
    assistant ls#a ls#b
    toolResult a: x
    toolResult b: y
    user hurry
    assistant well
    ");
    assert_eq!(context.repairs, []);
}

/// An answer that failed or was cancelled is left out of requests, and its calls never run.
#[test]
fn the_calls_of_an_answer_that_failed_wait_for_nothing() {
    let place = Place::new();
    for reason in [StopReason::Error, StopReason::Aborted] {
        let mut session = place.create();
        session.append_message(user("go")).unwrap();
        let mut answer = Message::clone(&asks(&["a:ls"]));
        if let Message::Assistant(answer) = &mut answer {
            answer.stop_reason = reason;
        }
        session.append_message(Arc::new(answer)).unwrap();
        let error = session.append_started(&[started("a")]).unwrap_err();
        assert!(matches!(error, SessionError::UnknownCall { .. }), "{error}");
        let context = session.context().unwrap();
        assert!(context.recovery.is_none());
        assert_eq!(context.repairs, []);
        session.append_message(user("again")).unwrap();
        let context = reopened(&place, session).context().unwrap();
        assert_eq!(
            shown(&context.messages()),
            "user go\nassistant ls#a\nuser again"
        );
    }
}

#[test]
fn going_back_before_a_start_does_not_undo_it() {
    let place = Place::new();
    let mut session = place.create();
    session.append_message(user("go")).unwrap();
    let answer = session.append_message(asks(&["a:rm", "b:ls"])).unwrap();
    session.append_started(&[started("a")]).unwrap();
    session.append_message(result("a", "gone")).unwrap();
    session.move_to(Some(&answer)).unwrap();
    assert_snapshot!(open_calls(&session.context().unwrap()), @r"
    0:a unknown, hash of a
    1:b never started
    ");
    let mut fork = session.fork(Some(&answer)).unwrap();
    assert_eq!(
        open_calls(&fork.context().unwrap()),
        open_calls(&session.context().unwrap())
    );
    let mut fork = reopened(&place, fork);
    assert_eq!(
        open_calls(&fork.context().unwrap()),
        open_calls(&session.context().unwrap())
    );
    session.append_started(&[started("b")]).unwrap();
    let error = session.append_started(&[started("a")]).unwrap_err();
    assert!(matches!(error, SessionError::UnknownCall { .. }), "{error}");
}
