//! Prompts, queues, and taking both back.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use deed_agent::BoxFuture;
use deed_extensions::{ExtensionContext, ExtensionError, InputEvent, InputReply};
use deed_harness::Resources;
use serde_json::{Value, json};

use super::extension::ext;
use super::host::Play;
use super::wire::{Wire, command, say};

const WAITS: &str = "while [ ! -e go ]; do sleep 0.01; done";

fn texts(wire: &Wire) -> Vec<String> {
    let users = wire
        .seen
        .iter()
        .filter(|record| record["type"] == "message_end" && record["message"]["role"] == "user");
    users
        .map(|record| {
            let content = &record["message"]["content"];
            let text = content.as_str().or(content[0]["text"].as_str());
            text.unwrap().to_owned()
        })
        .collect()
}

/// Starts a run whose call waits for the file `go`.
async fn waiting(script: Value) -> Wire {
    let mut wire = Wire::start(Play::new(script)).await;
    wire.ok(json!({ "type": "prompt", "message": "begin" }))
        .await;
    wire.until_type("tool_execution_start").await;
    wire
}

fn go(wire: &Wire) {
    std::fs::write(wire.host.path("go"), "").unwrap();
}

#[tokio::test]
async fn while_a_run_is_under_way_a_prompt_must_say_how_it_waits() {
    let mut wire = waiting(json!([
        command(WAITS),
        say("one"),
        say("two"),
        say("three")
    ]))
    .await;
    let error = wire
        .refused(json!({ "type": "prompt", "message": "now" }))
        .await;
    insta::assert_snapshot!(error, @r#"a run is under way; send `streamingBehavior` "steer" or "followUp" to queue the prompt"#);
    let steer = json!({ "type": "prompt", "message": "left", "streamingBehavior": "steer" });
    assert_eq!(wire.ok(steer).await["disposition"], "queued");
    let later = json!({ "type": "prompt", "message": "later", "streamingBehavior": "followUp" });
    assert_eq!(wire.ok(later).await["disposition"], "queued");
    let state = wire.ok(json!({ "type": "get_state" })).await;
    assert_eq!(
        (&state["isStreaming"], &state["pendingMessageCount"]),
        (&json!(true), &json!(2))
    );
    go(&wire);
    wire.until_type("agent_settled").await;
    assert_eq!(texts(&wire), ["begin", "left", "later"]);
    let queues: Vec<String> = wire
        .seen
        .iter()
        .filter(|record| record["type"] == "queue_update")
        .map(|record| format!("{} {}", record["steering"], record["followUp"]))
        .collect();
    assert_eq!(
        queues,
        [
            r#"["left"] []"#,
            r#"["left"] ["later"]"#,
            r#"[] ["later"]"#,
            "[] []"
        ]
    );
}

#[tokio::test]
async fn steering_and_follow_ups_wait_and_can_be_taken_back() {
    let mut wire = waiting(json!([command(WAITS), say("one")])).await;
    let steer = json!({ "type": "steer", "message": "left" });
    assert_eq!(wire.ok(steer).await["disposition"], "queued");
    let later = json!({ "type": "follow_up", "message": "later" });
    assert_eq!(wire.ok(later).await["disposition"], "queued");
    let cleared = wire.ok(json!({ "type": "clear_queue" })).await;
    assert_eq!(
        cleared,
        json!({ "steering": ["left"], "followUp": ["later"] })
    );
    go(&wire);
    wire.until_type("agent_settled").await;
    assert_eq!(texts(&wire), ["begin"]);
}

#[tokio::test]
async fn steering_without_a_run_goes_with_the_next_prompt() {
    let mut wire = Wire::start(Play::new(json!([say("one"), say("two")]))).await;
    wire.ok(json!({ "type": "steer", "message": "left" })).await;
    wire.prompt("go").await;
    assert_eq!(texts(&wire), ["go", "left"]);
}

#[tokio::test]
async fn abort_ends_the_running_call_and_answers_when_all_is_over() {
    let mut wire = waiting(json!([
        command("echo $$ > pid; sleep 300; touch survived"),
        say("no")
    ]))
    .await;
    wire.until(|record| record["type"] == "tool_execution_update")
        .await;
    let response = wire.ask(json!({ "type": "abort" })).await;
    assert_eq!(response["success"], true);
    let settled = wire
        .seen
        .iter()
        .position(|record| record["type"] == "agent_settled");
    assert_eq!(wire.seen[settled.unwrap()]["aborted"], true);
    let results = wire
        .seen
        .iter()
        .filter(|record| record["message"]["role"] == "toolResult");
    assert_eq!(
        results
            .filter(|record| record["type"] == "message_end")
            .count(),
        1
    );
    assert!(!wire.host.path("survived").exists());
    let state = wire.ok(json!({ "type": "get_state" })).await;
    assert_eq!(state["isStreaming"], false);
}

#[tokio::test]
async fn abort_without_a_run_answers_at_once() {
    let mut wire = Wire::start(Play::new(json!([say("one")]))).await;
    wire.ok(json!({ "type": "abort" })).await;
    wire.prompt("go").await;
}

#[tokio::test]
async fn what_goes_wrong_after_acceptance_is_told_by_events() {
    let mut wire = Wire::start(Play::new(
        json!([{ "error": "wrong key", "errorKind": "auth" }]),
    ))
    .await;
    wire.prompt("go").await;
    let answer = wire
        .seen
        .iter()
        .find(|record| record["type"] == "message_end" && record["message"]["role"] == "assistant");
    assert_eq!(answer.unwrap()["message"]["errorMessage"], "wrong key");
    let responses = wire
        .seen
        .iter()
        .filter(|record| record["type"] == "response");
    assert_eq!(responses.count(), 1);
}

#[tokio::test]
async fn templates_are_written_out_and_unknown_skills_are_refused() {
    let mut play = Play::new(json!([say("one"), say("two")]));
    play.prompts.insert("review", "Review $1 closely.");
    let mut wire = Wire::start(play).await;
    wire.prompt("/review a.rs").await;
    assert_eq!(texts(&wire), ["Review a.rs closely."]);
    let error = wire
        .refused(json!({ "type": "prompt", "message": "/skill:none" }))
        .await;
    assert_eq!(error, "there is no skill `none`; none was found");
    wire.prompt("/usr/bin is a path").await;
    let commands = wire.ok(json!({ "type": "get_commands" })).await;
    let first = &commands["commands"][0];
    assert_eq!(
        (&first["name"], &first["source"]),
        (&json!("review"), &json!("prompt"))
    );
    assert!(
        first["sourceInfo"]["path"]
            .as_str()
            .unwrap()
            .ends_with("review.md")
    );
}

#[tokio::test]
async fn extensions_deal_with_prompts_and_have_commands() {
    let play = Play {
        extensions: vec![ext(|api| {
            api.on(
                |event: &mut InputEvent, _| -> BoxFuture<'_, Result<InputReply, _>> {
                    let reply = match event.text.as_str() {
                        "mine" => InputReply::Handled,
                        "turn" => InputReply::Transform {
                            text: "turned".to_owned(),
                            images: None,
                        },
                        _ => InputReply::Continue,
                    };
                    Box::pin(async { Ok(reply) })
                },
            )?;
            api.register_command("greet", "Greets", |args, context: &ExtensionContext| {
                let text = format!("hello {args}");
                context.ui().notify(&text, deed_protocol::NoticeLevel::Info);
                Box::pin(async { Ok(()) })
            })?;
            api.register_command("fail", "Fails", |_, _| {
                Box::pin(async { Err(ExtensionError::new("as told")) })
            })
        })],
        ..Play::new(json!([say("one")]))
    };
    let mut wire = Wire::start(play).await;
    for (message, kind) in [("mine", "prompt"), ("mine", "steer"), ("mine", "follow_up")] {
        let command = json!({ "type": kind, "message": message });
        assert_eq!(wire.ok(command).await["disposition"], "handled", "{kind}");
    }
    let greet = json!({ "type": "prompt", "message": "/greet  you " });
    assert_eq!(wire.ok(greet).await["disposition"], "handled");
    let note = wire.seen.iter().find(|record| record["method"] == "notify");
    let note = match note {
        Some(note) => note.clone(),
        None => wire.question().await,
    };
    assert_eq!(
        (&note["message"], &note["notifyType"]),
        (&json!("hello you"), &json!("info"))
    );
    let error = wire
        .refused(json!({ "type": "steer", "message": "/greet" }))
        .await;
    assert!(error.contains("send it with `prompt`"), "{error}");
    let fail = json!({ "type": "prompt", "message": "/fail" });
    assert_eq!(wire.ok(fail).await["disposition"], "handled");
    let failed = wire
        .seen
        .iter()
        .find(|record| record["type"] == "extension_error");
    let failed = match failed {
        Some(failed) => failed.clone(),
        None => wire.until_type("extension_error").await,
    };
    assert_eq!(failed["event"], "command");
    assert!(failed["error"].as_str().unwrap().contains("as told"));
    let commands = wire.ok(json!({ "type": "get_commands" })).await;
    assert_eq!(commands["commands"][0]["source"], "extension");
    wire.prompt("turn").await;
    assert_eq!(texts(&wire), ["turned"]);
}

#[tokio::test]
async fn pictures_go_with_a_prompt() {
    let mut wire = Wire::start(Play::new(json!([say("a dot")]))).await;
    // The smallest PNG there is: one grey pixel.
    let png: &[u8] = &[
        0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', 0, 0, 0, 13, b'I', b'H', b'D', b'R', 0,
        0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0, 0x3a, 0x7e, 0x9b, 0x55, 0, 0, 0, 10, b'I', b'D', b'A',
        b'T', 0x78, 0x9c, 0x63, 0x60, 0, 0, 0, 2, 0, 1, 0x48, 0xaf, 0xa4, 0x71, 0, 0, 0, 0, b'I',
        b'E', b'N', b'D', 0xae, 0x42, 0x60, 0x82,
    ];
    let picture = |data: &str| json!([{ "type": "image", "data": data, "mimeType": "image/png" }]);
    let prompt =
        |data: &str| json!({ "type": "prompt", "message": "what", "images": picture(data) });
    let error = wire.refused(prompt("###")).await;
    assert_eq!(error, "`images[0]` cannot be used: `data` is not base64");
    let error = wire.refused(prompt("aGVsbG8=")).await;
    assert!(
        error.starts_with("`images[0]` cannot be used: it is not a PNG"),
        "{error}"
    );
    wire.ok(prompt(&STANDARD.encode(png))).await;
    wire.until_type("agent_settled").await;
    let said = wire
        .seen
        .iter()
        .find(|record| record["type"] == "message_end");
    let content = &said.unwrap()["message"]["content"];
    assert_eq!(content[0]["text"], "what");
    assert_eq!(content[1]["data"], STANDARD.encode(png));
}

#[tokio::test]
async fn skills_and_templates_are_written_out_in_whatever_way_a_text_comes() {
    let mut play = Play::new(json!([
        command(WAITS),
        say("one"),
        say("two"),
        say("three")
    ]));
    play.skills.insert("tidy", "Tidy up.");
    play.prompts.insert("review", "Review $1 closely.");
    let mut wire = Wire::start(play).await;
    wire.ok(json!({ "type": "prompt", "message": "/skill:tidy all of it" }))
        .await;
    wire.until_type("tool_execution_start").await;
    for (kind, text) in [("steer", "/review a.rs"), ("follow_up", "/skill:tidy")] {
        wire.ok(json!({ "type": kind, "message": text })).await;
    }
    go(&wire);
    wire.until_type("agent_settled").await;
    // What `-p` writes out is written out by the same hand.
    let own = Resources::load(&wire.host.resource_places());
    let written = |text: &str| own.expand(text).unwrap().unwrap().text;
    let wanted = ["/skill:tidy all of it", "/review a.rs", "/skill:tidy"].map(written);
    assert_eq!(texts(&wire), wanted);
    assert!(wanted[0].contains("Tidy up.") && wanted[0].ends_with("all of it"));
}

#[tokio::test]
async fn pictures_are_made_smaller_only_where_that_is_wanted() {
    let mut png = Vec::new();
    let wide = image::GrayImage::new(2100, 2);
    let mut to = std::io::Cursor::new(&mut png);
    wide.write_to(&mut to, image::ImageFormat::Png).unwrap();
    for (is_wanted, hints) in [(true, true), (false, false)] {
        let mut play = Play::new(json!([say("a line")]));
        play.settings.images_auto_resize = is_wanted;
        let mut wire = Wire::start(play).await;
        let picture =
            json!([{ "type": "image", "data": STANDARD.encode(&png), "mimeType": "image/png" }]);
        wire.ok(json!({ "type": "prompt", "message": "what", "images": picture }))
            .await;
        wire.until_type("agent_settled").await;
        let mut all = wire.seen.iter();
        let said = all.find(|record| record["type"] == "message_end").unwrap();
        let content = &said["message"]["content"];
        assert_eq!(content[1]["data"] == STANDARD.encode(&png), !is_wanted);
        assert_eq!(content[0]["text"] != "what", hints, "{content}");
    }
}
