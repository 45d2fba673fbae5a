use std::sync::Arc;

use deed_protocol::{Message, UserContent};
use deed_session::{
    Context, Finding, ModelChoice, NewBranchSummary, NewCompaction, NewCustomMessage, Session,
    SessionError,
};
use insta::assert_snapshot;

use crate::broken::{HEADER, said};
use crate::support::{Place, asks, result, says, shown, user};

fn compact(session: &mut Session, summary: &str, first_kept: Option<&str>) {
    session
        .append_compaction(NewCompaction {
            summary: summary.to_owned(),
            first_kept: first_kept.map(Arc::from),
            tokens_before: 9,
            ..NewCompaction::default()
        })
        .unwrap();
}

fn text_of(context: &Context) -> String {
    shown(&context.messages())
}

#[test]
fn a_summary_stands_for_what_is_before_the_first_entry_that_stays() {
    let place = Place::new();
    let mut session = place.create();
    session.append_message(user("one")).unwrap();
    session.append_message(says("two")).unwrap();
    let three = session.append_message(user("three")).unwrap();
    session.append_message(says("four")).unwrap();
    compact(&mut session, "first summary", Some(&three));
    session.append_message(user("five")).unwrap();
    assert_snapshot!(text_of(&session.context().unwrap()), @r"
    compactionSummary first summary
    user three
    assistant four
    user five
    ");
    session.append_message(says("six")).unwrap();
    compact(&mut session, "second summary", None);
    session.append_message(user("seven")).unwrap();
    let context = session.context().unwrap();
    assert_snapshot!(text_of(&context), @r"
    compactionSummary second summary
    user seven
    ");
    assert_eq!(context.compaction.unwrap().summary, "second summary");
}

#[test]
fn an_older_summary_among_what_stays_says_nothing_more() {
    let place = Place::new();
    let mut session = place.create();
    let one = session.append_message(user("one")).unwrap();
    compact(&mut session, "first summary", Some(&one));
    session.append_message(says("two")).unwrap();
    compact(&mut session, "second summary", Some(&one));
    assert_snapshot!(text_of(&session.context().unwrap()), @r"
    compactionSummary second summary
    user one
    assistant two
    ");
}

#[test]
fn a_summary_that_keeps_from_nowhere_on_keeps_nothing_and_that_is_told() {
    let place = Place::new();
    let summary = r#"{"type":"compaction","id":"2","parentId":"1","timestamp":"t","summary":"sum","firstKeptEntryId":"9","tokensBefore":1}"#;
    let text = [
        HEADER,
        &said("1", "", "one"),
        summary,
        &said("3", "2", "three"),
        "",
    ];
    let context = place.open(&place.file(text.join("\n"))).context().unwrap();
    assert_eq!(text_of(&context), "compactionSummary sum\nuser three");
    let what = Finding::MissingKept {
        id: "2".into(),
        first_kept: "9".into(),
    };
    assert_eq!(context.diagnostics[0].what, what);
}

#[test]
fn only_what_is_on_the_branch_can_be_kept_or_edited() {
    let place = Place::new();
    let mut session = place.create();
    let one = session.append_message(user("one")).unwrap();
    let two = session.append_message(says("two")).unwrap();
    session.move_to(Some(&one)).unwrap();
    let new = NewCompaction {
        first_kept: Some(two.clone()),
        ..NewCompaction::default()
    };
    let error = session.append_compaction(new).unwrap_err();
    assert!(matches!(error, SessionError::NotOnBranch { .. }), "{error}");
    let error = session.append_context_edit(&two, None).unwrap_err();
    assert!(matches!(error, SessionError::NotOnBranch { .. }), "{error}");
    let error = session.append_context_edit("no", None).unwrap_err();
    assert!(
        matches!(error, SessionError::UnknownEntry { .. }),
        "{error}"
    );
    let model = session.append_model_change("acme", "m").unwrap();
    let error = session.append_context_edit(&model, None).unwrap_err();
    assert!(matches!(error, SessionError::NotEditable { .. }), "{error}");
}

#[test]
fn an_edit_changes_what_the_context_has_and_not_the_entry() {
    let place = Place::new();
    let mut session = place.create();
    let one = session.append_message(user("one")).unwrap();
    let two = session.append_message(says("two")).unwrap();
    let note = session
        .append_custom_message(NewCustomMessage {
            custom_type: "ext".to_owned(),
            content: UserContent::Text("note".to_owned()),
            ..NewCustomMessage::default()
        })
        .unwrap();
    let text = |text: &str| Some(UserContent::Text(text.to_owned()));
    session.append_context_edit(&one, text("ONE")).unwrap();
    session.append_context_edit(&two, text("TWO")).unwrap();
    session.append_context_edit(&note, None).unwrap();
    assert_snapshot!(text_of(&session.context().unwrap()), @r"
    user ONE
    assistant TWO
    ");
    session.append_context_edit(&note, text("NOTE")).unwrap();
    session.append_context_edit(&two, None).unwrap();
    assert_snapshot!(text_of(&session.context().unwrap()), @r"
    user ONE
    custom NOTE
    ");
    let path = session.path().unwrap().to_owned();
    assert!(
        std::fs::read_to_string(path)
            .unwrap()
            .contains("\"content\":\"one\"")
    );
}

#[test]
fn taking_out_a_call_or_its_result_leaves_a_valid_history_and_is_no_repair() {
    let place = Place::new();
    let mut session = place.create();
    session.append_message(user("list")).unwrap();
    let calls = session.append_message(asks(&["a:ls", "b:ls"])).unwrap();
    let first = session.append_message(result("a", "long text")).unwrap();
    session.append_message(result("b", "b text")).unwrap();
    session.append_context_edit(&first, None).unwrap();
    let context = session.context().unwrap();
    assert_snapshot!(text_of(&context), @r"
    user list
    assistant ls#a ls#b
    toolResult a: The result of this call was taken out of the conversation.
    toolResult b: b text
    ");
    assert!(context.recovery.is_none());
    assert_eq!(context.repairs, []);
    session.append_context_edit(&calls, None).unwrap();
    let context = session.context().unwrap();
    assert_eq!(text_of(&context), "user list");
    assert_eq!(context.repairs, []);
    assert!(context.recovery.is_none());
}

#[test]
fn a_branch_that_was_left_is_summed_up_where_the_next_one_begins() {
    let place = Place::new();
    let mut session = place.create();
    let one = session.append_message(user("one")).unwrap();
    session.append_message(says("two")).unwrap();
    let leaf = session.append_message(user("three")).unwrap();
    let left = session.view().left_behind(&leaf, Some(&one)).unwrap();
    assert_eq!(shown(&left), "assistant two\nuser three");
    let new = NewBranchSummary {
        summary: "tried two".to_owned(),
        ..NewBranchSummary::default()
    };
    session.move_with_summary(Some(&one), new).unwrap();
    session.append_message(says("other")).unwrap();
    let context = session.context().unwrap();
    assert_snapshot!(text_of(&context), @r"
    user one
    branchSummary tried two
    assistant other
    ");
    let Message::BranchSummary(summary) = &*context.entries[1].message else {
        panic!("no summary");
    };
    assert_eq!(summary.from_id, *leaf);
}

#[test]
fn model_and_thinking_level_are_those_that_the_branch_set_last() {
    let place = Place::new();
    let mut session = place.create();
    assert_eq!(session.context().unwrap().model, None);
    session.append_model_change("acme", "m1").unwrap();
    session.append_thinking_level("high").unwrap();
    let one = session.append_message(user("one")).unwrap();
    session.append_model_change("acme", "m2").unwrap();
    session.append_thinking_level("off").unwrap();
    compact(&mut session, "all", None);
    let choice = |model_id: &str| {
        Some(ModelChoice {
            provider: "acme".to_owned(),
            model_id: model_id.to_owned(),
        })
    };
    let context = session.context().unwrap();
    assert_eq!(context.model, choice("m2"));
    assert_eq!(context.thinking_level.as_deref(), Some("off"));
    session.move_to(Some(&one)).unwrap();
    let context = session.context().unwrap();
    assert_eq!(context.model, choice("m1"));
    assert_eq!(context.thinking_level.as_deref(), Some("high"));
    let answer =
        r#"{"role":"assistant","content":[],"provider":"other","model":"m3","stopReason":"stop"}"#;
    let answer: Message = serde_json::from_str(answer).unwrap();
    session.append_message(Arc::new(answer)).unwrap();
    assert_eq!(session.context().unwrap().model.unwrap().model_id, "m3");
}

#[test]
fn b176_tools_that_a_call_made_active_are_known_after_a_reload() {
    let place = Place::new();
    let mut session = place.create();
    session
        .append_active_tools(&["read".into(), "find_tools".into()])
        .unwrap();
    session.append_message(user("find")).unwrap();
    session.append_message(asks(&["a:find_tools"])).unwrap();
    let mut found = Message::clone(&result("a", "found two"));
    if let Message::ToolResult(result) = &mut found {
        result.added_tool_names = vec!["query".into(), "read".into()];
    }
    session.append_message(Arc::new(found)).unwrap();
    compact(&mut session, "all", None);
    let path = session.path().unwrap().to_owned();
    drop(session);
    let mut session = place.open(&path);
    let tools = session.context().unwrap().tools;
    assert_eq!(tools.set, Some(vec!["read".into(), "find_tools".into()]));
    assert_eq!(tools.added, ["query".into()]);
    session.append_active_tools(&["read".into()]).unwrap();
    let tools = session.context().unwrap().tools;
    assert_eq!(tools.set, Some(vec!["read".into()]));
    assert_eq!(tools.added, []);
}

#[test]
fn usage_counts_from_the_first_message_after_the_last_change() {
    let place = Place::new();
    let mut session = place.create();
    let one = session.append_message(user("one")).unwrap();
    session.append_message(says("two")).unwrap();
    assert_eq!(session.context().unwrap().usage_counts_from, 0);
    compact(&mut session, "sum", Some(&one));
    assert_eq!(session.context().unwrap().usage_counts_from, 3);
    session.append_message(user("three")).unwrap();
    assert_eq!(session.context().unwrap().usage_counts_from, 3);
    session.append_context_edit(&one, None).unwrap();
    let context = session.context().unwrap();
    assert_eq!(context.usage_counts_from, context.entries.len());
}
