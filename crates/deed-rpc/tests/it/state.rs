//! What a client can find out.

use serde_json::json;

use super::host::{Play, spec};
use super::wire::{Wire, command, say};

#[tokio::test]
async fn the_state_of_a_new_session() {
    let mut wire = Wire::start(Play::new(json!([say("fine")]))).await;
    let mut state = wire.ok(json!({ "type": "get_state" })).await;
    assert!(
        state["sessionFile"]
            .take()
            .as_str()
            .unwrap()
            .ends_with(".jsonl")
    );
    assert_eq!(state["sessionId"].take().as_str().unwrap().len(), 36);
    insta::assert_json_snapshot!(state, @r#"
    {
      "model": {
        "id": "script",
        "name": "script",
        "api": "script",
        "provider": "script",
        "baseUrl": "",
        "reasoning": false,
        "input": [
          "text",
          "image"
        ],
        "contextWindow": 0,
        "maxTokens": 0,
        "cost": {
          "input": 0.0,
          "output": 0.0,
          "cacheRead": 0.0,
          "cacheWrite": 0.0
        }
      },
      "thinkingLevel": "off",
      "isStreaming": false,
      "isCompacting": false,
      "steeringMode": "one-at-a-time",
      "followUpMode": "one-at-a-time",
      "sessionFile": null,
      "sessionId": null,
      "autoCompactionEnabled": true,
      "messageCount": 0,
      "pendingMessageCount": 0
    }
    "#);
}

#[tokio::test]
async fn messages_entries_and_tree_tell_the_same_session() {
    let mut wire = Wire::start(Play::new(json!([
        command("true"),
        say("done"),
        say("more")
    ])))
    .await;
    wire.prompt("one").await;
    let messages = wire.ok(json!({ "type": "get_messages" })).await;
    assert_eq!(messages["messages"].as_array().unwrap().len(), 4);
    let all = wire.ok(json!({ "type": "get_entries" })).await;
    let last = all["entries"].as_array().unwrap().last().unwrap()["id"].clone();
    assert_eq!(all["leafId"], last);
    wire.prompt("two").await;
    let news = wire
        .ok(json!({ "type": "get_entries", "since": last }))
        .await;
    let news = news["entries"].as_array().unwrap();
    assert_eq!(news.len(), 2);
    assert_eq!(news[0]["message"]["content"], "two");
    let error = wire
        .refused(json!({ "type": "get_entries", "since": "nope" }))
        .await;
    assert_eq!(error, "there is no entry nope in this session");
    let tree = wire.ok(json!({ "type": "get_tree" })).await;
    let mut depth = 0;
    let mut node = &tree["tree"][0];
    while node.is_object() {
        assert!(node["entry"]["id"].is_string());
        depth += 1;
        node = &node["children"][0];
    }
    let all = wire.ok(json!({ "type": "get_entries" })).await;
    assert_eq!(depth, all["entries"].as_array().unwrap().len());
}

#[tokio::test]
async fn the_last_text_of_the_model() {
    let script = json!([say(" first "), command("true"), { "error": "no", "errorKind": "auth" }]);
    let mut wire = Wire::start(Play::new(script)).await;
    let none = wire.ok(json!({ "type": "get_last_assistant_text" })).await;
    assert_eq!(none, json!({ "text": null }));
    wire.prompt("one").await;
    wire.prompt("two").await;
    let text = wire.ok(json!({ "type": "get_last_assistant_text" })).await;
    assert_eq!(text, json!({ "text": "first" }));
}

#[tokio::test]
async fn statistics_count_the_whole_session() {
    let fails =
        json!({ "calls": [{ "name": "read", "arguments": { "path": "none" } }], "cost": 0.25 });
    let mut wire = Wire::start(Play::new(json!([fails, say("done")]))).await;
    wire.prompt("one").await;
    wire.ok(json!({ "type": "bash", "command": "true" })).await;
    let mut stats = wire.ok(json!({ "type": "get_session_stats" })).await;
    stats["sessionFile"].take();
    stats["sessionId"].take();
    insta::assert_snapshot!(stats, @r#"{"sessionFile":null,"sessionId":null,"userMessages":1,"assistantMessages":2,"toolCalls":1,"toolResults":1,"toolErrors":1,"totalMessages":5,"tokens":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0},"cost":0.25}"#);
}

#[tokio::test]
async fn a_model_with_a_window_tells_how_full_it_is() {
    let mut play = Play::new(json!([say("fine")]));
    play.models = vec![spec("m1", &[])];
    let mut wire = Wire::start(play).await;
    let set = json!({ "type": "set_model", "provider": "acme", "modelId": "m1" });
    wire.ok(set).await;
    wire.prompt(&"word ".repeat(350)).await;
    let stats = wire.ok(json!({ "type": "get_session_stats" })).await;
    let usage = &stats["contextUsage"];
    assert_eq!(usage["contextWindow"], 1000);
    assert!(usage["percent"].as_f64().unwrap() > 40.0, "{usage}");
}
