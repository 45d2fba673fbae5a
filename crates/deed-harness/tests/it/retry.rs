use std::sync::Arc;
use std::time::Duration;

use deed_harness::RetryPolicy;
use deed_protocol::Message;
use deed_testing::EventLog;
use serde_json::{Value, json};

use crate::support::{Place, Played};

/// Waits that no test notices.
fn quick() -> RetryPolicy {
    RetryPolicy {
        base_delay: Duration::from_millis(1),
        ..RetryPolicy::default()
    }
}

fn overloaded() -> Value {
    json!({ "error": "too much to do", "errorKind": "overloaded" })
}

fn logged(place: &Place, script: Value, policy: RetryPolicy) -> (Played, Arc<EventLog>) {
    let played = place.session(script, |builder| builder.retry(policy));
    let log = Arc::new(EventLog::default());
    played.session.add_sink(log.clone());
    (played, log)
}

#[tokio::test]
async fn an_overloaded_model_is_asked_again_and_the_run_goes_on() {
    let place = Place::new();
    place.put("a.txt", "hello\n");
    let script = json!([
        { "calls": [{ "id": "r", "name": "read", "arguments": { "path": "a.txt" } }] },
        overloaded(),
        overloaded(),
        { "expect": "hello", "say": "done" },
    ]);
    let (played, log) = logged(&place, script, quick());
    played.prompt().await;
    insta::assert_snapshot!(log.text(), @r#"
    agent start
    turn start
    message user "go"
    message assistant "" calls ["r"]
    start r read
    end r
    message result r "hello\n"
    turn end, 1 results
    turn start
    message assistant "" calls [] error "too much to do"
    turn end, 0 results
    agent end, 4 messages
    {"type":"auto_retry_start","attempt":1,"maxAttempts":3,"delayMs":1,"errorMessage":"too much to do"}
    agent start
    turn start
    message assistant "" calls [] error "too much to do"
    turn end, 0 results
    agent end, 1 messages
    {"type":"auto_retry_start","attempt":2,"maxAttempts":3,"delayMs":2,"errorMessage":"too much to do"}
    agent start
    turn start
    message assistant "done" calls []
    {"type":"auto_retry_end","success":true,"attempt":2}
    turn end, 0 results
    agent end, 1 messages
    {"type":"agent_settled","aborted":false}
    "#);
    // What failed is not part of what goes on.
    assert_eq!(played.session.agent().messages().len(), 4);
}

#[tokio::test]
async fn after_the_last_attempt_the_error_stands() {
    let place = Place::new();
    let script = json!([overloaded(), overloaded(), overloaded(), { "say": "too late" }]);
    let policy = RetryPolicy {
        max_retries: 2,
        ..quick()
    };
    let (played, log) = logged(&place, script, policy);
    let end = played.session.prompt(vec![Message::user("go", 0)]).await;
    assert_eq!(end.unwrap().error.as_deref(), Some("too much to do"));
    let last =
        r#"{"type":"auto_retry_end","success":false,"attempt":2,"finalError":"too much to do"}"#;
    assert!(log.text().contains(last), "{}", log.text());
}

#[tokio::test]
async fn what_will_not_get_better_is_not_asked_again() {
    let wrong_key = json!({ "error": "wrong key", "errorKind": "auth" });
    let unknown = json!({ "error": "what is this" });
    let too_long = json!({ "error": "wait", "errorKind": "rateLimit", "retryAfterMs": 3_600_000 });
    for failing in [wrong_key, unknown, too_long] {
        let place = Place::new();
        let (played, log) = logged(&place, json!([failing, { "say": "no" }]), quick());
        let end = played.session.prompt(vec![Message::user("go", 0)]).await;
        assert!(end.unwrap().error.is_some(), "{failing}");
        assert!(!log.text().contains("auto_retry"), "{}", log.text());
    }
}

#[tokio::test]
async fn a_session_whose_request_failed_can_go_on() {
    let place = Place::new();
    let script = json!([{ "error": "wrong key", "errorKind": "auth" }, { "say": "hello" }]);
    let (played, _log) = logged(&place, script, quick());
    let end = played.session.prompt(vec![Message::user("go", 0)]).await;
    assert!(end.unwrap().error.is_some());
    played.prompt().await;
}

#[tokio::test]
async fn waiting_to_ask_again_can_be_cut_short() {
    let place = Place::new();
    let policy = RetryPolicy {
        base_delay: Duration::from_secs(50),
        ..RetryPolicy::default()
    };
    let (played, log) = logged(&place, json!([overloaded(), { "say": "no" }]), policy);
    let session = played.session.clone();
    let prompting = tokio::spawn(async move { session.prompt(vec![Message::user("go", 0)]).await });
    while !log.text().contains("auto_retry_start") {
        tokio::task::yield_now().await;
    }
    // Until the wait has begun there is nothing to stop, so it is said more than once.
    while !prompting.is_finished() {
        played.session.abort_retry();
        tokio::task::yield_now().await;
    }
    let end = prompting.await.unwrap().unwrap();
    assert_eq!(end.error.as_deref(), Some("too much to do"));
    assert!(log.text().contains(r#""success":false"#), "{}", log.text());
}
