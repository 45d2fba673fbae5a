//! Handlers of `input` and `before_agent_start`, and messages that extensions send.

use std::sync::Arc;

use deed_extensions::{
    AgentEndEvent, AgentSettledEvent, BeforeAgentStartEvent, BeforeAgentStartReply, Delivery,
    Extension, ExtensionApi, InputEvent, InputReply, InputSource, SessionStartEvent,
    ToolExecutionStartEvent,
};
use deed_protocol::{ContentBlock, CustomMessage, ImageBlock, Message, ToolResult, UserContent};
use deed_testing::FakeTool;
use serde_json::json;

use crate::support::{Notes, Once, Play, batch, call, ext, lifted};

fn input(
    name: &'static str,
    handler: impl Fn(&mut InputEvent) -> InputReply + Clone + Send + Sync + 'static,
) -> Arc<dyn Extension> {
    ext(name, move |api| {
        let handler = handler.clone();
        api.on(move |event: &mut InputEvent, _| {
            let reply = handler(event);
            Box::pin(async move { Ok(reply) })
        })?;
        Ok(())
    })
}

fn transform(text: String) -> InputReply {
    InputReply::Transform { text, images: None }
}

#[tokio::test]
async fn what_is_said_passes_all_handlers_and_each_sees_what_the_one_before_made_of_it() {
    let upper = input("upper", |event| transform(event.text.to_uppercase()));
    let none = input("none", |_| InputReply::Continue);
    let wraps = input("wraps", |event| transform(format!("<{}>", event.text)));
    let play = Play::new().with(upper).with(none).with(wraps);
    let played = play.run(json!([{ "say": "hi" }])).await;
    assert!(
        played.asked()[0].text().contains("<GO>"),
        "{}",
        played.asked()[0].text()
    );
}

#[tokio::test]
async fn what_a_handler_dealt_with_reaches_neither_the_next_one_nor_the_model() {
    let notes = Notes::default();
    let heard = notes.clone();
    let handles = input("handles", |event| match event.text.as_str() {
        "mine" => InputReply::Handled,
        _ => InputReply::Continue,
    });
    let next = input("next", move |event| {
        heard.add(event.text.clone());
        InputReply::Continue
    });
    let play = Play::new().with(handles).with(next);
    let played = play.load(json!([{ "say": "hi" }])).await;
    let end = played.prompt("mine").await;
    assert!(end.messages.is_empty() && !end.aborted);
    assert_eq!(played.asked().len(), 0);
    played.prompt("yours").await;
    assert_eq!(played.asked().len(), 1);
    assert_eq!(notes.lines(), ["yours"]);
}

#[tokio::test]
async fn pictures_stay_unless_a_handler_gives_others() {
    let asks = |images: Option<Vec<ImageBlock>>| {
        input("input", move |event| {
            assert_eq!(event.images.len(), 1);
            assert_eq!(event.source, InputSource::Rpc);
            InputReply::Transform {
                text: "see".to_owned(),
                images: images.clone(),
            }
        })
    };
    for (images, left) in [(None, true), (Some(Vec::new()), false)] {
        let played = Play::new()
            .with(asks(images))
            .load(json!([{ "say": "hi" }]))
            .await;
        let mut message = Message::user("", 0);
        if let Message::User(user) = &mut message {
            let image = ContentBlock::image("AAAA", "image/png");
            user.content = UserContent::Blocks(vec![ContentBlock::text("look"), image]);
        }
        let prompting = played.session.prompt_as(vec![message], InputSource::Rpc);
        prompting.await.unwrap();
        let asked = played.asked()[0].text();
        assert!(asked.contains("see") && !asked.contains("look"), "{asked}");
        assert_eq!(asked.contains("AAAA"), left, "{asked}");
    }
}

fn custom(text: &str) -> CustomMessage {
    CustomMessage {
        custom_type: "note".to_owned(),
        content: UserContent::Text(text.to_owned()),
        display: false,
        details: None,
        timestamp: 0,
        extra: Default::default(),
    }
}

fn before(
    name: &'static str,
    handler: impl Fn(&BeforeAgentStartEvent) -> BeforeAgentStartReply + Clone + Send + Sync + 'static,
) -> Arc<dyn Extension> {
    ext(name, move |api| {
        let handler = handler.clone();
        api.on(move |event: &mut BeforeAgentStartEvent, _| {
            let reply = handler(event);
            Box::pin(async move { Ok(reply) })
        })?;
        Ok(())
    })
}

#[tokio::test]
async fn messages_before_a_run_accumulate_and_the_system_prompt_passes_all_handlers() {
    let adds = |name: &'static str| {
        before(name, move |event| BeforeAgentStartReply {
            messages: vec![custom(&format!("{name} about {}", event.prompt))],
            system_prompt: Some(format!("{}\n{name} was here", event.system_prompt)),
        })
    };
    let play = Play::new().with(adds("first")).with(adds("second"));
    let script = json!([
        { "calls": [call("c", "t", json!({}))] },
        { "say": "done" },
        { "say": "again" },
    ]);
    let played = play.run(script).await;
    for asked in played.asked() {
        assert!(
            asked.system.ends_with("\nfirst was here\nsecond was here"),
            "{}",
            asked.system
        );
    }
    let text = played.asked()[0].text();
    let place = |part: &str| {
        text.find(part)
            .unwrap_or_else(|| panic!("{part} in {text}"))
    };
    assert!(place("\"go\"") < place("first about go"));
    assert!(place("first about go") < place("second about go"));
}

#[tokio::test]
async fn another_system_prompt_lasts_for_one_run_and_follows_the_active_tools() {
    let once = before("once", |event| BeforeAgentStartReply {
        messages: Vec::new(),
        system_prompt: (event.prompt == "go").then(|| format!("{}\nhurry", event.system_prompt)),
    });
    let adds = ext("adds", |api| {
        let acting = api.clone();
        api.register_tool(lifted(FakeTool::new("add").acts(move |_, _| {
            acting.set_active_tools(&["t", "add", "grep"]).unwrap();
            async { Ok(ToolResult::text("")) }
        })))
    });
    let script = json!([
        { "calls": [call("c", "add", json!({}))] },
        { "say": "done" },
        { "say": "again" },
    ]);
    let played = Play::new().with(once).with(adds).run(script).await;
    played.prompt("slowly").await;
    let asked = played.asked();
    assert!(!asked[0].system.contains("- grep:"));
    assert!(asked[1].system.contains("- grep:"), "{}", asked[1].system);
    assert!(asked[1].system.ends_with("\nhurry"), "{}", asked[1].system);
    assert!(!asked[2].system.contains("hurry"), "{}", asked[2].system);
}

fn say(api: &ExtensionApi, text: &str, delivery: Delivery) {
    let content = UserContent::Text(text.to_owned());
    api.send_user_message(content, delivery).unwrap();
}

#[tokio::test]
async fn b121_what_an_extension_says_during_a_batch_waits_for_all_of_its_calls() {
    let speaks = ext("speaks", |api| {
        let acting = api.clone();
        api.on(move |start: &mut ToolExecutionStartEvent, _| {
            if &*start.tool_call_id == "a" {
                say(&acting, "later", Delivery::FollowUp);
                say(&acting, "steer one", Delivery::Steer);
                say(&acting, "steer two", Delivery::Steer);
            }
            Box::pin(async { Ok(()) })
        })?;
        Ok(())
    });
    let calls = [
        call("a", "t", json!({ "say": "1" })),
        call("b", "t", json!({ "say": "2" })),
        call("c", "t", json!({ "say": "3" })),
    ];
    let script = json!([
        { "calls": calls }, { "say": "one" }, { "say": "two" }, { "say": "three" },
    ]);
    let played = Play::new().with(speaks).run(script).await;
    let all = ["a", "b", "c"].map(|id| played.text(id));
    assert_eq!(all, ["1", "2", "3"]);
    let heard = ["steer one", "steer two", "later"].map(|text| {
        let asked = played.asked();
        asked
            .iter()
            .position(|asked| asked.text().contains(text))
            .unwrap()
    });
    assert_eq!(heard, [1, 2, 3]);
}

#[tokio::test]
async fn what_an_extension_says_when_nothing_runs_starts_a_run() {
    let (settled, told) = Once::new();
    let notes = Notes::default();
    let heard = notes.clone();
    let speaks = ext("speaks", move |api| {
        let acting = api.clone();
        api.on(move |_: &mut SessionStartEvent, _| {
            say(&acting, "wake up", Delivery::FollowUp);
            Box::pin(async { Ok(()) })
        })?;
        let notes = heard.clone();
        api.on(move |event: &mut InputEvent, _| {
            notes.add(format!("{} from {:?}", event.text, event.source));
            Box::pin(async { Ok(InputReply::Continue) })
        })?;
        let settled = settled.clone();
        api.on(move |_: &mut AgentSettledEvent, _| {
            settled.give(());
            Box::pin(async { Ok(()) })
        })?;
        Ok(())
    });
    let played = Play::new()
        .with(speaks)
        .load(json!([{ "say": "hi" }]))
        .await;
    told.await.unwrap();
    assert!(played.asked()[0].text().contains("wake up"));
    assert_eq!(notes.lines(), ["wake up from Extension"]);
}

#[tokio::test]
async fn what_an_extension_says_at_the_very_end_of_a_run_is_delivered_before_it_settles() {
    let notes = Notes::default();
    let heard = notes.clone();
    let speaks = ext("speaks", move |api| {
        let (acting, notes) = (api.clone(), heard.clone());
        api.on(move |end: &mut AgentEndEvent, _| {
            notes.add("end");
            if end.messages.len() == 2 && notes.lines().len() == 1 {
                say(&acting, "one more thing", Delivery::FollowUp);
            }
            Box::pin(async { Ok(()) })
        })?;
        let notes = heard.clone();
        api.on(move |_: &mut AgentSettledEvent, _| {
            notes.add("settled");
            Box::pin(async { Ok(()) })
        })?;
        Ok(())
    });
    let played = Play::new()
        .with(speaks)
        .run(json!([{ "say": "a" }, { "say": "b" }]))
        .await;
    assert!(played.asked()[1].text().contains("one more thing"));
    assert_eq!(notes.lines(), ["end", "end", "settled"]);
}

#[tokio::test]
async fn what_an_extension_says_when_a_run_has_settled_starts_another() {
    let (settled, told) = Once::new();
    let speaks = ext("speaks", move |api| {
        let (acting, settled) = (api.clone(), settled.clone());
        let count = std::sync::atomic::AtomicUsize::new(0);
        api.on(move |_: &mut AgentSettledEvent, _| {
            match count.fetch_add(1, std::sync::atomic::Ordering::Relaxed) {
                0 => say(&acting, "and again", Delivery::Steer),
                _ => settled.give(()),
            }
            Box::pin(async { Ok(()) })
        })?;
        Ok(())
    });
    let played = Play::new()
        .with(speaks)
        .run(json!([{ "say": "a" }, { "say": "b" }]))
        .await;
    told.await.unwrap();
    assert!(played.asked()[1].text().contains("and again"));
}

#[tokio::test]
async fn a_prompt_during_a_run_is_refused_before_any_handler_sees_it() {
    let notes = Notes::default();
    let heard = notes.clone();
    let hears = input("hears", move |event| {
        heard.add(event.text.clone());
        InputReply::Continue
    });
    let (session, given) = Once::new();
    let given = std::sync::Mutex::new(Some(given));
    let prompts = FakeTool::new("t").acts(move |_, _| {
        let given = given.lock().unwrap().take().unwrap();
        async move {
            let session: deed_harness::AgentSession = given.await.unwrap();
            let refused = session.prompt(vec![Message::user("me too", 0)]).await;
            Ok(ToolResult::text(refused.unwrap_err().to_string()))
        }
    });
    let play = Play::new().tool(prompts).with(hears);
    let played = play.load(batch(&[call("c", "t", json!({}))])).await;
    session.give(played.session.clone());
    played.prompt("go").await;
    assert!(played.text("c").contains("run"), "{}", played.text("c"));
    assert_eq!(notes.lines(), ["go"]);
}
