//! What extensions are asked and told of the session as a whole.

use std::path::PathBuf;
use std::sync::Arc;

use deed_agent::{Model, ModelInfo};
use deed_extensions::{
    Consent, Extension, ExtensionError, ForkPosition, ModelSelectEvent, ModelSelectSource,
    SessionBeforeForkEvent, SessionBeforeSwitchEvent, SessionInfoChangedEvent,
    SessionShutdownEvent, SessionStartEvent, ShutdownReason, StartReason, SwitchReason,
    ThinkingLevelSelectEvent,
};
use deed_models::{Script, ScriptedModel};
use deed_protocol::ThinkingLevel;
use serde_json::json;

use crate::support::{Notes, Play, Played, ext};

fn watches(log: &Notes) -> Arc<dyn Extension> {
    let log = log.clone();
    ext("watches", move |api| {
        let notes = log.clone();
        api.on(move |event: &mut SessionStartEvent, _| {
            let from = event.previous_session_file.as_deref();
            notes.add(format!("start {} from {from:?}", event.reason.as_str()));
            Box::pin(async { Ok(()) })
        })?;
        let notes = log.clone();
        api.on(move |event: &mut SessionShutdownEvent, _| {
            let to = event.target_session_file.as_deref();
            notes.add(format!("shutdown {} to {to:?}", event.reason.as_str()));
            Box::pin(async { Ok(()) })
        })?;
        let notes = log.clone();
        api.on(move |event: &mut SessionInfoChangedEvent, _| {
            notes.add(format!("name {:?}", event.name));
            Box::pin(async { Ok(()) })
        })?;
        let notes = log.clone();
        api.on(move |event: &mut ModelSelectEvent, _| {
            let previous = event.previous_model.as_ref().map(|model| model.id.clone());
            let (id, source) = (&event.model.id, event.source);
            notes.add(format!("model {id} behind {previous:?} by {source:?}"));
            Box::pin(async { Ok(()) })
        })?;
        let notes = log.clone();
        api.on(move |event: &mut ThinkingLevelSelectEvent, _| {
            notes.add(format!("{} to {}", event.previous_level, event.level));
            Box::pin(async { Ok(()) })
        })?;
        Ok(())
    })
}

async fn watched() -> (Notes, Played) {
    let log = Notes::default();
    let play = Play::new().with(watches(&log));
    (log, play.load(json!([{ "say": "fine" }])).await)
}

#[tokio::test]
async fn extensions_hear_why_a_session_begins_and_ends() {
    let log = Notes::default();
    let play = Play::new().with(watches(&log));
    let session = play.build_to_start().await;
    assert!(log.lines().is_empty(), "nobody has said so yet");
    let begins = SessionStartEvent {
        reason: StartReason::Fork,
        previous_session_file: Some(PathBuf::from("/s/a.jsonl")),
    };
    session.tell_start(begins).await;
    session.tell_start(SessionStartEvent::default()).await;
    let ends = SessionShutdownEvent {
        reason: ShutdownReason::Resume,
        target_session_file: Some(PathBuf::from("/s/b.jsonl")),
    };
    session.close_for(ends).await;
    session.close().await;
    insta::assert_snapshot!(log.lines().join("\n"), @r#"
    start fork from Some("/s/a.jsonl")
    shutdown resume to Some("/s/b.jsonl")
    "#);
}

#[tokio::test]
async fn a_session_by_itself_starts_with_the_program_and_ends_with_it() {
    let (log, played) = watched().await;
    played.session.close().await;
    assert_eq!(
        log.lines(),
        ["start startup from None", "shutdown quit to None"]
    );
}

/// The scripted model under another name.
#[derive(Debug)]
struct Named(ScriptedModel, ModelInfo);

impl Model for Named {
    fn info(&self) -> &ModelInfo {
        &self.1
    }

    fn respond<'a>(
        &'a self,
        request: &'a deed_agent::ModelRequest,
        deltas: tokio::sync::mpsc::Sender<deed_agent::ModelDelta>,
        cancel: &'a tokio_util::sync::CancellationToken,
    ) -> deed_agent::BoxFuture<'a, deed_protocol::AssistantMessage> {
        self.0.respond(request, deltas, cancel)
    }
}

fn named(id: &str) -> Arc<dyn Model> {
    let inner = ScriptedModel::new(Script::parse("[{}]").unwrap(), || 0);
    let info = ModelInfo {
        id: id.into(),
        ..inner.info().clone()
    };
    Arc::new(Named(inner, info))
}

#[tokio::test]
async fn another_name_model_or_level_is_told_and_the_same_one_is_not() {
    let (log, played) = watched().await;
    let session = &played.session;
    session.set_session_name("work").await.unwrap();
    for (id, source) in [
        ("m1", ModelSelectSource::Set),
        ("m1", ModelSelectSource::Set),
        ("m2", ModelSelectSource::Cycle),
    ] {
        session.set_model(named(id), source).await.unwrap();
    }
    for level in [ThinkingLevel::High, ThinkingLevel::High, ThinkingLevel::Max] {
        session.set_thinking(level).await.unwrap();
    }
    insta::assert_snapshot!(log.lines()[1..].join("\n"), @r#"
    name None
    model m1 behind Some("script") by Set
    model m2 behind Some("m1") by Cycle
    off to high
    high to max
    "#);
}

/// Agrees to what does not have the word, and writes down that it was asked.
fn objects_to(name: &'static str, word: &'static str, log: &Notes) -> Arc<dyn Extension> {
    let log = log.clone();
    ext(name, move |api| {
        let notes = log.clone();
        api.on(move |event: &mut SessionBeforeSwitchEvent, _| {
            let said = format!("{:?} {:?}", event.reason, event.target_session_file);
            notes.add(format!("{name}: {said}"));
            let consent = consent(&said, word);
            Box::pin(async move { consent })
        })?;
        let notes = log.clone();
        api.on(move |event: &mut SessionBeforeForkEvent, _| {
            let said = format!("{:?} {}", event.position, event.entry_id);
            notes.add(format!("{name}: {said}"));
            let consent = consent(&said, word);
            Box::pin(async move { consent })
        })?;
        Ok(())
    })
}

fn consent(said: &str, word: &str) -> Result<Consent, ExtensionError> {
    match (said.contains("broken"), said.contains(word)) {
        (true, _) => Err(ExtensionError::new("as told")),
        (_, true) => Ok(Consent::Cancel),
        _ => Ok(Consent::Agree),
    }
}

#[tokio::test]
async fn the_first_no_settles_a_switch_and_a_fork() {
    let log = Notes::default();
    let play = Play::new()
        .with(objects_to("first", "Resume", &log))
        .with(objects_to("second", "e2", &log));
    let played = play.load(json!([{ "say": "fine" }])).await;
    let session = &played.session;
    let target = Some(PathBuf::from("/s/a.jsonl"));
    assert!(session.may_switch(SwitchReason::New, None).await);
    assert!(!session.may_switch(SwitchReason::Resume, target).await);
    assert!(session.may_fork("e1", ForkPosition::Before).await);
    assert!(!session.may_fork("e2", ForkPosition::At).await);
    assert!(
        session.may_fork("broken", ForkPosition::At).await,
        "a handler that fails says nothing"
    );
    assert_eq!(played.failures.lines().len(), 2);
    insta::assert_snapshot!(log.lines().join("\n"), @r#"
    first: New None
    second: New None
    first: Resume Some("/s/a.jsonl")
    first: Before e1
    second: Before e1
    first: At e2
    second: At e2
    first: At broken
    second: At broken
    "#);
}

#[tokio::test]
async fn a_handler_that_takes_for_ever_is_let_go_with_the_run() {
    let play = Play::new().with(ext("slow", |api| {
        api.on(|_: &mut SessionBeforeSwitchEvent, _| Box::pin(std::future::pending()))?;
        Ok(())
    }));
    let played = play.load(json!([{ "say": "fine" }])).await;
    let (session, stops) = (played.session.clone(), played.session.clone());
    let (may, ()) = tokio::join!(session.may_switch(SwitchReason::New, None), async {
        tokio::task::yield_now().await;
        stops.cancel();
    });
    assert!(may);
    assert!(played.failures.lines()[0].contains("session_before_switch"));
}
