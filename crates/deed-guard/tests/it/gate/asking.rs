use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use deed_agent::Access;
use deed_guard::approval::{Choice, Reply, ReplyAnswer};
use deed_guard::policy::PermissionMode;
use deed_schema::Sha256Hash;
use deed_testing::FakeTool;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{Place, policy, say, texts};

#[tokio::test]
async fn three_outcomes_of_asking_tell_the_model_three_things() {
    let place = Place::with_rules(json!({}));
    place.person.answers("no", ReplyAnswer::Deny);
    let denied = place.call(&[("act", say("no"))]).await;
    assert!(texts(&denied)[0].starts_with("Refused by the user"));
    place.person.goes_away();
    let nobody = place.call(&[("act", say("x")), ("store", say("x"))]).await;
    let [act, store] = texts(&nobody)[..] else {
        panic!()
    };
    assert!(act.contains("requires interactive approval") && act.contains("policy file"));
    assert!(store.contains("A write query requires interactive approval"));
    assert_eq!(
        place.events(),
        [
            "call",
            "decision ask",
            "approval_asked",
            "approval deny",
            "call",
            "decision ask",
            "approval_asked",
            "approval no_ui",
            "call",
            "decision ask",
            "approval_asked",
            "approval no_ui",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn b118_nobody_who_answers_is_no_refusal() {
    let place = Place::with_rules(json!({}));
    let results = place.call(&[("act", say("x"))]).await;
    let text = texts(&results)[0];
    assert!(text.contains("nobody answered within 300 s"), "{text}");
    assert!(text.contains("Nobody refused"), "{text}");
    assert_eq!(place.events().last().unwrap(), "approval timeout");
}

#[tokio::test(start_paused = true)]
async fn questions_that_wait_for_their_turn_do_not_time_out_meanwhile() {
    let place = Arc::new(Place::with_rules(json!({})));
    let running = tokio::spawn({
        let place = place.clone();
        let calls = ["a", "b", "c"].map(|word| ("act", say(word)));
        async move { place.call(&calls).await }
    });
    let asked = place.person.hears(3).await;
    for request in &asked[..2] {
        tokio::time::advance(Duration::from_secs(200)).await;
        assert!(place.person.reply(request, Reply::new(ReplyAnswer::Once)));
        tokio::task::yield_now().await;
    }
    let results = running.await.unwrap();
    assert_eq!(texts(&results)[..2], ["a", "b"]);
    assert!(texts(&results)[2].contains("nobody answered within 300 s"));
}

#[tokio::test]
async fn a_refusal_passes_on_what_the_person_says() {
    let place = Arc::new(Place::with_rules(json!({})));
    let running = tokio::spawn({
        let place = place.clone();
        async move { place.call(&[("act", say("x"))]).await }
    });
    let asked = place.person.hears(1).await;
    let reply = Reply {
        comment: Some("use the other file".to_owned()),
        ..Reply::new(ReplyAnswer::Deny)
    };
    assert!(place.person.reply(&asked[0], reply));
    let results = running.await.unwrap();
    assert!(texts(&results)[0].contains("use the other file"));
}

#[tokio::test]
async fn b133_an_answer_is_that_of_its_question_and_the_others_wait() {
    let place = Arc::new(Place::with_rules(json!({})));
    let running = tokio::spawn({
        let place = place.clone();
        async move {
            place
                .call(&[("act", say("one")), ("act", say("two"))])
                .await
        }
    });
    let asked = place.person.hears(2).await;
    assert!(asked[1].shown.text().contains("two"));
    place.person.reply(&asked[1], Reply::new(ReplyAnswer::Once));
    tokio::task::yield_now().await;
    assert!(!running.is_finished(), "the first question still stands");
    place.person.reply(&asked[0], Reply::new(ReplyAnswer::Deny));
    let results = running.await.unwrap();
    assert!(results[0].is_error);
    assert_eq!(texts(&results)[1], "two");
}

#[tokio::test]
async fn b134_equal_calls_that_wait_are_answered_by_one_answer_for_the_session() {
    let place = Arc::new(Place::with_rules(json!({})));
    let calls = ["same", "same", "same", "other"].map(|word| ("act", say(word)));
    let running = tokio::spawn({
        let place = place.clone();
        async move { place.call(&calls).await }
    });
    let asked = place.person.hears(4).await;
    place
        .person
        .reply(&asked[0], Reply::new(ReplyAnswer::Session));
    // The two that wait are decided on again, the one with other arguments is not covered.
    answers(&place, 3).await;
    assert!(!place.person.reply(&asked[1], Reply::new(ReplyAnswer::Deny)));
    assert!(place.person.reply(&asked[3], Reply::new(ReplyAnswer::Deny)));
    let results = running.await.unwrap();
    assert_eq!(texts(&results)[..3], ["same", "same", "same"]);
    assert!(results[3].is_error);
    place.call(&[("act", say("same"))]).await;
    assert_eq!(place.person.asked().len(), 4, "nothing more was asked");
}

#[tokio::test]
async fn b137_what_is_allowed_for_the_session_is_the_arguments_in_any_order() {
    let place = Place::with_rules(json!({}));
    place.person.answers("x", ReplyAnswer::Session);
    place.call(&[("act", json!({"say": "x", "ms": 1}))]).await;
    place.call(&[("act", json!({"ms": 1, "say": "x"}))]).await;
    assert_eq!(place.person.asked().len(), 1);
    place.call(&[("act", json!({"ms": 2, "say": "x"}))]).await;
    assert_eq!(place.person.asked().len(), 2);
    let grants = place.gate.session_grants();
    assert_eq!(grants.len(), 2);
    assert!(place.gate.revoke_session_grant(&grants[0].approval));
    assert!(!place.gate.revoke_session_grant(&grants[0].approval));
    assert_eq!(place.gate.session_grants().len(), 1);
}

#[tokio::test]
async fn b136_a_yes_to_a_call_is_none_to_another_of_its_id() {
    let place = Place::with_rules(json!({}));
    place.person.answers("good", ReplyAnswer::Once);
    place.person.answers("bad", ReplyAnswer::Deny);
    // A model may give two calls one id; a scenario numbers them, so each is a batch of its own.
    for _ in 0..2 {
        let first = place.call(&[("act", say("good"))]).await;
        assert!(!first[0].is_error);
        let second = place.call(&[("act", say("bad"))]).await;
        assert!(second[0].is_error);
    }
    assert_eq!(place.person.asked().len(), 4, "once is once");
}

#[tokio::test]
async fn database_writes_are_allowed_once_each_whatever_is_answered() {
    let place = Place::with_rules(json!({}));
    place.person.answers("x", ReplyAnswer::Session);
    for count in 1..=2 {
        let results = place.call(&[("store", say("x"))]).await;
        assert!(!results[0].is_error);
        let asked = place.person.asked();
        assert_eq!(asked.len(), count);
        assert_eq!(asked[0].choices, [Choice::Once, Choice::Deny]);
    }
    assert!(place.gate.session_grants().is_empty());
}

#[tokio::test]
async fn a20_what_changed_while_the_person_thought_is_not_run() {
    let place = Place::with_rules(json!({}));
    place.person.answers("x", ReplyAnswer::Once);
    let looks = AtomicU64::new(0);
    let moving = FakeTool::new("moving")
        .accesses(Access::Opaque)
        .binds(move || looks.fetch_add(1, Ordering::Relaxed).into());
    let scenario = place.scenario.clone().tool(moving);
    let calls = [("moving", say("x"))];
    let results = scenario.batch(&calls, &CancellationToken::new()).await;
    assert!(texts(&results)[0].contains("changed before it could run"));
    let events = place.events();
    assert_eq!(events[3..], ["approval allow_once", "decision deny"]);
}

#[tokio::test(start_paused = true)]
async fn a11_an_answer_to_a_question_that_no_longer_stands_is_void() {
    let place = Arc::new(Place::with_rules(json!({})));
    let cancel = CancellationToken::new();
    let running = tokio::spawn({
        let (place, cancel) = (place.clone(), cancel.clone());
        async move { place.scenario.batch(&[("act", say("x"))], &cancel).await }
    });
    let asked = place.person.hears(1).await;
    cancel.cancel();
    let results = running.await.unwrap();
    assert_eq!(texts(&results), ["Operation aborted"]);
    assert!(!place.person.reply(&asked[0], Reply::new(ReplyAnswer::Once)));
    place.gate.note_late_answer(&asked[0].id, "once");
    assert_eq!(place.events().last().unwrap(), "approval cancelled");
    let audit = std::fs::read_dir(place.folder.path().join("audit")).unwrap();
    let logs = audit.flatten().map(|file| file.path());
    let text: String = logs
        .filter(|path| path.extension().is_some_and(|end| end == "jsonl"))
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    assert!(text.contains("late_answer") && text.contains(asked[0].id.as_ref()));
}

#[tokio::test]
async fn a_front_end_that_showed_something_else_is_caught() {
    let place = Arc::new(Place::with_rules(json!({})));
    for (shown, runs) in [(true, true), (false, false)] {
        let before = place.person.asked().len();
        let running = tokio::spawn({
            let place = place.clone();
            async move { place.call(&[("act", say("x"))]).await }
        });
        let asked = place.person.hears(before + 1).await;
        let hash = match shown {
            true => asked[before].display_sha256(),
            false => Sha256Hash::of(b"something nicer"),
        };
        let reply = Reply {
            display_sha256: Some(hash),
            ..Reply::new(ReplyAnswer::Once)
        };
        place.person.reply(&asked[before], reply);
        let results = running.await.unwrap();
        assert_eq!(!results[0].is_error, runs);
    }
    let records = place.records();
    let mut answers = records
        .iter()
        .filter(|record| record["event"] == "approval");
    assert_eq!(answers.next().unwrap()["approval"]["verified"], true);
    assert_eq!(answers.next().unwrap()["approval"]["verified"], false);
}

#[tokio::test]
async fn a10_b142_a_question_shows_every_line_and_every_hidden_character() {
    let place = Place::with_rules(json!({}));
    place.person.answers("# list files", ReplyAnswer::Deny);
    let command = "# list files\nrm -r d \u{202e}gpj.exe\u{200b}\n\tend\r";
    place.call(&[("act", say(command))]).await;
    let shown = &place.person.asked()[0].shown;
    insta::assert_snapshot!(shown.text(), @r"
    act from <sdk:act>
    say:
      # list files
      rm -r d \u{202e}gpj.exe\u{200b}
      \tend\r
    ! it has characters that cannot be seen; they are written out
    ");
}

#[tokio::test]
async fn a_policy_that_changes_while_a_call_waits_counts() {
    let place = Arc::new(Place::with_rules(json!({})));
    let running = tokio::spawn({
        let place = place.clone();
        async move { place.call(&[("act", say("x")), ("store", say("x"))]).await }
    });
    let asked = place.person.hears(2).await;
    // Looser: what waits runs, but for the database write, which somebody must still allow.
    place.gate.set_mode(PermissionMode::Bypass);
    place.person.reply(&asked[1], Reply::new(ReplyAnswer::Once));
    let results = running.await.unwrap();
    assert!(results.iter().all(|one| !one.is_error), "{results:?}");

    // Stricter: a yes to what is denied by then is no yes.
    place.gate.set_policy(policy(json!({})));
    let running = tokio::spawn({
        let place = place.clone();
        async move { place.call(&[("act", say("x"))]).await }
    });
    let asked = place.person.hears(3).await;
    place.gate.set_policy(policy(json!({"deny": ["act"]})));
    place.person.reply(&asked[2], Reply::new(ReplyAnswer::Once));
    let results = running.await.unwrap();
    assert!(
        texts(&results)[0].contains("the rules changed"),
        "{results:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn all_questions_of_a_batch_stand_at_once_and_a_cancel_takes_them_all_back() {
    let place = Arc::new(Place::with_rules(json!({})));
    let cancel = CancellationToken::new();
    let running = tokio::spawn({
        let (place, cancel) = (place.clone(), cancel.clone());
        let calls = ["a", "b", "c"].map(|word| ("act", say(word)));
        async move { place.scenario.batch(&calls, &cancel).await }
    });
    place.person.hears(3).await;
    cancel.cancel();
    let results = tokio::time::timeout(Duration::from_secs(60), running).await;
    assert_eq!(texts(&results.unwrap().unwrap()), ["Operation aborted"; 3]);
    let cancelled = |event: &&String| *event == "approval cancelled";
    assert_eq!(place.events().iter().filter(cancelled).count(), 3);
}

#[tokio::test]
async fn what_covered_a_question_and_is_gone_at_the_commit_allows_nothing() {
    let place = Arc::new(Place::with_rules(json!({})));
    let running = tokio::spawn({
        let place = place.clone();
        async move { place.call(&[("act", say("x")), ("store", say("x"))]).await }
    });
    let asked = place.person.hears(2).await;
    // The mode covers the one question while the other still stands.
    place.gate.set_mode(PermissionMode::Bypass);
    answers(&place, 1).await;
    place.gate.set_mode(PermissionMode::Default);
    place.person.reply(&asked[1], Reply::new(ReplyAnswer::Once));
    let results = running.await.unwrap();
    assert!(texts(&results)[0].contains("the rules changed"));
    assert!(!results[1].is_error);

    let running = tokio::spawn({
        let place = place.clone();
        let calls = ["same", "same", "other"].map(|word| ("act", say(word)));
        async move { place.call(&calls).await }
    });
    let asked = place.person.hears(5).await;
    let for_the_session = Reply::new(ReplyAnswer::Session);
    place.person.reply(&asked[2], for_the_session);
    answers(&place, 4).await;
    assert!(place.gate.revoke_session_grant(&asked[2].id));
    place.person.reply(&asked[4], Reply::new(ReplyAnswer::Once));
    let results = running.await.unwrap();
    let ran: Vec<bool> = results.iter().map(|one| !one.is_error).collect();
    assert_eq!(ran, [true, false, true], "{results:?}");
}

/// Waits until so many questions are settled.
async fn answers(place: &Place, count: usize) {
    let is_answer = |event: &&String| event.starts_with("approval ");
    while place.events().iter().filter(is_answer).count() < count {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_call_that_an_answer_just_before_covers_is_on_record_with_that_answer() {
    let place = Place::with_rules(json!({}));
    place.person.answers("same", ReplyAnswer::Session);
    let results = place
        .call(&[("act", say("same")), ("act", say("same"))])
        .await;
    assert!(results.iter().all(|one| !one.is_error));
    let asked = place.person.asked();
    assert_eq!(asked.len(), 1);
    place.call(&[("act", say("same"))]).await;
    let records = place.records();
    let intents: Vec<_> = records
        .iter()
        .filter(|one| one["event"] == "intent")
        .collect();
    let calls = records.iter().filter(|one| one["event"] == "call");
    assert_eq!((intents.len(), calls.count()), (3, 3));
    for intent in intents {
        assert_eq!(intent["detail"]["approval"], asked[0].id.as_ref());
    }
}

#[tokio::test]
async fn b109_b133_two_calls_of_one_id_are_two_questions() {
    let place = Arc::new(Place::with_rules(json!({})));
    let running = tokio::spawn({
        let place = place.clone();
        async move {
            let calls = [("same", "act", say("one")), ("same", "act", say("two"))];
            place
                .scenario
                .batch_of(&calls, &CancellationToken::new())
                .await
        }
    });
    let asked = place.person.hears(2).await;
    place.person.reply(&asked[1], Reply::new(ReplyAnswer::Once));
    place.person.reply(&asked[0], Reply::new(ReplyAnswer::Deny));
    let results = running.await.unwrap();
    assert!(results[0].is_error);
    assert_eq!(texts(&results)[1], "two");
    let records = place.records();
    let ran: Vec<_> = records
        .iter()
        .filter(|one| one["event"] == "outcome")
        .map(|one| one["call_serial"].as_u64().unwrap())
        .collect();
    assert_eq!(ran.len(), 1);
    let asked_of = |serial: u64| {
        let mut own = records
            .iter()
            .filter(move |one| one["call_serial"] == serial && one["event"] == "approval");
        own.next().unwrap()["approval"]["decision"].clone()
    };
    assert_eq!(asked_of(ran[0]), "allow_once");
}

#[tokio::test]
async fn a20_what_is_allowed_for_the_session_leads_where_it_led_then() {
    let place = Place::with_rules(json!({}));
    place.person.answers("link/a", ReplyAnswer::Session);
    let cancel = CancellationToken::new();
    // The same arguments; the link leads elsewhere by the third time.
    for (real, asked) in [("/proj/x/a", 1), ("/proj/x/a", 1), ("/etc/a", 2)] {
        let put = FakeTool::new("put").accesses(Access::Write(vec![real.into()]));
        let scenario = place.scenario.clone().tool(put);
        scenario.batch(&[("put", say("link/a"))], &cancel).await;
        assert_eq!(place.person.asked().len(), asked, "{real}");
    }
}

#[tokio::test]
async fn where_nobody_is_there_nothing_is_said_to_have_been_shown() {
    let place = Place::with_rules(json!({}));
    place.person.goes_away();
    place.call(&[("act", say("x"))]).await;
    let records = place.records();
    let of_approval: Vec<_> = records
        .iter()
        .filter_map(|one| one.get("approval"))
        .collect();
    assert_eq!(of_approval.len(), 2);
    assert!(
        of_approval
            .iter()
            .all(|one| one.get("display_sha256").is_none())
    );
}
