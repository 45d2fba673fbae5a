//! What extensions ask of the program: other sessions, this one anew, the end.

use std::path::PathBuf;
use std::sync::Arc;

use deed_extensions::{
    Consent, Extension, ForkPosition, Replacement, SessionBeforeSwitchEvent, SessionStartEvent,
};
use deed_protocol::NoticeLevel;
use serde_json::{Value, json};

use super::extension::ext;
use super::host::Play;
use super::wire::{Wire, say};

/// Reads `new`, `file PATH`, `before ID`, `at ID` and `reload`.
fn wanted(args: &str) -> Replacement {
    let (what, of) = args.split_once(' ').unwrap_or((args, ""));
    let fork = |position| Replacement::Fork {
        entry_id: of.to_owned(),
        position,
    };
    match what {
        "file" => Replacement::File(PathBuf::from(of)),
        "before" => fork(ForkPosition::Before),
        "at" => fork(ForkPosition::At),
        "reload" => Replacement::Reload,
        _ => Replacement::New { parent: None },
    }
}

/// Goes where its command says, and notes each start of a session.
fn goes(may_switch: bool) -> Arc<dyn Extension> {
    ext(move |api| {
        let asks = api.clone();
        api.register_command("go", "", move |args, context| {
            let asks = asks.clone();
            Box::pin(async move {
                let agreed = asks.replace_session(wanted(args)).await?;
                // The session is still there.
                asks.get_entries()?;
                context
                    .ui()
                    .notify(&format!("agreed: {agreed}"), NoticeLevel::Info);
                Ok(())
            })
        })?;
        let asks = api.clone();
        api.register_command("quit", "", move |_, _| {
            let asked = asks.shutdown();
            Box::pin(async { asked })
        })?;
        api.on(|event: &mut SessionStartEvent, context| {
            let text = format!("start: {}", event.reason.as_str());
            context.ui().notify(&text, NoticeLevel::Info);
            Box::pin(async { Ok(()) })
        })?;
        api.on(move |_: &mut SessionBeforeSwitchEvent, _| {
            Box::pin(async move {
                Ok(match may_switch {
                    true => Consent::Agree,
                    false => Consent::Cancel,
                })
            })
        })?;
        Ok(())
    })
}

async fn start(script: Value, may_switch: bool) -> Wire {
    let mut play = Play::new(script);
    play.extensions = vec![goes(may_switch)];
    Wire::start(play).await
}

async fn said(wire: &mut Wire, text: &str) {
    wire.until(|record| record["message"] == text).await;
}

async fn go(wire: &mut Wire, args: &str) {
    let text = format!("/go {args}");
    wire.begin(json!({ "type": "prompt", "message": text }));
    said(wire, "agreed: true").await;
}

async fn state(wire: &mut Wire) -> (Option<String>, u64) {
    let state = wire.ok(json!({ "type": "get_state" })).await;
    let file = state["sessionFile"].as_str().map(str::to_owned);
    (file, state["messageCount"].as_u64().unwrap())
}

#[tokio::test]
async fn a_command_goes_to_a_new_session_and_back() {
    let mut wire = start(json!([say("fine")]), true).await;
    wire.prompt("one").await;
    let (old, count) = state(&mut wire).await;
    assert_eq!(count, 2);
    go(&mut wire, "new").await;
    said(&mut wire, "start: new").await;
    assert_eq!(state(&mut wire).await.1, 0);
    go(&mut wire, &format!("file {}", old.clone().unwrap())).await;
    said(&mut wire, "start: resume").await;
    assert_eq!(state(&mut wire).await, (old, 2));
}

#[tokio::test]
async fn a_session_is_cut_on_either_side_of_an_entry() {
    let mut wire = start(json!([say("fine"), say("again")]), true).await;
    wire.prompt("one").await;
    wire.prompt("two").await;
    let data = wire.ok(json!({ "type": "get_fork_messages" })).await;
    let second = data["messages"][1]["entryId"].as_str().unwrap().to_owned();
    let (whole, _) = state(&mut wire).await;
    for (side, expected) in [("before", 2), ("at", 3)] {
        go(&mut wire, &format!("{side} {second}")).await;
        said(&mut wire, "start: fork").await;
        assert_eq!(state(&mut wire).await.1, expected, "{side}");
        go(&mut wire, &format!("file {}", whole.clone().unwrap())).await;
        said(&mut wire, "start: resume").await;
    }
}

#[tokio::test]
async fn a_session_that_is_loaded_anew_is_the_same_one() {
    let mut wire = start(json!([say("fine")]), true).await;
    wire.prompt("one").await;
    let before = state(&mut wire).await;
    go(&mut wire, "reload").await;
    said(&mut wire, "start: reload").await;
    assert_eq!(state(&mut wire).await, before);
    wire.prompt("two").await;
    assert_eq!(state(&mut wire).await.1, 4);
}

#[tokio::test]
async fn what_extensions_refuse_or_is_not_there_stays_undone() {
    let mut wire = start(json!([say("fine")]), false).await;
    wire.prompt("one").await;
    let before = state(&mut wire).await;
    wire.begin(json!({ "type": "prompt", "message": "/go new" }));
    said(&mut wire, "agreed: false").await;
    wire.begin(json!({ "type": "prompt", "message": "/go file none.jsonl" }));
    let error = wire.until_type("extension_error").await;
    let text = error["error"].as_str().unwrap();
    assert!(text.starts_with("there is no session file "), "{text}");
    wire.begin(json!({ "type": "prompt", "message": "/go at nothing" }));
    let error = wire.until_type("extension_error").await;
    let text = error["error"].as_str().unwrap();
    assert_eq!(text, "no entry of the session has the id \"nothing\"");
    assert_eq!(state(&mut wire).await, before);
}

#[tokio::test]
async fn an_extension_ends_the_program() {
    let mut wire = start(json!([say("fine")]), true).await;
    wire.ok(json!({ "type": "prompt", "message": "/quit" }))
        .await;
    wire.ended().await;
}
