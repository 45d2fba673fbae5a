use deed_harness::RunLimits;
use deed_protocol::{CustomMessage, Message, UserContent};
use serde_json::{Value, json};

use crate::support::{Place, Played};

fn reading(path: &str) -> Value {
    json!({ "calls": [{ "name": "read", "arguments": { "path": path } }], "cost": 0.4 })
}

fn turns(count: usize) -> Value {
    (0..count)
        .map(|index| reading(&format!("{index}.txt")))
        .collect()
}

async fn error_of(played: &Played) -> String {
    let end = played.session.prompt(vec![Message::user("go", 0)]).await;
    end.unwrap().error.expect("the run was ended")
}

fn notes(played: &Played) -> Vec<CustomMessage> {
    let messages = played.session.agent().messages();
    let custom = messages.iter().filter_map(|message| match &**message {
        Message::Custom(custom) => Some(custom.clone()),
        _ => None,
    });
    custom.collect()
}

#[tokio::test]
async fn a_run_ends_at_its_turns_with_every_call_answered_and_can_go_on() {
    let place = Place::new();
    let limits = RunLimits {
        max_turns: Some(2),
        ..RunLimits::default()
    };
    let played = place.session(turns(4), |builder| builder.run_limits(limits));
    let error = error_of(&played).await;
    assert!(
        error.starts_with("the run was ended after 2 turns"),
        "{error}"
    );
    assert_eq!(played.results().len(), 2);
    error_of(&played).await;
    assert_eq!(played.results().len(), 4);
}

#[tokio::test]
async fn a_run_ends_at_its_cost() {
    let place = Place::new();
    let limits = RunLimits {
        max_cost_usd: Some(1.0),
        ..RunLimits::default()
    };
    let played = place.session(turns(9), |builder| builder.run_limits(limits));
    let error = error_of(&played).await;
    assert!(error.contains("it cost $1.2000"), "{error}");
    assert_eq!(played.results().len(), 3);
}

#[tokio::test]
async fn a_model_that_goes_in_circles_is_told_and_then_stopped() {
    let place = Place::new();
    let circles: Value = (0..9).map(|_| reading("same.txt")).collect();
    let limits = RunLimits {
        max_equal_turns: Some(5),
        ..RunLimits::default()
    };
    let played = place.session(circles, |builder| builder.run_limits(limits));
    let error = error_of(&played).await;
    assert!(error.contains("the same calls 5 times in a row"), "{error}");
    assert_eq!(played.results().len(), 5);
    let notes = notes(&played);
    assert_eq!(notes.len(), 1, "it is told once");
    let UserContent::Text(text) = &notes[0].content else {
        panic!("a text");
    };
    assert!(text.contains("3 times in a row"), "{text}");
    // Told after the third answer, before the fourth.
    let messages = played.session.agent().messages();
    let at = messages
        .iter()
        .position(|message| matches!(&**message, Message::Custom(_)));
    assert_eq!(at, Some(7));
}

#[tokio::test]
async fn calls_to_tools_that_do_not_exist_are_circles_too() {
    let place = Place::new();
    let unknown = json!({ "calls": [{ "name": "no_such_tool", "arguments": {} }] });
    let circles: Value = (0..300).map(|_| unknown.clone()).collect();
    let played = place.session(circles, |builder| builder);
    let error = error_of(&played).await;
    assert!(error.contains("250 times in a row"), "{error}");
    assert_eq!(notes(&played).len(), 4);
}

#[tokio::test]
async fn other_arguments_are_no_circle() {
    let place = Place::new();
    let mut script = turns(12);
    script
        .as_array_mut()
        .unwrap()
        .push(json!({ "say": "done" }));
    let played = place.play(script, |builder| builder).await;
    assert_eq!(notes(&played).len(), 0);
}

#[tokio::test]
async fn looking_again_at_what_changes_is_no_circle() {
    let place = Place::new();
    let count = json!({ "calls": [{ "name": "bash",
        "arguments": { "command": "echo x >> log; wc -l < log" } }] });
    let mut script: Vec<Value> = (0..5).map(|_| count.clone()).collect();
    script.push(json!({ "say": "done" }));
    let played = place.play(script.into(), |builder| builder).await;
    assert_eq!(notes(&played).len(), 0);
}
