use std::sync::Arc;

use deed_protocol::{ContentBlock, Message};
use deed_session::compaction::{
    CompactionPlan, CompactionSettings, FileLists, conversation_text, estimate_context,
    estimate_messages, estimate_tokens, plan_compaction, should_compact,
};
use deed_session::{NewCompaction, Session};
use insta::assert_snapshot;

use crate::support::{Place, asks, result, says, shown, user};

fn message(json: &str) -> Arc<Message> {
    Arc::new(serde_json::from_str(json).unwrap())
}

fn answer_with(usage: &str, reason: &str) -> Arc<Message> {
    message(&format!(
        r#"{{"role":"assistant","content":[{{"type":"text","text":"12345678"}}],"usage":{usage},"stopReason":"{reason}"}}"#
    ))
}

#[test]
fn a_message_is_a_token_for_four_characters() {
    let picture = ContentBlock::image("A".repeat(10), "image/png");
    let mut seen = Message::clone(&result("a", "1234"));
    if let Message::ToolResult(result) = &mut seen {
        result.content.push(picture);
    }
    for (message, tokens) in [
        (user(""), 0),
        (user("1234"), 1),
        (user("12345"), 2),
        (user("ääää"), 1),
        (user("😀😀"), 1),
        (says("12345678"), 2),
        (asks(&["long-id:read"]), 3),
        (Arc::new(seen), 1201),
        (
            message(
                r#"{"role":"assistant","content":[{"type":"thinking","thinking":"1234"}],"stopReason":"stop"}"#,
            ),
            1,
        ),
        (
            message(r#"{"role":"bashExecution","command":"1234","output":"1234"}"#),
            2,
        ),
        (
            message(r#"{"role":"compactionSummary","summary":"1234"}"#),
            1,
        ),
        (
            message(r#"{"role":"system","content":"1234","toolsAdded":["1234"]}"#),
            3,
        ),
        (message(r#"{"role":"later","content":"1234"}"#), 0),
    ] {
        assert_eq!(estimate_tokens(&message), tokens, "{message:?}");
    }
}

#[test]
fn a_context_is_what_the_last_answer_reports_and_what_came_after() {
    let reported = answer_with(r#"{"totalTokens":1000}"#, "toolUse");
    let messages = [user("1234"), reported.clone(), user("12345678")];
    let estimate = estimate_messages(&messages);
    assert_eq!(
        (
            estimate.tokens,
            estimate.usage_tokens,
            estimate.trailing_tokens
        ),
        (1002, 1000, 2)
    );
    for failed in [
        answer_with(r#"{"totalTokens":9000}"#, "aborted"),
        answer_with(r#"{"totalTokens":9000}"#, "error"),
        answer_with("{}", "stop"),
    ] {
        let messages = [user("1234"), reported.clone(), failed];
        assert_eq!(estimate_messages(&messages).tokens, 1002);
    }
    let parts = r#"{"input":1,"output":20,"cacheRead":300,"cacheWrite":4000}"#;
    let summed = [answer_with(parts, "stop")];
    assert_eq!(estimate_messages(&summed).tokens, 4321);
    assert_eq!(estimate_messages(&[user("1234")]).tokens, 1);
}

#[test]
fn a_report_from_before_a_compaction_counts_no_more() {
    let place = Place::new();
    let mut session = place.create();
    let one = session.append_message(user("1234")).unwrap();
    session
        .append_message(answer_with(r#"{"totalTokens":9000}"#, "stop"))
        .unwrap();
    let tokens = |session: &mut Session| estimate_context(&session.context().unwrap()).tokens;
    assert_eq!(tokens(&mut session), 9000);
    session
        .append_compaction(NewCompaction {
            summary: "12345678".to_owned(),
            first_kept: Some(one),
            ..NewCompaction::default()
        })
        .unwrap();
    assert_eq!(tokens(&mut session), 2 + 1 + 2);
    session
        .append_message(answer_with(r#"{"totalTokens":500}"#, "stop"))
        .unwrap();
    assert_eq!(tokens(&mut session), 500);
}

#[test]
fn a_context_is_compacted_when_it_leaves_too_little_of_the_window() {
    let settings = CompactionSettings::default();
    assert!(!should_compact(83_616, 100_000, &settings));
    assert!(should_compact(83_617, 100_000, &settings));
    assert!(should_compact(1, 1000, &settings));
    let off = CompactionSettings {
        enabled: false,
        ..settings
    };
    assert!(!should_compact(99_999, 100_000, &off));
}

#[test]
fn in_a_small_window_less_stays_free_and_less_is_kept() {
    let fitted = |window| {
        let fitted = CompactionSettings::default().within(window);
        (fitted.reserve_tokens, fitted.keep_recent_tokens)
    };
    assert_eq!(fitted(0), (16_384, 20_000));
    assert_eq!(fitted(8_192), (4_096, 2_048));
    assert_eq!(fitted(32_768), (16_384, 8_192));
    assert_eq!(fitted(65_536), (16_384, 20_000));
}

const KEEP: CompactionSettings = CompactionSettings {
    enabled: true,
    reserve_tokens: 0,
    keep_recent_tokens: 100,
};

/// A text of so many tokens.
fn long(tokens: usize) -> String {
    "abcd".repeat(tokens)
}

fn plan_of(messages: &[Arc<Message>]) -> Option<(usize, CompactionPlan)> {
    let place = Place::new();
    let mut session = place.create();
    let mut ids = Vec::new();
    for message in messages {
        ids.push(session.append_message(message.clone()).unwrap());
    }
    let plan = plan_compaction(&session.context().unwrap(), &KEEP)?;
    let at = ids.iter().position(|id| *id == plan.first_kept).unwrap();
    Some((at, plan))
}

#[test]
fn the_cut_keeps_enough_and_stands_where_a_turn_begins() {
    let turns: Vec<Arc<Message>> = (0..6)
        .flat_map(|_| [user(&long(30)), says(&long(30))])
        .collect();
    let (at, plan) = plan_of(&turns).unwrap();
    assert_eq!(at, 8);
    assert_eq!(plan.to_summarise.len(), 8);
    assert!(plan.turn_prefix.is_empty());
    assert_eq!(plan.previous_summary, None);
    assert_eq!(plan.tokens_before, 360);
}

#[test]
fn a_turn_is_cut_in_two_at_an_answer_never_at_a_result() {
    let mut messages = vec![user("old"), says("done"), user("go")];
    for number in 0..6 {
        let id = format!("c{number}");
        messages.push(asks(&[&format!("{id}:read")]));
        messages.push(result(&id, &long(40)));
    }
    let (at, plan) = plan_of(&messages).unwrap();
    assert_eq!(at, 9);
    assert_eq!(shown(&plan.to_summarise), "user old\nassistant done");
    assert_eq!(plan.turn_prefix.len(), 7);
    assert!(shown(&plan.turn_prefix).starts_with("user go\nassistant read#c0"));
}

#[test]
fn one_huge_batch_is_summarised_too_if_something_stands_behind_it() {
    let huge = [
        user("go"),
        asks(&["a:read", "b:read"]),
        result("a", &long(500)),
        result("b", &long(500)),
    ];
    let (at, _) = plan_of(&[&huge[..], &[says("done"), user("next")]].concat()).unwrap();
    assert_eq!(at, 4);
    let (at, _) = plan_of(&huge).unwrap();
    assert_eq!(at, 1);
}

#[test]
fn there_is_nothing_to_cut_in_what_is_short_or_one_message() {
    assert!(plan_of(&[]).is_none());
    assert!(plan_of(&[user("a"), says("b")]).is_none());
    assert!(plan_of(&[user(&long(500))]).is_none());
}

#[test]
fn the_next_compaction_carries_on_the_summary_and_the_files() {
    let place = Place::new();
    let mut session = place.create();
    let call = |id: &str, name: &str, path: &str| {
        message(&format!(
            r#"{{"role":"assistant","content":[{{"type":"toolCall","id":"{id}","name":"{name}","arguments":{{"path":"{path}"}}}}],"stopReason":"toolUse"}}"#
        ))
    };
    session.append_message(user("one")).unwrap();
    for (id, name, path) in [
        ("1", "read", "z.txt"),
        ("2", "edit", "a.txt"),
        ("3", "read", "a.txt"),
    ] {
        session.append_message(call(id, name, path)).unwrap();
        session.append_message(result(id, "x")).unwrap();
    }
    session.append_message(user(&long(200))).unwrap();
    let plan = plan_compaction(&session.context().unwrap(), &KEEP).unwrap();
    assert_eq!(plan.files.read_files, ["z.txt"]);
    assert_eq!(plan.files.modified_files, ["a.txt"]);
    session
        .append_compaction(NewCompaction {
            summary: "first".to_owned(),
            first_kept: Some(plan.first_kept),
            details: Some(serde_json::to_value(&plan.files).unwrap()),
            ..NewCompaction::default()
        })
        .unwrap();
    let nested = r#"{"role":"toolResult","toolCallId":"4","toolName":"script","content":[],"isError":false,"nestedCalls":{"calls":[{"id":"4/1","name":"write","status":"ok","arguments":{"path":"z.txt"}}]}}"#;
    session
        .append_message(call("4", "script", "no.txt"))
        .unwrap();
    session.append_message(message(nested)).unwrap();
    session.append_message(user(&long(200))).unwrap();
    let plan = plan_compaction(&session.context().unwrap(), &KEEP).unwrap();
    assert_eq!(plan.previous_summary.as_deref(), Some("first"));
    assert_eq!(plan.to_summarise.len(), 3);
    assert_eq!(plan.files.read_files, Vec::<String>::new());
    assert_eq!(plan.files.modified_files, ["a.txt", "z.txt"]);
    let json = serde_json::to_string(&plan.files).unwrap();
    assert_eq!(
        json,
        r#"{"readFiles":[],"modifiedFiles":["a.txt","z.txt"]}"#
    );
    let read: FileLists = serde_json::from_str(&json).unwrap();
    assert_eq!(read, plan.files);
}

#[test]
fn a_history_is_written_as_a_record() {
    let messages = [
        user("fix it"),
        message(
            r#"{"role":"assistant","content":[{"type":"thinking","thinking":"secret"},{"type":"text","text":"I look"},{"type":"toolCall","id":"1","name":"read","arguments":{"path":"a.txt","limit":1e1}},{"type":"toolCall","id":"2","name":"ls","arguments":{}}],"stopReason":"toolUse"}"#,
        ),
        result("1", "text"),
        message(
            r#"{"role":"toolResult","toolCallId":"2","toolName":"ls","content":[{"type":"text","text":"no"},{"type":"image","data":"","mimeType":"image/png"}],"isError":true}"#,
        ),
        result("3", ""),
        message(r#"{"role":"bashExecution","command":"ls -l","output":"a\nb\n"}"#),
        message(
            r#"{"role":"bashExecution","command":"env","output":"KEY","excludeFromContext":true}"#,
        ),
        message(r#"{"role":"custom","customType":"ext","content":"remember"}"#),
        message(r#"{"role":"branchSummary","summary":"tried","fromId":"1"}"#),
        message(r#"{"role":"compactionSummary","summary":"before"}"#),
        message(r#"{"role":"system","content":"be brief"}"#),
        message(r#"{"role":"later","content":"x"}"#),
    ];
    assert_snapshot!(conversation_text(&messages), @r#"
    [user] fix it

    [assistant] I look

    [assistant calls] read(path="a.txt", limit=1e1); ls()

    [result of tool] text

    [error of ls] no
    (picture)

    [user ran] ls -l
    a
    b

    [note from ext] remember

    [what another branch did] tried

    [what was before] before
    "#);
}

#[test]
fn long_results_and_arguments_are_cut_in_a_record() {
    let text = conversation_text(&[result("1", &"ä".repeat(2003))]);
    assert_eq!(
        text,
        format!("[result of tool] {}[… 3 more characters]", "ä".repeat(2000))
    );
    let arguments = format!(r#"{{"path":"a","content":"{}"}}"#, "x".repeat(3000));
    let call = message(&format!(
        r#"{{"role":"assistant","content":[{{"type":"toolCall","id":"1","name":"write","arguments":{arguments}}}],"stopReason":"toolUse"}}"#
    ));
    let text = conversation_text(&[call]);
    assert!(
        text.starts_with("[assistant calls] write(path=\"a\", content=\"xxx"),
        "{text}"
    );
    assert!(text.ends_with("x[… 1002 more characters])"), "{text}");
}
