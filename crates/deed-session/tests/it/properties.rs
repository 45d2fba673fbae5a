use std::collections::HashMap;
use std::fs;
use std::sync::Arc;

use deed_protocol::Message;
use deed_session::{
    Context, Diagnostic, Finding, NewCompaction, Session, SessionTree, StartedCall,
};
use proptest::prelude::*;

use crate::support::{Place, asks, result, says, shown, user};

/// One thing that is done to a session.
#[derive(Clone, Debug)]
enum Step {
    Say,
    Answer,
    Ask(Vec<u8>),
    Result(u8),
    Start(u8),
    Compact(prop::sample::Index),
    Edit(prop::sample::Index, bool),
    Move(prop::sample::Index),
    Mark(prop::sample::Index),
    Reopen,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => Just(Step::Say),
        2 => Just(Step::Answer),
        4 => prop::collection::vec(0..3u8, 1..4).prop_map(Step::Ask),
        6 => (0..4u8).prop_map(Step::Result),
        3 => (0..4u8).prop_map(Step::Start),
        1 => any::<prop::sample::Index>().prop_map(Step::Compact),
        1 => (any::<prop::sample::Index>(), any::<bool>()).prop_map(|(at, gone)| Step::Edit(at, gone)),
        1 => any::<prop::sample::Index>().prop_map(Step::Move),
        1 => any::<prop::sample::Index>().prop_map(Step::Mark),
        1 => Just(Step::Reopen),
    ];
    prop::collection::vec(step, 1..30)
}

/// Does a step as far as it can be done; what it cannot do is refused without a trace.
fn take(place: &Place, session: Session, step: &Step) -> Session {
    let mut session = session;
    let any = |session: &Session, at: &prop::sample::Index| {
        let ids: Vec<Arc<str>> = session.view().ids().cloned().collect();
        (!ids.is_empty()).then(|| at.get(&ids).clone())
    };
    match step {
        Step::Say => drop(session.append_message(user("said")).unwrap()),
        Step::Answer => drop(session.append_message(says("answered")).unwrap()),
        Step::Ask(ids) => {
            let calls: Vec<String> = ids.iter().map(|id| format!("c{id}:tool")).collect();
            let calls: Vec<&str> = calls.iter().map(String::as_str).collect();
            session.append_message(asks(&calls)).unwrap();
        }
        Step::Result(id) => {
            session
                .append_message(result(&format!("c{id}"), "came"))
                .unwrap();
        }
        Step::Start(id) => {
            let started = StartedCall {
                tool_call_id: format!("c{id}").into(),
                call_index: None,
                args_sha256: "hash".to_owned(),
            };
            session.append_started(&[started]).ok();
        }
        Step::Compact(at) => {
            let first_kept = any(&session, at);
            let new = NewCompaction {
                summary: "sum".to_owned(),
                first_kept,
                ..NewCompaction::default()
            };
            session.append_compaction(new).ok();
        }
        Step::Edit(at, is_gone) => {
            if let Some(id) = any(&session, at) {
                let content = deed_protocol::UserContent::Text("edited".to_owned());
                session
                    .append_context_edit(&id, (!is_gone).then_some(content))
                    .ok();
            }
        }
        Step::Move(at) => {
            let id = any(&session, at);
            session.move_to(id.as_deref()).unwrap();
        }
        Step::Mark(at) => {
            if let Some(id) = any(&session, at) {
                session.append_label(&id, Some("mark")).unwrap();
            }
        }
        Step::Reopen if session.is_on_disk() => {
            let path = session.path().unwrap().to_owned();
            drop(session);
            session = place.open(&path);
        }
        Step::Reopen => {}
    }
    session
}

/// Each call has one result right behind its answer, but for those that are open at the end; no
/// result stands anywhere else.
fn assert_paired(context: &Context) {
    let mut waiting: Vec<Arc<str>> = Vec::new();
    let mut last_answer = None;
    for entry in &context.entries {
        match &*entry.message {
            Message::ToolResult(result) => {
                let at = waiting.iter().position(|id| *id == result.tool_call_id);
                waiting.remove(at.expect("a result without a call"));
            }
            message => {
                assert!(waiting.is_empty(), "calls without results: {waiting:?}");
                if let Message::Assistant(answer) = message {
                    waiting = answer.tool_calls().map(|call| call.id.clone()).collect();
                    last_answer = entry.entry.clone();
                }
            }
        }
    }
    let recovery = context.recovery.as_ref();
    let mut open: Vec<Arc<str>> = recovery
        .iter()
        .flat_map(|recovery| recovery.calls.iter().map(|open| open.call.id.clone()))
        .collect();
    waiting.sort();
    open.sort();
    assert_eq!(waiting, open);
    if let Some(recovery) = recovery {
        assert_eq!(Some(&recovery.message_entry), last_answer.as_ref());
    }
}

/// What the entries of a session are tied to.
fn ties(view: &SessionTree) -> HashMap<Arc<str>, Option<Arc<str>>> {
    let tie = |id: &Arc<str>| (id.clone(), view.parent(id).unwrap().cloned());
    view.ids().map(tie).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_done_the_context_is_valid_and_a_reload_changes_nothing(steps in steps()) {
        let place = Place::new();
        let mut session = place.create();
        for step in &steps {
            session = take(&place, session, step);
            assert_paired(&session.context().unwrap());
        }
        let before = shown(&session.context().unwrap().messages());
        let tied = ties(session.view());
        let leaf = session.leaf().cloned();
        if let Some(path) = session.path().filter(|path| path.exists()) {
            let view = SessionTree::open(path).unwrap();
            prop_assert_eq!(view.diagnostics(), &[]);
            prop_assert_eq!(ties(&view), tied);
            if let Some(leaf) = &leaf {
                let context = view.context_at(leaf).unwrap();
                prop_assert_eq!(shown(&context.messages()), before.clone());
            }
        }
        if let Some(leaf) = &leaf {
            let mut fork = session.fork(Some(leaf)).unwrap();
            let context = fork.context().unwrap();
            prop_assert_eq!(shown(&context.messages()), before);
        }
    }

    #[test]
    fn after_any_cut_of_the_file_the_session_goes_on(
        steps in steps(),
        cut in any::<prop::sample::Index>(),
        garbage in prop::collection::vec(any::<u8>(), 0..20),
    ) {
        let place = Place::new();
        let mut session = place.create();
        session.append_message(user("first")).unwrap();
        for step in &steps {
            session = take(&place, session, step);
        }
        let path = session.path().unwrap().to_owned();
        drop(session);
        let whole = fs::read(&path).unwrap();
        let header = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        let end = header + cut.index(whole.len() - header + 1);
        fs::write(&path, [&whole[..end], &garbage[..]].concat()).unwrap();
        let mut session = place.open(&path);
        assert_paired(&session.context().unwrap());
        session.append_message(user("next")).unwrap();
        let before = shown(&session.context().unwrap().messages());
        prop_assert!(before.ends_with("user next"));
        drop(session);
        let mut session = place.open(&path);
        let context = session.context().unwrap();
        assert_paired(&context);
        prop_assert_eq!(shown(&context.messages()), before);
    }

    #[test]
    fn lines_of_anything_never_stop_a_session_from_opening(
        lines in prop::collection::vec(lines(), 0..30),
    ) {
        let place = Place::new();
        let text = format!("{}\n{}", crate::broken::HEADER, lines.join("\n"));
        let path = place.file(&text);
        let view = SessionTree::open(&path).unwrap();
        for id in view.ids() {
            assert_paired(&view.context_at(id).unwrap());
        }
        view.nested_json().unwrap();
        let copy = place.store.fork_file(&path, &place.cwd).unwrap();
        let before = shown(&view.context().unwrap().messages());
        let copied = copy.view().context().unwrap();
        assert_paired(&copied);
        // What an id that is there twice stands for depends on which of the two can be read.
        let is_plain = |it: &Diagnostic| !matches!(it.what, Finding::DuplicateId { .. });
        if view.diagnostics().iter().all(is_plain) {
            prop_assert_eq!(shown(&copied.messages()), before);
        }
        let mut session = place.open(&path);
        session.append_message(user("next")).unwrap();
        drop(session);
        prop_assert!(fs::read_to_string(&path).unwrap().ends_with('\n'));
        prop_assert!(shown(&place.open(&path).context().unwrap().messages()).ends_with("user next"));
    }
}

/// Lines that are entries, nearly entries and none.
fn lines() -> impl Strategy<Value = String> {
    let ids = || 0..6u8;
    prop_oneof![
        6 => (ids(), ids()).prop_map(|(id, parent)| {
            crate::broken::said(&id.to_string(), &parent.to_string(), "text")
        }),
        2 => (ids(), ids(), ids()).prop_map(|(id, parent, kept)| format!(
            r#"{{"type":"compaction","id":"{id}","parentId":"{parent}","timestamp":"t","summary":"s","firstKeptEntryId":"{kept}","tokensBefore":1}}"#
        )),
        2 => (ids(), ids(), ids()).prop_map(|(id, parent, target)| format!(
            r#"{{"type":"context_edit","id":"{id}","parentId":"{parent}","timestamp":"t","targetId":"{target}","replacement":null}}"#
        )),
        3 => (ids(), ids(), ids()).prop_map(|(id, parent, call)| format!(
            r#"{{"type":"message","id":"{id}","parentId":"{parent}","message":{{"role":"assistant","content":[{{"type":"toolCall","id":"{call}","name":"f","arguments":{{}}}}],"stopReason":"toolUse"}}}}"#
        )),
        3 => (ids(), ids(), ids()).prop_map(|(id, parent, call)| format!(
            r#"{{"type":"message","id":"{id}","parentId":"{parent}","message":{{"role":"toolResult","toolCallId":"{call}","toolName":"f","content":[]}}}}"#
        )),
        2 => (ids(), ids(), 10..90usize).prop_map(|(id, parent, end)| {
            let line = crate::broken::said(&id.to_string(), &parent.to_string(), "text");
            line[..end].to_owned()
        }),
        1 => "[ -~]{0,20}",
        1 => Just(String::new()),
        1 => Just("{}".to_owned()),
        1 => Just(crate::broken::HEADER.to_owned()),
    ]
}
