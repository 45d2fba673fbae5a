//! Going from session to session.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use deed_extensions::{
    Consent, Delivery, Extension, ForkPosition, SessionBeforeForkEvent, SessionBeforeSwitchEvent,
    SessionShutdownEvent, SessionStartEvent, SwitchReason,
};
use deed_protocol::{NoticeLevel, UserContent};
use serde_json::{Value, json};

use super::extension::ext;
use super::host::Play;
use super::wire::{Wire, command, say};

async fn talked(script: Value) -> Wire {
    let mut wire = Wire::start(Play::new(script)).await;
    wire.prompt("one").await;
    wire
}

async fn file(wire: &mut Wire) -> String {
    let state = wire.ok(json!({ "type": "get_state" })).await;
    state["sessionFile"].as_str().unwrap().to_owned()
}

async fn count(wire: &mut Wire) -> u64 {
    let state = wire.ok(json!({ "type": "get_state" })).await;
    state["messageCount"].as_u64().unwrap()
}

#[tokio::test]
async fn a_new_session_is_empty_and_the_old_one_can_be_gone_back_to() {
    let mut wire = talked(json!([say("fine"), say("again")])).await;
    let old = file(&mut wire).await;
    let data = wire
        .ok(json!({ "type": "new_session", "parentSession": old }))
        .await;
    assert_eq!(data, json!({ "cancelled": false }));
    assert_eq!(count(&mut wire).await, 0);
    assert_eq!(wire.host.ended.load(Ordering::Relaxed), 1);
    wire.prompt("in the new one").await;
    let new = file(&mut wire).await;
    assert_ne!(new, old);
    let text = std::fs::read_to_string(&new).unwrap();
    let header: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(header["parentSession"], old.as_str());
    wire.ok(json!({ "type": "switch_session", "sessionPath": old }))
        .await;
    assert_eq!(count(&mut wire).await, 2);
    assert_eq!(file(&mut wire).await, old);
    wire.prompt("two").await;
    assert_eq!(count(&mut wire).await, 4);
}

#[tokio::test]
async fn the_file_of_a_session_that_was_left_is_free() {
    let mut wire = talked(json!([say("fine")])).await;
    let old = file(&mut wire).await;
    let locked = wire.host.store.open(old.as_ref());
    assert!(locked.is_err());
    wire.ok(json!({ "type": "new_session" })).await;
    wire.host.store.open(old.as_ref()).unwrap();
}

#[tokio::test]
async fn what_cannot_be_opened_leaves_the_session_as_it_was() {
    let mut wire = talked(json!([say("fine"), say("again")])).await;
    std::fs::write(wire.host.path("no.jsonl"), "no session\n").unwrap();
    let error = wire
        .refused(json!({ "type": "switch_session", "sessionPath": "none.jsonl" }))
        .await;
    assert!(error.starts_with("there is no session file "), "{error}");
    let error = wire
        .refused(json!({ "type": "switch_session", "sessionPath": "no.jsonl" }))
        .await;
    assert!(error.contains("is no session file"), "{error}");
    let error = wire
        .refused(json!({ "type": "fork", "entryId": "nope" }))
        .await;
    assert!(
        error.contains("no message of the user has the id \"nope\""),
        "{error}"
    );
    assert_eq!(count(&mut wire).await, 2);
    wire.prompt("two").await;
    assert_eq!(wire.host.ended.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn switching_to_the_session_that_is_open_keeps_it() {
    let mut wire = talked(json!([say("fine"), say("again")])).await;
    let path = file(&mut wire).await;
    wire.ok(json!({ "type": "switch_session", "sessionPath": path }))
        .await;
    assert_eq!(wire.host.count(), 1);
    wire.prompt("two").await;
}

#[tokio::test]
async fn a_fork_ends_before_the_message_that_it_is_made_from() {
    let mut wire = talked(json!([say("fine"), say("again")])).await;
    wire.prompt("two").await;
    let old = file(&mut wire).await;
    let messages = wire.ok(json!({ "type": "get_fork_messages" })).await;
    let messages = messages["messages"].as_array().unwrap().clone();
    let texts: Vec<&Value> = messages.iter().map(|message| &message["text"]).collect();
    assert_eq!(texts, ["one", "two"]);
    let fork = json!({ "type": "fork", "entryId": messages[1]["entryId"] });
    let data = wire.ok(fork).await;
    assert_eq!(data, json!({ "text": "two", "cancelled": false }));
    assert_eq!(count(&mut wire).await, 2);
    assert_ne!(file(&mut wire).await, old);
    wire.ok(json!({ "type": "switch_session", "sessionPath": old }))
        .await;
    assert_eq!(count(&mut wire).await, 4);
}

#[tokio::test]
async fn a_clone_has_all_of_it() {
    let mut wire = Wire::start(Play::new(json!([say("fine")]))).await;
    let error = wire.refused(json!({ "type": "clone" })).await;
    assert_eq!(error, "the session is empty; prompt first, then clone it");
    wire.prompt("one").await;
    let old = file(&mut wire).await;
    let data = wire.ok(json!({ "type": "clone" })).await;
    assert_eq!(data, json!({ "cancelled": false }));
    assert_eq!(count(&mut wire).await, 2);
    assert_ne!(file(&mut wire).await, old);
}

#[tokio::test]
async fn going_elsewhere_ends_what_goes_on() {
    let script = json!([command("echo $$; sleep 300; touch survived"), say("no")]);
    let mut play = Play::new(script);
    play.scripts.push(json!([say("new")]));
    let mut wire = Wire::start(play).await;
    wire.ok(json!({ "type": "prompt", "message": "go" })).await;
    wire.until_type("tool_execution_update").await;
    let shell = wire.begin(json!({ "type": "bash", "command": "echo up; sleep 300" }));
    wire.until_type("bash_execution_update").await;
    let old = file(&mut wire).await;
    let switch = wire.begin(json!({ "type": "new_session" }));
    // Waits for the new session, and means that.
    let prompt = wire.begin(json!({ "type": "prompt", "message": "hello" }));
    let cancelled = wire.response(&shell).await;
    assert_eq!(cancelled["data"]["cancelled"], true);
    wire.response(&switch).await;
    let settled = wire
        .seen
        .iter()
        .find(|record| record["type"] == "agent_settled");
    assert_eq!(settled.unwrap()["aborted"], true);
    let started = match wire
        .seen
        .iter()
        .find(|record| record["id"] == prompt.as_str())
    {
        Some(started) => started.clone(),
        None => wire.response(&prompt).await,
    };
    assert_eq!(started["data"]["disposition"], "started");
    wire.until_type("agent_settled").await;
    let text = wire.ok(json!({ "type": "get_last_assistant_text" })).await;
    assert_eq!(text["text"], "new");
    let recorded = std::fs::read_to_string(old).unwrap();
    assert!(recorded.contains("\"bashExecution\"") && recorded.contains("toolResult"));
    assert!(!wire.host.path("survived").exists());
}

#[tokio::test]
async fn a_session_has_a_name_and_a_page() {
    let mut wire = talked(json!([say("fine")])).await;
    let error = wire
        .refused(json!({ "type": "set_session_name", "name": "  " }))
        .await;
    assert_eq!(error, "the name is empty");
    wire.ok(json!({ "type": "set_session_name", "name": " my work " }))
        .await;
    let state = wire.ok(json!({ "type": "get_state" })).await;
    assert_eq!(state["sessionName"], "my work");
    let data = wire.ok(json!({ "type": "export_html" })).await;
    assert_eq!(
        data["path"],
        wire.host.path("export.html").display().to_string()
    );
    let data = wire
        .ok(json!({ "type": "export_html", "outputPath": "a.html" }))
        .await;
    assert_eq!(data["path"], wire.host.path("a.html").display().to_string());
    let error = wire
        .refused(json!({ "type": "export_html", "outputPath": "none/a.html" }))
        .await;
    assert!(error.contains("No such file"), "{error}");
}

type Heard = Arc<Mutex<Vec<String>>>;

/// Writes down where sessions come from and go to, and says no to what `objects` names.
fn watches(heard: &Heard, objects: &'static [&'static str]) -> Arc<dyn Extension> {
    let heard = heard.clone();
    ext(move |api| {
        let notes = heard.clone();
        let says = api.clone();
        api.on(move |event: &mut SessionStartEvent, context| {
            let from = name_of(event.previous_session_file.as_deref());
            let line = format!("start {} {from}", event.reason.as_str());
            notes.lock().unwrap().push(line);
            let greeting = format!("begun: {}", event.reason.as_str());
            context.ui().notify(&greeting, NoticeLevel::Info);
            let greeting = UserContent::Text(greeting);
            let said = says.send_user_message(greeting, Delivery::FollowUp);
            Box::pin(async move { said })
        })?;
        let notes = heard.clone();
        api.on(move |event: &mut SessionShutdownEvent, _| {
            let to = name_of(event.target_session_file.as_deref());
            let line = format!("shutdown {} {to}", event.reason.as_str());
            notes.lock().unwrap().push(line);
            Box::pin(async { Ok(()) })
        })?;
        api.on(move |event: &mut SessionBeforeSwitchEvent, _| {
            let word = match event.reason {
                SwitchReason::New => "new",
                SwitchReason::Resume => "resume",
            };
            Box::pin(async move { Ok(consent(objects, word)) })
        })?;
        api.on(move |event: &mut SessionBeforeForkEvent, _| {
            let word = match event.position {
                ForkPosition::Before => "fork",
                ForkPosition::At => "clone",
            };
            Box::pin(async move { Ok(consent(objects, word)) })
        })?;
        Ok(())
    })
}

fn consent(objects: &[&str], word: &str) -> Consent {
    match objects.contains(&word) {
        true => Consent::Cancel,
        false => Consent::Agree,
    }
}

fn name_of(file: Option<&Path>) -> &str {
    file.map_or("-", |file| file.file_name().unwrap().to_str().unwrap())
}

async fn watched(objects: &'static [&'static str]) -> (Heard, Wire) {
    let heard = Heard::default();
    let play = Play {
        extensions: vec![watches(&heard, objects)],
        ..Play::new(json!([say("one"), say("two"), say("three")]))
    };
    (heard, Wire::start(play).await)
}

#[tokio::test]
async fn what_extensions_say_when_a_session_starts_reaches_the_client() {
    let (_, mut wire) = watched(&[]).await;
    for reason in ["startup", "new"] {
        let note = wire.until(|record| record["method"] == "notify").await;
        assert_eq!(note["message"], format!("begun: {reason}"));
        wire.until_type("agent_settled").await;
        let start = wire
            .seen
            .iter()
            .rfind(|record| record["type"] == "message_end" && record["message"]["role"] == "user");
        let text = &start.unwrap()["message"]["content"];
        assert_eq!(text, &json!(format!("begun: {reason}")));
        wire.begin(json!({ "type": "new_session" }));
    }
}

#[tokio::test]
async fn extensions_hear_why_a_session_takes_the_place_of_another() {
    let (heard, mut wire) = watched(&[]).await;
    wire.until_type("agent_settled").await;
    let first = file(&mut wire).await;
    let mut files = vec![first.clone()];
    wire.ok(json!({ "type": "new_session" })).await;
    wire.until_type("agent_settled").await;
    files.push(file(&mut wire).await);
    wire.ok(json!({ "type": "switch_session", "sessionPath": first }))
        .await;
    wire.until_type("agent_settled").await;
    let messages = wire.ok(json!({ "type": "get_fork_messages" })).await;
    let entry = &messages["messages"][0]["entryId"];
    wire.ok(json!({ "type": "fork", "entryId": entry })).await;
    wire.until_type("agent_settled").await;
    files.push(file(&mut wire).await);
    wire.ok(json!({ "type": "clone" })).await;
    wire.until_type("agent_settled").await;
    files.push(file(&mut wire).await);
    wire.end().await;
    let mut told = heard.lock().unwrap().join("\n");
    for (number, file) in files.iter().enumerate() {
        told = told.replace(name_of(Some(Path::new(file))), &format!("file-{number}"));
    }
    insta::assert_snapshot!(told, @"
    start startup -
    shutdown new file-1
    start new file-0
    shutdown resume file-0
    start resume file-1
    shutdown fork file-2
    start fork file-0
    shutdown fork file-3
    start fork file-2
    shutdown quit -
    ");
}

#[tokio::test]
async fn an_extension_that_says_no_keeps_the_session() {
    let (heard, mut wire) = watched(&["new", "resume", "fork", "clone"]).await;
    wire.until_type("agent_settled").await;
    let own = file(&mut wire).await;
    let other = wire.host.path("other.jsonl");
    std::fs::copy(&own, &other).unwrap();
    let messages = wire.ok(json!({ "type": "get_fork_messages" })).await;
    let entry = &messages["messages"][0]["entryId"];
    for command in [
        json!({ "type": "new_session" }),
        json!({ "type": "switch_session", "sessionPath": other }),
        json!({ "type": "fork", "entryId": entry }),
        json!({ "type": "clone" }),
    ] {
        let data = wire.ok(command.clone()).await;
        assert_eq!(data, json!({ "cancelled": true }), "{command}");
    }
    assert_eq!(file(&mut wire).await, own);
    assert_eq!(wire.host.count(), 1);
    assert_eq!(*heard.lock().unwrap(), ["start startup -"]);
}
